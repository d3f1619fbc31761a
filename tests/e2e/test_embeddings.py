"""/v1/embeddings with the official client."""

import base64
import math
import struct
import threading

import openai
import pytest

TEXTS = ["A cat sleeps on the sofa.", "A kitten naps on the couch.", "The stock market fell by two percent today."]


def embed(server, **fields):
    return server.client().embeddings.create(model="default", **fields)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def test_texts_lists_and_tokens(server):
    answer = embed(server, input=TEXTS)
    assert [d.index for d in answer.data] == [0, 1, 2]
    vectors = [d.embedding for d in answer.data]
    assert all(len(v) == len(vectors[0]) and math.isclose(dot(v, v), 1, rel_tol=1e-4) for v in vectors)
    assert dot(vectors[0], vectors[1]) > dot(vectors[0], vectors[2])
    ids = [server.http.post("/tokenize", json={"prompt": t}).json()["tokens"] for t in TEXTS]
    assert answer.usage.prompt_tokens == answer.usage.total_tokens == sum(map(len, ids))
    by_tokens = embed(server, input=ids)
    for a, b in zip(answer.data, by_tokens.data):
        assert a.embedding == b.embedding
    assert embed(server, input=TEXTS[1]).data[0].embedding == vectors[1], "the same alone as in a list"
    assert embed(server, input=ids[2]).data[0].embedding == vectors[2]


def test_formats_and_dimensions(server):
    plain = embed(server, input=TEXTS[0], encoding_format="float").data[0].embedding
    raw = server.http.post("/v1/embeddings", json={"input": TEXTS[0], "encoding_format": "base64"}).json()
    packed = base64.b64decode(raw["data"][0]["embedding"])
    assert list(struct.unpack(f"<{len(plain)}f", packed)) == pytest.approx(plain)
    short = embed(server, input=TEXTS[0], dimensions=64).data[0].embedding
    scale = math.sqrt(dot(plain[:64], plain[:64]))
    assert short == pytest.approx([x / scale for x in plain[:64]], abs=1e-6)
    with pytest.raises(openai.BadRequestError) as wide:
        embed(server, input=TEXTS[0], dimensions=len(plain) + 1)
    assert wide.value.param == "dimensions"


def test_refusals(server):
    for wrong in ("", [], [""], None, 7, ["a"] * 129, [[]], [-1]):
        answer = server.http.post("/v1/embeddings", json={"input": wrong})
        assert answer.status_code == 400, wrong
        assert answer.json()["error"]["param"] == "input", answer.text
    with pytest.raises(openai.BadRequestError) as long:
        embed(server, input=[1] * 9000)
    assert long.value.code == "context_length_exceeded" and long.value.param == "input"
    with pytest.raises(openai.NotFoundError):
        server.client().embeddings.create(model="no-such-model", input="a")


def test_the_batch_changes_no_bit(server):
    """The same vector while others generate, and in whichever chunks the prompt is computed."""
    text = " ".join(TEXTS * 12)
    alone = embed(server, input=text).data[0].embedding
    stop = threading.Event()

    def load():
        while not stop.is_set():
            server.http.post("/v1/completions", json={"prompt": "Once", "max_tokens": 40, "n": 4})

    thread = threading.Thread(target=load)
    thread.start()
    try:
        for _ in range(3):
            assert embed(server, input=text).data[0].embedding == alone
    finally:
        stop.set()
        thread.join()


def test_chunks_change_no_bit(server, start):
    small = start("--max-num-batched-tokens", 64)
    text = " ".join(TEXTS * 12)
    assert embed(small, input=text).data[0].embedding == embed(server, input=text).data[0].embedding
