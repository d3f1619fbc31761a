"""OpenAI's JavaScript client, unchanged, against the real server. scripts/setup installs it beside client.mjs."""

import json
import subprocess

import pytest
from conftest import ROOT, running

FOLDER = ROOT / "tests" / "e2e" / "javascript"
KEY = "javascript-key-1"


def run_client(server, *facts):
    """What client.mjs got, by the names of its facts."""
    assert (FOLDER / "node_modules" / "openai").is_dir(), "run scripts/setup"
    command = ["node", str(FOLDER / "client.mjs"), server.url, KEY, *facts]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def guarded():
    """A server that asks for a key, so that every fact shows that the client sends it."""
    with running("--api-key", KEY) as server:
        server.http.headers["Authorization"] = f"Bearer {KEY}"
        yield server


@pytest.fixture(scope="module")
def get(guarded):
    return lambda *facts: run_client(guarded, *facts).values()


def text_of(chunks, piece):
    return "".join(piece(chunk["choices"][0]) or "" for chunk in chunks if chunk["choices"])


def test_chat_whole_and_streamed(get, guarded):
    whole, chunks, helper = get("chat", "chatStream", "chatHelper")
    choice = whole["choices"][0]
    asked = guarded.chat(messages=[{"role": "user", "content": "What is the capital of France?"}], temperature=0)
    assert choice["message"]["content"] == asked.json()["choices"][0]["message"]["content"] != ""
    assert helper == choice["message"]["content"] == text_of(chunks, lambda part: part["delta"].get("content"))
    assert [c["choices"][0]["finish_reason"] for c in chunks if c["choices"]][-1] == choice["finish_reason"] == "stop"
    assert [c["usage"] for c in chunks if c.get("usage")] == [whole["usage"]]


def test_tool_definitions_are_taken(get):
    chat, response = get("chatWithTools", "responseWithTools")
    assert chat["choices"][0]["message"]["content"]
    assert response["output_text"] and response["tools"][0]["name"] == "get_weather"


def test_completion_whole_and_streamed(get):
    whole, chunks = get("completion", "completionStream")
    assert whole["choices"][0]["text"] == text_of(chunks, lambda choice: choice["text"]) != ""
    assert [c["usage"] for c in chunks if c.get("usage")] == [whole["usage"]]
    assert whole["usage"]["completion_tokens"] == 8


def test_embeddings_decode_to_the_floats(get):
    """Asked for no format, this client asks for base64 and decodes it."""
    decoded, floats = get("embedding", "embeddingFloat")
    assert [item["index"] for item in decoded["data"]] == [0, 1]
    for one, other in zip(decoded["data"], floats["data"], strict=True):
        assert one["embedding"] == pytest.approx(other["embedding"], abs=1e-7)
        assert sum(value * value for value in one["embedding"]) == pytest.approx(1, abs=1e-5)
    assert decoded["data"][0]["embedding"] != decoded["data"][1]["embedding"]


def test_models(get):
    models, one = get("models", "model")
    assert models == [one] and one["id"] == "SmolLM2-135M-Instruct.Q4_1"


def test_response_whole_and_streamed(get):
    whole, events, helper = get("response", "responseStream", "responseHelper")
    assert whole["output_text"] and whole["status"] == "incomplete"  # max_output_tokens is short
    deltas = [event["delta"] for event in events if event["type"] == "response.output_text.delta"]
    assert "".join(deltas) == whole["output_text"] == helper["output_text"]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    last = events[-1]
    assert last["type"] == "response.incomplete"
    assert last["response"]["usage"] == whole["usage"] == helper["usage"]


def test_a_cut_response_has_cut_items_streamed_too(get):
    whole, events, helper = get("response", "responseStream", "responseHelper")
    items = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    statuses = [item["status"] for item in whole["output"]]
    assert statuses == ["incomplete"]
    assert [item["status"] for item in items] == statuses
    for streamed in (events[-1]["response"], helper):
        assert [item["status"] for item in streamed["output"]] == statuses


@pytest.mark.parametrize("fact, name, status, code", [
    ("badRequest", "BadRequestError", 400, "invalid_request"), ("badStream", "BadRequestError", 400, "invalid_request"),
    ("notFound", "NotFoundError", 404, "model_not_found"), ("modelNotFound", "NotFoundError", 404, "model_not_found"),
    ("wrongKey", "AuthenticationError", 401, "invalid_api_key")])
def test_errors_reach_the_client_as_its_own_classes(get, fact, name, status, code):
    (error,) = get(fact)
    assert (error["thrown"], error["status"], error["code"]) == (name, status, code)
    if status == 400:
        assert error["param"] == "temperature"


def test_an_abort_ends_the_request(get):
    stream, whole = get("abortedStream", "abortedWhole")
    assert stream["ended"] and 3 <= stream["read"] < 4000  # what had arrived is still read
    assert (whole["thrown"], whole["started"], whole["ended"]) == ("APIUserAbortError", True, True)


@pytest.mark.parametrize("fact", ["toolLoop", "toolLoopStream"])
def test_the_client_runs_the_function_and_goes_on(caller, fact):
    (loop,) = run_client(caller, fact).values()
    assert loop["roles"] == ["user", "assistant", "tool", "assistant"]
    assert loop["called"] == [{"city": "Paris", "days": 3}]
    assert loop["text"].strip() == "Sunny."
