# Sourced by dist/build.sh and images/build, with $root set: the one time that all files of what is shipped have, so that the same
# sources make the same bytes.
# shellcheck shell=sh

# Sets $source_time, in seconds since 1970: SOURCE_DATE_EPOCH, or else what pom.xml gives the entries of jars.
source_time() {
  source_time=${SOURCE_DATE_EPOCH:-}
  [ -n "$source_time" ] && return
  source_time=$(sed -n 's/.*<project.build.outputTimestamp>\(.*\)<.*/\1/p' "$root/pom.xml") &&
    source_time=$(date -u -d "$source_time" +%s)
}

# same_time FOLDER: gives it to all in there.
same_time() {
  source_time && find "$1" -exec touch -h -d "@$source_time" {} +
}
