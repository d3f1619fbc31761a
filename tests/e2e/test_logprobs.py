"""Log-probabilities and echo with the official client, against an independent implementation's logits."""

import json
import math

import openai
import pytest

from conftest import ROOT

REFERENCE = json.loads((ROOT / "tests" / "reference" / "logits-smollm2.json").read_text())
QUESTION = [{"role": "user", "content": "Name three colours."}]


def joined(entries):
    return b"".join(bytes(e.bytes) for e in entries).decode("utf-8", "replace")


def test_chat_logprobs_agree_with_reference_logits(server):
    for chat in REFERENCE["chats"]:
        answer = server.client().chat.completions.create(
            model="default", messages=chat["messages"], max_tokens=1, temperature=0, logprobs=True, top_logprobs=20)
        top = answer.choices[0].logprobs.content[0].top_logprobs
        assert len(top) == 20
        ids = {}
        for token, logit in chat["top20"]:
            ids[server.http.post("/detokenize", json={"tokens": [token]}).json()["prompt"]] = logit
        seen = [(t.logprob, ids[t.token]) for t in top if t.token in ids]
        assert len(seen) >= 15
        base = seen[0]
        for logprob, logit in seen:
            assert logprob - base[0] == pytest.approx(logit - base[1], abs=0.6)
        assert sum(math.exp(t.logprob) for t in top) <= 1.0001
        assert [t.logprob for t in top] == sorted((t.logprob for t in top), reverse=True)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_chat_stream_and_whole_agree(server, n, temperature):
    fields = dict(model="default", messages=QUESTION, max_tokens=20, temperature=temperature, seed=3, n=n,
                  logprobs=True, top_logprobs=2)
    client = server.client()
    whole = client.chat.completions.create(**fields)
    text, scores = [""] * n, [[] for _ in range(n)]
    for chunk in client.chat.completions.create(**fields, stream=True):
        for c in chunk.choices:
            text[c.index] += c.delta.content or ""
            if c.logprobs:
                scores[c.index] += c.logprobs.content
    for choice in whole.choices:
        content = choice.logprobs.content
        assert choice.message.content == text[choice.index] == joined(content) == joined(scores[choice.index])
        assert [e.logprob for e in content] == [e.logprob for e in scores[choice.index]]
        assert all(len(e.top_logprobs) == 2 and e.logprob <= 0 for e in content)
    plain = client.chat.completions.create(**{**fields, "logprobs": False, "top_logprobs": None})
    assert [c.message.content for c in plain.choices] == text, "asking changes no token"
    assert all(c.logprobs is None for c in plain.choices)


def test_c29_forms(server):
    def ask(**fields):
        return server.chat(max_tokens=2, **fields)

    content = ask(logprobs=True).json()["choices"][0]["logprobs"]["content"]
    assert content and all(e["top_logprobs"] == [] for e in content)
    assert ask(logprobs=True, top_logprobs=20).status_code == 200
    for wrong in (dict(logprobs=True, top_logprobs=21), dict(top_logprobs=3), dict(logprobs=False, top_logprobs=3)):
        refused = ask(**wrong)
        assert refused.status_code == 400 and refused.json()["error"]["param"] == "top_logprobs"


def test_c29_bytes_of_partial_characters(server):
    """An emoji forced token by token: no token holds a whole character, the bytes together do."""
    ids = server.http.post("/tokenize", json={"prompt": "🙂", "add_special_tokens": False}).json()["tokens"]
    assert len(ids) > 1
    text, entries = "", []
    for at, token in enumerate(ids):
        answer = server.complete(prompt=[504] + ids[:at], max_tokens=1, temperature=0, logit_bias={token: 100}, logprobs=0,
                                 return_token_ids=True).json()["choices"][0]
        assert answer["token_ids"] == [token], "forced"
        assert answer["finish_reason"] == "length"
        entries += answer["logprobs"]["tokens"]
        text += answer["text"]
    assert "\N{REPLACEMENT CHARACTER}" in text
    shown = b"".join(bytes.fromhex(e[6:].replace("\\x", "")) if e.startswith("bytes:") else e.encode() for e in entries)
    assert shown.decode() == "🙂"


