# Sourced by forebay and tools/build.sh, with $root set: where what was built lies, and whether it is still good.
# shellcheck shell=sh
#
# <state>/current        one line: the name of the folder of the build in force
# <state>/lock           held while building
# <state>/<build>/       stamp: touched before the build read its sources   java: link to the JDK's program   home: that JDK
#                        release: the first lines of the JDK's own release file   lib/: as in the archive (dist/build.sh)
# A build is never changed after current names it: processes that run from it keep their files.

cache_folder() {
  if [ -n "${FOREBAY_CACHE:-}" ]; then
    cache=$FOREBAY_CACHE
  elif [ -n "${XDG_CACHE_HOME:-}" ]; then
    cache=$XDG_CACHE_HOME/forebay
  elif [ -n "${HOME:-}" ] && [ "$HOME" != / ]; then
    cache=$HOME/.cache/forebay
  else
    cache=/var/tmp/forebay-$(id -u)
  fi
}

# Sets $state, which can be written: in the checkout, or in the user's cache where the checkout is not ours to write.
writable_state() {
  state=$root/target/launch
  if mkdir -p "$state" 2>/dev/null && [ -w "$state" ]; then
    return
  fi
  cached_state
}

cached_state() {
  cache_folder
  state=$cache/build/$(printf %s "$root" | cksum | tr -c '0-9\n' -)
}

# Sets $build and is true where a build in the checkout or in the cache is as new as the sources.
usable_build() {
  state=$root/target/launch
  fresh && return
  [ -w "$root" ] && return 1
  cached_state
  fresh
}

fresh() {
  build=
  { IFS= read -r build <"$state/current"; } 2>/dev/null || return 1
  build=$state/$build
  [ -x "$build/java" ] || return 1
  IFS= read -r home <"$build/home"
  if [ -n "${FOREBAY_JAVA_HOME:-}" ]; then
    [ "$FOREBAY_JAVA_HOME" -ef "$home" ] || return 1
  fi
  # An update puts another JDK at the same place: the AOT cache is worth nothing then.
  release_of "$home"
  IFS= read -r built_with <"$build/release"
  [ "$release" = "$built_with" ] || return 1
  set -- "$root/pom.xml" "$root/crds/pom.xml" "$root/crds/src/main" "$root/sidecar/pom.xml" "$root/sidecar/src/main" \
    "$root/sidecar/src/runner" "$root/tools"
  [ -z "$(find "$@" -newer "$build/stamp" -print -quit 2>/dev/null)" ]
}

# Sets $release to what names the JDK in folder $1 exactly; empty: no JDK there.
release_of() {
  release=
  while IFS= read -r line; do
    case $line in
      IMPLEMENTOR_VERSION=* | JAVA_RUNTIME_VERSION=* | JAVA_VERSION=*) release="$release$line " ;;
      JAVA_VERSION_DATE=*) break ;;
    esac
  done 2>/dev/null <"$1/release"
}
