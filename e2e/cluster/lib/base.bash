# Sourced first by every command here: how they speak, refuse and wait.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C
umask 022

# As in sysexits.h. UNAVAILABLE is for what the machine lacks: whoever calls may then leave out what needs a cluster.
# shellcheck disable=SC2034 # used by the commands
readonly USAGE=64 UNAVAILABLE=69 FAILED=70

say() { printf 'cluster: %s\n' "$*" >&2; }

# refuse CODE WORDS...
refuse() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# usage: the comment at the top of the command itself is its manual.
usage() {
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
  exit "$USAGE"
}

# configure FILE: what is read becomes its content. A file that is right already is not touched, because programs watch
# theirs (kube-proxy ends when it is written).
configure() {
  cat >"$1.part"
  if cmp -s "$1.part" "$1"; then
    rm "$1.part"
  else
    mv "$1.part" "$1"
  fi
}

# await NAME SECONDS COMMAND...: until COMMAND succeeds. NAME is the process that is waited for: where it has died
# meanwhile there is no use in waiting longer, and its log is what explains it.
await() {
  local name=$1 seconds=$2
  local end=$((SECONDS + seconds))
  shift 2
  until "$@" >/dev/null 2>&1; do
    running "$name" || fail_with_log "$name" "$name has ended"
    ((SECONDS < end)) || fail_with_log "$name" "$name was not ready within $seconds s"
    sleep 0.2
  done
}

fail_with_log() {
  # shellcheck disable=SC2154 # of folder.bash
  say "$2; the end of $folder/log/$1.log:"
  tail -n 12 "$folder/log/$1.log" | cut -c 1-400 >&2 || true
  refuse "$FAILED" "not up. Another 'up $folder' goes on from here; 'down $folder' removes it"
}
