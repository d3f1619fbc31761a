"""R3: HTTP/1.1 byte for byte."""

import random
import re
import socket

import pytest

import http_checker
import raw_http_cases
from raw_http_cases import get
from tier import often

LAST = get(fields=b"Connection: close\r\n")  # an accepted case's connection must still serve this
HIDDEN = get(b"/v1/models", fields=b"Connection: close\r\n")  # and a refused one's must not


def exchange(port, raw, ends_input=False):
    """Everything that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=8) as connection:
        connection.sendall(raw)
        if ends_input:
            connection.shutdown(socket.SHUT_WR)
        data = b""
        while piece := connection.recv(65536):
            data += piece
        return data


def check(port, case):
    behind = LAST if case.stays else b"" if case.ends_input else HIDDEN
    data = exchange(port, case.raw + behind, case.ends_input)
    methods = case.methods + (["GET"] if case.stays else [])
    answers = http_checker.read_responses(data, methods, case.version, case.ends_input)
    statuses = [answer.status for answer in answers]
    wanted = case.statuses + ([{200}] if case.stays else [])
    assert len(statuses) == len(wanted) and all(s in w for s, w in zip(statuses, wanted)), f"{statuses}, not {wanted}: {data!r}"


@pytest.mark.parametrize("case", raw_http_cases.CASES, ids=lambda case: case.name)
def test_r3(server, case):
    check(server.port, case)
    assert server.http.get("/health").status_code == 200


def test_r3_still_generates(server):
    assert server.is_live()


@pytest.mark.parametrize("case", raw_http_cases.CASES[:40], ids=lambda case: case.name)
def test_r3_byte_by_byte(server, case):
    """However the bytes are cut into packets, the answer is the same."""
    if len(case.raw) > 500:
        pytest.skip("long")
    with server.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in case.raw + LAST:
            connection.sendall(bytes([byte]))
        data = b""
        while piece := connection.recv(65536):
            data += piece
    answers = http_checker.read_responses(data, case.methods + ["GET"], case.version)
    assert [answer.status in wanted for answer, wanted in zip(answers, case.statuses + [{200}])] == [True] * (len(case.methods) + 1)


def test_r3_many_chunks_cost_no_memory(server):
    """100 requests of 10,000 chunks of a byte."""
    chunks = often(10_000, 1_000_000)
    start, end = b'{"prompt":"hi","x":"', b'"}'
    body = start + b"a" * (chunks - len(start) - len(end)) + end
    raw = raw_http_cases.chunked(b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n") + LAST

    def send(count):
        for _ in range(count):
            http_checker.read_responses(exchange(server.port, raw), ["POST", "GET"])

    send(20)
    before = server.usage.resident_bytes()
    send(100)
    growth = server.usage.resident_bytes() - before
    print(f"{growth / 1024:.0f} KiB")
    assert growth < 2**20


# Those that an actor answers, later; and those that are answered at once.
ASKING = [b"/v1/completions", b"/v1/chat/completions", b"/v1/responses", b"/v1/embeddings", b"/tokenize", b"/detokenize", b"/metrics",
          b"/neap/v1/actors", b"/neap/v1/requests"]
PATHS = ASKING + [b"/v1/models", b"/v1/models/default", b"/v1/ws", b"/health", b"/ready", b"/openapi.json"]
METHODS = [b"GET", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"TRACE", b"BREW"]


def mutated(dice):
    """A case for another route and method, with a few bytes changed, added or taken away."""
    raw = dice.choice([case.raw for case in raw_http_cases.CASES if len(case.raw) < 500])
    raw = raw.replace(b"/tokenize", dice.choice(PATHS)).replace(b"/health", dice.choice(PATHS))
    raw = bytearray(re.sub(rb"^(GET|POST|HEAD)", dice.choice(METHODS), raw))
    for _ in range(dice.randint(0, 3)):
        at = dice.randrange(len(raw))
        raw[at:at + dice.randint(0, 2)] = dice.choice([b"\r\n", b"\n", b"\r", b" ", b":", b"\0", b"0", b"f", b",", b"\xff", bytes(raw[-at:])])
    return bytes(raw)


def test_r3_mutated_requests_get_proper_answers(server):
    """Requests that nobody thought of."""
    for seed in range(often(1000, 60_000)):
        raw = mutated(random.Random(seed))
        try:
            data = exchange(server.port, raw, ends_input=True)
        except ConnectionResetError:  # to half-close before the answer is to leave, where there is something to cancel
            assert any(path in raw for path in ASKING), f"seed {seed}: {raw!r}"
            continue
        try:
            answers = http_checker.read_responses(data, ["?"] * 100, ended_by_client=True)
        except http_checker.Violation as violation:
            raise AssertionError(f"seed {seed}: {violation}: {raw!r}") from violation
        assert all(answer.status < 500 or answer.status == 501 for answer in answers), f"seed {seed}: {raw!r}"
    assert server.is_live()


# Answers of a server that does it wrong, each of which the checker has to notice.
DATE = b"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
CLOSE = b"Connection: close\r\n"
GOOD = b"HTTP/1.1 200 OK\r\n" + DATE + CLOSE + b"Content-Length: 2\r\n\r\nok"
WRONG = {
    "no date": GOOD.replace(DATE, b""),
    "other version": GOOD.replace(b"HTTP/1.1", b"HTTP/1.0"),
    "line feeds": GOOD.replace(b"\r\n", b"\n"),
    "line feed in a field": GOOD.replace(DATE, b"X: a\nb\r\n" + DATE),
    "space before the colon": GOOD.replace(b"Date:", b"Date :"),
    "no announced close": GOOD.replace(CLOSE, b""),
    "short body": GOOD[:-1],
    "long body": GOOD + b"x",
    "two lengths": GOOD.replace(CLOSE, CLOSE + b"Content-Length: 2\r\n"),
    "two framings": GOOD.replace(CLOSE, CLOSE + b"Transfer-Encoding: chunked\r\n"),
    "bad chunk": GOOD.replace(b"Content-Length: 2\r\n\r\nok", b"Transfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n"),
    "no last chunk": GOOD.replace(b"Content-Length: 2\r\n\r\nok", b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"),
    "answer to a smuggled request": GOOD.replace(CLOSE, b"") + GOOD,
    "body of 204": GOOD.replace(b"200 OK", b"204 No Content"),
    "405 without allow": GOOD.replace(b"200 OK", b"405 Method Not Allowed"),
    "401 without a challenge": GOOD.replace(b"200 OK", b"401 Unauthorized"),
    "nothing": b"",
}


@pytest.mark.parametrize("name", WRONG)
def test_r3_positive_control(name):
    http_checker.read_responses(GOOD, ["GET"])
    with pytest.raises(http_checker.Violation):
        http_checker.read_responses(WRONG[name], ["GET"])
