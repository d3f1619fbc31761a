"""R5: clients that do not read, and clients that do not write. The rest of the server must not notice."""

import contextlib
import http.client
import json
import socket
import statistics
import threading
import time

READERS = 50
BOUND = (16 * 1024 + READERS * 256) * 1024  # what the readers may cost, in bytes
# Each token comes with 20 alternatives, so that a stream soon holds more than sockets can.
FIELDS = {"model": "default", "messages": [{"role": "user", "content": "Tell me a long story about a river."}],
          "max_tokens": 400, "ignore_eos": True, "temperature": 0, "logprobs": True, "top_logprobs": 20}


def head_and_body(server, **fields):
    body = json.dumps({**FIELDS, **fields}).encode()
    head = (f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def stalled_reader(server, **fields):
    """Asks for a stream and never reads. The small receive buffer makes it stall soon."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(head_and_body(server, stream=True, **fields))
    return connection


def content(lines):
    """Text and arrival times of the events of a stream, and whether it came to its proper end."""
    text, times = "", []
    for line in lines:
        if line == "data: [DONE]":
            return text, times, True
        if line.startswith("data: "):
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content") or ""
                times.append(time.monotonic())
    return text, times, False


def witness(server, tokens=200):
    """Another client's stream: the 95th percentile of the time between its tokens."""
    fields = {**FIELDS, "max_tokens": tokens, "logprobs": False, "top_logprobs": None, "stream": True}
    with server.http.stream("POST", "/v1/chat/completions", json=fields) as answer:
        _, times, ended = content(answer.iter_lines())
    assert ended and len(times) > tokens / 2
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    return statistics.quantiles(gaps, n=20)[-1]


def wait_for_rest(server, seconds=60):
    end = time.monotonic() + seconds
    while server.metric("neap:num_requests_running") + server.metric("neap:num_requests_waiting") > 0:
        assert time.monotonic() < end, "requests did not end"
        time.sleep(0.1)


def fill_memory(server, tokens):
    """Uses as many KV blocks as the readers can, so that what grows after this is buffers."""
    plain = {"stream": False, "max_tokens": tokens, "logprobs": False, "top_logprobs": None}
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(server.connect()) for _ in range(READERS + 1)]
        for connection in connections:
            connection.settimeout(100)
            connection.sendall(head_and_body(server, **plain))
        for connection in connections:
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
    wait_for_rest(server)


def beside_whole_answers(server):
    """The witness beside as many requests that cost the same computation and whose clients wait for whole answers."""
    with contextlib.ExitStack() as stack:
        for _ in range(READERS):
            stack.enter_context(server.connect()).sendall(head_and_body(server, stream=False))
        gap = witness(server)
    wait_for_rest(server)
    return gap


def beside_stalled_readers(server):
    """The witness's gap, and by how much the server's memory grew at most."""
    gaps = []

    def load():
        with contextlib.ExitStack() as stack:
            for _ in range(READERS):
                stack.enter_context(stalled_reader(server))
            gaps.append(witness(server))
            wait_for_rest(server)

    growth = server.usage.peak_growth(load)
    return gaps[0], growth


def answer_of(connection):
    """Text and scored tokens of the stream."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    text, tokens = "", []
    lines = response.read().decode().splitlines()
    assert lines[-2] == "data: [DONE]"
    for line in lines:
        if not line.startswith("data: {"):
            continue
        for choice in json.loads(line[6:])["choices"]:
            text += choice["delta"].get("content") or ""
            tokens += [each["token"] for each in (choice["logprobs"] or {"content": []})["content"]]
    return text, tokens


def test_r5_stalled_readers_are_bounded_and_cut_and_disturb_nobody(start):
    server = start()
    fill_memory(server, 260)  # more than a reader can stall before it is cut
    gap, growth = beside_stalled_readers(server)
    cut = server.metric("neap:request_success_total", finished_reason="abort")
    expected = beside_whole_answers(server)
    print(f"gap {gap * 1e3:.0f} ms of {expected * 1e3:.0f} ms, memory {growth / 1e6:.1f} MB of {BOUND / 1e6:.1f} MB, {cut:.0f} cut")
    assert cut == READERS
    assert growth <= BOUND
    assert gap <= 1.2 * expected
    assert server.metric("neap:kv_cache_usage_perc") == 0


def test_r5_positive_control_unbounded_buffers_are_seen(start, tmp_path):
    settings = tmp_path / "unbounded.textproto"
    settings.write_text("http { max_output_bytes: 67108864 }\n")
    server = start("--config", settings)
    fill_memory(server, FIELDS["max_tokens"])
    _, growth = beside_stalled_readers(server)
    print(f"memory {growth / 1e6:.1f} MB")
    assert growth > BOUND


def test_r5_whoever_lags_and_comes_back_gets_every_token(server):
    fields = {**FIELDS, "max_tokens": 70}
    whole = server.http.post("/v1/chat/completions", json=fields).json()["choices"][0]
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(stalled_reader(server, max_tokens=70)) for _ in range(8)]
        time.sleep(4)
        for reader in readers:
            text, tokens = answer_of(reader)
            assert text == whole["message"]["content"]
            assert tokens == [each["token"] for each in whole["logprobs"]["content"]]


def dribble(server, ends):
    """Sends a header byte by byte, one a second, and notes when the server ended that and with what."""
    began = time.monotonic()
    with server.connect() as connection:
        connection.settimeout(1)
        for byte in b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"a" * 100:
            connection.sendall(bytes([byte]))
            try:
                answer = connection.recv(4096)
                break
            except TimeoutError:
                continue
    ends.append((time.monotonic() - began, answer))


def test_r5_dribbled_headers_are_cut_after_ten_seconds(server):
    alone = witness(server)
    ends = []
    dribblers = [threading.Thread(target=dribble, args=(server, ends)) for _ in range(READERS)]
    before = server.usage.resident_bytes()
    for each in dribblers:
        each.start()
    gap = min(witness(server) for _ in range(2))
    for each in dribblers:
        each.join()
    print(f"gap {gap * 1e3:.1f} ms of {alone * 1e3:.1f} ms")
    assert len(ends) == READERS
    assert all(9.5 < seconds < 12.5 for seconds, _ in ends), ends
    assert all(answer.startswith(b"HTTP/1.1 408") for _, answer in ends), ends
    assert server.usage.resident_bytes() - before < BOUND
    assert gap <= 1.2 * alone
