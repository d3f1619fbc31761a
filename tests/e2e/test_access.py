"""API keys, admin key, browser origins, TLS and reload, against the real binary."""

import datetime
import os
import signal
import socket
import ssl
import subprocess
import time

import httpx
import openai
import pytest
import trustme
from conftest import BINARY, MODEL, Server

STANDARD, VIP, ADMIN = "standard-key-1", "vip-key-000002", "admin-key-00003"
PAGE = "https://chat.example"
OPEN = {"/health", "/ready"}
ROUTES = [("POST", "/v1/chat/completions"), ("POST", "/v1/completions"), ("POST", "/v1/embeddings"), ("GET", "/v1/models"), ("POST", "/tokenize"),
          ("POST", "/detokenize"), ("GET", "/metrics"), ("GET", "/health"), ("GET", "/ready"), ("GET", "/v1/ws")]


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    keys = tmp_path_factory.mktemp("keys") / "keys.txt"
    keys.write_text(f"# ours\n{STANDARD}\n{VIP} tier=vip\n")
    server = Server("--api-key-file", keys, "--admin-key", ADMIN, "--allowed-origins", PAGE, "--keep-alive-comment", "0.2")
    server.keys = keys
    yield server
    server.process.kill()


@pytest.mark.parametrize("method,path", ROUTES)
@pytest.mark.parametrize("how", ["none", "wrong", "query", "cookie", "header"])
def test_every_route_asks_for_the_key(guarded, method, path, how):  # R14
    headers = {"wrong": bearer("standard-key-2"), "cookie": {"Cookie": f"key={STANDARD}"},
               "header": {"X-Api-Key": STANDARD}}.get(how, {})
    url = path + (f"?api_key={STANDARD}" if how == "query" else "")
    answer = guarded.http.request(method, url, headers=headers, json={} if method == "POST" else None)
    if path in OPEN:
        assert answer.status_code == 200
        return
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "invalid_api_key"
    assert answer.json()["error"]["type"] == "authentication_error"


def test_the_official_client_works_with_the_key_and_is_told_without(guarded):
    def client(key):
        return openai.OpenAI(base_url=guarded.url + "/v1", api_key=key, max_retries=0)

    assert client(STANDARD).models.list().data
    with pytest.raises(openai.AuthenticationError):
        client("something-else").models.list()


def test_a_key_limits_the_tier(guarded):
    def tier(key, wanted):
        body = {"model": "default", "prompt": "Hi", "max_tokens": 1, "service_tier": wanted}
        return guarded.http.post("/v1/completions", json=body, headers=bearer(key)).json()["neap"]["tier"]

    def tier_of_embedding(key):
        body = {"model": "default", "input": "Hi", "service_tier": "priority"}
        return guarded.http.post("/v1/embeddings", json=body, headers=bearer(key)).json()["neap"]["tier"]

    assert (tier_of_embedding(VIP), tier_of_embedding(STANDARD)) == ("vip", "standard")
    assert tier(VIP, "priority") == "vip"
    assert tier(VIP, "default") == "standard"
    assert tier(STANDARD, "priority") == "standard"


def test_a_browser_page_of_an_allowed_origin_may_call(guarded):  # C36
    asked = "authorization,content-type,x-stainless-os,x-stainless-lang,x-invented"
    preflight = guarded.http.options("/v1/chat/completions", headers={
        "Origin": PAGE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked})
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == PAGE
    assert preflight.headers["access-control-allow-headers"] == asked
    assert "POST" in preflight.headers["access-control-allow-methods"]
    answer = guarded.http.get("/v1/models", headers={"Origin": PAGE, **bearer(STANDARD)})
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert guarded.http.get("/v1/models", headers={"Origin": PAGE}).headers["access-control-allow-origin"] == PAGE
    foreign = guarded.http.get("/v1/models", headers={"Origin": "https://evil.example", **bearer(STANDARD)})
    assert foreign.status_code == 403 and "access-control-allow-origin" not in foreign.headers


def test_foreign_pages_make_the_server_do_nothing(server, guarded):
    """A browser sends such a POST without asking first."""
    body = b'{"prompt": "Hi", "max_tokens": 2}'
    for origin, status in [("https://evil.example", 403), ("null", 403), (server.url, 200), (None, 200)]:
        headers = {"Origin": origin} if origin else {}
        assert server.http.post("/v1/completions", content=body, headers=headers).status_code == status, origin
    assert server.http.get("/health", headers={"Origin": "https://evil.example"}).status_code == 200


def test_a_reload_never_blocks(tmp_path):
    """Neither a pipe in the place of the key file, nor a key that wants a pass phrase."""
    keys = tmp_path / "keys.txt"
    keys.write_text(f"{STANDARD}\n")
    server = Server("--api-key-file", keys)
    try:
        keys.unlink()
        os.mkfifo(keys)
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 10
        while not any("no regular file" in line for line in server.log):
            assert time.monotonic() < end
            time.sleep(0.02)
        assert server.http.get("/v1/models", headers=bearer(STANDARD)).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
    finally:
        server.process.kill()


