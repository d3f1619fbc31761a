"""R9, C47, C48: crashes inside a real server, seen by real clients."""

import json
import threading
import time

import openai
import pytest
from conftest import ROOT, Server

FAULTY = ROOT / "build" / "release" / "bin" / "faulty_neap"


@pytest.fixture
def faulty(monkeypatch):
    servers = []

    def start(faults, *flags):
        monkeypatch.setenv("NEAP_FAULTS", faults)
        servers.append(Server(*flags, binary=FAULTY))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()


def answers(server, count, tokens):
    """So many seeded answers at once, as text each."""
    out = [None] * count

    def ask(i):
        body = {"prompt": f"Story number {i}:", "max_tokens": tokens, "temperature": 0.8, "seed": i, "ignore_eos": True}
        out[i] = server.complete(**body).json()["choices"][0]["text"]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


def test_crashes_change_no_answer_and_are_logged(faulty):
    sound = answers(faulty(""), 4, 40)
    server = faulty("crash:3 crash:20 crash:37")
    assert answers(server, 4, 40) == sound
    assert sum("gpu_executor crashed (injected crash)" in line for line in server.log) == 3
    assert server.http.get("/ready").status_code == 200
    assert server.stop() == 0


def test_one_crash_too_many_ends_the_process(faulty):
    server = faulty("crash:5 crash:10 crash:15 crash:20")
    begin = time.monotonic()
    with server.http.stream("POST", "/v1/completions", json={
        "model": "default", "prompt": "Hello", "max_tokens": 200, "ignore_eos": True, "stream": True,
    }) as stream:
        events = [line[6:] for line in stream.iter_lines() if line.startswith("data: ")]
    assert time.monotonic() - begin < 10
    assert events[-1] == "[DONE]"
    failure = json.loads(events[-2])["error"]
    assert failure["type"] == "server_error"
    assert server.process.wait(20) == 1
    assert any("giving up" in line for line in server.log)


def test_a_failed_step_ends_its_streams_with_an_error_event(faulty):  # C47
    server = faulty("fail:6")
    stream = server.client().completions.create(
        model="default", prompt="Hello", max_tokens=50, stream=True, extra_body={"ignore_eos": True})
    with pytest.raises(openai.APIError, match="injected failure"):
        for _ in stream:
            pass
    assert server.is_live()
    assert server.stop() == 0
