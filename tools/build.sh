#!/bin/sh
# Builds what ./forebay runs: the jars, the step runner and an AOT cache, in a folder of its own, and makes it current.
# The sources are copied first, so that neither an editor nor another Maven beside it is disturbed.
# Exit codes: 0 built, 70 it cannot be built here, 75 a passing fault (network).
set -u
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 70
root=${here%/*}
. "$here/state.sh"
. "$here/toolchain.sh"

writable_state
if ! mkdir -p "$state" || ! exec 9>>"$state/lock"; then
  say "cannot write $state, where the build belongs; set FOREBAY_CACHE to a folder that can be written"
  exit 70
fi
if command -v flock >/dev/null && ! flock -n 9; then
  say "another start is building, waiting for it"
  flock 9
fi
usable_build && exit 0
writable_state

find_jdk 9>&- || exit $?
find_maven 9>&- || exit $?

new=b$$-$(date +%s)
work=$state/$new.tmp
# Left by builds that were killed: the lock says that none runs now.
rm -rf "$state"/*.tmp
log=$state/build.log
: >"$log"
if [ -e "$state/current" ]; then
  say "the sources changed: building"
else
  say "first start: building, once (1 to 3 minutes; $log)"
fi
began=$(date +%s)

# The two modules that the engine is made of; Maven need not know of the others, nor fetch what only they use.
copy_sources() {
  cp -R "$root/.mvn" "$work/source/" || return 1
  sed '/<module>/{/crds\|sidecar/!d;}' "$root/pom.xml" >"$work/source/pom.xml" || return 1
  for module in crds sidecar; do
    mkdir -p "$work/source/$module/src" && cp "$root/$module/pom.xml" "$work/source/$module/" &&
      cp -R "$root/$module/src/main" "$work/source/$module/src/" || return 1
  done
}

# fail TEXT: what happened, with the end of the log.
fail() {
  say "$1; the end of $log:"
  tail -n 25 "$log" >&2
  rm -rf "$work"
  exit 70
}

mkdir -p "$work/source" "$work/lib" || fail "cannot make $work"
touch "$work/stamp"
copy_sources >>"$log" 2>&1 || fail "cannot copy the sources to $work"

offline_word=
offline && offline_word=-o
# shellcheck disable=SC2086
(cd "$work/source" && JAVA_HOME=$jdk "$mvn" -q -B -ntp $offline_word -Dquick -Dmaven.test.skip=true \
  -Dlaunch.lib="$work/lib" package) >>"$log" 2>&1 9>&- ||
  if offline; then
    fail "compiling failed (offline: libraries that were never fetched cannot be had)"
  else
    fail "compiling failed"
  fi

cp "$root/tools/options" "$root/tools/start.sh" "$work/lib/" && mv "$work"/lib/forebay-sidecar-*.jar "$work/lib/forebay.jar" ||
  fail "compiling made no jar in $work/lib"
if [ -f "$root/sidecar/src/runner/build.sh" ] && ! sh "$root/sidecar/src/runner/build.sh" "$work/lib/forebay-step" >>"$log" 2>&1 9>&-; then
  rm -f "$work/lib/forebay-step"
  say "the step runner could not be compiled ($log says why; is there a C compiler?): the engine starts steps itself"
fi
rm -rf "$work/source"
"$jdk/bin/java" "$here/Modernize.java" "$work"/lib/picocli-*.jar >>"$log" 2>&1 9>&- || fail "tools/Modernize.java failed"

ln -s "$jdk/bin/java" "$work/java"
printf '%s\n' "$jdk" >"$work/home"
release_of "$jdk"
printf '%s\n' "$release" >"$work/release"

final=$state/$new
mv "$work" "$final" || fail "cannot rename $work to $final"
work=$final
sh "$here/train.sh" "$final/java" "$final" >>"$log" 2>&1 9>&- ||
  say "no AOT cache could be made ($log says why): everything works, starts are slower"

previous=
{ IFS= read -r previous <"$state/current"; } 2>/dev/null
printf '%s\n' "$new" >"$state/current.new" && mv "$state/current.new" "$state/current" || fail "cannot write $state/current"

# Older builds, but for those that a process runs from; the last one stays, since a start may be about to use it.
for old in "$state"/b*-*; do
  [ "$old" = "$final" ] || [ "$old" = "$state/$previous" ] && continue
  grep -qsF "$old/" /proc/[0-9]*/cmdline || rm -rf "$old"
done
say "built in $(($(date +%s) - began)) s"
