"""The programs of examples/python and examples/javascript against a real server. Those in C++: tests/package_test."""

import subprocess
import sys

import pytest
from conftest import ROOT

QUESTION = "Why is the sky blue?"
EXAMPLES = ROOT / "examples"


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def command_of(name, url, *questions):
    """How examples/README.md says to run it."""
    if name.endswith(".mjs"):
        return ["node", EXAMPLES / "javascript" / name, *questions, url]  # scripts/setup installs nodejs
    if "websocket" in name:
        url = url.replace("http://", "ws://")
    return [sys.executable, EXAMPLES / "python" / name, "--url", url, *questions]


NAMES = ["openai_client.py", "websocket_json.py", "websocket_protobuf.py", "fetch_stream.mjs"]


def answer(server, question):
    body = server.chat(messages=[{"role": "user", "content": question}], temperature=0, max_tokens=32).json()
    return body["choices"][0]["message"]["content"]


def test_none_is_left_out():
    assert sorted(NAMES) == sorted(p.name for p in EXAMPLES.glob("*/*") if p.suffix in (".py", ".mjs", ".js"))


@pytest.mark.parametrize("name", NAMES)
def test_prints_the_answer(server, name):
    done = run(*command_of(name, server.url, QUESTION))
    assert (done.returncode, done.stdout) == (0, answer(server, QUESTION) + "\n"), done.stderr


def test_many_questions_on_one_socket(server):
    questions = [QUESTION, "What is a neap tide?", "Say hello."]
    done = run(*command_of("websocket_json.py", server.url, *questions))
    assert done.stdout == "".join(answer(server, q) + "\n" for q in questions), done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_is_told(server, name):
    done = run(*command_of(name, server.url, "word " * 9000))
    assert done.returncode == 1
    assert "8192" in done.stderr and done.stdout == ""
    if name != "openai_client.py":  # that one raises, as programs with OpenAI's client do
        # Node 18 adds two lines about its fetch being new.
        assert len([line for line in done.stderr.splitlines() if not line.startswith(("(node:", "(Use `node"))]) == 1
