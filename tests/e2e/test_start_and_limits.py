"""Starting, stopping, and prompts at the context's edge."""

import json
import os
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import BINARY, MODEL


def run(*arguments, timeout=60):
    return subprocess.run([str(BINARY), *(a if isinstance(a, bytes) else str(a) for a in arguments)], capture_output=True, text=True, timeout=timeout)


def test_port_in_use_is_one_line(server):
    done = run("serve", MODEL, "--port", server.port)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "in use" in done.stderr and "--port" in done.stderr


@pytest.mark.parametrize("flags, words", [
    (["--port", "70000"], "--port"),
    (["--max-num-seqs", "0"], "--max-num-seqs"),
    (["--kv-cache-max", "lots"], "--kv-cache-max"),
    (["--host", "0.0.0.0"], "--insecure"),
    (["--host", ""], "--host"),
    (["--kv-cache-max", "\n"], "--kv-cache-max: '\\x0a'"),
    (["--chat-template", "/dev/zero"], "no regular file"),
    (["--served-model-name", b"\xff"], "UTF-8"),
    (["--max-nun-seqs", "3"], "did you mean --max-num-seqs?"),
    (["--port"], "--port"),
    (["--config", "/nonexistent"], "does not exist"),
])
def test_bad_flags_are_one_line(flags, words):
    done = run("serve", MODEL, *flags)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and words in done.stderr


@pytest.mark.parametrize("flags, words", [
    (["--kv-cache-max", "900G"], "GiB available; lower --kv-cache-max"),
    (["--max-model-len", "4194304"], "8192"),
])
def test_what_the_model_does_not_allow_is_one_line_after_the_progress(flags, words):
    done = run("serve", MODEL, "--port", 0, *flags)
    assert done.returncode == 1
    faults = [line for line in done.stderr.splitlines() if not line.startswith("loading: ")]
    assert "loading: weights" not in done.stderr
    assert len(faults) == 1 and words in faults[0]


def test_config_file_serves_and_flags_override_it(start, tmp_path):
    path = tmp_path / "neap.textproto"
    path.write_text('model { served_name: "from-file" } batching { max_queue: 7 } http { port: 1 }')
    server = start("--config", path)
    assert server.http.get("/v1/models").json()["data"][0]["id"] == "from-file"
    assert server.port != 1


def test_config_check_names_file_and_line(tmp_path):
    path = tmp_path / "bad.textproto"
    path.write_text("http {\n  port: 99999\n}\n")
    done = run("config", "check", path)
    assert done.returncode == 1
    assert f"{path}:2: http.port" in done.stderr


