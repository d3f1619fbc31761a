"""Help, suggestions, completion scripts and exit statuses of the command line."""

import os
import shutil
import subprocess

import pytest

from conftest import BINARY, MODEL, ROOT

COMMANDS = ["serve", "run", "bench", "inspect", "config", "config check", "doctor", "completion", "completion bash",
            "completion zsh", "completion fish"]


def neap(*words):
    return subprocess.run([str(BINARY), *map(str, words)], capture_output=True, text=True, timeout=60, cwd=ROOT,
                          stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_name_the_command(command):
    done = neap(*command.split(), "--help")
    assert done.returncode == 0 and done.stderr == ""
    examples = done.stdout.split("\nExamples:\n")
    assert len(examples) == 2 and f"neap {command}" in examples[1]


def test_every_command_is_in_the_list_above():
    for words in ([], ["config"], ["completion"]):
        listed = neap(*words, "--help").stdout.split("\nSubcommands:\n")[1].split("\n\n")[0]
        for line in listed.splitlines():
            assert " ".join([*words, line.split()[0]]) in COMMANDS


def test_neap_alone_prints_help_and_version_is_one_line():
    alone = neap()
    assert alone.returncode == 0 and alone.stdout == neap("--help").stdout
    version = neap("--version")
    assert version.returncode == 0 and version.stdout.startswith("neap ") and version.stdout.count("\n") == 1


@pytest.mark.parametrize("words, told", [
    (["srve"], "did you mean serve?"),
    (["rnu"], "did you mean run?"),
    (["completion", "bsh"], "did you mean bash?"),
    (["bench", "--stream", "3"], "did you mean --streams?"),
    (["run", "--sytem", "x"], "did you mean --system?"),
    (["completion"], "missing"),
])
def test_mistyped_words_are_one_line(words, told):
    done = neap(*words)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and told in done.stderr


def complete(*words, folder=ROOT):
    """What bash offers for the last word; `words` follow `neap`."""
    script = """source <("$0" completion bash)
COMP_WORDS=(neap "$@"); COMP_CWORD=$#
_neap; printf '%s\\n' "${COMPREPLY[@]}" """
    done = subprocess.run(["bash", "-uc", script, str(BINARY), *words], capture_output=True, text=True, timeout=60,
                          cwd=folder)
    assert done.returncode == 0 and done.stderr == ""
    return sorted(done.stdout.split("\n")[:-1])


def test_bash_completes_commands_options_and_files(tmp_path):
    (tmp_path / "a model.gguf").touch()
    assert complete("") == ["bench", "completion", "config", "doctor", "inspect", "run", "serve"]
    assert complete("se") == ["serve"]
    assert complete("completion", "") == ["bash", "fish", "zsh"]
    assert complete("config", "") == ["check"]
    assert complete("run", "--temp") == ["--temperature"]
    assert complete("serve", "--max-num-") == ["--max-num-batched-tokens", "--max-num-seqs"]
    assert complete("serve", "a", folder=tmp_path) == ["a model.gguf"]
    assert complete("serve", "--config", "a", folder=tmp_path) == ["a model.gguf"]
    assert complete("serve", "--config", "=", "a", folder=tmp_path) == ["a model.gguf"]
    assert complete("serve", "--port", "a", folder=tmp_path) == [""]
    assert complete("bench", "a", folder=tmp_path) == [""]


def test_scripts_offer_every_option_that_help_lists():
    for command in COMMANDS:
        help_text = neap(*command.split(), "--help").stdout.split("\nExamples:\n")[0]
        listed = {name for line in help_text.splitlines() if line.lstrip().startswith("-")
                  for name in line.split()[0].split(",") if name.startswith("--")}
        assert listed == set(complete(*command.split(), "--"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_well_formed(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(neap("completion", shell).stdout)
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize("line, offered", [("neap ser", "serve"), ("neap run --temp", "--temperature"),
                                           ("neap config ", "check"), ("neap completion f", "fish")])
def test_fish_completes(line, offered, tmp_path):
    script = f"{BINARY} completion fish | source; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "HOME": str(tmp_path)})
    assert [row.split("\t")[0] for row in done.stdout.splitlines()] == [offered]


def test_bench_fails_if_a_request_does(start):
    server = start("--max-model-len", 64)
    bench = ["bench", "--url", server.url, "--requests", 2, "--streams", 1, "--max-tokens", 4, "--quiet"]
    assert neap(*bench, "--prompt-tokens", 16).returncode == 0
    failed = neap(*bench, "--warmup", 0, "--prompt-tokens", 200)
    assert failed.returncode == 1 and "failed" in failed.stdout


def test_bench_fails_in_one_line_where_nobody_listens():
    done = neap("bench", "--url", "http://127.0.0.1:1", "--quiet")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "cannot connect" in done.stderr
