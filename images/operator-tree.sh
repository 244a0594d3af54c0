#!/bin/sh
# operator-tree.sh APP TREE JDK [JMODS]: makes TREE, which becomes /opt/forebay-operator of the operator's image, from a Quarkus application
# (package type aot-jar). JMODS: the jmods of a JDK of the same version for another kind of machine; no AOT cache then.
# $root must be in the environment.
set -eu
app=$1 tree=$2 jdk=$3 jmods=${4:-}
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P)
. "$root/tools/time.sh"
home=/opt/forebay-operator

mkdir -p "$tree/lib"
cp -R "$app" "$tree/app"
cp "$root/LICENSE" "$tree/"
# All of Java SE but the desktop, since jdeps cannot see what Quarkus reaches by reflection; the least that starts is 1 MiB less.
modules=java.base,java.compiler,java.instrument,java.logging,java.management,java.naming,java.net.http,java.prefs,java.rmi
modules=$modules,java.scripting,java.security.jgss,java.security.sasl,java.sql,java.transaction.xa,java.xml
modules=$modules,jdk.unsupported,jdk.management,jdk.naming.dns,jdk.net,jdk.zipfs
"$jdk/bin/jlink" ${jmods:+--module-path "$jmods"} --add-modules "$modules" --strip-debug --no-header-files --no-man-pages --compress zip-6 \
  --output "$tree/runtime"
rm -f "$tree/runtime/bin/keytool" "$tree/runtime/bin/rmiregistry" "$tree/runtime/bin/jrunscript"

cat >"$tree/lib/options" <<'A'
# One thread collects and C1 compiles: memory, and the time of a start, count more here than the last percent of speed.
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-Xss512k
-XX:-UsePerfData
-XX:-CreateCoredumpOnCrash
# Better a new start, with all of the cluster's state read again, than a hang.
-XX:+ExitOnOutOfMemoryError
--enable-native-access=ALL-UNNAMED
# Netty's, and silent only with it.
--sun-misc-unsafe-memory-access=allow
-Dfile.encoding=UTF-8
# The heap, unless -Xmx is given, before this file or in JDK_JAVA_OPTIONS.
-XX:ErgoHeapSizeLimit=320m
-XX:MaxRAMPercentage=60
A
cache=
same_time "$tree"
if [ -z "$jmods" ]; then
  "$jdk/bin/java" "$here/OperatorTraining.java" "$tree/runtime/bin/java" "@$tree/lib/options" "-XX:AOTCacheOutput=$tree/lib/operator.aot" \
    -jar "$tree/app/quarkus-run.jar"
  [ -s "$tree/lib/operator.aot" ]
  cache=-XX:AOTCache=$home/lib/operator.aot
fi
{
  cat "$tree/lib/options"
  printf '%s\n' ${cache:+"$cache"} -jar "$home/app/quarkus-run.jar"
} >"$tree/lib/image.args"
