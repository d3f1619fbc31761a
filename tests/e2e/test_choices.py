"""Several answers to one prompt, with the official client."""

import openai
import pytest


def texts_of(answer, stream):
    """Text of each choice, whole or put together from a stream."""
    if not stream:
        return {c.index: getattr(c, "text", None) or c.message.content for c in answer.choices}
    out = {}
    for chunk in answer:
        for c in chunk.choices:
            piece = c.text if hasattr(c, "text") else c.delta.content
            out[c.index] = out.get(c.index, "") + (piece or "")
    return out


def ask(server, where, stream=False, **fields):
    client = server.client()
    if where == "chat":
        messages = [{"role": "user", "content": "Tell me a story."}]
        return client.chat.completions.create(model="default", messages=messages, stream=stream, **fields)
    return client.completions.create(model="default", prompt="Once upon a time", stream=stream, **fields)


@pytest.mark.parametrize("where", ["chat", "completions"])
def test_n_answers_differ_repeat_and_stream_the_same(server, where):
    fields = dict(n=3, max_tokens=24, temperature=1.0, seed=11)
    whole = ask(server, where, **fields)
    texts = texts_of(whole, False)
    assert sorted(texts) == [0, 1, 2]
    assert [c.index for c in whole.choices] == [0, 1, 2]
    assert len(set(texts.values())) == 3
    assert texts_of(ask(server, where, **fields), False) == texts
    assert texts_of(ask(server, where, stream=True, **fields), True) == texts
    one = ask(server, where, max_tokens=24, temperature=1.0, seed=12)
    assert texts_of(one, False)[0] == texts[1], "answer i is that of seed + i"
    assert whole.usage.prompt_tokens == one.usage.prompt_tokens, "the prompt counts once"


def test_n_with_a_list_of_prompts_is_numbered_prompt_by_prompt(server):
    client = server.client()
    fields = dict(model="default", max_tokens=6, temperature=0)
    prompts = ["The sun rises in the", "Two plus two is"]
    alone = [client.completions.create(prompt=p, **fields).choices[0].text for p in prompts]
    both = client.completions.create(prompt=prompts, n=2, **fields)
    assert [c.index for c in both.choices] == [0, 1, 2, 3]
    assert [c.text for c in both.choices] == [alone[0], alone[0], alone[1], alone[1]]


def test_best_of_other_than_n_is_refused(server):
    assert server.complete(prompt="Hi", n=2, best_of=2, max_tokens=1).status_code == 200
    refused = server.complete(prompt="Hi", n=2, best_of=3, max_tokens=1)
    assert refused.status_code == 400 and refused.json()["error"]["param"] == "best_of"
    assert server.complete(prompt="Hi", n=9, max_tokens=1).status_code == 400


def test_all_answers_or_none(start):
    small = start("--max-num-seqs", 2, "--max-queue", 2)
    never = small.complete(prompt="Hi", n=8, max_tokens=4)
    assert never.status_code == 400 and never.json()["error"]["param"] == "n", never.text
    body = {"model": "default", "prompt": "Hi", "n": 3, "max_tokens": 2000, "ignore_eos": True, "stream": True}
    with small.http.stream("POST", "/v1/completions", json=body) as held:
        lines = held.iter_lines()
        next(lines)
        with pytest.raises(openai.InternalServerError) as full:
            small.client().completions.create(model="default", prompt="Hi", n=2, max_tokens=4)
        assert full.value.status_code == 503
    assert small.is_live()
    assert small.complete(prompt="Hi", n=3, max_tokens=4).status_code == 200
