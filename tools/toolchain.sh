# Sourced by tools/build.sh, test, .ci/run and dist/build.sh, with $root set: finds, or fetches, a JDK and Maven.
# shellcheck shell=sh

JDK_FEATURE=25
MAVEN_LEAST="3 8"
MAVEN_VERSION=3.9.11
MAVEN_SHA512=bcfe4fe305c962ace56ac7b5fc7a08b87d5abd8b7e89027ab251069faebee516b0ded8961445d6d91ec1985dfe30f8153268843c89aa392733d1a3ec956c9978
# Both may name a mirror.
: "${FOREBAY_ADOPTIUM_URL:=https://api.adoptium.net}"
: "${FOREBAY_MAVEN_URL:=https://repo.maven.apache.org/maven2}"
apt_helper=/usr/lib/apt/apt-helper

say() { printf 'forebay: %s\n' "$*" >&2; }

offline() { [ "${FOREBAY_OFFLINE:-0}" != 0 ] && [ -n "${FOREBAY_OFFLINE:-}" ]; }

# Sets $jdk to the home of a JDK, fetched where there is none. False, and said why, where there is none to be had.
find_jdk() {
  cache_folder
  if [ -n "${FOREBAY_JAVA_HOME:-}" ]; then
    is_jdk "$FOREBAY_JAVA_HOME" && jdk=$FOREBAY_JAVA_HOME && return
    say "FOREBAY_JAVA_HOME=$FOREBAY_JAVA_HOME holds no JDK $JDK_FEATURE (bin/javac and a file named release are looked for); set it right or unset it"
    return 70
  fi
  for jdk in "${JAVA_HOME:-}" "$(program_home java)" "$(program_home javac)"; do
    is_jdk "$jdk" && return
  done
  usual_jdk_folders && return
  for jdk in "$cache"/jdk-*; do
    is_jdk "$jdk" && return
  done
  fetch_jdk
}

# Sets $jdk to the first one where distributions and version managers put them.
usual_jdk_folders() {
  for jdk in /usr/lib/jvm/* /usr/java/* /usr/local/java/* /usr/local/jdk* /usr/local/openjdk* /opt/* /opt/java/* /opt/jdk/* \
    "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/*; do
    is_jdk "$jdk" && return
  done
  return 1
}

# The folder above bin/ of the program that PATH finds, links followed; nothing where PATH has none.
program_home() {
  program=$(command -v "$1") && program=$(readlink -f -- "$program") && printf %s "${program%/bin/*}"
}

# Whether folder $1 is a JDK for this kind of machine, of our feature release.
is_jdk() {
  [ -n "$1" ] && [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ] && [ -r "$1/release" ] &&
    grep -q "^JAVA_VERSION=\"$JDK_FEATURE[\".+]" "$1/release"
}

fetch_jdk() {
  if offline; then
    say "no JDK $JDK_FEATURE was found (FOREBAY_JAVA_HOME, JAVA_HOME, PATH, /usr/lib/jvm, /opt, $cache), and --offline forbids fetching one; install one, for example Temurin $JDK_FEATURE, and set JAVA_HOME"
    return 70
  fi
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64 | arm64) arch=aarch64 ;;
    ppc64le | s390x | riscv64) arch=$(uname -m) ;;
    *)
      say "no JDK $JDK_FEATURE was found, and there is none to fetch for $(uname -m); install one and set JAVA_HOME"
      return 70
      ;;
  esac
  say "no JDK $JDK_FEATURE was found: fetching Temurin $JDK_FEATURE from Adoptium into $cache (about 140 MB; --offline forbids it)"
  mkdir -p "$cache" && part=$(mktemp -d "$cache/fetch.XXXXXX") || return 70
  answer=$FOREBAY_ADOPTIUM_URL/v3/assets/latest/$JDK_FEATURE/hotspot?architecture=$arch\&image_type=jdk\&os=linux\&vendor=eclipse
  if ! download "$answer" "$part/answer"; then
    rm -rf "$part"
    return 75
  fi
  # One asset, whose object "package" has name, link and checksum (SHA-256).
  package=$(tr -d '\n\r' <"$part/answer" | sed -n 's/.*"package" *: *{\([^}]*\)}.*/\1/p')
  link=$(printf %s "$package" | sed -n 's/.*"link" *: *"\([^"]*\)".*/\1/p')
  sum=$(printf %s "$package" | sed -n 's/.*"checksum" *: *"\([0-9a-f]\{64\}\)".*/\1/p')
  if [ -z "$link" ] || [ -z "$sum" ]; then
    say "Adoptium's answer at $answer names no archive with a SHA-256; install a JDK $JDK_FEATURE by hand and set JAVA_HOME"
    rm -rf "$part"
    return 75
  fi
  if ! download "$link" "$part/jdk.tar.gz" || ! checked sha256sum "$sum" "$part/jdk.tar.gz" "$link"; then
    rm -rf "$part"
    return 75
  fi
  mkdir "$part/jdk" && tar -xzf "$part/jdk.tar.gz" -C "$part/jdk" --strip-components=1
  jdk=$cache/jdk-$JDK_FEATURE-$(printf %.12s "$sum")
  if ! is_jdk "$part/jdk" || ! put_in_place "$part/jdk" "$jdk"; then
    say "what was unpacked from $link is no JDK $JDK_FEATURE, or there is no room for it in $cache"
    rm -rf "$part"
    return 70
  fi
  rm -rf "$part"
}