@pytest.mark.parametrize("flag", ["--api-key", "--api-key-file", "--admin-key"])
def test_an_empty_key_is_a_mistake(flag):
    done = subprocess.run([str(BINARY), "serve", str(MODEL), flag, ""], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and f"{flag}: is empty" in done.stderr


def test_new_keys_come_with_a_hangup_and_a_bad_file_changes_nothing(guarded):
    def works(key):
        return guarded.http.get("/v1/models", headers=bearer(key)).status_code == 200

    def reload(text):
        guarded.keys.write_text(text)
        guarded.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)

    reload(f"{STANDARD}\n{VIP} tier=vip\nadded-key-0004\n")
    assert works("added-key-0004")
    reload("short\n")
    assert works(STANDARD) and works("added-key-0004")
    reload(f"{STANDARD}\n{VIP} tier=vip\n")
    assert works(STANDARD) and not works("added-key-0004")


def test_no_key_is_ever_logged(guarded):
    guarded.http.get("/nothing?api_key=" + STANDARD, headers=bearer(VIP))
    guarded.http.post("/v1/completions", content=b"{", headers=bearer(STANDARD))
    text = "".join(guarded.log) + guarded.http.get("/metrics", headers=bearer(STANDARD)).text
    assert not any(key in text for key in (STANDARD, VIP, ADMIN))


@pytest.fixture
def authority():
    return trustme.CA()


def write_certificate(authority, folder, name):
    certificate = authority.issue_cert(name, "127.0.0.1", not_after=datetime.datetime(2040, 1, 1))
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    (folder / "cert.pem").write_bytes(b"".join(part.bytes() for part in certificate.cert_chain_pems))


def served_names(server):
    """Names in the certificate that the server shows now."""
    with socket.create_connection(("127.0.0.1", server.port)) as raw, server.tls.wrap_socket(raw, server_hostname="127.0.0.1") as s:
        return {value for kind, value in s.getpeercert()["subjectAltName"] if kind == "DNS"}


@pytest.fixture
def secure(authority, tmp_path):
    write_certificate(authority, tmp_path, "first.example")
    server = Server("--tls-certificate", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem")
    server.tls = ssl.create_default_context()
    authority.configure_trust(server.tls)
    server.http.close()
    server.http = httpx.Client(base_url=server.url.replace("http:", "https:"), verify=server.tls, timeout=60)
    yield server
    server.process.kill()


def test_https_answers_and_streams_like_http(secure):
    client = openai.OpenAI(base_url=str(secure.http.base_url).rstrip("/") + "/v1", api_key="unused", max_retries=0, http_client=secure.http)
    fields = {"model": "default", "prompt": "Once upon", "max_tokens": 20, "temperature": 0}
    whole = client.completions.create(**fields).choices[0].text
    assert "".join(part.choices[0].text for part in client.completions.create(stream=True, **fields)) == whole
    for _ in range(3):  # the same connection again
        assert secure.http.get("/health").status_code == 200
    with socket.create_connection(("127.0.0.1", secure.port)) as plain:
        plain.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" not in plain.recv(100)
    assert secure.http.get("/health").status_code == 200
    assert secure.stop() == 0


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_tls_is_refused(secure):
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    with socket.create_connection(("127.0.0.1", secure.port)) as raw, pytest.raises(ssl.SSLError):
        old.wrap_socket(raw)


def test_a_new_certificate_comes_with_a_hangup(secure, authority, tmp_path):
    assert served_names(secure) == {"first.example"}
    kept = secure.http.get("/health")
    write_certificate(authority, tmp_path, "second.example")
    secure.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert served_names(secure) == {"second.example"}
    (tmp_path / "cert.pem").write_text("no certificate")
    secure.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert served_names(secure) == {"second.example"}
    assert kept.status_code == secure.http.get("/health").status_code == 200


def test_half_done_handshakes_hold_nobody_up_and_are_cut(secure):  # R14
    stuck = [socket.create_connection(("127.0.0.1", secure.port)) for _ in range(40)]
    for connection in stuck[:20]:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01")
    begin = time.monotonic()
    assert secure.http.get("/health").status_code == 200
    assert time.monotonic() - begin < 2
    for connection in stuck:
        connection.settimeout(15)
        assert connection.recv(10) == b""
    assert time.monotonic() - begin < 14


@pytest.mark.parametrize("flags,said", [
    (["--tls-certificate", "cert.pem"], "tls_key"),
    (["--tls-certificate", "missing.pem", "--tls-key", "missing.pem"], "missing.pem"),
    (["--api-key", "short"], "api_key"),
    (["--api-key-file", "missing.txt"], "missing.txt"),
    (["--allowed-origins", "chat.example"], "allowed_origins"),
])
def test_bad_settings_are_told_in_one_line_at_the_start(flags, said):
    done = subprocess.run([BINARY, "serve", MODEL, *flags], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
