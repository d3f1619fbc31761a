"""Writes expected.json: what Jinja itself makes of every template and expression here.

Run with a Python that has the Jinja2 of tests/requirements.txt. The environment is set up as chat templates
expect it: blocks trimmed, loop controls, plain JSON, raise_exception, strftime_now and generation blocks.
"""

import datetime
import json
import pathlib

import jinja2
import jinja2.ext
import jinja2.sandbox

FOLDER = pathlib.Path(__file__).parent
NOW = 1_737_000_000  # seconds since 1970, UTC
BOS, EOS = "<s>", "</s>"
NEWLINE = "⏎"  # stands for a line break in expressions.txt

CONTEXT = {
    "name": "Ada", "empty": "", "nothing": None, "yes": True, "no": False, "pi": 3.25, "three": 3, "minus": -7,
    "numbers": [3, 1, 2], "words": ["pear", "Apple", "fig"], "padded": "  héllo wörld \n", "nested": [[1, 2], [3]],
    "person": {"name": "Zoë", "age": 36, "items": "kept", "tags": ["x", "y"]},
    "people": [{"name": "Bo", "age": 4, "role": "user"}, {"name": "al", "age": 9, "role": "tool"},
               {"name": "Cy", "age": 4}],
    "quotes": "it's \"so\"\\\n\tend", "none_list": [], "none_dict": {}, "big": 12345678901, "tiny": 0.00001,
}


class generation(jinja2.ext.Extension):
    """{% generation %} marks the assistant's text; its body is rendered as it stands."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("pass_through"), [], [], body).set_lineno(line)

    def pass_through(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def to_json(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def strftime_now(pattern):
    return datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc).strftime(pattern)


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[generation, jinja2.ext.loopcontrols])
    made.filters["tojson"] = to_json
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = strftime_now
    return made


def render(source, variables):
    try:
        return {"rendered": environment().from_string(source).render(**variables)}
    except Exception as problem:  # the sandbox passes on whatever Python raises
        refused = type(problem) is jinja2.exceptions.TemplateError
        return {"error": str(problem) if refused else "", "kind": type(problem).__name__}


def chat_cases(tools):
    conversations = json.loads((FOLDER / "conversations.json").read_text())
    for path in sorted((FOLDER / "templates").glob("*.jinja")):
        for name, chat in conversations.items():
            variables = {"messages": chat["messages"], "tools": tools.get(chat.get("tools")), "bos_token": BOS,
                         "eos_token": EOS, "add_generation_prompt": chat.get("add_generation_prompt", True),
                         **chat.get("arguments", {})}
            yield {"template": path.stem, "conversation": name, **render(path.read_text(), variables)}


def expression_cases():
    base = {"messages": [], "tools": None, "bos_token": BOS, "eos_token": EOS, "add_generation_prompt": True}
    for line in (FOLDER / "expressions.txt").read_text().splitlines():
        if line and not line.startswith("## "):
            yield {"source": line, **render(line.replace(NEWLINE, "\n"), {**base, **CONTEXT})}


def main():
    tools = json.loads((FOLDER / "tools.json").read_text())
    out = {"now": NOW, "bos": BOS, "eos": EOS, "context": CONTEXT, "chats": list(chat_cases(tools)),
           "expressions": list(expression_cases())}
    lines = json.dumps(out, ensure_ascii=False, indent=1)
    (FOLDER / "expected.json").write_text(lines + "\n")


if __name__ == "__main__":
    main()
