#!/bin/sh
# dist/build.sh [FOLDER]: makes FOLDER/forebay-<version>-linux-<arch>.tar.gz (the checkout's folder if none is named), which
# runs where no Java is: bin/forebay, lib/ (jars, step runner, AOT cache), runtime/ (a Java cut to what the jars use).
# Prints the archive's path. Exit codes as tools/build.sh.
set -u
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 70
root=${here%/*}
. "$root/tools/state.sh"
. "$root/tools/toolchain.sh"
. "$root/tools/time.sh"

into=${1:-$root}
into=$(CDPATH='' cd -P -- "$into" && pwd -P) || exit 70
usable_build || sh "$root/tools/build.sh" || exit $?
usable_build || exit 75
jdk=$home
version=$(sed -n 's/.*<version>\(.*\)<\/version>.*/\1/p' "$root/pom.xml" | head -n 1)
case $(uname -m) in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  *) arch=$(uname -m) ;;
esac
name=forebay-$version-linux-$arch

work=$(mktemp -d "$into/.forebay-dist.XXXXXX") || exit 70
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
tree=$work/$name
fail() {
  say "the archive could not be made: $1"
  exit 70
}

mkdir -p "$tree/bin" && cp -R "$build/lib" "$tree/lib" && rm -f "$tree/lib/forebay.aot" && cp "$here/forebay" "$tree/bin/forebay" ||
  fail "cannot copy to $tree"
[ -x "$tree/lib/forebay-step" ] || fail "the step runner could not be compiled here; it is part of the archive"
for file in LICENSE README.md; do
  cp "$root/$file" "$tree/" || fail "no $file"
done
mkdir "$tree/examples" && cp -R "$root/examples/increment" "$tree/examples/" && rm -rf "$tree/examples/increment/results" ||
  fail "cannot copy the example"
# The runtime has no compiler, which would run the source.
"$jdk/bin/javac" -d "$tree/examples/increment/program" --release 17 "$tree/examples/increment/program/Increment.java" ||
  fail "the example does not compile"

# Named by nobody: HTTP between coordinator and worker, and what jdeps cannot see through a ServiceLoader.
extra=jdk.httpserver,jdk.unsupported
modules=$("$jdk/bin/jdeps" --ignore-missing-deps --multi-release base --print-module-deps "$tree"/lib/*.jar | tail -n 1) && [ -n "$modules" ] ||
  fail "jdeps does not know which modules the jars use"
# Jackson uses java.beans where it is there, and does without.
modules=$(printf '%s' "$modules" | sed 's/java\.desktop,//')
"$jdk/bin/jlink" --add-modules "$modules,$extra" --strip-debug --no-header-files --no-man-pages --compress zip-6 \
  --output "$tree/runtime" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
# Before the training: a JVM may compare the times of jars with those that they had in it.
same_time "$tree" || fail "cannot set the time of files"
sh "$root/tools/train.sh" "$tree/runtime/bin/java" "$tree" "$jdk/bin/java" >"$work/log" 2>&1 || fail "no AOT cache: $(cat "$work/log")"
same_time "$tree" || fail "cannot set the time of files"

(cd "$work" && tar -cf - --owner=0 --group=0 --numeric-owner --sort=name "$name") | gzip -9n >"$work/archive" && mv "$work/archive" "$into/$name.tar.gz" ||
  fail "cannot write $into/$name.tar.gz"
printf '%s\n' "$into/$name.tar.gz"
