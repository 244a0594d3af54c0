#!/bin/sh
# arguments.sh HOME LIB RUNNER AOT: prints the options of java for an installation, one a line, quoted for java's @file.
# HOME is not read here: it becomes the property forebay.home.
set -u
q() { printf '%s"%s"\n' "$1" "$(printf %s "$2" | sed 's/[\\"]/\\&/g')"; }

path=
for jar in "$2"/*.jar; do
  path=${path:+$path:}$jar
done
# One thread collects and C1 compiles: a start, and memory, count more here than the last percent of speed.
printf '%s\n' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k -XX:-UsePerfData -XX:-CreateCoredumpOnCrash
# Warnings of the JVM's would mix with -o json on standard output.
printf '%s\n' -Xlog:disable -Xlog:all=error:stderr
printf '%s\n' --enable-native-access=ALL-UNNAMED
printf '%s\n' -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8
q -Dforebay.home= "$1"
if [ -x "$3" ]; then
  q -Dforebay.runner= "$3"
fi
q -XX:AOTCache= "$4"
printf '%s\n' -cp
q '' "$path"
