"""Requests that cost a server much more than they cost their sender: a table of (name, route, body)."""

import json

MIB = 1024 * 1024


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def prompt(value):
    return "/v1/completions", text({"prompt": value, "max_tokens": 1})


def chat(messages, **more):
    return "/v1/chat/completions", text({"messages": messages, "max_tokens": 1, **more})


def user(content):
    return {"role": "user", "content": content}


def filled(piece, size, before='{"prompt":[', after='],"max_tokens":1}', between=","):
    """As many pieces as fit into `size` bytes."""
    count = (size - len(before) - len(after)) // (len(piece.encode()) + len(between))
    return before + between.join([piece] * count) + after


def tool(name, properties=0):
    schema = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(properties)}}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def call(arguments):
    return {"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
                                                  "function": {"name": "f", "arguments": arguments}}]}


def table():
    """Name -> (route, body). Each body is as large as the limits let it be, or as hurts most."""
    full = 8 * MIB - 1024
    messages = text(user("a"))
    cases = {
        # Many values.
        "messages": chat([user("a")] * 4096),
        "messages_over_the_limit": ("/v1/chat/completions", filled(messages, full, '{"messages":[', "]}")),
        "parts": chat([user([{"type": "text", "text": "a"}] * 32_000)]),
        "prompts": prompt(["a"] * 128),
        "prompts_over_the_limit": ("/v1/completions", filled('"a"', full)),
        "token_ids": prompt([7] * 99_000),
        "token_ids_over_the_limit": ("/v1/completions", filled("1", full)),
        "lists_of_token_ids": prompt([[7] * 2100] * 47),
        "detokenize": ("/detokenize", text({"tokens": [7] * 99_000})),
        "embedding_inputs": ("/v1/embeddings", text({"input": ["a"] * 128})),
        "response_items": ("/v1/responses", text({"input": [{"role": "user", "content": "a"}] * 4096})),
        "empty_lists": ("/v1/completions", filled("[]", full)),
        "objects_of_one_key": ("/v1/completions", filled('{"a":1}', full)),
        "unknown_fields": ("/v1/completions",
                           text({"prompt": "a", "max_tokens": 1, **{f"k{i}": 0 for i in range(99_000)}})),
        "logit_bias": ("/v1/completions", text({"prompt": "a", "logit_bias": {str(i): 1 for i in range(99_000)}})),
        "metadata": chat([user("a")], metadata={f"k{i}": "v" for i in range(99_000)}),
        "stops": ("/v1/completions", text({"prompt": "a", "stop": ["a" * 256] * 30_000})),
        "template_arguments": chat([user("a")], chat_template_kwargs={f"k{i}": [] for i in range(99_000)}),
        # Tools.
        "tools": chat([user("a")], tools=[tool("f" * 64, 8)] * 128),
        "wide_schema": chat([user("a")], tools=[tool("f", 45_000)]),
        "call_arguments": chat([call(text({"a": [[]] * 49_000}))] * 3),
        "many_call_arguments": chat([call('{"a":[' + "0," * 98_000 + "0]}")] * 38),
        "nested_call_arguments": chat([call("[" * 30 + "]" * 30)] * 4000),
        # Deep and long.
        "deep": ("/v1/completions", filled("[" * 29 + "]" * 29, full)),
        "never_closed": ("/v1/completions", '{"prompt":' + "[" * full),
        "escapes": ("/v1/completions", filled("\\u0041", full, '{"prompt":"', '"}', "")),
        "emoji_escapes": ("/v1/completions", filled("\\ud83d\\ude00", full, '{"prompt":"', '"}', "")),
        "blanks": ("/v1/completions", '{"prompt":"a","max_tokens":1' + " " * full + "}"),
        "digits": ("/v1/completions", '{"prompt":"a","seed":' + "1" * full + "}"),
        "long_key": ("/v1/completions", '{"prompt":"a","max_tokens":1,"' + "k" * full + '":1}'),
        "same_key_twice": ("/v1/completions", '{"a":1' + "".join(f',"k{i}":0' for i in range(99_000)) + ',"a":2}'),
        "long_model_name": ("/v1/completions", text({"prompt": "a", "model": "m" * full})),
        # Text that is hard to split.
        "one_word": prompt("a" * 600_000),
        "tabs": prompt("\t" * 600_000),
        "newlines": prompt("\n \n" * 200_000),
        "han": prompt("\u6f22" * 200_000),
        "combining_marks": prompt("e\u0301" * 200_000),
        "markers": prompt("<|im_start|>" * 50_000),
        "half_markers": prompt("<|im_start" * 60_000),
        "digits_of_text": prompt("0123456789" * 60_000),
    }
    return cases
