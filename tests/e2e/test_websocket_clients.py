"""Protobuf clients, slow and rude clients, drains, and what idle WebSockets cost. RELIABILITY R5 and R18."""

import asyncio
import contextlib
import importlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import pytest
import websockets
from conftest import ROOT
from test_websocket import PROMPT, connected, http_text, receive, request, run, wait_idle
from test_websocket_protocol import Raw, frame


@pytest.fixture(scope="module")
def schema():
    """The schema as a Python module, made by protoc."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["protoc", f"--proto_path={ROOT}", f"--python_out={folder}", "messages/proto/websocket.proto"],
            cwd=ROOT,
            check=True,
        )
        sys.path.insert(0, str(pathlib.Path(folder) / "messages" / "proto"))
        yield importlib.import_module("websocket_pb2")
        sys.path.pop(0)


def test_protobuf_answers_equal_http(server, schema):
    def started(id, body, credits=None):
        message = schema.ClientMessage()
        message.request.id = id
        message.request.endpoint = schema.ENDPOINT_COMPLETIONS
        message.request.body = json.dumps(body).encode()
        if credits is not None:
            message.request.credits = credits
        return message.SerializeToString()

    async def client():
        async with connected(server, subprotocols=["neap.v1.proto"]) as socket:
            assert socket.subprotocol == "neap.v1.proto"
            await socket.send(started("a", PROMPT))
            await socket.send(started("b", {**PROMPT, "seed": 8}, credits=2))
            await socket.send(started("c", {"prompt": 1}))
            grant = schema.ClientMessage(credit=schema.Credit(id="b", tokens=100))
            await socket.send(grant.SerializeToString())
            texts, ends, errors = {"a": "", "b": ""}, 0, []
            while ends < 3:
                message = schema.ServerMessage.FromString(await asyncio.wait_for(socket.recv(), 30))
                kind = message.WhichOneof("kind")
                if kind == "event":
                    texts[message.event.id] += json.loads(message.event.data)["choices"][0]["text"]
                ends += kind in ("done", "error")
                if kind == "error":
                    errors.append((message.error.id, message.error.problem.param))
            await socket.send(schema.ClientMessage(ping=schema.Ping(data="x")).SerializeToString())
            assert schema.ServerMessage.FromString(await socket.recv()).pong.data == "x"
            return texts, errors

    texts, errors = run(client())
    assert texts == {"a": http_text(server), "b": http_text(server, seed=8)}
    assert errors == [("c", "prompt")]


@pytest.mark.parametrize("subprotocol, message", [("neap.v1.json", b"\x00"), ("neap.v1.proto", "{}")])
def test_frames_of_the_wrong_kind_close_with_1003(server, subprotocol, message):
    async def client():
        async with connected(server, subprotocols=[subprotocol]) as socket:
            await socket.send(message)
            with pytest.raises(websockets.ConnectionClosed) as end:
                await asyncio.wait_for(socket.recv(), 10)
            assert end.value.rcvd.code == 1003

    run(client())


def test_not_utf8_closes_with_1007_and_cancels(server):
    client = Raw(server.port, then=frame(1, request("a", {**PROMPT, "max_tokens": 1500}).encode()))
    client.frame()
    client.send(1, b"\xc3\x28")
    assert client.close_code() == 1007
    client.socket.close()
    assert wait_idle(server)


def test_credits_that_never_come_end_the_request(start):
    """Both limits: bytes held for one connection, and time without a grant."""
    server = start("--stalled-timeout", "2")
    long = {**PROMPT, "max_tokens": 400, "ignore_eos": True}

    async def client():
        async with connected(server) as socket:
            await socket.send(request("held", long, credits=1))
            await socket.send(request("fine", {**PROMPT, "max_tokens": 40}))
            seen, ends = [], {}
            while len(ends) < 2:
                message = await receive(socket)
                seen.append(message)
                if message["type"] != "event":
                    ends[message["id"]] = message
            assert sum(m["tokens"] for m in seen if m["type"] == "event" and m["id"] == "held") == 1
            assert ends["fine"]["type"] == "done"
            assert ends["held"]["error"]["code"] == "request_timeout"
            # The connection is as good as new.
            await socket.send(request("held"))
            while (message := await receive(socket))["type"] == "event":
                pass
            assert message["type"] == "done"

    run(client())


def test_readers_that_read_nothing_are_cut_and_cost_little(start):
    """R5: 32 sockets with endless answers that nobody reads; others' answers go on, and memory stays bounded."""
    server = start("--stalled-timeout", "2")
    before = server.usage.resident_bytes()
    body = {**PROMPT, "max_tokens": 1900, "ignore_eos": True, "n": 1, "return_token_ids": True}
    stalled = []
    for i in range(32):
        client = Raw(server.port)
        client.socket.setsockopt(1, 8, 2048)  # SO_RCVBUF
        for k in range(8):
            client.send(1, request(f"{k}", {**body, "prompt": f"{i} {k} is"}).encode())
        stalled.append(client)
    assert http_text(server, max_tokens=4)
    time.sleep(3)
    growth = (server.usage.resident_bytes() - before) / 2**20
    for client in stalled:
        client.socket.close()
    assert wait_idle(server)
    assert server.is_live()
    print(f"32 stalled sockets with 8 requests each: {growth:.1f} MiB more")
    # 16 MiB + 256 KiB a reader, and the KV pool that the sequences touch.
    assert growth < 16 + 32 * 0.25 + 400


