"""R3: what a client may send byte for byte, and what RFC 9110 and 9112 let a server answer.

`accepted(name, bytes, statuses...)`: one status, or a set of possible ones, for each request in the bytes; the connection
must stay usable. `closing(...)`: the same, but the server must close after it. `refused(name, bytes, statuses)`: exactly
one answer, then the end: nothing that follows on the connection may be taken for a request."""

import dataclasses

HOST = b"Host: 127.0.0.1\r\n"
JSON = b'{"prompt":"hi"}'
assert len(JSON) == 15


@dataclasses.dataclass
class Case:
    name: str
    raw: bytes
    statuses: list  # of sets
    stays: bool
    methods: list
    version: str = "1.1"
    ends_input: bool = False  # the client half-closes behind the bytes


ACCEPTED, CLOSING, REFUSED = [], [], []


def as_set(status):
    return status if isinstance(status, set) else {status}


def methods_of(raw, count):
    return [raw.split(b" ", 1)[0].decode("latin-1")] * count


def accepted(name, raw, *statuses, methods=None, **more):
    statuses = statuses or (200,)
    ACCEPTED.append(Case(name, raw, [as_set(s) for s in statuses], True, methods or methods_of(raw, len(statuses)), **more))


def closing(name, raw, *statuses, methods=None, **more):
    statuses = statuses or (200,)
    CLOSING.append(Case(name, raw, [as_set(s) for s in statuses], False, methods or methods_of(raw, len(statuses)), **more))


def refused(name, raw, status=400, **more):
    REFUSED.append(Case(name, raw, [as_set(status)], False, methods_of(raw, 1), **more))


def unfinished(name, raw):
    """The client half-closes within a request: no answer."""
    REFUSED.append(Case(name, raw, [], False, [], ends_input=True))


def get(path=b"/health", fields=b"", version=b"1.1", host=HOST):
    return b"GET " + path + b" HTTP/" + version + b"\r\n" + host + fields + b"\r\n"


def post(fields, body=JSON, version=b"1.1"):
    return b"POST /tokenize HTTP/" + version + b"\r\n" + HOST + b"Content-Type: application/json\r\n" + fields + b"\r\n" + body


def chunked(body):
    return post(b"Transfer-Encoding: chunked\r\n", body)


WITH_LENGTH = b"Content-Length: 15\r\n"

