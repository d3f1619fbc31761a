"""A request's tag travels unchanged to its last message, its answer, the log and the metrics."""

import json

import pytest

from conftest import running
from test_inspect import in_background, listed, until
from test_websocket import answers, connected, request, run

TAG = {"service_tier": "priority", "request_type": "batch", "sensitivity": "realtime", "priority": -7}
FIELDS = {"prompt": "Once upon a time", "max_tokens": 30, "ignore_eos": True, **TAG}
LOGGED = "tier=vip request_type=batch sensitivity=realtime priority=-7"


@pytest.fixture(scope="module")
def talkative():
    with running("--log-level", "debug") as server:
        yield server


def logged(server, id, wanted=LOGGED):
    lines = until(lambda: [line for line in server.log if f"request {id} ended: " in line])
    assert len(lines) == 1 and wanted in lines[0], lines
    return lines[0]


def test_whole_answer(talkative):
    answer = talkative.complete(**FIELDS)
    body = answer.json()
    assert body["service_tier"] == "priority" and body["neap"]["tier"] == "vip"
    line = logged(talkative, answer.headers["x-request-id"])
    assert f"group={body['neap']['group']} lane={body['neap']['lane']}" in line and "length" in line
    assert "completion_tokens=30" in line


def test_last_event_of_a_stream(talkative):
    with talkative.http.stream("POST", "/v1/completions", json={"model": "default", "stream": True, **FIELDS}) as answer:
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: {")]
    assert all(event["service_tier"] == "priority" for event in events)
    assert events[-1]["neap"]["tier"] == "vip"
    logged(talkative, answer.headers["x-request-id"])


def test_last_message_of_a_websocket(talkative):
    async def client():
        async with connected(talkative) as socket:
            await socket.send(request("mine", {**FIELDS, "stream": True}))
            return await answers(socket, 1)

    messages = run(client())["mine"]
    last = [message["data"] for message in messages if "data" in message][-1]
    assert last["service_tier"] == "priority" and last["neap"]["tier"] == "vip"


def test_inspection_and_metrics(talkative):
    before = talkative.metric("neap:request_success_total", tier="vip", finished_reason="length")
    thread = in_background(talkative, {"model": "default", **FIELDS, "max_tokens": 200})
    seen = until(lambda: [r for r in listed(talkative, "requests") if r["completion_tokens"] > 3])[0]
    assert (seen["tier"], seen["request_type"], seen["sensitivity"], seen["priority"]) == ("vip", "batch", "realtime", -7)
    thread.join()
    line = logged(talkative, seen["id"])
    labels = {"tier": "vip", "group": seen["group"], "lane": seen["lane"]}
    assert f"group={seen['group']} lane={seen['lane']}" in line
    assert until(lambda: talkative.metric("neap:request_success_total", finished_reason="length", **labels)) >= before + 1


def test_aborted_request(talkative):
    with talkative.http.stream("POST", "/v1/completions", json={"model": "default", "stream": True, **FIELDS, "max_tokens": 1000}) as answer:
        next(answer.iter_lines())
    assert "abort" in logged(talkative, answer.headers["x-request-id"])


def test_default_tag(talkative):
    answer = talkative.complete(prompt="Hello", max_tokens=2)
    assert answer.json()["neap"]["tier"] == "standard"
    logged(talkative, answer.headers["x-request-id"], "tier=standard request_type=interactive sensitivity=normal priority=0")


def test_no_line_a_request_by_default(server):
    id = server.complete(prompt="Hello", max_tokens=2).headers["x-request-id"]
    assert not any(f"request {id} ended" in line for line in server.log)
