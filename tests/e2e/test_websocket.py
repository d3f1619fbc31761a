"""Generations over /v1/ws with a real WebSocket client: JSON messages, many requests, cancel, credits."""

import asyncio
import base64
import contextlib
import json

import pytest
import websockets

PROMPT = {"prompt": "Once upon a time", "max_tokens": 24, "seed": 7, "temperature": 0.8, "stream": True}


@contextlib.asynccontextmanager
async def connected(server, subprotocols=("neap.v1.json",), path="/v1/ws", **options):
    uri = f"ws://127.0.0.1:{server.port}{path}"
    options.setdefault("compression", None)
    async with websockets.connect(uri, subprotocols=subprotocols, max_size=None, **options) as socket:
        yield socket


def request(id, body=None, endpoint="completions", **fields):
    return json.dumps({"type": "request", "id": id, "endpoint": endpoint, "body": body or PROMPT, **fields})


async def receive(socket, timeout=30):
    return json.loads(await asyncio.wait_for(socket.recv(), timeout))


async def answers(socket, count):
    """Messages by id until so many requests ended."""
    out = {}
    while count > 0:
        message = await receive(socket)
        out.setdefault(message.get("id"), []).append(message)
        count -= message["type"] in ("done", "error")
    return out


def text_of(messages):
    return "".join(c["text"] for m in messages if m["type"] == "event" for c in m["data"]["choices"])


def http_text(server, **fields):
    return server.complete(**{**PROMPT, "stream": False, **fields}).json()["choices"][0]["text"]


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 100))


def test_stream_equals_the_http_answer(server):
    async def client():
        async with connected(server) as socket:
            assert socket.subprotocol == "neap.v1.json"
            await socket.send(request("a"))
            return (await answers(socket, 1))["a"]

    messages = run(client())
    assert messages[-1] == {"type": "done", "id": "a"}
    assert text_of(messages) == http_text(server)
    assert messages[-2]["data"]["choices"][0]["finish_reason"] == "length"
    assert sum(m.get("tokens", 0) for m in messages) == 24


def test_whole_answers_and_chat(server):
    async def client():
        async with connected(server, subprotocols=None) as socket:
            assert socket.subprotocol is None
            await socket.send(request("whole", {**PROMPT, "stream": False}))
            chat = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 5, "temperature": 0, "stream": True}
            await socket.send(request("chat", chat, "chat"))
            return await answers(socket, 2)

    got = run(client())
    assert [m["type"] for m in got["whole"]] == ["event", "done"]
    assert got["whole"][0]["data"]["choices"][0]["text"] == http_text(server)
    assert got["chat"][0]["data"]["choices"][0]["delta"]["role"] == "assistant"
    assert got["chat"][-1]["type"] == "done"


def test_many_requests_at_once_keep_apart(server):
    async def client():
        async with connected(server) as socket:
            for seed in range(8):
                await socket.send(request(f"r{seed}", {**PROMPT, "seed": seed}))
            return await answers(socket, 8)

    got = run(client())
    for seed in range(8):
        assert got[f"r{seed}"][-1]["type"] == "done"
        assert text_of(got[f"r{seed}"]) == http_text(server, seed=seed)


def test_cancel_ends_one_and_only_one(server):
    async def client():
        async with connected(server) as socket:
            await socket.send(request("long", {**PROMPT, "max_tokens": 1500, "ignore_eos": True}))
            await socket.send(request("short"))
            await receive(socket)
            await socket.send('{"type":"cancel","id":"long"}')
            await socket.send('{"type":"cancel","id":"unknown"}')
            got = await answers(socket, 2)
            assert got["long"][-1]["error"]["code"] == "cancelled"
            assert got["short"][-1]["type"] == "done"
            # The id is free again.
            await socket.send(request("long"))
            assert (await answers(socket, 1))["long"][-1]["type"] == "done"

    run(client())


def wait_idle(server):
    """No sequence runs any more."""
    import time

    for _ in range(100):
        if server.metric("neap:num_requests_running") == 0:
            return True
        time.sleep(0.1)
    return False