def test_completion_form(server):
    fields = dict(model="default", prompt="The capital of France is", max_tokens=12, temperature=0)
    client = server.client()
    for count in (0, 3):
        choice = client.completions.create(**fields, logprobs=count).choices[0]
        scores = choice.logprobs
        assert "".join(scores.tokens) == choice.text
        assert len(scores.token_logprobs) == len(scores.top_logprobs) == len(scores.text_offset) == len(scores.tokens)
        for token, logprob, top, offset in zip(scores.tokens, scores.token_logprobs, scores.top_logprobs, scores.text_offset):
            assert top[token] == logprob
            assert len(top) == max(count, 1)
            assert choice.text[offset:].startswith(token)
    streamed = list(client.completions.create(**fields, logprobs=3, stream=True))
    tokens = [t for c in streamed for x in c.choices if x.logprobs for t in x.logprobs.tokens]
    offsets = [t for c in streamed for x in c.choices if x.logprobs for t in x.logprobs.text_offset]
    assert tokens == scores.tokens and offsets == scores.text_offset
    assert client.completions.create(**fields).choices[0].logprobs is None
    with pytest.raises(openai.BadRequestError):
        client.completions.create(**fields, logprobs=21)


def test_stop_strings_cut_text_and_logprobs_alike(server):
    fields = dict(model="default", prompt="Count: one, two, three,", max_tokens=30, temperature=0, logprobs=1)
    client = server.client()
    whole = client.completions.create(**fields).choices[0].text
    stop = whole[9:14]
    answer = client.completions.create(**fields, stop=[stop]).choices[0]
    assert answer.text == whole[: whole.index(stop)]
    shown = "".join(answer.logprobs.tokens)
    assert shown.startswith(answer.text) and len(shown) < len(answer.text) + 12
    assert answer.logprobs.text_offset[-1] < len(answer.text)


def test_penalties_and_bias_do_not_change_logprobs(server):
    fields = dict(prompt="The capital of France is", max_tokens=1, temperature=0, logprobs=5, return_token_ids=True)
    plain = server.complete(**fields).json()["choices"][0]
    other = list(plain["logprobs"]["top_logprobs"][0])[1]
    forced = server.complete(**fields, logit_bias={plain["token_ids"][0]: -100}, presence_penalty=2).json()["choices"][0]
    assert forced["logprobs"]["tokens"] == [other]
    assert forced["logprobs"]["token_logprobs"][0] == plain["logprobs"]["top_logprobs"][0][other]


def test_c26_echo_with_logprobs_and_no_answer(server):
    text = "The sun rises in the east and sets in the west."
    ids = server.http.post("/tokenize", json={"prompt": text}).json()["tokens"]
    for prompt in (text, ids):
        answer = server.complete(prompt=prompt, echo=True, logprobs=1, max_tokens=0).json()
        choice = answer["choices"][0]
        assert choice["text"] == text and choice["finish_reason"] == "length"
        assert answer["usage"]["completion_tokens"] == 0 and answer["usage"]["prompt_tokens"] == len(ids)
        scores = choice["logprobs"]
        assert "".join(scores["tokens"]) == text
        assert scores["token_logprobs"][0] is None and scores["top_logprobs"][0] is None
        assert all(x <= 0 for x in scores["token_logprobs"][1:])
        assert all(text[at:].startswith(t) for at, t in zip(scores["text_offset"], scores["tokens"]))
    assert server.complete(prompt=text, max_tokens=0).status_code == 400
    assert server.chat(echo=True).json()["error"]["param"] == "echo"


def test_echo_loss_agrees_with_the_reference(server):
    reference = REFERENCE["perplexity"]
    answer = server.complete(prompt=reference["ids"], echo=True, logprobs=0, max_tokens=0).json()
    values = answer["choices"][0]["logprobs"]["token_logprobs"][1:]
    assert -sum(values) / len(values) == pytest.approx(reference["mean_nll"], rel=0.02)


def test_echo_before_an_answer(server):
    fields = dict(model="default", prompt=["Two plus two is", "The sun rises in the"], max_tokens=6, temperature=0, n=2)
    client = server.client()
    plain = client.completions.create(**fields)
    echoed = client.completions.create(**fields, echo=True, logprobs=1)
    for a, b in zip(plain.choices, echoed.choices):
        assert b.text == fields["prompt"][b.index // 2] + a.text
        assert "".join(b.logprobs.tokens) == b.text
    text = [""] * 4
    for chunk in client.completions.create(**fields, echo=True, stream=True):
        for c in chunk.choices:
            text[c.index] += c.text
    assert text == [c.text for c in echoed.choices]


def test_a_prompt_cut_into_chunks_has_the_same_values(start):
    small = start("--max-num-batched-tokens", 64)
    text = " ".join(f"word{i}" for i in range(60))
    whole = small.complete(prompt=text, echo=True, logprobs=2, max_tokens=0).json()["choices"][0]
    assert whole["text"] == text and "".join(whole["logprobs"]["tokens"]) == text
    assert len(whole["logprobs"]["tokens"]) > 128
