"""Tool calls and /v1/responses with the official client, on a model that really writes the calls."""

import json

import httpx
import openai
import pytest
from conftest import CALL

TOOLS = [{"type": "function", "function": {"name": "get_weather", "description": "Weather of a city", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]
ASK = {"model": "default", "messages": [{"role": "user", "content": "What is the weather in Paris?"}], "temperature": 0,
       "max_tokens": 80, "stop": ["###"]}


def test_calls_come_whole_and_streamed(caller):
    client = caller.client()
    whole = client.chat.completions.create(**ASK, tools=TOOLS)
    choice = whole.choices[0]
    assert choice.finish_reason == "tool_calls" and choice.message.content is None
    function = choice.message.tool_calls[0].function
    assert function.name == "get_weather" and json.loads(function.arguments) == {"city": "Paris", "days": 3}
    assert whole.system_fingerprint.startswith("fp_")

    pieces, name, reasons, ids = "", "", [], []
    for chunk in client.chat.completions.create(**ASK, tools=TOOLS, stream=True):
        for part in chunk.choices[0].delta.tool_calls or []:
            name += part.function.name or ""
            pieces += part.function.arguments or ""
            ids += [part.id] if part.id else []
        reasons += [chunk.choices[0].finish_reason] if chunk.choices[0].finish_reason else []
        assert not chunk.choices[0].delta.content
    assert (name, pieces, reasons) == (function.name, function.arguments, ["tool_calls"])
    assert len(ids) == 1


def test_without_tools_the_marks_are_text(caller):
    answer = caller.client().chat.completions.create(**{**ASK, "messages": [{"role": "user", "content": CALL * 6}]})
    assert answer.choices[0].finish_reason == "stop" and "<tool_call>" in answer.choices[0].message.content
    assert answer.choices[0].message.tool_calls is None
    hidden = caller.client().chat.completions.create(**ASK, tools=TOOLS, tool_choice="none")
    assert hidden.choices[0].message.tool_calls is None


def test_forced_calls_are_refused_for_now(caller):
    for choice in ("required", {"type": "function", "function": {"name": "get_weather"}}):
        with pytest.raises(openai.BadRequestError) as refusal:
            caller.client().chat.completions.create(**ASK, tools=TOOLS, tool_choice=choice)
        assert refusal.value.param == "tool_choice"


def test_responses_call_functions(caller):
    tools = [{"type": "function", **TOOLS[0]["function"]}]
    ask = {"model": "default", "input": "What is the weather in Paris?", "tools": tools, "temperature": 0,
           "max_output_tokens": 80, "extra_body": {"stop": ["###"]}}
    client = caller.client()
    whole = client.responses.create(**ask)
    assert whole.status == "completed"
    call = [item for item in whole.output if item.type == "function_call"][0]
    assert call.name == "get_weather" and json.loads(call.arguments) == {"city": "Paris", "days": 3}
    events = list(client.responses.create(**ask, stream=True))
    done = [event for event in events if event.type == "response.function_call_arguments.done"]
    assert [event.arguments for event in done] == [call.arguments]
    # The next turn, with the function's result.
    again = client.responses.create(**{**ask, "tools": [], "input": [
        {"role": "user", "content": "What is the weather in Paris?"},
        {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments},
        {"type": "function_call_output", "call_id": call.call_id, "output": "Sunny."}]})
    assert again.status in ("completed", "incomplete")


def test_responses_answer_like_chats(server):
    client = server.client()
    text = "Say hello to the world."
    chat = client.chat.completions.create(model="default", temperature=0, max_tokens=12, messages=[
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": text}])
    whole = client.responses.create(model="default", temperature=0, max_output_tokens=12, instructions="Be brief.", input=text)
    assert whole.output_text == chat.choices[0].message.content
    assert whole.usage.output_tokens == chat.usage.completion_tokens and whole.usage.input_tokens == chat.usage.prompt_tokens
    ask = {"model": "default", "temperature": 0, "max_output_tokens": 12, "instructions": "Be brief.", "input": text}
    events = list(client.responses.create(**ask, stream=True))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text
    assert events[-1].type == f"response.{whole.status}" and events[-1].response.output_text == whole.output_text
    with client.responses.stream(**ask, extra_body={"stop": [" "]}) as stream:
        final = stream.get_final_response()
    assert final.status == "completed" and whole.output_text.startswith(final.output_text + " ")
    with pytest.raises(openai.BadRequestError):
        client.responses.create(model="default", input=text, previous_response_id="resp_1")


def test_one_model_by_name(server):
    client = server.client()
    name = client.models.list().data[0].id
    assert client.models.retrieve(name).id == name
    with pytest.raises(openai.NotFoundError) as refusal:
        client.models.retrieve("other/model")
    assert refusal.value.code == "model_not_found"
    assert httpx.get(f"{server.url}/v1/models/{name.replace('-', '%2D')}").json()["id"] == name


def test_service_tier_is_echoed(server):
    for asked, served in [("auto", "default"), ("default", "default"), ("priority", "priority"), ("flex", "flex")]:
        answer = server.complete(prompt="Hi", max_tokens=1, service_tier=asked).json()
        assert answer["service_tier"] == served
    assert "service_tier" not in server.complete(prompt="Hi", max_tokens=1).json()


def test_description_is_valid_and_complete(server):
    from openapi_spec_validator import validate

    document = server.http.get("/openapi.json").json()
    validate(document)
    assert document["paths"]["/v1/responses"]["post"]["security"] == [{"key": []}]
    assert document["paths"]["/health"]["get"]["security"] == []
