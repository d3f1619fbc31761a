"""What the actors and requests of a running server are doing: routes and `neap inspect`."""

import json
import subprocess
import threading
import time

import pytest
from conftest import BINARY, Server
from test_supervision import FAULTY

ACTORS = ["telemetry", "memory_manager", "classifier", "text_encoder", "gpu_executor", "batcher", "defrag_timer", "ingress",
          "supervisor"]
LONG = {"model": "default", "prompt": "Once upon a time", "max_tokens": 400, "ignore_eos": True}


def inspect(*words, **options):
    return subprocess.run([str(BINARY), "inspect", *map(str, words)], capture_output=True, text=True, timeout=30, **options)


def listed(server, what, **options):
    answer = server.http.get(f"/neap/v1/{what}", **options)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def in_background(server, body):
    thread = threading.Thread(target=lambda: server.http.post("/v1/completions", json=body))
    thread.start()
    return thread


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_every_actor_answers_with_its_figures(server):
    before = {a["name"]: a for a in listed(server, "actors")}
    assert list(before) == ACTORS
    assert server.complete(prompt="Hello", max_tokens=5, ignore_eos=True).status_code == 200
    after = {a["name"]: a for a in listed(server, "actors")}
    for name, actor in after.items():
        assert actor["answered"] and actor["restarts"] == 0 and actor["state"], name
        assert actor["handled"] >= before[name]["handled"] and actor["age_ms"] > before[name]["age_ms"], name
    assert after["gpu_executor"]["state"]["steps"] >= before["gpu_executor"]["state"]["steps"] + 5
    assert after["gpu_executor"]["busy_total_ms"] > before["gpu_executor"]["busy_total_ms"]


def test_requests_show_tags_and_progress(server):
    thread = in_background(server, {**LONG, "service_tier": "priority", "request_type": "batch", "sensitivity": "realtime",
                                    "priority": -7})
    request = until(lambda: [r for r in listed(server, "requests") if r["completion_tokens"] > 3])[0]
    assert (request["tier"], request["request_type"], request["sensitivity"]) == ("vip", "batch", "realtime")
    assert request["priority"] == -7 and request["stage"] == "decoding" and request["open_choices"] == 1
    assert request["computed_tokens"] >= request["prompt_tokens"] > 0 and request["kv_blocks"] > 0
    thread.join()
    assert until(lambda: listed(server, "requests") == [])


def test_command_prints_tables_and_json(server):
    thread = in_background(server, LONG)
    until(lambda: listed(server, "requests"))
    done = inspect("--url", server.url)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith("ACTOR") and all(name in done.stdout for name in ACTORS)
    assert "\nREQUEST" in done.stdout and ("decoding" in done.stdout or "prefill" in done.stdout)
    bodies = inspect("--url", server.url, "--json").stdout.splitlines()
    assert [a["name"] for a in json.loads(bodies[0])["data"]] == ACTORS
    assert json.loads(bodies[1])["data"][0]["model"]
    thread.join()
    until(lambda: listed(server, "requests") == [])
    assert inspect("requests", "--url", server.url).stdout == "no live requests\n"


def test_watch_goes_on_until_it_is_stopped(server):
    process = subprocess.Popen([str(BINARY), "inspect", "actors", "--url", server.url, "--watch", "0.1"],
                               stdout=subprocess.PIPE, text=True)
    headers = 0
    for line in process.stdout:
        headers += line.startswith("ACTOR")
        if headers == 3:
            break
    process.terminate()
    process.wait(10)


def test_a_hanging_executor_is_seen_and_holds_nothing_up(monkeypatch):
    monkeypatch.setenv("NEAP_FAULTS", "sleep:5")
    server = Server(binary=FAULTY)
    try:
        thread = in_background(server, {**LONG, "max_tokens": 20})
        def hanging():
            actors = {a["name"]: a for a in listed(server, "actors")}
            return None if actors["gpu_executor"]["answered"] else actors
        actors = until(hanging)
        begin = time.monotonic()
        actors = hanging()
        assert time.monotonic() - begin < 0.6
        assert actors["gpu_executor"]["busy_for_ms"] > 100 and actors["gpu_executor"]["state"] == {}
        assert actors["gpu_executor"]["queued"] >= 1
        assert all(actor["answered"] for name, actor in actors.items() if name != "gpu_executor")
        assert "does not answer" in inspect("--url", server.url).stdout
        assert len(listed(server, "requests")) == 1
        thread.join()
        assert all(a["answered"] for a in listed(server, "actors"))
    finally:
        server.process.kill()


def test_admin_key_guards_the_routes():
    server = Server("--api-key", "user-key-00001", "--admin-key", "admin-key-0001")
    try:
        for what in ("actors", "requests"):
            for key, status in [("admin-key-0001", 200), ("user-key-00001", 401), ("", 401)]:
                headers = {"Authorization": f"Bearer {key}"} if key else {}
                assert server.http.get(f"/neap/v1/{what}", headers=headers).status_code == status, (what, key)
        assert inspect("--url", server.url, "--api-key", "admin-key-0001").returncode == 0
        refused = inspect("--url", server.url, env={})
        assert refused.returncode == 1 and refused.stderr.count("\n") == 1 and "401" in refused.stderr
        for text in (inspect("--url", server.url, env={"NEAP_ADMIN_KEY": "admin-key-0001"}).stdout, "".join(server.log)):
            assert "-key-00" not in text
    finally:
        server.process.kill()


@pytest.mark.parametrize("words, told", [
    (["--url", "http://127.0.0.1:1"], "is the server running?"), (["--url", "ftp://x"], "http://"),
    (["everything"], "actors"), (["--watch", "0"], "--watch"),
])
def test_faults_are_one_line(words, told):
    done = inspect(*words)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and told in done.stderr, done.stderr


def test_inspection_once_a_second_costs_less_than_a_hundredth_of_a_core(server):
    looks = 200
    before = server.usage.cpu_seconds()
    for _ in range(looks):
        listed(server, "actors")
        listed(server, "requests")
    spent = (server.usage.cpu_seconds() - before) / looks
    print(f"{spent * 1e3:.2f} ms of processor time a look")
    assert spent < 0.01