def test_closing_the_socket_cancels_all(server):
    async def client():
        async with connected(server) as socket:
            for i in range(4):
                await socket.send(request(f"{i}", {**PROMPT, "max_tokens": 1500, "ignore_eos": True}))
            await receive(socket)

    run(client())
    assert wait_idle(server)


def test_refusals_are_error_messages_and_the_socket_lives_on(server):
    bad = [
        ("{", None, None),
        ("[]", None, None),
        ('{"type":"dance"}', None, "type"),
        ('{"type":"request","endpoint":"chat","body":{}}', None, "id"),
        (request("x" * 65), None, "id"),
        (request("a", endpoint="audio"), "a", "endpoint"),
        (json.dumps({"type": "request", "id": "a", "endpoint": "chat"}), "a", "body"),
        (request("a", {"prompt": "x", "temperature": 9}), "a", "temperature"),
        (request("a", {"prompt": 3}), "a", "prompt"),
        (request("a", credits=-1), "a", "credits"),
        ('{"type":"credit","id":"a"}', None, "tokens"),
        ('{"type":"ping","data":3}', None, "data"),
    ]

    async def client():
        async with connected(server) as socket:
            for text, id, param in bad:
                await socket.send(text)
                message = await receive(socket)
                assert message["type"] == "error", text
                assert message.get("id") == id, text
                assert message["error"]["param"] == param, message
            await socket.send('{"type":"ping","data":"x"}')
            assert await receive(socket) == {"type": "pong", "data": "x"}

    run(client())


def test_an_open_id_is_refused_and_its_request_goes_on(server):
    async def client():
        async with connected(server) as socket:
            await socket.send(request("a"))
            await socket.send(request("a"))
            got = await answers(socket, 2)
            assert got[None][0]["error"]["param"] == "id"
            assert got["a"][-1]["type"] == "done"

    run(client())


def test_limit_of_open_requests(server):
    async def client():
        async with connected(server) as socket:
            for i in range(65):
                await socket.send(request(f"{i}", {**PROMPT, "max_tokens": 300, "ignore_eos": True}, credits=0))
            message = await receive(socket)
            while message["type"] != "error":
                message = await receive(socket)
            assert message["id"] == "64" and message["error"]["code"] == "rate_limit_exceeded"

    run(client())
    assert wait_idle(server)


def test_credits_hold_the_answer_back(server):
    async def client():
        async with connected(server) as socket:
            await socket.send(request("a", credits=5))
            messages = [await receive(socket) for _ in range(5)]
            assert sum(m["tokens"] for m in messages) == 5
            with pytest.raises(asyncio.TimeoutError):
                await receive(socket, 0.7)
            await socket.send(json.dumps({"type": "credit", "id": "a", "tokens": 3}))
            messages += [await receive(socket) for _ in range(3)]
            with pytest.raises(asyncio.TimeoutError):
                await receive(socket, 0.4)
            await socket.send(json.dumps({"type": "credit", "id": "a", "tokens": 1000}))
            messages += (await answers(socket, 1))["a"]
            return messages

    messages = run(client())
    assert messages[-1]["type"] == "done"
    assert text_of(messages) == http_text(server)


def test_handshakes_that_are_refused(server):
    async def status(**options):
        with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
            async with connected(server, **options):
                pass
        return refusal.value.response.status_code

    async def client():
        assert await status(subprotocols=["chat", "soap"]) == 400
        assert await status(path="/v1/other") == 404
        assert await status(origin="https://evil.example") == 403
        async with connected(server, subprotocols=["soap", "neap.v1.json"]) as socket:
            assert socket.subprotocol == "neap.v1.json"
        async with connected(server, origin=f"http://127.0.0.1:{server.port}"):
            pass
        key = "neap.key." + base64.urlsafe_b64encode(b"secret").decode().rstrip("=")
        async with connected(server, subprotocols=[key, "neap.v1.json"]) as socket:
            assert socket.subprotocol == "neap.v1.json"

    run(client())
    plain = server.http.get("/v1/ws")
    assert plain.status_code == 426 and plain.headers["upgrade"] == "websocket"