def test_drain_closes_with_1001_after_the_answers(start):
    server = start()

    async def client():
        async with connected(server) as idle, connected(server) as busy:
            await busy.send(request("a", {**PROMPT, "max_tokens": 60, "ignore_eos": True}))
            await receive(busy)
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(websockets.ConnectionClosed) as end:
                await asyncio.wait_for(idle.recv(), 10)
            assert end.value.rcvd.code == 1001
            await busy.send(request("late"))
            seen = []
            with pytest.raises(websockets.ConnectionClosed) as end:
                while True:
                    seen.append(await receive(busy))
            assert end.value.rcvd.code == 1001
            ends = {m["id"]: m for m in seen if m["type"] != "event"}
            assert ends["a"]["type"] == "done"
            assert sum(m["tokens"] for m in seen if m["type"] == "event") >= 50
            if "late" in ends:
                assert ends["late"]["error"]["code"] == "draining"

    run(client())
    assert server.process.wait(20) == 0


def cost_of_idle(server, count, fields=b"", then=b""):
    """KiB of the process for each of so many idle WebSockets."""
    before = server.usage.resident_bytes()
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            client = stack.enter_context(contextlib.closing(Raw(server.port, fields, then).socket))
        del client
        return (server.usage.resident_bytes() - before) / 1024 / count


@pytest.mark.timeout(120)
def test_idle_sockets_are_cheap(start):
    """R18: 2,000 idle WebSockets in 64 MiB; with deflate and a message each, 256 in 128 KiB each."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    server = start("--max-connections", "3000", "--websocket-deflate")
    server.complete(prompt="Hello", max_tokens=2)
    plain = cost_of_idle(server, 2000)
    print(f"idle WebSocket: {plain:.1f} KiB")
    assert plain * 2000 < 64 * 1024

    deflated = json.dumps({"type": "ping", "data": "x" * 1000}).encode()
    offer = b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
    import zlib

    pack = zlib.compressobj(wbits=-12)
    bytes_ = (pack.compress(deflated) + pack.flush(zlib.Z_SYNC_FLUSH))[:-4]
    before = server.usage.resident_bytes()
    clients = []
    for _ in range(256):
        client = Raw(server.port, offer)
        assert b"permessage-deflate" in client.head
        client.send(1, bytes_, rsv=0x40)
        assert client.frame()[0] == 1  # a compressed answer
        clients.append(client)
    each = (server.usage.resident_bytes() - before) / 1024 / 256
    for client in clients:
        client.socket.close()
    print(f"WebSocket with deflate: {each:.1f} KiB")
    # The memory of the first 2,000 is used again, so this is a lower bound; the next server has none.
    fresh = start("--websocket-deflate")
    fresh.complete(prompt="Hello", max_tokens=2)
    before = fresh.usage.resident_bytes()
    clients = []
    for _ in range(256):
        client = Raw(fresh.port, offer)
        client.send(1, bytes_, rsv=0x40)
        client.frame()
        clients.append(client)
    each = (fresh.usage.resident_bytes() - before) / 1024 / 256
    print(f"WebSocket with deflate, fresh process: {each:.1f} KiB")
    assert each < 128


def test_a_close_frame_cancels_at_once(server):
    """Also where the client leaves its end of the connection open."""
    client = Raw(server.port)
    client.send(1, json.dumps({"type": "request", "id": "a", "endpoint": "completions", "body": {
        "prompt": "Once", "max_tokens": 2000, "ignore_eos": True, "stream": True}}).encode())
    assert client.frame()[0] == 1
    begin = time.monotonic()
    client.send(8, b"\x03\xe8")
    wait_idle(server)
    assert time.monotonic() - begin < 3
