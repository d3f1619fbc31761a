"""Generated requests against a real server: every answer must be one that /openapi.json describes, and none a 5xx.

usage: check_description.py NEAP MODEL [--examples N]

Runs in an environment with tests/release/requirements.txt. Exit status 1 if schemathesis found something, or if the
server then did not end cleanly. About 1500 requests are at the edges of fields and methods, the rest are random.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = ["no_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance"]
# The seed and the missing memory make a run repeatable; the commands it prints hold what was really sent.
OPTIONS = ["--phases", "coverage,fuzzing", "--seed", "1", "--generation-database", "none", "--generation-unique-inputs",
           "--continue-on-failure", "--request-timeout", "60", "--output-sanitize", "false", "--warnings", "off",
           "--no-color"]
# Short answers: the requests are the point, and few of those generated ask for a small `max_tokens`.
LIMITS = ["--max-model-len", "128", "--max-completion-tokens", "4"]


def start(binary, model, log):
    command = [binary, "serve", model, "--host", "127.0.0.1", "--port", "0", *LIMITS]
    server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    while server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", pathlib.Path(log.name).read_text())
        if found:
            return server, found.group(0)
        time.sleep(0.05)
    sys.exit("error: the server did not start:\n" + pathlib.Path(log.name).read_text())


def ask(url, examples):
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json", *OPTIONS]
    command += ["--checks", ",".join(CHECKS), "--max-examples", str(examples)]
    environment = {**os.environ, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "hooks"}
    with tempfile.TemporaryDirectory() as folder:  # schemathesis keeps files where it runs
        return subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("model", type=os.path.abspath)
    parser.add_argument("--examples", type=int, default=550, help="random requests to a route, at most")
    given = parser.parse_args()
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        server, url = start(given.binary, given.model, log)
        try:
            found = ask(url, given.examples)
            server.send_signal(signal.SIGTERM)
            status = server.wait(60)
        finally:
            server.kill()
        if status != 0:
            print("error: the server ended with", status, pathlib.Path(log.name).read_text()[-2000:], sep="\n")
    return 1 if found or status else 0


if __name__ == "__main__":
    sys.exit(main())
