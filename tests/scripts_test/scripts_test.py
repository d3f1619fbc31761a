"""The scripts' promises that need no network: help, refusals, and the closing line of scripts/test.

scripts/test runs in a small tree of its own, where set-up, CMake, ninja, CTest and pytest are stand-ins.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
NAMES = sorted(p.name for p in SCRIPTS.iterdir() if p.suffix == "" and p.is_file())

# Writes the report $REPORT_<runner> to the file that follows the option, and ends with $STATUS_<runner>.
RUNNER = """#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in --output-junit | --junit-xml) [ -z "$REPORT_{0}" ] || echo "$REPORT_{0}" >"$2" ;; esac
  shift
done
exit "${{STATUS_{0}:-0}}"
"""
PASS = "<testcase name='a'/>"
FAIL = "<testcase name='b' status='fail'><failure/></testcase>"
SKIP = "<testcase name='c'><skipped/></testcase>"


def run(*command, **settings):
    environment = {**os.environ, **settings.pop("environment", {})}
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, timeout=60)


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class HelpAndRefusals(unittest.TestCase):
    def test_every_script_explains_itself_with_examples(self):
        self.assertIn("serve", NAMES)
        for name in NAMES:
            done = run(str(SCRIPTS / name), "--help")
            self.assertEqual(done.returncode, 0, name)
            self.assertTrue(done.stdout.startswith(f"usage: scripts/{name}"), name)
            self.assertIn("examples:", done.stdout, name)

    def test_an_unknown_argument_is_named(self):
        for name in NAMES:
            done = run(str(SCRIPTS / name), "--bogus")
            self.assertNotEqual(done.returncode, 0, name)
            self.assertIn("--bogus", done.stderr, name)
            self.assertNotIn("[1]", done.stdout, name + " began to work")

    def test_a_port_without_value_is_refused(self):
        done = run(str(SCRIPTS / "serve"), "--port")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--port needs a value", done.stderr)


class ServeArguments(unittest.TestCase):
    """What scripts/serve hands to `neap serve`: a stand-in prints it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("scripts/common.sh", "scripts/serve", "server/cli/serve_flags.cpp"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SCRIPTS.parent / name, self.root / name)
        write_program(self.root / "scripts/setup", "#!/bin/bash\n")
        for name in ("cmake", "ninja"):
            write_program(self.root / "bin" / name, "#!/bin/bash\n")
        write_program(self.root / "build/release/bin/neap", '#!/bin/bash\necho "neap $*"\n')

    def served(self, *arguments, **environment):
        clean = {"MODEL": "", "HOST": "", "PORT": "", "PATH": f"{self.root}/bin:{os.environ['PATH']}", **environment}
        done = run(str(self.root / "scripts/serve"), *arguments, environment=clean)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1].replace(str(self.root), "ROOT")

    def test_only_what_was_given_is_passed(self):
        model = "ROOT/models/SmolLM2-135M-Instruct.Q4_1.gguf"
        self.assertEqual(self.served(), f"neap serve {model}")
        self.assertEqual(self.served("--config", "f"), "neap serve --config f")
        self.assertEqual(self.served("--config=f", PORT="5"), "neap serve --port 5 --config=f")
        self.assertEqual(self.served("--insecure", "m.gguf"), "neap serve --insecure m.gguf")
        self.assertEqual(self.served("--port", "7", PORT="5", HOST="::1"), f"neap serve {model} --host ::1 --port 7")


class ClosingLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("common.sh", "test"):
            (self.root / "scripts").mkdir(exist_ok=True)
            shutil.copy(SCRIPTS / name, self.root / "scripts" / name)
        write_program(self.root / "scripts/setup", "#!/bin/bash\nexit ${STATUS_setup:-0}\n")
        for name in ("cmake", "ninja"):
            write_program(self.root / "bin" / name, f"#!/bin/bash\nexit ${{STATUS_{name}:-0}}\n")
        write_program(self.root / "all", RUNNER.format("ctest"))
        write_program(self.root / "sanitized", RUNNER.format("sanitized"))
        chosen = f'case "$*" in *"-L sanitized"*) exec "{self.root}/sanitized" "$@" ;; esac\nexec "{self.root}/all" "$@"\n'
        write_program(self.root / "bin/ctest", "#!/bin/bash\n" + chosen)
        write_program(self.root / "pytest", RUNNER.format("pytest"))
        python = f'#!/bin/bash\nif [ "$1" = -m ]; then exec "{self.root}/pytest" "$@"; fi\nexec python3 "$@"\n'
        write_program(self.root / ".venv/bin/python", python)

    def check(self, expected, succeeds, **environment):
        environment.setdefault("REPORT_sanitized", f"<s>{PASS}</s>")
        environment["PATH"] = f"{self.root}/bin:{os.environ['PATH']}"
        done = run(str(self.root / "scripts/test"), environment=environment)
        self.assertEqual(done.stdout.splitlines()[-1], expected, done.stdout + done.stderr)
        self.assertEqual(done.returncode == 0, succeeds)

    def test_all_runners_are_added_up(self):
        self.check("4 passed, 0 failed", True, REPORT_ctest=f"<s>{PASS}{PASS}</s>", REPORT_pytest=f"<s>{PASS}</s>")

    def test_skipped_tests_are_told(self):
        self.check("3 passed, 0 failed, 1 skipped", True, REPORT_ctest=f"<s>{PASS}{SKIP}</s>", REPORT_pytest=f"<s>{PASS}</s>")

    def test_a_failure_of_any_runner_fails_the_run(self):
        one, bad = f"<s>{PASS}</s>", f"<s>{PASS}{FAIL}</s>"
        self.check("3 passed, 1 failed", False, REPORT_ctest=bad, REPORT_pytest=one, STATUS_ctest="8")
        self.check("3 passed, 1 failed", False, REPORT_ctest=one, REPORT_pytest=bad, STATUS_pytest="1")
        self.check("2 passed, 1 failed", False, REPORT_ctest=one, REPORT_pytest=one, REPORT_sanitized=bad.replace(PASS, ""))

    def test_a_runner_that_leaves_no_report_is_a_failure(self):
        self.check("2 passed, 1 failed", False, REPORT_ctest=f"<s>{PASS}</s>", STATUS_pytest="4")

    def test_a_runner_that_fails_behind_a_clean_report_fails_the_run(self):
        one = f"<s>{PASS}</s>"
        self.check("3 passed, 1 failed", False, REPORT_ctest=one, REPORT_pytest=one, STATUS_ctest="8")

    def test_a_run_that_ends_early_still_closes_with_the_line(self):
        for step in ("setup", "cmake", "ninja"):
            self.check("0 passed, 1 failed", False, **{f"STATUS_{step}": "1"})


if __name__ == "__main__":
    unittest.main()
