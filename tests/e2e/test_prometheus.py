"""R16: metrics that Prometheus's own tools read, that say what happened and do not grow with what clients invent."""

import concurrent.futures
import json
import os
import signal
import socket
import subprocess
import time

import httpx
import prometheus_client.parser
import pytest
from conftest import ROOT, running
from test_connections import at_rest, wait_until
from tier import often

TOOLS = ROOT / ".cache" / "prometheus" / "usr" / "bin"
LONG = {"model": "default", "prompt": "Once upon a time", "max_tokens": 400, "ignore_eos": True, "stream": True}


def samples(text):
    """Every sample by name and labels, as the official client library parses it."""
    out = {}
    for family in prometheus_client.parser.text_string_to_metric_families(text):
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in out, f"{key} twice"
            out[key] = sample.value
    return out


def scraped(server):
    return samples(server.http.get("/metrics").text)


def total(figures, name):
    return sum(value for (has, _), value in figures.items() if has == name)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def promtool(text):
    """What `promtool check metrics` complains of, one line each."""
    result = subprocess.run([TOOLS / "promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=30)
    complaints = (result.stdout + result.stderr).splitlines()
    assert result.returncode == 0 or complaints
    return complaints


def busy_then_abandoned(server, read_first):
    """A stream that its client leaves, before or after the first token."""
    with server.connect() as connection:
        body = json.dumps(LONG).encode()
        connection.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                           b"Content-Length: %d\r\n\r\n" % len(body) + body)
        if read_first:
            connection.recv(1000)


@pytest.fixture(scope="module")
def used():
    """A server of which every kind of request was asked."""
    with running("--max-num-seqs", 2, "--max-queue", 2) as server:
        assert server.complete(prompt="Hello", max_tokens=5, ignore_eos=True).status_code == 200
        assert server.chat(max_tokens=5, stream=True).status_code == 200
        assert server.complete(prompt="Hello", max_tokens=0).status_code == 400
        assert server.complete(prompt="x " * 20000).status_code == 400  # longer than the context
        assert server.http.post("/v1/embeddings", json={"model": "default", "input": "Hello"}).status_code == 200
        for read_first in (True, True, False, False):
            busy_then_abandoned(server, read_first)
        assert wait_until(lambda: at_rest(server))
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: server.complete(prompt="Tell me", max_tokens=40, ignore_eos=True), range(12)))
        assert {answer.status_code for answer in answers} == {200, 503}
        assert wait_until(lambda: at_rest(server))
        yield server


def test_promtool_accepts_the_metrics(used):
    complaints = promtool(used.http.get("/metrics").text)
    # The prefix follows vLLM's `vllm:`; promtool wants colons in recording rules only.
    assert [line for line in complaints if "should not contain ':'" not in line] == []


def test_promtool_positive_control(used):
    text = used.http.get("/metrics").text
    assert any("counter" in line for line in promtool(text.replace("neap:steps_total", "neap:steps")))
    assert any("parsing" in line for line in promtool(text + "neap:broken{ 1\n"))


def test_r16_started_is_the_sum_of_the_ends(used):
    figures = scraped(used)
    assert total(figures, "neap:requests_started_total") == total(figures, "neap:request_success_total") > 8
    ends = {dict(labels)["finished_reason"] for name, labels in figures if name == "neap:request_success_total"}
    assert {"length", "abort"} <= ends <= {"stop", "length", "abort", "error"}
    assert total(figures, "neap:admission_rejections_total") >= 1


def test_r16_gauges_rest_at_zero(used):
    figures = scraped(used)
    for name in ("neap:num_requests_running", "neap:num_requests_waiting", "neap:kv_cache_usage_perc"):
        assert figures[name, frozenset()] == 0


def test_r16_labels_are_of_bounded_sets(used):
    allowed = {"finished_reason": {"stop", "length", "abort", "error"}, "tier": {"standard", "vip"}, "lane": {"batch", "dedicated", "deferred"},
               "group": {"FAST_GROUP", "DEFAULT_BATCH", "SINGLE_PROCESS"}}
    for name, labels in scraped(used):
        for label, value in labels:
            assert label in ("le", "reason") or value in allowed[label], (name, label, value)


def test_c73_no_duration_is_negative_or_longer_than_the_server_lives(used):
    figures = scraped(used)
    uptime = time.time() - os.stat(f"/proc/{used.process.pid}").st_ctime + 1
    sums = {key: value for key, value in figures.items() if key[0].endswith("_seconds_sum")}
    assert len(sums) >= 4
    for (name, labels), value in sums.items():
        count = figures[name.removesuffix("_sum") + "_count", labels]
        assert 0 <= value <= uptime * count, (name, labels, value)
    # Whoever left before the first token has no latency, and whoever has one was started.
    assert total(figures, "neap:time_to_first_token_seconds_count") <= total(figures, "neap:requests_started_total")
    assert total(figures, "neap:e2e_request_latency_seconds_count") == total(figures, "neap:time_to_first_token_seconds_count")


def test_c74_junk_paths_and_models_add_no_series(used):
    before = set(scraped(used))
    for number in range(often(1000, 10_000)):
        assert used.http.get(f"/junk/{number}?{number}").status_code == 404
        answer = used.http.post("/v1/completions", json={"model": f"junk-{number}", "prompt": "Hello", "user": f"user-{number}"})
        assert answer.status_code == 404
    assert set(scraped(used)) == before


def test_c38_a_full_server_is_alive(start):
    """All slots and the whole queue taken: liveness says so to nobody; readiness neither, as requests are refused by status."""
    server = start("--max-num-seqs", 1, "--max-queue", 1)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(server.complete, prompt="Tell me", max_tokens=300, ignore_eos=True) for _ in range(4)]
        assert wait_until(lambda: server.metric("neap:num_requests_waiting") == 1)
        for path in ("/health", "/ready"):
            assert server.http.get(path).status_code == 200
            assert server.http.head(path).status_code == 200
        assert server.metric("neap:num_requests_running") == 1
        assert sorted(each.result().status_code for each in waiting) == [200, 200, 503, 503]


def test_prometheus_scrapes(start, tmp_path):
    """The real Prometheus, with a key, sees what the server counts, and that it goes."""
    server = start("--api-key", "a-key-of-a-test")
    port = free_port()
    (tmp_path / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 200ms, scrape_timeout: 200ms}}
scrape_configs:
- job_name: neap
  authorization: {{credentials: a-key-of-a-test}}
  static_configs: [{{targets: ['127.0.0.1:{server.port}']}}]
""")
    command = [TOOLS / "prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data",
               f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)

    def value(query):
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}/api/v1/query", params={"query": query}).json()
        except httpx.TransportError:  # it starts
            return None
        found = answer["data"]["result"]
        return float(found[0]["value"][1]) if found else None

    try:
        assert wait_until(lambda: value("up") == 1, 20), (tmp_path / "log").read_text()
        server.http.headers["authorization"] = "Bearer a-key-of-a-test"
        for _ in range(3):
            assert server.complete(prompt="Hello", max_tokens=8, ignore_eos=True).status_code == 200
        assert wait_until(lambda: value("neap:requests_started_total") == 3)
        assert wait_until(lambda: value("sum(neap:generation_tokens_total)") == 24)
        assert wait_until(lambda: value('sum(neap:request_success_total{finished_reason="length"})') == 3)
        assert 0 < value("histogram_quantile(0.5, sum by (le) (neap:time_to_first_token_seconds_bucket))") < 10
        assert server.stop() == 0
        assert wait_until(lambda: value("up") == 0)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
