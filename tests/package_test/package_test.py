"""The installed package: headers that stand alone, and the C++ examples, built with find_package only and run on the
default model. Their answers are compared with those of the installed server.

Settings come from CTest: NEAP_BUILD (the build folder), NEAP_CMAKE, and what CMake reads by itself.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["NEAP_BUILD"])
CMAKE = os.environ["NEAP_CMAKE"]
MODEL = SOURCE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
# Always the same place, so that the compiler cache knows its paths.
ROOM = BUILD / "package_test"
PREFIX = ROOM / "prefix"
QUESTION = "Why is the sky blue?"
HERE = SOURCE / "tests" / "package_test"
HEADERS = (HERE / "headers", f"-DMANIFEST={SOURCE}/cmake/public_headers.cmake")


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)


def must(*command):
    done = run(*command)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done


def configure(source, name, *settings):
    return run(CMAKE, "-S", source, "-B", ROOM / name, f"-DCMAKE_PREFIX_PATH={PREFIX}", *settings)


def build(source, name, *settings):
    """Builds a project that knows the installed tree only; answers its folder."""
    done = configure(source, name, *settings)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    must(CMAKE, "--build", ROOM / name, "--parallel", 2)
    return ROOM / name


@functools.cache
def build_example(name):
    """A copy of the example, so that nothing beside it can help."""
    copy = ROOM / "examples" / name
    shutil.copytree(SOURCE / "examples" / name, copy, dirs_exist_ok=True)
    return build(copy, name) / name


def setUpModule():
    assert MODEL.exists(), "the default model is not here: run scripts/setup"
    shutil.rmtree(ROOM, ignore_errors=True)
    must(CMAKE, "--install", BUILD, "--prefix", ROOM / "first")
    (ROOM / "first").rename(PREFIX)  # a package may be moved


class Server:
    """The installed server."""

    def __enter__(self):
        command = [PREFIX / "bin" / "neap", "serve", MODEL, "--host", "127.0.0.1", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = found.group()
                return self
        raise AssertionError("the installed server did not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def post(self, route, **body):
        request = urllib.request.Request(self.url + route, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


class Package(unittest.TestCase):
    def test_every_public_header_stands_alone(self):
        build(HEADERS[0], "headers", HEADERS[1])

    def test_engine_comes_without_caf(self):
        done = configure(HERE / "request", "engine", "-DREQUEST=0.1 CONFIG REQUIRED COMPONENTS engine")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r"has (\S+)", done.stdout), ["Neap::engine"])

    def test_without_components_all_come(self):
        done = configure(HERE / "request", "all", "-DREQUEST=CONFIG REQUIRED")
        self.assertEqual(re.findall(r"has (\S+)", done.stdout), ["Neap::engine", "Neap::actors", "CAF::core"], done.stderr)

    def test_refusals_say_why(self):
        for name, request, reason in [
            ("component", "CONFIG REQUIRED COMPONENTS engin", "no component engin: there are engine and actors"),
            ("version", "99.0 CONFIG REQUIRED", "NeapConfig.cmake, version: "),
        ]:
            done = configure(HERE / "request", name, f"-DREQUEST={request}")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, " ".join(done.stderr.split()))

    def test_the_engine_alone(self):
        program = build_example("engine_only")
        self.assertNotIn("caf", must("readelf", "--dynamic", program).stdout)
        out = must(program, MODEL, QUESTION, "Hello").stdout
        with Server() as server:
            tokens = server.post("/tokenize", prompt=QUESTION)["tokens"]
        self.assertIn(f"#1: {' '.join(map(str, tokens))} (FAST_GROUP)\n", out)
        # 4 tokens of answer each: a prompt in the first step, then one token a step, then the ends.
        self.assertIn(f"#1 takes {len(tokens)}", out)
        self.assertEqual(out.count("#1 takes 1\n") + out.count("#1 takes 1 "), 3)
        self.assertRegex(out, r"step 5: #. ends #. ends\n$")

    def test_actors_in_another_program(self):
        program = build_example("embed_actors")
        plain, urgent = (must(program, MODEL, text + QUESTION) for text in ("", "URGENT: "))
        with Server() as server:
            for done, text in ((plain, ""), (urgent, "URGENT: ")):
                messages = [{"role": "user", "content": text + QUESTION}]
                answer = server.post("/v1/chat/completions", model="default", messages=messages, temperature=0, max_tokens=32)
                self.assertEqual(done.stdout, answer["choices"][0]["message"]["content"] + "\n")
        self.assertIn("FAST_GROUP, batch lane: complexity", plain.stderr)
        self.assertIn("FAST_GROUP, dedicated lane: marked URGENT", urgent.stderr)

    def test_the_program_of_the_document(self):
        document = (SOURCE / "docs" / "embedding.md").read_text()
        folder = ROOM / "document"
        folder.mkdir()
        for language, file in (("cmake", "CMakeLists.txt"), ("cpp", "hello.cpp")):
            (folder / file).write_text(re.search(rf"^```{language}\n(.*?)^```", document, re.M | re.S).group(1))
        done = must(build(folder, "hello") / "hello", MODEL, "The capital of France is")
        with Server() as server:
            answer = server.post("/v1/completions", prompt="The capital of France is", temperature=0, max_tokens=16)
        self.assertEqual(done.stdout, answer["choices"][0]["text"])

    def test_errors_are_one_line(self):
        program = build_example("embed_actors")
        done = run(program, "missing.gguf", QUESTION)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "embed_actors: cannot read model file 'missing.gguf': No such file or directory\n")
        too_long = run(program, MODEL, "word " * 9000)
        self.assertEqual(too_long.returncode, 1)
        self.assertRegex(too_long.stderr, r"^embed_actors: .*8192.*\n$")

    def test_our_flags_stay_here(self):
        configure(HEADERS[0], "flags", HEADERS[1])
        commands = json.loads((ROOM / "flags" / "compile_commands.json").read_text())
        self.assertGreater(len(commands), 40)
        for entry in commands:
            self.assertNotRegex(entry["command"], r" -[Wf]\S+")
            for folder in re.findall(r"-(?:I|isystem) ?(\S+)", entry["command"]):
                self.assertTrue(folder.startswith((str(PREFIX), "/usr")), folder)


if __name__ == "__main__":
    unittest.main()
