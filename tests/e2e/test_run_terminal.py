"""`neap run` in a pseudo terminal: history, commands, signals."""

import os
import signal
import stat
import subprocess

import pexpect
import pytest

from conftest import BINARY, MODEL, ROOT

PROMPT = ">>> "
GREEDY = ["--temperature", "0", "--max-tokens", "16"]


class Terminal:
    def __init__(self, state, *words):
        self.state = state
        environment = {**os.environ, "XDG_STATE_HOME": str(state), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.child = pexpect.spawn(str(BINARY), ["run", *map(str, words)], env=environment, cwd=str(ROOT),
                                   encoding="utf-8", timeout=60, dimensions=(50, 200))
        self.child.delaybeforesend = None
        self.child.expect_exact("/help lists the commands")
        self.wait()

    def wait(self):
        """Text up to the next prompt."""
        self.child.expect_exact(PROMPT)
        return self.child.before

    def type(self, line):
        self.child.send(line + "\r")
        return self.wait()

    def end(self, text):
        self.child.send(text)
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

    @property
    def history(self):
        return self.state / "neap" / "run_history"


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def start(*words):
        opened.append(Terminal(tmp_path, *(words or [MODEL, *GREEDY])))
        return opened[-1]

    yield start
    for one in opened:
        one.child.close(force=True)


def over_http(server, *messages):
    roles = ["user", "assistant"]
    if messages[0].startswith("system:"):
        roles = ["system", "user", "assistant", "user"]
    body = [{"role": roles[i % len(roles)], "content": text.removeprefix("system:")}
            for i, text in enumerate(messages)]
    return server.chat(messages=body, temperature=0, max_tokens=16).json()["choices"][0]["message"]["content"]


def plain(text):
    return text.replace("\r\n", "\n").replace("\r", "")


def test_turns_are_remembered_and_cleared(terminal, server):
    shell = terminal()
    first, second = "My name is Ada.", "What is my name?"
    answer = over_http(server, first)
    assert answer in plain(shell.type(first))
    assert over_http(server, first, answer, second) in plain(shell.type(second))
    assert "turns 4" in shell.type("/show")
    shell.type("/clear")
    assert over_http(server, second) in plain(shell.type(second))
    assert over_http(server, second) in plain(shell.type("/retry"))
    assert "turns 2" in shell.type("/show")
    assert shell.end("/exit\r") == 0


def test_settings_name_their_range(terminal):
    shell = terminal()
    assert "from 0 to 2" in shell.type("/set temperature 9")
    assert "did you mean temperature?" in shell.type("/set temprature 1")
    assert "temperature is 0.7" in shell.type("/set temperature 0.7")
    shown = shell.type("/show")
    assert "temperature 0.7" in shown and "max_tokens 16" in shown and MODEL.stem in shown
    assert "temperature default" in (shell.type("/set temperature default"), shell.type("/show"))[1]
    assert "did you mean /set?" in shell.type("/sett x")
    assert "top_p" in shell.type("/help")
    assert "tokens/s" in (shell.type("/timings on"), shell.type("Hello"))[1]
    assert "tokens/s" not in (shell.type("/timings off"), shell.type("Hello"))[1]


def test_system_prompt(terminal, server):
    shell = terminal(MODEL, "--system", "You are a cat.", *GREEDY)
    assert over_http(server, "system:You are a cat.", "Who are you?") in plain(shell.type("Who are you?"))
    shell.type("/clear")
    shell.type("/system You are a dog.")
    assert over_http(server, "system:You are a dog.", "Who are you?") in plain(shell.type("Who are you?"))


@pytest.mark.parametrize("remote", [False, True])
def test_ctrl_c_stops_the_answer_and_the_session_goes_on(terminal, server, remote):
    shell = terminal(*(["--url", server.url] if remote else [MODEL]), "--ignore-eos", "true", "--temperature", "0")
    shell.child.send("Write a very long story.\r")
    shell.child.expect(r"story\.\r\n\S+ \S+ \S+ ")  # words of the answer
    shell.child.sendintr()
    shell.wait()
    assert "turns 2" in shell.type("/show")
    shell.type("/set max_tokens 4")
    shell.type("Hello")
    assert "turns 4" in shell.type("/show")
    assert shell.end("\x04") == 0


def test_ctrl_c_twice_leaves(terminal):
    shell = terminal()
    shell.child.send("half a line")
    shell.child.sendintr()
    shell.wait()
    assert "turns 0" in shell.type("/show")
    shell.child.sendintr()
    shell.wait()
    assert shell.end("\x03") == 0


def test_history_is_kept_for_its_owner(terminal):
    shell = terminal()
    shell.type("/set seed 41")
    assert shell.end("\x04") == 0
    assert stat.S_IMODE(shell.history.stat().st_mode) == 0o600
    assert stat.S_IMODE(shell.history.parent.stat().st_mode) == 0o700
    again = terminal()
    again.child.send("\x1b[A")  # arrow up
    again.child.expect_exact("/set seed 41")
    again.child.send("\x7f2\r")  # line editing: 41 -> 42
    assert "seed is 42" in again.wait()


def test_many_lines_are_one_question(terminal, server):
    shell = terminal()
    for line in ('"""', "Say", 'hello."""', "Say\\", "hello."):
        shell.child.send(line + "\r")
        if line not in ('hello."""', "hello."):
            shell.child.expect_exact("... ")
            continue
        assert over_http(server, "Say\nhello.") in plain(shell.wait())
        shell.type("/clear")


def test_letters_beyond_ascii_are_edited_whole(terminal, server):
    shell = terminal()
    shell.child.send("Gr\u00fc\u00df\u00e9\x7f")
    shell.child.send("e\r")
    assert over_http(server, "Gr\u00fc\u00dfe") in plain(shell.wait())


@pytest.fixture
def shell(tmp_path):
    """An interactive shell, which gives its jobs the terminal and takes it back."""
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "$$ "}
    child = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], env=environment, cwd=str(ROOT), encoding="utf-8",
                          timeout=60, dimensions=(50, 200))
    child.delaybeforesend = None
    yield child
    child.close(force=True)


