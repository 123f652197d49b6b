#!/usr/bin/env bash
# Builds and tests the committed project in fresh roots of the distributions that it promises to work on.
#
#   tests/roots/run.sh [--list] [NAME...]     names as --list prints them; needs root and debootstrap
#
# Packages come from DEBIAN_MIRROR and UBUNTU_MIRROR, else from the first archive of that distribution that this
# machine's own apt uses. A root whose archive does not answer is left out, and the last lines say so.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

ROOTS=(debian/bookworm debian/trixie ubuntu/jammy ubuntu/noble)
WORK=${FXRULES_ROOTS:-build/roots}

say() { printf '%s\n' "$*" >&2; }

# mirror_of debian|ubuntu
mirror_of() {
  local given components
  [ "$1" = debian ] && given=${DEBIAN_MIRROR:-} components=/debian
  [ "$1" = ubuntu ] && given=${UBUNTU_MIRROR:-} components=/ubuntu
  [ -n "$given" ] || given=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -E "$components/?\$" | head -n 1)
  printf '%s\n' "${given%/}"
}

# Whether an archive has the suite: debootstrap itself would try for minutes.
answers() {
  [ -n "$1" ] && python3 - "$1/dists/$2/Release" <<'PY'
import sys, urllib.request
try:
    urllib.request.urlopen(sys.argv[1], timeout=15).read(1)
except Exception:
    sys.exit(1)
PY
}

# make_root NAME MIRROR: a root with nothing but what ./dev asks for first.
make_root() {
  local root=$WORK/$1 components=main
  [ "${1%%/*}" = debian ] || components=main,universe
  rm -rf --one-file-system "$root" && mkdir -p "$root" || return
  debootstrap --variant=minbase --components="$components" --include=ca-certificates,git "${1#*/}" "$root" "$2" >"$root.log" 2>&1
}

# test_root NAME: the project as it is committed, and its one command.
test_root() {
  local root=$WORK/$1 status
  mkdir -p "$root/src" && git archive HEAD | tar -x -C "$root/src" || return
  mount --bind /proc "$root/proc" || return
  chroot "$root" bash -c 'cd /src && git init -q . && git add -A && ./dev test' >>"$root.log" 2>&1
  status=$?
  umount "$root/proc"
  return $status
}

run_root() {
  local mirror
  mirror=$(mirror_of "${1%%/*}")
  if ! answers "$mirror" "${1#*/}"; then
    printf '%-16s not run: no package source answers for it\n' "$1"
  elif ! make_root "$1" "$mirror"; then
    printf '%-16s not run: debootstrap failed, see %s.log\n' "$1" "$WORK/$1"
  elif test_root "$1"; then
    printf '%-16s passed: %s\n' "$1" "$(tail -n 1 "$WORK/$1.log")"
  else
    printf '%-16s FAILED, see %s.log\n' "$1" "$WORK/$1"
  fi
}

list() {
  local name mirror
  for name in "${ROOTS[@]}"; do
    mirror=$(mirror_of "${name%%/*}")
    answers "$mirror" "${name#*/}" && say "$name: can run" || say "$name: no package source answers for it"
  done
}

main() {
  local name results
  [ "${1:-}" != --list ] || { list; return; }
  [ "$(id -u)" = 0 ] || { say "roots: this needs root, for chroot"; return 1; }
  command -v debootstrap >/dev/null || { say "roots: needs debootstrap: apt-get install debootstrap"; return 1; }
  [ $# -gt 0 ] || set -- "${ROOTS[@]}"
  mkdir -p "$WORK"
  results=$(for name in "$@"; do run_root "$name"; done)
  printf '%s\n' "$results"
  grep -q ' passed' <<<"$results" && ! grep -q FAILED <<<"$results"
}

main "$@"
