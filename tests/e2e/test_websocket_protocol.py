"""The WebSocket protocol itself, against the echo server that shares the product's socket code. RELIABILITY R18,
CASES C78 and C79."""

import asyncio
import contextlib
import os
import socket as sockets
import struct
import subprocess
import time

import kosoku
import pytest
import websockets
from conftest import ROOT
from tier import RELEASE

ECHO = ROOT / "build" / "release" / "bin" / "websocket_echo"
HANDSHAKE = (
    b"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@contextlib.contextmanager
def echo(*arguments):
    process = subprocess.Popen([ECHO, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield int(process.stdout.readline())
    finally:
        process.communicate("", timeout=20)


def frame(opcode, payload=b"", final=True, rsv=0):
    head = bytes([(0x80 if final else 0) | rsv | opcode])
    length = len(payload)
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 65536:
        head += bytes([0x80 | 126]) + struct.pack(">H", length)
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", length)
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


class Raw:
    """A client that does exactly what it is told, and answers no ping by itself."""

    def __init__(self, port, fields=b"", then=b""):
        self.socket = sockets.create_connection(("127.0.0.1", port), timeout=15)
        self.socket.sendall(HANDSHAKE + fields + b"\r\n" + then)
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            self.received += self.socket.recv(4096)
        self.head, self.received = self.received.split(b"\r\n\r\n", 1)

    def send(self, *arguments, **options):
        self.socket.sendall(frame(*arguments, **options))

    def read(self, count):
        while len(self.received) < count:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.received += more
        out, self.received = self.received[:count], self.received[count:]
        return out

    def frame(self):
        """(opcode, payload)"""
        first, length = self.read(2)
        if length == 126:
            length = struct.unpack(">H", self.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.read(8))[0]
        return first & 15, self.read(length)

    def close_code(self):
        while True:
            opcode, payload = self.frame()
            if opcode == 8:
                return struct.unpack(">H", payload[:2])[0]

    def wait_end(self):
        """Seconds until the server ended the connection."""
        begin = time.monotonic()
        with contextlib.suppress(EOFError, ConnectionResetError):
            while True:
                self.read(1)
        return time.monotonic() - begin


# Load, not protocol.
WITHOUT = ["9.*"]
# Thousand messages each, of up to 128 KiB: minutes. A sample of each family stays.
LONG = [f"{family}.{i}.{k}" for family in (12, 13) for i in range(1, 8) for k in range(4, 19) if (i + k) % 6]


async def autobahn(port, cases=None, without=WITHOUT):
    try:
        return await kosoku.run_fuzzingclient(
            f"ws://127.0.0.1:{port}/v1/ws", cases=cases, exclude_cases=without, concurrency=4
        )
    except kosoku.FailureError as failure:
        return failure.results


@pytest.mark.timeout(1200)
def test_autobahn():
    """R18: no failure; what is informational or not strict is listed. All compression cases before a release."""
    all_cases = RELEASE
    with echo("deflate") as port:
        results = asyncio.run(autobahn(port, without=WITHOUT if all_cases else WITHOUT + LONG))
    print(len(results), "cases")
    assert len(results) > (450 if all_cases else 300)
    assert [(r.case_id, r.behavior.value, r.behavior_close.value) for r in results if not r.passed] == []
    unimplemented = [r.case_id for r in results if r.behavior.value == "UNIMPLEMENTED"]
    assert unimplemented == []
    for kind in ("INFORMATIONAL", "NON-STRICT"):
        print(kind, [r.case_id for r in results if kind in (r.behavior.value, r.behavior_close.value)])


def test_autobahn_notices_a_broken_server():
    """Positive control: text answered with binary fails."""
    with echo("wrong") as port:
        results = asyncio.run(autobahn(port, ["1.1.*"]))
    assert any(not r.passed for r in results)


def test_frames_that_come_with_the_handshake_are_not_lost():
    with echo() as port:
        client = Raw(port, then=frame(1, b"early"))
        assert client.frame() == (1, b"early")


@pytest.mark.parametrize(
    "sent, code",
    [
        (frame(8, struct.pack(">H", 1000)), 1000),
        (frame(1, b"\xff\xfe"), 1007),
        (frame(3, b"x"), 1002),
        (frame(1, b"x", rsv=0x40), 1002),
        (b"\x81\x01x", 1002),
        (b"\x81\xff" + struct.pack(">Q", 9 << 20) + bytes(4), 1009),
    ],
    ids=["normal", "not utf-8", "opcode", "rsv", "no mask", "too long"],
)
def test_close_codes(sent, code):
    with echo() as port:
        client = Raw(port, then=sent)
        assert client.close_code() == code
        client.socket.close()


def test_inflation_is_capped():
    """A message that grows past 8 MiB ends with 1009, whatever its compressed size."""

    async def client(port):
        async with websockets.connect(f"ws://127.0.0.1:{port}/v1/ws", max_size=None) as socket:
            await socket.send("x" * 1_000_000)
            assert len(await socket.recv()) == 1_000_000
            await socket.send("x" * 64_000_000)
            with pytest.raises(websockets.ConnectionClosed) as end:
                await socket.recv()
            assert end.value.rcvd.code == 1009

    with echo("deflate") as port:
        asyncio.run(client(port))


def test_pings_among_data_and_fragments():
    """C78: 1,000 pings while messages stream back, a text in 50 fragments; order kept, our own pings on."""
    with echo("ping-ms=400") as port:  # gone after 1 s in which it takes nothing: this client sends first, then reads
        client = Raw(port)
        expected, pongs, texts = [], 0, []
        for i in range(1000):
            client.send(9, str(i).encode())
            if i % 20 == 0:
                text = f"message {i} ".encode() * 2000
                client.send(1, text)
                expected.append(text)
        for i in range(50):
            client.send(1 if i == 0 else 0, b"part", final=i == 49)
            client.send(9, b"between")
        expected.append(b"part" * 50)
        while pongs < 1050 or len(texts) < len(expected):
            opcode, payload = client.frame()
            assert opcode in (1, 9, 10)
            if opcode == 10 and pongs < 1000:
                assert payload == str(pongs).encode()
            pongs += opcode == 10
            if opcode == 1:
                texts.append(payload)
        assert texts == expected


def test_vanished_peer_is_closed():
    """C79: silence is answered with a ping, and then with the end (here after 1 s instead of 50)."""
    with echo("ping-ms=400") as port:
        client = Raw(port)
        assert client.frame() == (9, b"")
        assert client.wait_end() < 2


def test_peer_that_only_answers_pings_is_closed():
    """C79: pongs keep a socket from being taken for dead, but not from being idle."""
    with echo("ping-ms=100", "idle-ms=1000") as port:
        client = Raw(port)
        begin = time.monotonic()
        pings = 0
        while True:
            opcode, payload = client.frame()
            if opcode == 8:
                break
            pings += 1
            client.send(10, payload)
        assert struct.unpack(">H", payload[:2])[0] == 1000
        assert 0.9 < time.monotonic() - begin < 2
        assert pings >= 4
        client.send(8, payload)
        assert client.wait_end() < 1


def test_peer_that_takes_nothing_is_cut():
    """What is sent to a peer that does not read stays bounded, and the peer goes."""
    with echo("stalled-ms=500") as port:
        client = Raw(port)
        client.socket.settimeout(10)
        with pytest.raises((ConnectionError, TimeoutError)):
            for _ in range(400):
                client.send(1, bytes(65536))
