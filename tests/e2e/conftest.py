"""Starts the real binary with the real model once for the whole run."""

import contextlib
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

import httpx
import openai
import pytest

from process_usage import ProcessUsage

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = ROOT / "build" / "release" / "bin" / "neap"
MODEL = ROOT / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
GEMMA = ROOT / "models" / "gemma-3-270m-q4_k_m.gguf"
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>\n###\n'


class Server:
    """One running `neap serve`; its log lines are kept in `log`."""

    def __init__(self, *flags, model=MODEL, binary=BINARY):
        command = [str(binary), "serve", str(model), "--host", "127.0.0.1", "--port", "0", *map(str, flags)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.usage = ProcessUsage(self.process.pid)
        self.log = []
        self.port = self._wait_for_port()
        threading.Thread(target=self._drain_log, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=self.url, timeout=60)

    def _wait_for_port(self):
        for line in self.process.stdout:
            self.log.append(line)
            found = re.search(r"https?://127\.0\.0\.1:(\d+)", line)
            if found:
                return int(found.group(1))
        raise AssertionError("the server did not start:\n" + "".join(self.log))

    def _drain_log(self):
        for line in self.process.stdout:
            self.log.append(line)

    def client(self):
        return openai.OpenAI(base_url=self.url + "/v1", api_key="unused", max_retries=0, timeout=60)

    def complete(self, **fields):
        return self.http.post("/v1/completions", json={"model": "default", **fields})

    def chat(self, **fields):
        fields.setdefault("messages", [{"role": "user", "content": "Say hello."}])
        return self.http.post("/v1/chat/completions", json={"model": "default", **fields})

    def metric(self, name, **labels):
        """Sum over the series of a metric that have these labels."""
        found = re.findall(rf"^{re.escape(name)}(?:{{([^}}]*)}})? (\S+)$", self.http.get("/metrics").text, re.M)
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        return sum(float(value) for has, value in found if all(each in has for each in wanted))

    def check_metrics(self):
        """R16: after whatever was asked, at rest, every request that was started has ended."""
        gauges = ("neap:num_requests_running", "neap:num_requests_waiting", "neap:kv_cache_usage_perc")
        end = time.monotonic() + 20
        while any(self.metric(name) != 0 for name in gauges):
            assert time.monotonic() < end, self.http.get("/metrics").text
            time.sleep(0.1)
        assert self.metric("neap:requests_started_total") == self.metric("neap:request_success_total")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def is_live(self):
        return self.complete(prompt="Hello", max_tokens=2).status_code == 200

    def stop(self, sign=signal.SIGTERM, timeout=40):
        self.http.close()
        self.process.send_signal(sign)
        return self.process.wait(timeout)


@contextlib.contextmanager
def running(*flags, model=MODEL):
    server = Server(*flags, model=model)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


@pytest.fixture(scope="session")
def server():
    with running() as shared:
        yield shared
        shared.check_metrics()


@pytest.fixture
def start():
    """Starts servers of a test's own."""
    with contextlib.ExitStack() as stack:
        yield lambda *flags, model=MODEL: stack.enter_context(running(*flags, model=model))


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """A template that makes even a small model write a call: it goes on with what it has read six times. Given the
    result of a tool, it writes that."""
    template = tmp_path_factory.mktemp("template") / "calls.jinja"
    result = "{% if last.role == 'tool' %}{% for i in range(6) %}{{ last.content }}\n###\n{% endfor %}"
    call = "{% elif tools %}{% for i in range(6) %}" + CALL + "{% endfor %}"
    template.write_text("{% set last = messages[-1] %}" + result + call + "{% else %}{{ last.content }}{% endif %}")
    with running("--chat-template", template) as server:
        yield server
