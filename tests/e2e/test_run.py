"""`neap run` with one question: answers, pipes, errors, signals."""

import os
import signal
import subprocess

import pytest

from conftest import BINARY, GEMMA, MODEL, ROOT

QUESTION = "Name three colours."
GREEDY = ["--temperature", "0", "--seed", "1", "--max-tokens", "24"]


def run(*words, stdin="", timeout=120, **environment):
    return subprocess.run([str(BINARY), "run", *map(str, words)], input=stdin, capture_output=True, text=True,
                          timeout=timeout, cwd=ROOT, env={**os.environ, **environment})


def over_http(server, messages):
    done = server.chat(messages=messages, temperature=0, seed=1, max_tokens=24).json()
    return done["choices"][0]["message"]["content"]


def user(text):
    return {"role": "user", "content": text}


def test_answer_is_that_of_the_server(server):
    done = run(MODEL, QUESTION, *GREEDY)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == over_http(server, [user(QUESTION)]) + "\n"


def test_default_model_and_unquoted_words(server):
    done = run("Name", "three", "colours.", *GREEDY)
    assert done.stdout == over_http(server, [user(QUESTION)]) + "\n"


def test_system_prompt_is_sent(server):
    done = run(MODEL, "--system", "You are a pirate.", QUESTION, *GREEDY)
    system = {"role": "system", "content": "You are a pirate."}
    assert done.stdout == over_http(server, [system, user(QUESTION)]) + "\n"


@pytest.mark.parametrize("words", [[], ["-"]])
def test_question_from_a_pipe(server, words):
    done = run(MODEL, *words, *GREEDY, stdin=QUESTION + "\n")
    assert done.stdout == over_http(server, [user(QUESTION)]) + "\n"


def test_pipe_follows_the_question(server):
    done = run(MODEL, "Repeat this:", "-", *GREEDY, stdin="red\n")
    assert done.stdout == over_http(server, [user("Repeat this:\n\nred")]) + "\n"


def test_timings_go_to_stderr():
    done = run(MODEL, QUESTION, "--timings", *GREEDY)
    assert done.returncode == 0 and "tokens/s" not in done.stdout
    assert done.stderr.count("\n") == 1 and "24 answer tokens" in done.stderr and "tokens/s" in done.stderr


def test_model_without_template_completes_and_says_so(start):
    text = "The capital of France is"
    done = run(GEMMA, text, "--temperature", "0", "--max-tokens", "8", timeout=300)
    expected = start(model=GEMMA).complete(prompt=text, temperature=0, max_tokens=8).json()["choices"][0]["text"]
    assert done.returncode == 0 and done.stdout == expected + "\n"
    assert done.stderr.count("\n") == 1 and "no chat template" in done.stderr


@pytest.mark.parametrize("words, told", [
    (["missing.gguf", "hello"], "missing.gguf"),
    ([MODEL, "hello", "--temperature", "9"], "from 0 to 2"),
    ([MODEL, "hello", "--max-tokens", "0"], "max_tokens"),
    ([MODEL, "hello", "--temprature", "1"], "did you mean --temperature?"),
    ([MODEL], "standard input is empty"),
    (["--url", "http://127.0.0.1:1", "hello"], "cannot connect"),
    (["--url", "https://127.0.0.1:1", "hello"], "https"),
    (["--url", "nonsense", "hello"], "http://HOST:PORT"),
    (["--url", "http://127.0.0.1:1", "--timeout", "0", "hello"], "'0' is not a number of seconds"),
    (["--url", "http://127.0.0.1:1", "--timeout", "nan", "hello"], "'nan' is not a number of seconds"),
    (["/tmp", "hello"], "/tmp"),
    (["--url", "http://127.0.0.1:1", "--api-key", "a\nb", "hello"], "control character"),
    ([MODEL, "hello", "--kv-cache-max", "900G"], "lower --kv-cache-max"),
])
def test_errors_are_one_line(words, told):
    done = run(*words)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and told in done.stderr, done.stderr


def test_too_long_a_question_is_one_line():
    done = run(MODEL, "--max-model-len", "32", stdin="word " * 400)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "context" in done.stderr


@pytest.mark.parametrize("words", [["-"], ["Describe this:", "-"], []])
def test_too_much_input_is_refused_before_the_model_is_loaded(words):
    done = run(MODEL, *words, stdin="a" * (8 * 1024 * 1024 + 1))
    assert done.returncode == 1 and done.stderr == "neap: standard input has more than 8 MiB; no model takes so much\n"


def test_full_disk_is_told():
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(BINARY), "run", str(MODEL), "Hi", *GREEDY], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr == "neap: cannot write to standard output: No space left on device\n"


def start_long(*words, **streams):
    command = [str(BINARY), "run", *words, "Write a long story.", "--ignore-eos", "true", "--max-tokens", "4000"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **streams)


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize("sign, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_stops_the_answer(server, remote, sign, status):
    process = start_long(*(["--url", server.url] if remote else [str(MODEL)]))
    assert process.stdout.read(1)  # the answer streams
    process.send_signal(sign)
    rest, errors = process.communicate(timeout=20)
    assert process.returncode == status and errors == b""
    assert rest.endswith(b"\n") or rest == b""


def test_signal_while_the_model_loads_ends_at_once():
    process = start_long(str(MODEL))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode in (130, -signal.SIGINT)  # the latter before the handler stands


def test_reader_that_leaves_ends_it_quietly():
    process = start_long(str(MODEL))
    assert process.stdout.read(1)
    process.stdout.close()
    assert process.wait(timeout=60) == 128 + signal.SIGPIPE
    assert process.stderr.read() == b""


def test_same_answer_over_a_server(server):
    done = run("--url", server.url, QUESTION, "--timings", *GREEDY)
    assert done.returncode == 0
    assert done.stdout == over_http(server, [user(QUESTION)]) + "\n"
    assert "24 answer tokens" in done.stderr


def test_server_errors_are_one_line(server):
    done = run("--url", server.url + "/v1", "--model", "no-such-model", "hello")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "no-such-model" in done.stderr