# Sets $mvn to a program of a Maven that is new enough, fetched where there is none. Needs $jdk.
find_maven() {
  cache_folder
  # Maven's own libraries use what JDK 24 and later warn of; an older JDK would not know the word.
  MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS-}"
  export MAVEN_OPTS
  mvn=$(command -v mvn || true)
  if [ -n "$mvn" ] && maven_is_new_enough "$mvn"; then
    return
  fi
  found=${mvn:+"$mvn is older than Maven $(echo "$MAVEN_LEAST" | tr ' ' .)"}
  mvn=$cache/apache-maven-$MAVEN_VERSION/bin/mvn
  [ -x "$mvn" ] && return
  if offline; then
    say "${found:-no Maven was found (mvn on PATH)}, and --offline forbids fetching one; install Maven $MAVEN_VERSION"
    return 70
  fi
  say "${found:-no Maven was found}: fetching Maven $MAVEN_VERSION from Maven Central into $cache (9 MB; --offline forbids it)"
  mkdir -p "$cache" && part=$(mktemp -d "$cache/fetch.XXXXXX") || return 70
  link=$FOREBAY_MAVEN_URL/org/apache/maven/apache-maven/$MAVEN_VERSION/apache-maven-$MAVEN_VERSION-bin.tar.gz
  if ! download "$link" "$part/maven.tar.gz" || ! checked sha512sum "$MAVEN_SHA512" "$part/maven.tar.gz" "$link"; then
    rm -rf "$part"
    return 75
  fi
  mkdir "$part/maven" && tar -xzf "$part/maven.tar.gz" -C "$part/maven" --strip-components=1
  if ! put_in_place "$part/maven" "$cache/apache-maven-$MAVEN_VERSION"; then
    rm -rf "$part"
    return 70
  fi
  rm -rf "$part"
}

maven_is_new_enough() {
  version=$(MAVEN_OPTS='' JAVA_HOME=$jdk "$1" --version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  [ -n "$version" ] || return 1
  # shellcheck disable=SC2086
  set -- $version $MAVEN_LEAST
  [ "$1" -gt "$3" ] || { [ "$1" -eq "$3" ] && [ "$2" -ge "$4" ]; }
}

# A rename, so that nobody sees half of it; whoever was first has won, and the copies are equal.
put_in_place() {
  [ -d "$2" ] || mv -T "$1" "$2" 2>/dev/null || [ -d "$2" ]
}

# download URL FILE: with whatever the machine has.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 --connect-timeout 20 -o "$2" "$1" && return
  elif command -v wget >/dev/null; then
    wget -q --tries=3 --timeout=20 -O "$2" "$1" && return
  elif [ -x "${jdk:-}/bin/java" ]; then
    "$jdk/bin/java" -Djava.net.useSystemProxies=true "$root/tools/Fetch.java" "$1" "$2" && return
  elif [ -x "$apt_helper" ]; then
    "$apt_helper" download-file "$1" "$2" >/dev/null && return
  else
    say "cannot fetch $1: neither curl nor wget is here; install one of them and the CA certificates (Debian: apt-get install curl ca-certificates), or use the self-contained archive of Forebay"
    return 1
  fi
  say "fetching $1 failed; try again, or install by hand what it is and start with --offline"
  return 1
}

# checked PROGRAM SUM FILE URL
checked() {
  got=$("$1" <"$3")
  [ "${got%% *}" = "$2" ] && return
  say "$4 has another checksum than expected ($1: ${got%% *}, expected $2): it was thrown away; try again later"
  return 1
}