@pytest.mark.parametrize("sign", ["HUP", "QUIT", "TERM"])
def test_signals_that_end_it_leave_the_terminal_in_order(shell, sign):
    shell.sendline("stty -a; echo DONE-$?")
    shell.expect(r"(?s)(speed.*)DONE-0\r")
    before = shell.match.group(1)
    shell.sendline(f"{BINARY} run {MODEL}; echo STATUS-$?")
    shell.expect_exact(PROMPT)
    shell.send("half a line")
    shell.expect_exact("half a line")
    found = subprocess.run(["pgrep", "-P", str(shell.pid), "neap"], capture_output=True, text=True)
    os.kill(int(found.stdout), getattr(signal, "SIG" + sign))
    shell.expect(r"STATUS-(\d+)\r")
    assert int(shell.match.group(1)) == 128 + getattr(signal, "SIG" + sign)
    shell.sendline("stty -a; echo DONE-$?")
    shell.expect(r"(?s)(speed.*)DONE-0\r")
    assert shell.match.group(1) == before


def test_stopped_and_continued_it_edits_on(shell):
    shell.sendline(f"{BINARY} run {MODEL}")
    shell.expect_exact(PROMPT)
    shell.send("/set seed 41\r")
    shell.expect_exact(PROMPT)
    shell.send("\x1a")  # Ctrl-Z
    shell.expect_exact("Stopped")
    shell.sendline("fg")
    shell.expect_exact(PROMPT)
    shell.send("\x1b[A")  # arrow up, without Enter
    shell.expect_exact("/set seed 41")
    shell.send("\x7f2\r")
    shell.expect_exact("seed is 42")


def test_a_file_that_is_no_history_stays_as_it_is(terminal):
    shell = terminal()
    assert shell.end("\x04") == 0
    shell.history.write_text("my notes\n")
    shell = terminal()
    shell.type("/set seed 41")
    assert shell.end("\x04") == 0
    assert shell.history.read_text() == "my notes\n"
