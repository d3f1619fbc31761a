"""The official client, unchanged, against the real server."""

import json

import openai
import pytest

from conftest import ROOT

QUESTION = [{"role": "user", "content": "What is the capital of France?"}]


REFERENCE = json.loads((ROOT / "tests" / "reference" / "logits-smollm2.json").read_text())["chats"]


def test_chat_gives_the_reference_answer(server):
    """An independent implementation's greedy answer, through template, tokenizer, actors and HTTP."""
    chat = next(c for c in REFERENCE if "Japan" in c["messages"][0]["content"])
    answer = server.client().chat.completions.create(model="default", messages=chat["messages"], max_tokens=24, temperature=0)
    choice = answer.choices[0]
    assert choice.message.content == "The capital of Japan is Tokyo."
    assert choice.finish_reason == "stop"
    assert answer.usage.prompt_tokens == len(chat["prompt_ids"])
    assert answer.usage.completion_tokens == len(chat["greedy_ids"])
    assert answer.object == "chat.completion"
    assert answer.model_extra["neap"]["group"] == "FAST_GROUP"
    assert answer.model_extra["timings"]["total_ms"] > 0


def test_chat_stream_equals_the_whole_answer(server):
    client = server.client()
    fields = dict(model="default", messages=QUESTION, max_tokens=40, temperature=0.8, seed=7)
    whole = client.chat.completions.create(**fields)
    chunks = list(client.chat.completions.create(**fields, stream=True, stream_options={"include_usage": True}))
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == whole.choices[0].finish_reason
    usages = [c.usage for c in chunks if c.usage]
    assert len(usages) == 1 and not chunks[-1].choices
    assert usages[0].completion_tokens == whole.usage.completion_tokens
    assert usages[0].prompt_tokens == whole.usage.prompt_tokens


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}, {"include_usage": None}])
def test_c45_usage_only_when_asked(server, options):
    body = {"model": "default", "prompt": "One", "max_tokens": 3, "stream": True}
    if options is not None:
        body["stream_options"] = options
    text = server.http.post("/v1/completions", json=body).text
    assert text.rstrip().endswith("data: [DONE]")
    assert '"usage":{' not in text


def test_completions_with_prompt_forms(server):
    client = server.client()
    text = "The sun rises in the"
    tokens = server.http.post("/tokenize", json={"prompt": text}).json()
    assert tokens["count"] == len(tokens["tokens"])
    fields = dict(model="default", max_tokens=8, temperature=0)
    by_text = client.completions.create(prompt=text, **fields).choices[0].text
    assert client.completions.create(prompt=tokens["tokens"], **fields).choices[0].text == by_text
    several = client.completions.create(prompt=[text, "Two plus two is", text], **fields)
    assert [c.index for c in several.choices] == [0, 1, 2]
    assert several.choices[0].text == several.choices[2].text == by_text
    assert server.http.post("/detokenize", json={"tokens": tokens["tokens"]}).json()["prompt"] == text


def test_stop_strings_cut_exactly(server):
    client = server.client()
    fields = dict(model="default", prompt="Count: one, two, three,", max_tokens=40, temperature=0)
    whole = client.completions.create(**fields).choices[0].text
    stop = whole[9:14]
    for stream in (False, True):
        answer = client.completions.create(**fields, stop=[stop, "never to be seen"], stream=stream)
        pieces = list(answer) if stream else [answer]
        text = "".join(p.choices[0].text for p in pieces if p.choices)
        assert text == whole[: whole.index(stop)]
        assert [p.choices[0].finish_reason for p in pieces if p.choices][-1] == "stop"


def test_seeds_repeat_and_differ(server):
    client = server.client()

    def sample(seed):
        return client.completions.create(model="default", prompt="My favourite", max_tokens=24, seed=seed).choices[0].text

    assert sample(1) == sample(1)
    assert len({sample(seed) for seed in range(4)}) > 1


def test_errors_reach_the_client_as_its_own_classes(server):
    client = server.client()
    with pytest.raises(openai.BadRequestError) as bad:
        client.chat.completions.create(model="default", messages=QUESTION, temperature=-1)
    assert bad.value.body["param"] == "temperature"
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="no-such-model", messages=QUESTION)
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as long:
        client.completions.create(model="default", prompt=[1] * 9000)
    assert long.value.code == "context_length_exceeded"
    assert "9000" in long.value.message and "8192" in long.value.message


def test_return_token_ids(server):
    answer = server.complete(prompt="Hello", max_tokens=5, temperature=0, return_token_ids=True).json()
    ids = answer["choices"][0]["token_ids"]
    assert len(ids) == answer["usage"]["completion_tokens"] == 5
    assert server.http.post("/detokenize", json={"tokens": ids}).json()["prompt"] == answer["choices"][0]["text"]


def test_models_list(server):
    models = server.client().models.list().data
    assert [m.id for m in models] == ["SmolLM2-135M-Instruct.Q4_1"]
    answer = server.client().completions.create(model=models[0].id, prompt="a", max_tokens=1)
    assert answer.model == models[0].id