@pytest.mark.parametrize("command", [[], ["serve"], ["bench"], ["config"], ["config", "check"], ["doctor"]])
def test_every_help_has_an_example(command):
    done = run(*command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout and "neap " in done.stdout


@pytest.mark.parametrize("arguments, words", [
    (["sevre"], "did you mean serve?"), (["config", "chekc", "f"], "did you mean check?"),
    (["bench", "--stream", "3"], "did you mean --streams?"), (["bench", "--streams", "0"], "--streams"),
    (["bench", "--json", "/nonexistent/a.json"], "cannot be written"),
    (["bench", "--url", "http://h:abc"], "1 to 65535"),
])
def test_malformed_command_lines_are_one_line(arguments, words):
    done = run(*arguments)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and words in done.stderr, done.stderr


def test_config_check_refuses_what_serve_refuses(tmp_path):
    path = tmp_path / "open.textproto"
    path.write_text('http { host: "0.0.0.0" }')
    assert "--insecure" in run("config", "check", path).stderr
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert "regular file" in run("config", "check", fifo, timeout=5).stderr


def test_doctor_and_version():
    assert "kernels" in run("doctor").stdout
    assert run("--version").stdout.startswith("neap ")


def test_sigterm_while_loading_ends_quickly():
    process = subprocess.Popen([str(BINARY), "serve", str(MODEL), "--port", "0"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(4) != -signal.SIGSEGV


def test_sighup_while_loading_is_harmless():
    process = subprocess.Popen([str(BINARY), "serve", str(MODEL), "--port", "0"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.stderr.readline()
    process.send_signal(signal.SIGHUP)
    assert "serving" in process.stdout.readline()
    rest = process.stdout.read(200)
    address = re.search(r"http://127\.0\.0\.1:(\d+)/v1/chat", rest)
    assert "Ready" in rest and address and address.group(1) != "0"
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


def test_probes_are_answered_and_work_is_refused_while_draining(start):
    server = start("--drain-timeout", 10)
    connection = server.connect()
    body = json.dumps({"prompt": "Hello", "max_tokens": 300, "ignore_eos": True, "stream": True})
    connection.sendall((f"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                        + body).encode())
    connection.recv(1000)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert server.http.get("/health").status_code == 200
    assert server.http.get("/metrics").status_code == 200
    for answer in (server.http.get("/ready"), server.complete(prompt="x"), server.chat(stream=True)):
        assert answer.status_code == 503 and "retry-after" in answer.headers
        assert answer.json()["error"]["code"] == "draining" or answer.request.url.path == "/ready"
    received = b""
    while piece := connection.recv(65536):
        received += piece
    assert b"[DONE]" in received
    assert server.process.wait(20) == 0


@pytest.mark.parametrize("stream", [False, True])
def test_too_long_prompts_are_refused_with_both_numbers(start, stream):
    server = start("--max-model-len", 256)
    answer = server.complete(prompt=[5] * 442, stream=stream)
    assert answer.status_code == 400
    fault = answer.json()["error"]
    assert fault["code"] == "context_length_exceeded"
    assert "442" in fault["message"] and "256" in fault["message"]
    assert server.complete(prompt=[5] * 250, max_tokens=100000, ignore_eos=True).json()["usage"] == {
        "prompt_tokens": 250, "completion_tokens": 6, "total_tokens": 256,
        "prompt_tokens_details": {"cached_tokens": 0}}


def test_prompt_lists_stream_every_choice_once(server):
    answer = server.complete(prompt=["One", "Two", "Three"], max_tokens=5, temperature=0, ignore_eos=True,
                             stream=True, stream_options={"include_usage": True})
    events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    texts, ends = {}, {}
    for choice in (c for e in events for c in e["choices"]):
        texts[choice["index"]] = texts.get(choice["index"], "") + choice["text"]
        if choice["finish_reason"]:
            ends[choice["index"]] = choice["finish_reason"]
    whole = server.complete(prompt=["One", "Two", "Three"], max_tokens=5, temperature=0, ignore_eos=True).json()
    assert [texts[i] for i in range(3)] == [c["text"] for c in whole["choices"]]
    assert ends == {0: "length", 1: "length", 2: "length"}
    assert events[-1]["choices"] == [] and events[-1]["usage"] == whole["usage"]
    assert whole["usage"]["completion_tokens"] == 15


def test_tokenize_and_detokenize_are_inverse(server):
    text = "Café déjà 😊\tline\u2028end <|im_start|>"
    tokens = server.http.post("/tokenize", json={"prompt": text}).json()
    assert tokens["count"] == len(tokens["tokens"])
    assert server.http.post("/detokenize", json={"tokens": tokens["tokens"]}).json()["prompt"] == text
    special = server.http.post("/tokenize", json={"prompt": "<|im_start|>", "parse_special": True}).json()
    assert special["count"] == 1


def test_bench_measures_this_server(server, tmp_path):
    path = tmp_path / "run.json"
    done = run("bench", "--url", server.url, "--streams", 4, "--requests", 8, "--prompt-tokens", 16,
               "--max-tokens", 8, "--json", path, timeout=120)
    assert done.returncode == 0, done.stderr
    figures = json.loads(path.read_text())
    assert "tokens" in done.stdout.lower()
    assert "\"failures\": 0" in json.dumps(figures) or figures.get("failures") == 0


def test_huge_prompts_hold_nobody_up(server):
    huge = {"model": "default", "prompt": " " * 7_000_000, "max_tokens": 1}
    with ThreadPoolExecutor(9) as pool:
        began = time.monotonic()
        refused = [pool.submit(server.http.post, "/v1/completions", json=huge, timeout=60) for _ in range(8)]
        small = pool.submit(server.http.post, "/v1/completions", json={**huge, "prompt": "Hi"}, timeout=60)
        assert small.result().status_code == 200
        assert time.monotonic() - began < 10
        for each in refused:
            assert each.result().status_code == 400
            assert each.result().json()["error"]["code"] == "context_length_exceeded"
    tokens = server.http.post("/tokenize", json={"prompt": " " * 7_000_000})
    assert tokens.status_code == 400


def test_more_prompts_than_the_server_ever_holds(start):
    server = start("--max-num-seqs", "2", "--max-queue", "2")
    body = {"model": "default", "prompt": ["a"] * 5, "max_tokens": 1}
    answer = server.http.post("/v1/completions", json=body)
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "prompt"
    assert server.http.post("/v1/completions", json={**body, "prompt": ["a"] * 2}).status_code == 200


def test_a_misspelt_isa_is_refused():
    done = subprocess.run([str(BINARY), "serve", str(MODEL), "--port", "0"], env={**os.environ, "NEAP_ISA": "avx-2"},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "avx512" in done.stderr and done.stderr.count("\n") == 1
