"""R15: SIGTERM in each state of a server, with its time limits; C70 over HTTP."""

import json
import signal
import subprocess
import threading
import time

import httpx
import pytest

from conftest import BINARY, MODEL

LONG = {"model": "default", "prompt": "Once upon a time", "ignore_eos": True, "temperature": 0, "stream": True}
MARGIN_S = 10


class Stream(threading.Thread):
    """Reads one streamed answer; `lines` are its data so far."""

    def __init__(self, server, **fields):
        super().__init__(daemon=True)
        self.url, self.body, self.lines, self.begun = server.url, {**LONG, **fields}, [], threading.Event()
        self.start()

    def run(self):
        with httpx.stream("POST", self.url + "/v1/completions", json=self.body, timeout=60) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    self.lines.append(line.removeprefix("data: "))
                    self.begun.set()

    def wait(self):
        self.join(60)
        assert not self.is_alive()
        return self.lines


def stop(server):
    """Sends SIGTERM; the seconds until the process has ended, with status 0."""
    begin = time.monotonic()
    assert server.stop() == 0
    return time.monotonic() - begin


def test_idle(start):
    assert stop(start("--drain-timeout", "0")) <= 4


def test_in_the_middle_of_a_stream_the_answer_is_finished(start):
    server = start("--drain-timeout", "30")
    stream = Stream(server, max_tokens=200)
    assert stream.begun.wait(30)
    server.process.send_signal(signal.SIGTERM)
    refused = httpx.get(server.url + "/ready")
    assert refused.status_code == 503  # at once, while the answer goes on
    assert server.process.wait(30 + MARGIN_S) == 0
    assert stream.wait()[-1] == "[DONE]"
    assert json.loads(stream.lines[-2])["choices"][0]["finish_reason"] == "length"


def test_what_does_not_finish_in_time_ends_with_an_error_event(start):
    server = start("--drain-timeout", "0")
    stream = Stream(server, max_tokens=4000)
    assert stream.begun.wait(30)
    assert stop(server) <= 4
    events = stream.wait()
    assert [json.loads(e)["error"]["code"] for e in events if "error" in e] == ["draining"]
    assert not any('"finish_reason":"' in e for e in events)


@pytest.mark.parametrize("limit", [0, 30])
def test_in_the_middle_of_a_prompt(start, limit):
    server = start("--drain-timeout", str(limit))
    answers = []
    body = {"model": "default", "prompt": [7] * 6000, "max_tokens": 2}
    asking = threading.Thread(target=lambda: answers.append(httpx.post(server.url + "/v1/completions", json=body, timeout=60)))
    asking.start()
    while server.metric("neap:num_requests_running") == 0:
        time.sleep(0.01)
    assert stop(server) <= (4 if limit == 0 else limit + MARGIN_S)
    asking.join()
    if limit == 0:
        assert answers[0].status_code == 503 and answers[0].json()["error"]["code"] == "draining"
    else:
        assert answers[0].json()["usage"]["completion_tokens"] == 2


def test_while_the_model_loads():
    process = subprocess.Popen([str(BINARY), "serve", str(MODEL), "--port", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    time.sleep(0.05)
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(MARGIN_S) in (0, 143, -signal.SIGTERM)  # the last before the handler stands
    assert time.monotonic() - begin <= 4
    process.stdout.close()


def test_twice_ends_at_once(start):
    server = start("--drain-timeout", "30")
    stream = Stream(server, max_tokens=4000)
    assert stream.begun.wait(30)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    server.process.send_signal(signal.SIGTERM)  # a repeat, not a second wish
    time.sleep(1.2)
    assert server.process.poll() is None
    begin = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(MARGIN_S) == 128 + signal.SIGTERM
    assert time.monotonic() - begin <= 1
