"""Pydantic AI, unchanged: an agent with a tool, over chats and over responses. The model is tiny, so what it says
does not count; that the framework can work with every answer does."""

import asyncio
import socket

import openai
import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart, ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

QUESTION = "What is the weather in Paris?"
BOTH = pytest.mark.parametrize("kind", [OpenAIChatModel, OpenAIResponsesModel])


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch):
    """The framework reports to nobody, as long as nobody turns that on."""
    hosts, real = set(), socket.getaddrinfo

    def look_up(host, *rest, **options):
        hosts.add(host)
        return real(host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield
    assert hosts <= {"127.0.0.1"}


def with_agent(server, kind, work):
    """What `work` makes of a new agent, and how its tool was called."""
    calls = []

    async def run():
        options = {"base_url": server.url + "/v1", "api_key": "unused", "max_retries": 0, "timeout": 60}
        async with openai.AsyncOpenAI(**options) as client:
            settings = {"temperature": 0, "max_tokens": 80, "extra_body": {"stop": ["###"]}}
            model = kind("default", provider=OpenAIProvider(openai_client=client), settings=settings)
            agent = Agent(model, system_prompt="Be brief.")

            @agent.tool_plain
            def get_weather(city: str, days: int) -> str:
                """Weather of a city."""
                calls.append((city, days))
                return "Sunny."

            return await work(agent)

    return asyncio.run(run()), calls


async def whole(agent):
    result = await agent.run(QUESTION)
    return result.output, result.usage, result.all_messages()


async def streamed(agent):
    async with agent.run_stream(QUESTION) as result:
        deltas = [delta async for delta in result.stream_text(delta=True, debounce_by=None)]
        output = await result.get_output()
    assert "".join(deltas) == output and len(deltas) > 1
    return output, result.usage, result.all_messages()


@BOTH
def test_a_run_without_calls(server, kind):
    (text, usage, messages), calls = with_agent(server, kind, whole)
    assert text and not calls
    assert usage.requests == 1 and usage.input_tokens > 0 and 0 < usage.output_tokens <= 80
    assert messages[-1].finish_reason in ("stop", "length")
    (same, usage_of_stream, again), _ = with_agent(server, kind, streamed)
    assert same == text
    assert (usage_of_stream.input_tokens, usage_of_stream.output_tokens) == (usage.input_tokens, usage.output_tokens)
    assert again[-1].finish_reason == messages[-1].finish_reason


@BOTH
@pytest.mark.parametrize("work", [whole, streamed])
def test_a_run_that_calls_the_tool(caller, kind, work):
    (text, usage, messages), calls = with_agent(caller, kind, work)
    assert calls == [("Paris", 3)]
    assert text.strip() == "Sunny."  # the result came back to the model
    assert usage.requests == 2 and usage.tool_calls == 1
    parts = [part for message in messages for part in message.parts]
    made = [part for part in parts if isinstance(part, ToolCallPart)]
    returned = [part for part in parts if isinstance(part, ToolReturnPart)]
    assert [part.tool_call_id for part in made] == [part.tool_call_id for part in returned]
    assert messages[-1].finish_reason == "stop"
    # A response that calls is just completed: OpenAI has no other word for it.
    assert messages[1].finish_reason == ("tool_call" if kind is OpenAIChatModel else "stop")
