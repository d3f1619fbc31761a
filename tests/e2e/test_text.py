"""Text that a model is made to write, by a prompt that repeats it: stop strings, characters of several tokens, templates."""

import contextlib
import json
import random
import threading
import time

import pytest
from conftest import GEMMA, ROOT
from test_connections import at_rest, wait_until
from tier import often

COUNTED = "He said one two three four.\n"
ODD = "ďábel 👩‍👩‍👧 日本 नि\n"


def copied(server, text, **fields):
    """What the model writes after the text was said twelve times, as a whole answer."""
    answer = server.complete(prompt=text * 12, **{"max_tokens": 40, "temperature": 0, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]


def events(server, text, **fields):
    """The pieces of the same as a stream, and how it ended."""
    body = {"model": "default", "prompt": text * 12, "max_tokens": 40, "temperature": 0, "stream": True, **fields}
    pieces, reason = [], None
    with server.http.stream("POST", "/v1/completions", json=body) as answer:
        raw = answer.read()
    for line in raw.decode("utf-8", "strict").splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                pieces.append(choice["text"])
                reason = choice["finish_reason"] or reason
    return [piece for piece in pieces if piece], reason


def test_c11_ids_equal_the_reference_and_decode_to_the_same_bytes(server):
    texts = json.loads((ROOT / "tests" / "reference" / "tokens-smollm2.json").read_text())["plain"]
    hard = ["\t" * 6 + "word", "<|im_start|>word", "a <|im_end|>b", "Café déjà 😊"]
    for text, ids in [(each["text"], each["plain"]) for each in texts] + [(text, None) for text in hard]:
        if text == "":
            continue
        answer = server.http.post("/tokenize", json={"prompt": text, "add_special_tokens": False}).json()
        assert ids is None or answer["tokens"] == ids, text
        assert server.http.post("/detokenize", json={"tokens": answer["tokens"]}).json()["prompt"] == text


def test_c12_exactly_one_start_token(start, tmp_path):
    """The template writes it and the model's flag adds it: a chat has one; so has a completion that spells it out."""
    template = tmp_path / "bos.jinja"
    template.write_text("{{ bos_token }}{{ messages[-1].content }}")
    server = start("--chat-template", template, model=GEMMA)

    def tokens(**fields):
        return server.http.post("/tokenize", json=fields).json()["tokens"]

    one = tokens(prompt="Hello", add_special_tokens=True)
    assert one[0] == 2 and 2 not in one[1:]
    assert server.chat(messages=[{"role": "user", "content": "Hello"}], max_tokens=1).json()["usage"]["prompt_tokens"] == len(one)
    assert tokens(prompt="<bos>Hello", add_special_tokens=True, parse_special=True) == one
    by_hand = server.complete(prompt="<bos>Hello", parse_special=True, max_tokens=1).json()
    assert by_hand["usage"]["prompt_tokens"] == len(one)


@pytest.mark.parametrize("roles", ["user user", "assistant user", "user system", "user assistant assistant", "system", "tool", "developer user"])
def test_c15_any_order_of_roles_where_the_template_does_not_mind(server, roles):
    messages = [{"role": role, "content": f"I am {role}", **({"tool_call_id": "c"} if role == "tool" else {})} for role in roles.split()]
    assert server.chat(messages=messages, max_tokens=1).status_code == 200


def test_c15_a_template_that_minds_says_why(start, tmp_path):
    template = tmp_path / "strict.jinja"
    template.write_text("{% for m in messages %}{% if loop.index0 % 2 != (m.role == 'assistant') | int %}"
                        "{{ raise_exception('roles must alternate: user, assistant') }}{% endif %}{{ m.content }}{% endfor %}")
    server = start("--chat-template", template)
    for stream in (False, True):
        answer = server.chat(messages=[{"role": "user", "content": "a"}] * 2, max_tokens=1, stream=stream)
        assert answer.status_code == 400 and "roles must alternate" in answer.json()["error"]["message"]
    unknown = server.chat(messages=[{"role": "robot", "content": "a"}], max_tokens=1)
    assert unknown.status_code == 400 and "robot" in unknown.json()["error"]["message"]
    assert server.is_live()


def test_c40_nothing_of_a_stop_string_is_sent(server):
    assert copied(server, COUNTED)["text"].startswith(COUNTED)
    stopped = copied(server, COUNTED, stop="o three fo")
    assert stopped["text"] == "He said one tw" and stopped["finish_reason"] == "stop"
    pieces, reason = events(server, COUNTED, stop="o three fo")
    assert "".join(pieces) == "He said one tw" and reason == "stop"


def test_c40_a_near_miss_is_released(server):
    near = ["o three five", "four. ", "zzz"]
    assert copied(server, COUNTED, stop=near)["text"] == copied(server, COUNTED)["text"]
    pieces, _ = events(server, COUNTED, stop=near)
    assert "".join(pieces) == copied(server, COUNTED)["text"]


def test_c40_one_emoji_stops_and_five_stops_are_refused(server):
    answer = copied(server, "ends 👍 here\n", stop=["👍"])
    assert answer["text"] == "ends " and answer["finish_reason"] == "stop"
    assert server.complete(prompt="a", stop=list("abcde")).status_code == 400


def test_c41_every_event_holds_whole_characters(server):
    whole = copied(server, ODD)
    assert whole["text"].startswith(ODD)
    pieces, _ = events(server, ODD)
    assert "".join(pieces) == whole["text"]
    # Only the last may be cut, by the limit of tokens.
    assert not any("\ufffd" in piece for piece in pieces[:-1])
    exact = server.http.post("/tokenize", json={"prompt": ODD, "add_special_tokens": False}).json()["count"]
    assert copied(server, ODD, max_tokens=exact)["text"] == ODD
    assert "".join(events(server, ODD, max_tokens=exact)[0]) == ODD


def abort_after(server, pieces, text, **fields):
    body = {"model": "default", "prompt": text * 12, "max_tokens": 60, "temperature": 0, "stream": True, **fields}
    with server.http.stream("POST", "/v1/completions", json=body) as answer:
        lines = answer.iter_lines()
        for _ in range(pieces * 2):  # each event is followed by an empty line
            next(lines)


def test_c65_nothing_of_an_aborted_answer_is_in_the_next(start):
    """Aborted while a character or a stop string is open; the next request gets the same slot."""
    server = start("--max-num-seqs", 1)
    expected = copied(server, "The sky is blue. ")["text"]
    for pieces in range(1, 8):
        abort_after(server, pieces, COUNTED, stop="four.\nHe said one two three four.\nAnd")
        assert copied(server, "The sky is blue. ")["text"] == expected
        abort_after(server, pieces, ODD)
        assert copied(server, "The sky is blue. ")["text"] == expected


def test_c66_many_aborts_leave_a_clean_server(server):
    """Clients leave at random points, eight at a time, some before anything came."""
    dice = random.Random(66)
    expected = copied(server, COUNTED)["text"]

    def leave(count):
        for _ in range(count):
            with contextlib.suppress(StopIteration):
                abort_after(server, dice.randrange(12), COUNTED)

    threads = [threading.Thread(target=leave, args=(often(25, 250),)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wait_until(lambda: at_rest(server))
    begin = time.monotonic()
    assert copied(server, COUNTED)["text"] == expected
    assert time.monotonic() - begin < 10
