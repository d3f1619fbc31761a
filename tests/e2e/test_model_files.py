"""Model files that cannot be served: one line, exit status 1, quickly."""

import subprocess

import pytest

from conftest import BINARY, MODEL


def start_with(path):
    return subprocess.run([str(BINARY), "serve", str(path), "--port", "0"], capture_output=True, text=True, timeout=10)


def last_line(run):
    return run.stderr.strip().splitlines()[-1]


def test_missing_file(tmp_path):
    run = start_with(tmp_path / "none.gguf")
    assert run.returncode == 1
    assert "none.gguf" in last_line(run)


@pytest.mark.parametrize("size", [0, 3, 16, 200, 4096, 1 << 20, 90 << 20])
def test_truncated_file(tmp_path, size):
    path = tmp_path / "cut.gguf"
    with open(MODEL, "rb") as source:
        path.write_bytes(source.read(size))
    run = start_with(path)
    assert run.returncode == 1
    assert "cut.gguf" in last_line(run) or "GGUF" in last_line(run)
    assert "\n" not in last_line(run)


def test_other_architecture_is_refused_by_name(tmp_path):
    path = tmp_path / "other.gguf"
    data = bytearray(MODEL.read_bytes()[: 4 << 20])
    at = data.index(b"llama", data.index(b"general.architecture"))
    data[at : at + 5] = b"mamba"
    path.write_bytes(data)
    run = start_with(path)
    assert run.returncode == 1
    assert "mamba" in last_line(run) or "past the end" in last_line(run)
