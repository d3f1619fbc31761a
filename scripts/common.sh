# Shared by the scripts: where the repository is, how messages look, building.
# shellcheck shell=bash
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
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

# no_arguments ARGUMENT...: refuses arguments, for scripts that take none.
no_arguments() {
  [ $# -eq 0 ] || fail "$(basename "$0"): unknown argument: $1 (--help shows the usage)"
}

# need_space DIRECTORY MEBIBYTES WHAT: fails early where the disk is too full.
need_space() {
  local free
  free=$(df --output=avail -m "$1" | tail -n 1 | tr -d ' ')
  [ "$free" -ge "$2" ] || fail "$3 needs $2 MiB in $1, which has only $free MiB free"
}

# build_jobs: one job a core, but no more than memory allows (a large file takes about 1.5 GiB to compile).
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo)
  if [ "$by_memory" -lt 1 ]; then by_memory=1; fi
  if [ "$cores" -lt "$by_memory" ]; then echo "$cores"; else echo "$by_memory"; fi
}

# configure PRESET OPTION...: quiet unless it fails.
configure() {
  local preset=$1 log
  shift
  log=$(mktemp)
  if ! (cd "$repository" && cmake --preset "$preset" "$@" >"$log" 2>&1 </dev/null); then
    cat "$log" >&2
    rm -f "$log"
    fail "CMake could not configure preset $preset (see above)"
  fi
  rm -f "$log"
}

# build PRESET TARGET...: all targets if none is named. The preset must be configured.
build() {
  local preset=$1
  shift
  need_space "$repository" 2048 "the build"
  ninja -C "$repository/build/$preset" -j "$(build_jobs)" "$@" || fail "the build of preset $preset failed (see above)"
}
