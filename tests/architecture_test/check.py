"""Checks the structure rules of the source tree: sizes, includes, and what may not appear where.

usage: check.py TREE                exit status 1 and one line per broken rule
       check.py --self-test         builds small broken trees and expects every rule to report them
"""

import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PRODUCT = ["messages", "kernels", "engine", "backends", "config", "actors", "server", "bench", "examples"]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}

# Which project folders a folder may include; the rule of dependence.
MAY_INCLUDE = {
    "messages": {"messages"},
    "kernels": {"kernels"},
    "engine": {"engine", "kernels", "messages"},
    "backends": {"backends", "engine", "kernels", "messages"},
    "config": {"config", "messages"},
    "actors": {"actors", "backends", "config", "engine", "kernels", "messages"},
    "server": {"server", "actors", "backends", "bench", "config", "engine", "kernels", "messages"},
    "bench": {"bench", "config", "engine", "kernels", "messages"},
    "examples": {"examples", "actors", "backends", "config", "engine", "kernels", "messages", "server"},
}
# Libraries by the start of their headers' names, and the folders that may include them directly. What is not
# named here is the standard library or the operating system.
LIBRARIES = {
    "CAF": (re.compile(r"caf/"), {"actors", "server", "tests", "examples"}),
    # bench/ holds an HTTP client: the load generator.
    "Beast": (re.compile(r"boost/beast"), {"server", "bench", "tests", "examples"}),
    "Boost": (re.compile(r"boost/"), {"server", "tests", "examples", "bench"}),
    "Protobuf": (re.compile(r"google/protobuf|.*\.pb\.h$"), {"messages/proto", "config", "actors", "server", "tests", "bench", "examples"}),
    "PCRE2": (re.compile(r"pcre2"), {"engine", "tests"}),
    "CUDA": (re.compile(r"cuda|cublas|vector_functions\.h"), {"kernels/cuda", "backends/cuda", "tests/cuda"}),
    "prometheus-cpp": (re.compile(r"prometheus/"), {"actors", "server", "tests"}),
    "spdlog": (re.compile(r"spdlog/|fmt/"), {"actors", "server", "tests", "examples"}),
    "CLI11": (re.compile(r"CLI/"), {"server", "bench", "tests"}),
    "OpenSSL": (re.compile(r"openssl/"), {"actors", "server", "tests"}),
    "GoogleTest": (re.compile(r"gtest/|gmock/"), {"tests"}),
    "Google Benchmark": (re.compile(r"benchmark/"), {"bench", "tests"}),
}

FILE_LIMIT, FILE_95, FILE_MEDIAN = 500, 350, 100
FUNCTION_LIMIT, FUNCTION_95, FUNCTION_MEDIAN = 70, 40, 8
ACTOR_LIMIT = 150

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
# Text that may appear nowhere, with the folders it is about (None = everywhere) and the reason.
FORBIDDEN = [
    (re.compile(r"\bstd::regex\b"), None, "std::regex overflows the stack on long input"),
    (re.compile(r"\bstd::(shared_|recursive_)?mutex\b"), {"actors"}, "actors share no mutex"),
    (re.compile(r"(?<![\w.>])(?:(?:std)?::(?:abort|exit|_exit|quick_exit)|(?<!:)(?:exit|_exit|quick_exit))\s*\("), set(PRODUCT), "a library never ends the process"),
    (re.compile(r"\busing namespace std;"), None, "using namespace std"),
]
SKIPPED_FOLDERS = {".git", ".cache", ".venv", "build", "models", "node_modules"}
OWN_PATH = pathlib.Path("tests/architecture_test/check.py")
EXIT_ALLOWED = {"server/main.cpp"}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w")
TEXT_SUFFIXES = SUFFIXES | {".py", ".sh", ".txt", ".cmake", ".md", ".proto", ".textproto", ".toml", ".yml", ""}


