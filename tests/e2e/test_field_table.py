"""R4: every field that /openapi.json names, absent, null, of wrong types, at and past its bounds, with and without stream."""

import json

import httpx
import pytest
from conftest import running

import http_checker

# Raw JSON: NaN is none, but clients send it.
VALUES = ["null", "true", "false", "-1", "0", "1", "1.5", "1e18", "-1e18", "1e999", "NaN", "9223372036854775807", '""', '"x"', '"1"',
          '"' + "h" * 100_000 + '"', "[]", "[[]]", '["x"]', "[1]", "{}", '{"type":"x"}', "[null]"]
BODIES = {"/v1/chat/completions": {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1},
          "/v1/completions": {"prompt": "Hi", "max_tokens": 1},
          "/v1/responses": {"input": "Hi", "max_output_tokens": 16},
          "/v1/embeddings": {"input": "Hi"}}
STREAMS = {"/v1/embeddings": [None]}


@pytest.fixture(scope="module")
def small():
    # Whoever asks for an endless answer gets a short one.
    with running("--max-model-len", 64) as server:
        yield server


def fields_of(server, route):
    description = server.http.get("/openapi.json").json()
    schema = description["paths"][route]["post"]["requestBody"]["content"]["application/json"]["schema"]
    while "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    names = set(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        part = description["components"]["schemas"][part["$ref"].rsplit("/", 1)[1]] if "$ref" in part else part
        names |= set(part.get("properties", {}))
    assert len(names) >= (3 if route == "/v1/embeddings" else 20), names
    return sorted(names - {"stream"})


def with_field(body, name, raw):
    rest = {key: value for key, value in body.items() if key != name}
    text = json.dumps(rest)[1:-1]
    value = f'"{name}": {raw}' if raw is not None else ""
    return "{" + ", ".join(part for part in (text, value) if part) + "}"


def outcome(answer):
    """The status, after a check that the answer is whole."""
    if answer.status_code >= 400:
        http_checker.check_error(answer.status_code, answer.content)
        assert answer.status_code < 500, answer.text
        return answer.status_code
    if answer.headers["content-type"].startswith("text/event-stream"):
        assert answer.text.endswith("data: [DONE]\n\n"), answer.text[-200:]
        assert '"error":{' not in answer.text
    else:
        assert "error" not in answer.json() or answer.json()["error"] is None
    return answer.status_code


def check(post, route, body, name, raw, streams):
    text = with_field(body, name, raw)
    answers = []
    for stream in streams:
        sent = text if stream is None else text[:-1] + (", " if len(text) > 2 else "") + f'"stream": {json.dumps(stream)}}}'
        try:
            answers.append(outcome(post(route, content=sent.encode(), headers={"content-type": "application/json"})))
        except (http_checker.Violation, httpx.TransportError) as fault:
            raise AssertionError(f"{name}={str(raw)[:60]} stream={stream}: {fault!r}") from fault
    assert len(set(answers)) == 1, f"{name}={str(raw)[:60]}: {answers}"
    return answers[0]


@pytest.mark.parametrize("route", BODIES)
def test_r4(small, route):
    statuses = []
    for name in fields_of(small, route):
        for raw in [None, *VALUES]:
            # With `stream` off a field about streams may be wrong in itself.
            streams = [None, True] if name != "stream_options" else [True]
            statuses.append(check(small.http.post, route, BODIES[route], name, raw, STREAMS.get(route, streams)))
    print(f"{route}: {len(statuses)} fields and values, {statuses.count(200)} taken")
    assert 0.05 < statuses.count(200) / len(statuses) < 0.6
    assert small.is_live()


def test_r4_positive_control():
    fault = {"error": {"message": "m", "type": "t", "param": None, "code": "c"}}

    def check_with(*answers):
        left = list(answers)

        def post(*_, **__):
            if left[0] is None:
                raise httpx.RemoteProtocolError("dropped")
            return left.pop(0)

        check(post, "/v1/completions", BODIES["/v1/completions"], "top_k", "[]", [None, True])

    check_with(httpx.Response(400, json=fault), httpx.Response(400, json=fault))
    for wrong in [(httpx.Response(500, json=fault),), (httpx.Response(400, json=fault), httpx.Response(422, json=fault)), (None,),
                  (httpx.Response(400, json={"error": {"message": "m"}}),), (httpx.Response(200, json=fault),)]:
        with pytest.raises(AssertionError):
            check_with(*wrong)
