# Shared by the scripts: where the repository is, how messages look, package lists.
# shellcheck shell=bash
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_packages=(g++ cmake ninja-build ccache pkg-config ca-certificates libcaf-dev libboost1.81-dev
  libboost-json1.81-dev libprotobuf-dev protobuf-compiler libpcre2-dev libspdlog-dev libfmt-dev libcli11-dev
  prometheus-cpp-dev libssl-dev python3 python3-venv)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev universal-ctags)

jobs=$(nproc)
step_number=0

# step TEXT: announces one long step.
step() {
  step_number=$((step_number + 1))
  printf '\n[%d] %s\n' "$step_number" "$1"
}

# fail TEXT: one clear line, then the end.
fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

# need_space DIRECTORY MEBIBYTES WHAT
need_space() {
  local free
  free=$(df --output=avail -m "$1" | tail -n 1 | tr -d ' ')
  [ "$free" -ge "$2" ] || fail "$3 needs $2 MiB in $1, which has only $free MiB free"
}

# build PRESET TARGET...: configures where needed and builds.
build() {
  local preset=$1
  shift
  need_space "$repository" 2048 "the build"
  (cd "$repository" && cmake --preset "$preset" >"/tmp/neap-configure-$$.log" 2>&1) ||
    { cat "/tmp/neap-configure-$$.log" >&2; fail "CMake could not configure preset $preset (see above)"; }
  rm -f "/tmp/neap-configure-$$.log"
  ninja -C "$repository/build/$preset" -j "$jobs" "$@" || fail "the build of preset $preset failed (see above)"
}
