#!/bin/sh
# build.sh OUT [sanitize]: builds the static program forebay-step with the machine's C compiler (CC, else musl-gcc, cc, gcc, clang).
# "sanitize": not static, with the address and undefined-behaviour sanitizers, for the tests.
# Exit: 0 built; 2 wrong arguments; 3 there is no C compiler; 4 it cannot link statically and not dynamically either.
set -eu
[ $# -ge 1 ] || { echo "usage: build.sh OUT [sanitize]" >&2; exit 2; }
out=$1 mode=${2:-static}
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
for compiler in "${CC:-}" musl-gcc cc gcc clang; do
    [ -n "$compiler" ] && command -v "$compiler" >/dev/null 2>&1 && break
    compiler=
done
[ -n "$compiler" ] || { echo "build.sh: no C compiler found (looked for CC, musl-gcc, cc, gcc, clang)" >&2; exit 3; }

flags="-std=gnu11 -O2 -g0 -Wall -Wextra -Wshadow -Wno-unused-command-line-argument -fno-strict-aliasing"
temporary="$out.$$"
trap 'rm -f "$temporary"' EXIT
build() { "$compiler" $flags "$@" -o "$temporary" "$here"/*.c; }
if [ "$mode" = sanitize ]; then
    flags="-std=gnu11 -O1 -g -Wall -Wextra -Wshadow -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
    build -DFOREBAY_SANITIZE
elif ! build -static -s 2>"$temporary.log"; then
    # No static C library: works on this machine, not in every image.
    if ! build -s; then cat "$temporary.log" >&2; rm -f "$temporary.log"; exit 4; fi
    echo "build.sh: no static C library here; $out runs on this machine only" >&2
fi
rm -f "$temporary.log"
mv -f "$temporary" "$out"
