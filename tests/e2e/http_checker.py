"""A reader of HTTP/1.1 responses that forgives nothing: RFC 9110 and 9112 as a server must keep them."""

import dataclasses
import email.utils
import json
import re

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5]\d\d) [\t\x20-\x7e\x80-\xff]*")
FIELD = re.compile(rb"(" + TOKEN + rb"):[ \t]*((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[ \t]*")
SINGLE = {"content-length", "transfer-encoding", "content-type", "date", "server", "allow", "www-authenticate", "retry-after", "connection"}


class Violation(Exception):
    pass


def must(condition, what):
    if not condition:
        raise Violation(what)


@dataclasses.dataclass
class Response:
    status: int
    fields: dict
    body: bytes


def read_head(data):
    end = data.find(b"\r\n\r\n")
    must(end >= 0, f"no end of a head in {data[:200]!r}")
    first, *lines = data[:end].split(b"\r\n")
    found = STATUS_LINE.fullmatch(first)
    must(found, f"status line {first!r}")
    fields = {}
    for line in lines:
        match = FIELD.fullmatch(line)
        must(match, f"field line {line!r}")
        name, value = match.group(1).decode().lower(), match.group(2).decode("latin-1")
        must(name not in fields or name not in SINGLE, f"{name} twice")
        fields[name] = value
    return int(found.group(1)), fields, data[end + 4:]


def read_chunks(data):
    body = b""
    while True:
        line, mark, data = data.partition(b"\r\n")
        must(mark and re.fullmatch(rb"[0-9a-fA-F]+", line), f"chunk size {line[:40]!r}")
        size = int(line, 16)
        if size == 0:
            must(data.startswith(b"\r\n"), "no empty line behind the last chunk")
            return body, data[2:]
        must(data[size:size + 2] == b"\r\n", "no line end behind a chunk")
        body, data = body + data[:size], data[size + 2:]


def check_fields(status, fields, version):
    for name in ("content-length", "transfer-encoding"):
        must(status >= 200 and status != 204 or name not in fields, f"{name} in {status}")
    must("content-length" not in fields or "transfer-encoding" not in fields, "two framings")
    must("transfer-encoding" not in fields or version == "1.1", "a coding for a client of version 1.0")
    if status < 200:
        return
    must(email.utils.parsedate_to_datetime(fields["date"]) if "date" in fields else False, "no date")
    for code, name in {401: "www-authenticate", 405: "allow", 426: "upgrade"}.items():
        must(status != code or name in fields, f"{code} without {name}")


def check_error(status, body):
    """Ours: every failure says what is wrong in the form of the API."""
    try:
        fault = json.loads(body)["error"]
        complete = fault["message"] and fault["type"] and {"param", "code"} <= fault.keys()
    except (ValueError, LookupError, TypeError, AttributeError):
        complete = False
    must(complete, f"incomplete error {body!r}")
    must(status < 500 or status in (501, 503, 505), f"{status}")


def read_response(data, method, version):
    """The response and the bytes behind it."""
    status, fields, data = read_head(data)
    check_fields(status, fields, version)
    if status < 200 or status == 204 or method == "HEAD":
        return Response(status, fields, b""), data
    if fields.get("transfer-encoding") == "chunked":
        body, data = read_chunks(data)
    elif "content-length" in fields:
        must(re.fullmatch(r"\d+", fields["content-length"]), "content-length of other than digits")
        size = int(fields["content-length"])
        must(len(data) >= size, "a body shorter than its length")
        body, data = data[:size], data[size:]
    else:
        body, data = data, b""  # ended by the connection
    if status >= 400:
        check_error(status, body)
    return Response(status, fields, body), data


def read_responses(data, methods, version="1.1", ended_by_client=False):
    """All responses in the bytes of a whole connection that the server closed; `methods` are those of the requests.
    Interim ones are checked and left out."""
    out = []
    while data:
        must(len(out) < len(methods), f"an answer nobody asked for: {data[:100]!r}")
        must(not out or out[-1].fields.get("connection", "").lower() != "close", "an answer behind `Connection: close`")
        response, data = read_response(data, methods[len(out)], version)
        if response.status >= 200:
            out.append(response)
    announced = out and (out[-1].fields.get("connection", "").lower() == "close" or version == "1.0")
    must(announced or ended_by_client, "an end without `Connection: close`")
    return out