def sources(tree, folders):
    for folder in folders:
        for path in sorted((tree / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def includes(text):
    return [m.group(1) for m in map(INCLUDE.match, text.splitlines()) if m]


def code_only(line):
    """A line without its // comment and string literals."""
    return re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]


def check_includes(path, folder, names, problems):
    for library, (pattern, folders) in LIBRARIES.items():
        allowed_here = any(path.is_relative_to(f) for f in folders)
        if not allowed_here and any(pattern.match(n) for n in names):
            problems.append(f"{path}: includes {library}, which only {sorted(folders)} may")
    if any(n.startswith("caf/") for n in names) and any(n.startswith("boost/beast") for n in names):
        problems.append(f"{path}: CAF and Beast in one translation unit")
    allowed = MAY_INCLUDE.get(folder)
    for name in names if allowed else []:
        top = name.split("/")[0]
        if top in PRODUCT and "/" in name and top not in allowed:
            problems.append(f"{path}: {folder}/ may not include {name}")


def check_text(path, folder, text, problems):
    if path.suffix == ".hpp" and "#pragma once" not in text:
        problems.append(f"{path}: header without #pragma once")
    for number, line in enumerate(text.splitlines(), 1):
        code = code_only(line)
        for pattern, folders, reason in FORBIDDEN:
            if str(path) in EXIT_ALLOWED and "ends the process" in reason:
                continue
            if (folders is None or folder in folders) and pattern.search(code):
                problems.append(f"{path}:{number}: {reason}")


def check_characters(path, text, problems, warnings):
    """ASCII only in the product; string literals of tests may hold other text, which is worth a look."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.isascii():
            continue
        if path.parts[0] == "tests":
            if not code_only(line).isascii():
                warnings.append(f"{path}:{number}: other than ASCII outside a string literal")
        else:
            problems.append(f"{path}:{number}: other than ASCII")


def check_machine_paths(tree, problems):
    """No file names a folder of the machine it was written on."""
    for full in sorted(tree.rglob("*")):
        path = full.relative_to(tree)
        if path.parts[0] in SKIPPED_FOLDERS or path.suffix not in TEXT_SUFFIXES or not full.is_file():
            continue
        if path == OWN_PATH or full.stat().st_size > 1 << 20:
            continue
        for number, line in enumerate(full.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if MACHINE_PATH.search(line):
                problems.append(f"{path}:{number}: path of one machine")


def check_file_sizes(lines, problems):
    for path, count in lines.items():
        if count > FILE_LIMIT:
            problems.append(f"{path}: {count} lines (limit {FILE_LIMIT}): split it by idea")
        if path.parts[0] == "actors" and path.suffix == ".cpp" and count > ACTOR_LIMIT:
            problems.append(f"{path}: an actor of {count} lines (limit {ACTOR_LIMIT})")
    counts = [c for p, c in lines.items() if p.parts[0] in PRODUCT]
    check_distribution("file", counts, FILE_MEDIAN, FILE_95, problems)


def check_distribution(what, counts, median, most, problems):
    if len(counts) < 20:
        return
    if statistics.median(counts) > median:
        problems.append(f"median {what} has {statistics.median(counts)} lines (limit {median})")
    over = sum(c > most for c in counts)
    if over > 0.05 * len(counts):
        problems.append(f"{over} of {len(counts)} {what}s are over {most} lines (5 % may be)")


def functions(tree, paths):
    """(path, name, lines) of every function definition, by universal-ctags."""
    command = ["ctags", "--output-format=json", "--fields=+ne", "--language-force=C++", "--kinds-C++=f", "-f", "-", "-L", "-"]
    listing = subprocess.run(command, input="\n".join(map(str, paths)), cwd=tree, capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag" and "end" in tag:
            yield pathlib.Path(tag["path"]), tag["name"], tag["end"] - tag["line"] + 1


def check_functions(tree, paths, problems):
    counts = []
    for path, name, lines in functions(tree, paths):
        if lines > FUNCTION_LIMIT:
            problems.append(f"{path}: function {name} has {lines} lines (limit {FUNCTION_LIMIT})")
        counts.append(lines)
    check_distribution("function", counts, FUNCTION_MEDIAN, FUNCTION_95, problems)
    return counts


def check(tree):
    tree = pathlib.Path(tree)
    problems, warnings, lines = [], [], {}
    for full in sources(tree, PRODUCT + ["tests"]):
        path = full.relative_to(tree)
        text = full.read_text(encoding="utf-8")
        lines[path] = text.count("\n")
        check_includes(path, path.parts[0], includes(text), problems)
        check_text(path, path.parts[0], text, problems)
        check_characters(path, text, problems, warnings)
    check_machine_paths(tree, problems)
    check_file_sizes(lines, problems)
    product = [p for p in lines if p.parts[0] in PRODUCT]
    if not product:
        return problems + ["no sources found"], warnings, lines, []
    return problems, warnings, lines, check_functions(tree, product, problems)


def report(lines, counts):
    product = [c for p, c in lines.items() if p.parts[0] in PRODUCT]
    per_folder = collections.Counter(p.parts[0] for p in lines)
    print(f"files {len(lines)} {dict(per_folder)}")
    for what, values, most in (("file", product, FILE_95), ("function", counts, FUNCTION_95)):
        if values:
            share = 100 * sum(v > most for v in values) / len(values)
            print(f"{what}s: {len(values)}, median {statistics.median(values)}, over {most}: {share:.1f} %, longest {max(values)}")


# Broken trees: file name -> content, and a piece of the problem that must be reported.
BROKEN = [
    ({"engine/a.cpp": '#include "actors/x.hpp"\n'}, "engine/ may not include actors/x.hpp"),
    ({"engine/a.cpp": "#include <caf/all.hpp>\n"}, "includes CAF"),
    ({"actors/a.cpp": "#include <boost/beast/http.hpp>\n"}, "includes Beast"),
    ({"bench/a.cpp": "#include <caf/all.hpp>\n"}, "includes CAF"),
    ({"messages/a.hpp": "#pragma once\n#include \"kernels/x.hpp\"\n"}, "messages/ may not include kernels/x.hpp"),
    ({"messages/a.hpp": "#pragma once\n#include <boost/json.hpp>\n"}, "includes Boost"),
    ({"kernels/a.cpp": "#include \"messages/x.hpp\"\n"}, "kernels/ may not include messages/x.hpp"),
    ({"kernels/cpu/a.cpp": "#include <cuda_fp16.h>\n"}, "includes CUDA"),
    ({"backends/a.cpp": "#include \"config/x.hpp\"\n"}, "backends/ may not include config/x.hpp"),
    ({"config/a.cpp": "#include \"engine/x.hpp\"\n"}, "config/ may not include engine/x.hpp"),
    ({"actors/a.cpp": "#include \"server/x.hpp\"\n"}, "actors/ may not include server/x.hpp"),
    ({"engine/a.cpp": "#include \"messages/proto/x.pb.h\"\n"}, "includes Protobuf"),
    ({"engine/a.cpp": "  #  include <spdlog/spdlog.h>\n"}, "includes spdlog"),
    ({"engine/a.cpp": "// caf\u00e9\n"}, "engine/a.cpp:1: other than ASCII"),
    ({"engine/a.cpp": 'auto p = "/home/user/x";\n'}, "path of one machine"),
    ({"scripts/run": "cd /work/main\n", "engine/a.cpp": "\n"}, "path of one machine"),
    ({"tests/a.cpp": "\n" * 501, "engine/a.cpp": "\n"}, "limit 500"),
    ({"docs/a.md": "\n"}, "no sources found"),
    ({"server/a.cpp": "#include <caf/all.hpp>\n#include <boost/beast/http.hpp>\n"}, "in one translation unit"),
    ({"kernels/a.hpp": "int x;\n"}, "without #pragma once"),
    ({"engine/a.cpp": "std::regex r;\n"}, "std::regex"),
    ({"actors/a.cpp": "std::mutex m;\n"}, "share no mutex"),
    ({"engine/a.cpp": "void f() { exit(1); }\n"}, "never ends the process"),
    ({"engine/a.cpp": "void f() { std::abort(); }\n"}, "never ends the process"),
    ({"engine/a.cpp": "\n" * 501}, "limit 500"),
    ({"actors/a.cpp": "\n" * 151}, "an actor of 151 lines"),
    ({"engine/a.cpp": "void f() {\n" + "  g();\n" * 71 + "}\n"}, "function f has 73 lines"),
    ({f"engine/a{i}.cpp": "\n" * 120 for i in range(30)}, "median file"),
    ({f"engine/a{i}.cpp": "\n" * (400 if i < 4 else 10) for i in range(30)}, "over 350 lines"),
    ({"engine/a.cpp": "".join(f"int f{i}() {{\n" + "  g();\n" * 20 + "}\n" for i in range(21))}, "median function"),
]
SOUND = {
    "engine/a.cpp": '#include "kernels/b.hpp"\n#include <pcre2.h>\n#include <sys/mman.h>\n// exit(1) and std::regex in a comment\n'
    'void f() { g("abort()"); x.exit(); abort(); }\n',
    "kernels/cuda/a.cpp": "#include <cuda_fp16.h>\n",
    "messages/proto/a.cpp": '#include "messages/proto/x.pb.h"\n',
    "tests/a_test.cpp": 'auto s = "caf\u00e9";\n#include <caf/all.hpp>\n' + "void f() {\n" + "  g();\n" * 100 + "}\n",
    "server/main.cpp": "int main() { exit(2); }\n",
    "actors/a.cpp": '#include "backends/backend.hpp"\n#include <caf/all.hpp>\n' + "\n" * 148,
    "README.md": "see src/home/x and https://example.org/home/x\n",
    "build/x.txt": "/work/main\n",
}


def write_tree(root, files):
    for name, content in files.items():
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def self_test():
    failures = []
    for files, expected in BROKEN:
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, files)
            problems = check(root)[0]
            if not any(expected in p for p in problems):
                failures.append(f"not reported: {expected!r}; got {problems}")
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, SOUND)
        problems = check(root)[0]
        failures += [f"wrongly reported: {p}" for p in problems]
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        problems = self_test()
    else:
        problems, warnings, lines, counts = check(arguments[0])
        report(lines, counts)
        for warning in warnings:
            print("warning:", warning)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