# Start lines and targets.
accepted("get", get())
accepted("query", get(b"/health?a=b&c=%20"))
accepted("percent-encoded path", get(b"/heal%74h"), {200, 404})
accepted("absolute target", get(b"http://127.0.0.1/health"))
accepted("absolute target, scheme in capitals", get(b"HTTP://localhost/health"))
accepted("absolute target stands in for Host", get(b"http://localhost/health", host=b"Host: example.com\r\n"))
accepted("options of the server", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", {200, 204})
accepted("options of a route", b"OPTIONS /health HTTP/1.1\r\n" + HOST + b"\r\n", {200, 204})
accepted("head", b"HEAD /health HTTP/1.1\r\n" + HOST + b"\r\n")
accepted("head of an unknown path", b"HEAD /none HTTP/1.1\r\n" + HOST + b"\r\n", 404)
accepted("unknown path", get(b"/none"), 404)
accepted("method that the route does not have", b"DELETE /health HTTP/1.1\r\n" + HOST + b"\r\n", 405)
accepted("unknown method", b"BREW /health HTTP/1.1\r\n" + HOST + b"\r\n", {405, 501})
accepted("method of odd token characters", b"!#$%&'*+-.^_`|~ /health HTTP/1.1\r\n" + HOST + b"\r\n", {405, 501})
accepted("method in small letters is another method", b"get /health HTTP/1.1\r\n" + HOST + b"\r\n", {405, 501})
accepted("trace", b"TRACE /health HTTP/1.1\r\n" + HOST + b"\r\n", {405, 501})
accepted("connect", b"CONNECT 127.0.0.1:80 HTTP/1.1\r\n" + HOST + b"\r\n", {400, 405, 501})
refused("no version", b"GET /health\r\n\r\n")
refused("version without minor", get(version=b"1"))
refused("version without dot", get(version=b"11"))
refused("version of two digits", get(version=b"1.10"))
refused("version 2", get(version=b"2.0"), {400, 505})
refused("version 0.9", get(version=b"0.9"), {400, 505})
refused("protocol in small letters", b"GET /health http/1.1\r\n" + HOST + b"\r\n", {400, 505})
refused("other protocol", b"GET /health HTPP/1.1\r\n" + HOST + b"\r\n", {400, 505})
refused("space behind the version", b"GET /health HTTP/1.1 \r\n" + HOST + b"\r\n")
refused("space before the method", b" GET /health HTTP/1.1\r\n" + HOST + b"\r\n")
refused("two spaces", b"GET  /health HTTP/1.1\r\n" + HOST + b"\r\n")
refused("tab as separator", b"GET\t/health\tHTTP/1.1\r\n" + HOST + b"\r\n")
refused("no target", b"GET HTTP/1.1\r\n" + HOST + b"\r\n")
refused("space in the target", get(b"/health x"))
refused("control character in the target", get(b"/hea\x01lth"))
refused("NUL in the target", get(b"/hea\x00lth"))
accepted("byte above 127 in the target", get(b"/h\xc3\xa9alth"), {400, 404})
accepted("target without slash", get(b"health"), {400, 404})
accepted("star as target of get", get(b"*"), {400, 404, 405})
accepted("absolute target with a user", get(b"http://user@127.0.0.1/health"), 400)
accepted("absolute target without a host", get(b"http:///health"), 400)
refused("target too long", get(b"/" + b"a" * 9000), {414, 431})
refused("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505})
refused("binary rubbish", bytes(range(128, 256)) * 4 + b"\r\n\r\n")
refused("TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
refused("no method", b"/health HTTP/1.1\r\n" + HOST + b"\r\n")
refused("method of forbidden characters", b"G(T /health HTTP/1.1\r\n" + HOST + b"\r\n")

# Lines and fields.
accepted("names in small letters", b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n\r\n")
accepted("no space behind the colon", get(host=b"Host:127.0.0.1\r\n"))
accepted("spaces and tabs around the value", get(host=b"Host: \t 127.0.0.1 \t \r\n"))
accepted("empty value", get(fields=b"X-Empty:\r\nX-Blank:  \r\n"))
accepted("bytes above 127 in a value", get(fields=b"X-Name: caf\xe9 \xff\r\n"))
accepted("odd token characters in a name", get(fields=b"!#$%&'*+-.^_`|~1: x\r\n"))
accepted("a field twice", get(fields=b"Accept: a/b\r\nAccept: c/d\r\n"))
accepted("unknown upgrade is ignored", get(fields=b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"))
refused("line feed alone", b"GET /health HTTP/1.1\nHost: 127.0.0.1\n\n")
refused("line feed alone behind one field", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\nX: y\r\n\r\n")
refused("carriage return alone", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\rb\r\n\r\n")
refused("carriage return alone as line end", b"GET /health HTTP/1.1\rHost: 127.0.0.1\r\r\n\r\n")
refused("folded value", get(fields=b"X: a\r\n b\r\n"))
refused("folded value with a tab", get(fields=b"X: a\r\n\tb\r\n"))
refused("folded first line", b"GET /health HTTP/1.1\r\n " + HOST + b"\r\n")
refused("space before the colon", get(fields=b"X : a\r\n"))
refused("tab before the colon", get(fields=b"X\t: a\r\n"))
refused("no colon", get(fields=b"NoColonHere\r\n"))
refused("empty name", get(fields=b": a\r\n"))
refused("space in a name", get(fields=b"X Y: a\r\n"))
refused("forbidden character in a name", get(fields=b"X@Y: a\r\n"))
refused("byte above 127 in a name", get(fields=b"X\xe9: a\r\n"))
refused("NUL in a name", get(fields=b"X\x00Y: a\r\n"))
refused("NUL in a value", get(fields=b"X: a\x00b\r\n"))
refused("control character in a value", get(fields=b"X: a\x01b\r\n"))
refused("value too long", get(fields=b"X: " + b"a" * 9000 + b"\r\n"), 431)
refused("too many fields", get(fields=b"a: b\r\n" * 2000), 431)

# Host.
accepted("no host", get(host=b""), 400)
accepted("host twice", get(host=HOST + HOST), 400)
accepted("two hosts", get(host=HOST + b"Host: localhost\r\n"), 400)
accepted("host with a path", get(host=b"Host: 127.0.0.1/health\r\n"), 400)
accepted("host with a user", get(host=b"Host: user@127.0.0.1\r\n"), 400)
accepted("host list", get(host=b"Host: 127.0.0.1, localhost\r\n"), 400)
accepted("host with a space", get(host=b"Host: 127.0.0.1 x\r\n"), 400)
accepted("host with a port of letters", get(host=b"Host: 127.0.0.1:abc\r\n"), 400)
accepted("host that rebinds", get(host=b"Host: attacker.example\r\n"), 400)
accepted("host with a port", get(host=b"Host: 127.0.0.1:8000\r\n"))
accepted("host with an IPv6 address", get(host=b"Host: [::1]:8000\r\n"))

# Persistence.
accepted("pipeline of three", get() + get(b"/v1/models") + get(b"/none"), 200, 200, 404)
accepted("pipeline behind a body", post(WITH_LENGTH) + get() + chunked(b"f\r\n" + JSON + b"\r\n0\r\n\r\n") + get(), 200, 200, 200, 200,
         methods=["POST", "GET", "POST", "GET"])
accepted("version 1.0 that asks to stay", get(version=b"1.0", fields=b"Connection: keep-alive\r\n"), version="1.0")
closing("version 1.0", get(version=b"1.0"), version="1.0")
closing("version 1.0 without host", get(version=b"1.0", host=b""), version="1.0")
closing("close", get(fields=b"Connection: close\r\n"))
closing("close in capitals", get(fields=b"Connection: CLOSE\r\n"))
closing("close in a list", get(fields=b"Connection: x, close\r\n"))
closing("close in a second field", get(fields=b"Connection: x\r\nConnection: close\r\n"))
closing("close and keep-alive", get(fields=b"Connection: keep-alive, close\r\n"))
closing("half-closed behind a request", get(), ends_input=True)

# Bodies with a length.
accepted("length", post(WITH_LENGTH))
accepted("length with zeros in front", post(b"Content-Length: 00015\r\n"))
accepted("length 0", post(b"Content-Length: 0\r\n", b""), 400)
accepted("no length means no body", post(b"", b""), {400, 411})
accepted("body of a get is skipped", get(fields=b"Content-Length: 5\r\n") + b"hello")
accepted("chunked body of a get is skipped", get(fields=b"Transfer-Encoding: chunked\r\n") + b"5\r\nhello\r\n0\r\n\r\n")
for name, value in {"twice": b"15\r\nContent-Length: 15", "two": b"15\r\nContent-Length: 5", "list": b"15, 15", "list of two": b"15, 5",
                    "plus": b"+15", "minus": b"-15", "hexadecimal": b"0xf", "fraction": b"15.0", "space within": b"1 5", "empty": b"",
                    "letters": b"15a", "overflow": b"18446744073709551631", "quoted": b'"15"', "comma": b"15,"}.items():
    refused("length: " + name, post(b"Content-Length: " + value + b"\r\n"), {400, 413} if name == "overflow" else 400)
refused("length with a space before the colon", post(b"Content-Length : 15\r\n"))
refused("length folded", post(b"Content-Length:\r\n 15\r\n"))
refused("length over the limit", post(b"Content-Length: 99999999\r\n"), 413)
refused("rest of a longer body is no request", post(WITH_LENGTH, JSON + b"xyz\r\n\r\n"), 200)
REFUSED[-1].statuses, REFUSED[-1].methods = [{200}, {400}], ["POST", "xyz"]
unfinished("body cut by the end of input", post(WITH_LENGTH, JSON[:9]))

# Chunked bodies.
accepted("chunked", chunked(b"f\r\n" + JSON + b"\r\n0\r\n\r\n"))
accepted("chunked in capitals", post(b"Transfer-Encoding: CHUNKED\r\n", b"F\r\n" + JSON + b"\r\n0\r\n\r\n"))
accepted("chunk by chunk", chunked(b"".join(b"1\r\n" + JSON[i:i + 1] + b"\r\n" for i in range(15)) + b"0\r\n\r\n"))
accepted("chunk size with zeros in front", chunked(b"000f\r\n" + JSON + b"\r\n000\r\n\r\n"))
accepted("chunk extensions", chunked(b"f;a;b=c;d=\"e f\"\r\n" + JSON + b"\r\n0;x\r\n\r\n"))
accepted("trailers", chunked(b"f\r\n" + JSON + b"\r\n0\r\nX-Sum: 1\r\n\r\n"))
accepted("trailers do not frame the next request", chunked(b"f\r\n" + JSON + b"\r\n0\r\nContent-Length: 500\r\n\r\n"), {200, 400})
for name, value in {"gzip": b"gzip", "chunked, gzip": b"chunked, gzip", "gzip, chunked": b"gzip, chunked", "identity": b"identity",
                    "xchunked": b"xchunked", "chunkedx": b"chunkedx", "quoted": b'"chunked"', "empty": b"", "comma": b",chunked",
                    "twice": b"chunked\r\nTransfer-Encoding: chunked", "vertical tab": b"\x0bchunked", "parameter": b"chunked;q=1",
                    "folded": b"\r\n chunked", "second is other": b"chunked\r\nTransfer-Encoding: identity"}.items():
    refused("coding: " + name, post(b"Transfer-Encoding: " + value + b"\r\n", b"f\r\n" + JSON + b"\r\n0\r\n\r\n"), {400, 501})
refused("coding with a space before the colon", post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"))
refused("coding and length", post(WITH_LENGTH + b"Transfer-Encoding: chunked\r\n", b"f\r\n" + JSON + b"\r\n0\r\n\r\n"))
refused("length and coding", post(b"Transfer-Encoding: chunked\r\n" + WITH_LENGTH, b"f\r\n" + JSON + b"\r\n0\r\n\r\n"))
refused("coding in version 1.0", post(b"Transfer-Encoding: chunked\r\n", b"f\r\n" + JSON + b"\r\n0\r\n\r\n", b"1.0"), version="1.0")
for name, body in {"letters": b"x\r\n", "minus": b"-f\r\n", "plus": b"+f\r\n", "0x": b"0xf\r\n", "underscore": b"0_f\r\n", "empty": b"\r\n",
                   "only an extension": b";a=b\r\n", "space before": b" f\r\n", "space behind": b"f \r\n", "overflow": b"1000000000000000f\r\n",
                   "line feed alone": b"f\n", "carriage return alone": b"f\r", "line feed in an extension": b"f;a\n\r\n",
                   "carriage return in an extension": b"f;a\rb\r\n", "NUL in an extension": b"f;a\x00\r\n"}.items():
    refused("chunk size: " + name, chunked(body + JSON + b"\r\n0\r\n\r\n"), {400, 413} if name == "overflow" else 400)
refused("chunk longer than its size", chunked(b"e\r\n" + JSON + b"\r\n0\r\n\r\n"))
refused("chunk shorter than its size", chunked(b"10\r\n" + JSON + b"\r\n0\r\n\r\n"))
refused("chunk that ends with a line feed", chunked(b"f\r\n" + JSON + b"\n0\r\n\r\n"))
refused("last chunk that ends with line feeds", chunked(b"f\r\n" + JSON + b"\r\n0\n\n"))
refused("trailer without colon", chunked(b"f\r\n" + JSON + b"\r\n0\r\nrubbish\r\n\r\n"))
refused("trailer with a line feed", chunked(b"f\r\n" + JSON + b"\r\n0\r\nX: a\n\r\n"))
refused("trailer with NUL", chunked(b"f\r\n" + JSON + b"\r\n0\r\nX: a\x00\r\n\r\n"))
refused("trailers too long", chunked(b"f\r\n" + JSON + b"\r\n0\r\n" + b"a: b\r\n" * 4000 + b"\r\n"), 431)
refused("extension too long", chunked(b"f;" + b"a" * 100_000 + b"\r\n" + JSON + b"\r\n0\r\n\r\n"))
unfinished("chunks cut by the end of input", chunked(b"f\r\n" + JSON[:9]))

# Expectations and types.
accepted("100-continue", post(WITH_LENGTH + b"Expect: 100-continue\r\n"), 200)
accepted("100-continue in capitals", post(WITH_LENGTH + b"Expect: 100-CONTINUE\r\n"), 200)
closing("100-continue in version 1.0 is ignored", post(WITH_LENGTH + b"Expect: 100-continue\r\n", version=b"1.0"), version="1.0")
refused("100-continue of a body over the limit", post(b"Content-Length: 99999999\r\nExpect: 100-continue\r\n", b""), 413)
accepted("unknown expectation", post(WITH_LENGTH + b"Expect: 200-ok\r\n"), {200, 417})
refused("text instead of JSON", post(WITH_LENGTH).replace(b"application/json", b"text/plain"), 415)
refused("compressed body", post(WITH_LENGTH + b"Content-Encoding: gzip\r\n"), 415)

CASES = ACCEPTED + CLOSING + REFUSED
assert len(CASES) >= 120 and len({case.name for case in CASES}) == len(CASES)
