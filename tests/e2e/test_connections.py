"""Raw sockets: clients that vanish, framing conflicts, shutdown, many at once."""

import concurrent.futures
import json
import signal
import socket
import struct
import time

import pytest


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def at_rest(server):
    names = ("neap:num_requests_running", "neap:num_requests_waiting", "neap:kv_cache_usage_perc")
    return all(server.metric(name) == 0 for name in names)


def request_bytes(server, **fields):
    body = json.dumps({"model": "default", "prompt": "Tell me a story", "max_tokens": 400, "ignore_eos": True, "stream": True, **fields}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def leave(connection, how):
    if how == "rst":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    elif how == "fin":
        connection.close()
    else:
        connection.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("how", ["rst", "fin", "half"])
def test_c64_c71_clients_that_vanish_free_everything(server, how):
    connections = []
    for _ in range(12):
        connection = server.connect()
        connection.sendall(request_bytes(server))
        connections.append(connection)
    for connection in connections[:8]:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
    before = server.metric("neap:generation_tokens_total")
    for connection in connections:
        leave(connection, how)
    assert wait_until(lambda: at_rest(server)), server.http.get("/metrics").text
    assert server.metric("neap:generation_tokens_total") - before < 12 * 400
    assert server.is_live()


def exchange(server, raw):
    with server.connect() as connection:
        connection.settimeout(5)
        connection.sendall(raw)
        data = b""
        while True:
            try:
                piece = connection.recv(65536)
            except socket.timeout:
                return data + b"<still open>"
            if not piece:
                return data
            data += piece


HIDDEN = b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize("headers", [
    b"Transfer-Encoding: gzip\r\nContent-Length: 5\r\n", b"Content-Length: 5\r\nTransfer-Encoding: gzip\r\n",
    b"Transfer-Encoding: chunked, gzip\r\n", b"Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
    b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Content-Length: +5\r\n", b"Content-Length: 0x5\r\n"])
def test_c32_framing_conflicts_are_refused_and_closed(server, headers):
    raw = b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + headers + b"\r\n" + HIDDEN
    answer = exchange(server, raw)
    assert answer.startswith(b"HTTP/1.1 400") or answer.startswith(b"HTTP/1.1 501"), answer
    assert answer.count(b"HTTP/1.1 ") == 1 and b"<still open>" not in answer
    assert server.is_live()


def test_p2_pipelined_requests_are_answered_in_order(server):
    raw = b"".join(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for path in ("/health", "/v1/models", "/health"))
    answer = exchange(server, raw + b"GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200") == 4
    assert answer.index(b'"list"') > 0


def test_p5_methods(server):
    assert server.http.head("/health").status_code == 200
    assert server.http.head("/health").content == b""
    assert server.http.get("/v1/completions").status_code == 405
    assert server.http.get("/no/such/route").status_code == 404
    assert server.http.post("/v1/completions", content="x", headers={"Content-Type": "text/plain"}).status_code == 415


def test_c59_sixteen_at_once_equal_each_alone(server):
    def ask(number):
        answer = server.chat(messages=[{"role": "user", "content": f"Repeat the word marker{number} three times."}], max_tokens=24, temperature=0)
        return answer.json()["choices"][0]["message"]["content"]

    alone = [ask(i) for i in range(16)]
    for _ in range(3):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            assert list(pool.map(ask, range(16))) == alone


def test_c58_the_same_request_five_times(server):
    texts = {server.complete(prompt="x " * 47, max_tokens=16, temperature=0).json()["choices"][0]["text"] for _ in range(5)}
    assert len(texts) == 1


def test_overload_is_refused_at_once_with_retry_after(start):
    small = start("--max-num-seqs", 1, "--max-queue", 2)

    def ask(_):
        return small.complete(prompt="Tell me", max_tokens=60, ignore_eos=True)

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(ask, range(12)))
    served = [a for a in answers if a.status_code == 200]
    refused = [a for a in answers if a.status_code == 503]
    assert len(served) + len(refused) == 12
    assert len(served) >= 3 and refused
    assert all("retry-after" in a.headers for a in refused)
    assert all(a.json()["error"]["code"] == "server_overloaded" for a in refused)
    assert small.http.get("/health").status_code == 200


def test_c70_sigterm_lets_streams_finish(start):
    own = start()
    connections = []
    for _ in range(4):
        connection = own.connect()
        connection.sendall(request_bytes(own, max_tokens=60))
        connections.append(connection)
    heads = [c.recv(4096) for c in connections]
    own.process.send_signal(signal.SIGTERM)
    for connection, head in zip(connections, heads):
        data = head
        while piece := connection.recv(65536):
            data += piece
        assert b"data: [DONE]" in data and b'"error"' not in data
    assert own.process.wait(20) == 0


def test_c70_sigterm_with_no_time_ends_streams_with_an_error_event(start):
    own = start("--drain-timeout", 0)
    connection = own.connect()
    connection.sendall(request_bytes(own, max_tokens=4000))
    data = connection.recv(4096)
    own.process.send_signal(signal.SIGTERM)
    while piece := connection.recv(65536):
        data += piece
    assert b'"error"' in data and b"data: [DONE]" in data
    assert own.process.wait(4) == 0


def test_resident_memory_stays_within_its_bound(start):
    """Model file, configured KV pool and 120 MiB; packed weights of this model are no larger than its file."""
    own = start("--kv-cache-max", "64M")
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda i: own.complete(prompt=f"{i} " * 60, max_tokens=64, ignore_eos=True), range(48)))
    assert all(a.status_code == 200 for a in answers)
    assert own.usage.resident_bytes() < 98_362_432 + (64 + 120) * 2**20
