#!/bin/sh
# sidecar-tree.sh ARCHIVE TREE: makes TREE, which becomes /opt/forebay of the sidecar's image, from a self-contained archive.
set -eu
archive=$1 tree=$2
mkdir "$tree"
tar -xzf "$archive" -C "$tree" --strip-components=1
# An image has no shell: what is for shells stays outside, and so does the example.
rm -rf "$tree/bin" "$tree/examples" "$tree/README.md" "$tree/lib/start.sh" "$tree/runtime/bin/keytool" "$tree/runtime/bin/jwebserver"

home=/opt/forebay
{
  cat "$tree/lib/options"
  cat <<A
# The heap, unless -Xmx is given, before this file or in JDK_JAVA_OPTIONS: that would lose against an -Xmx here.
-XX:ErgoHeapSizeLimit=96m
-XX:MaxRAMPercentage=50
-XX:AOTCache=$home/lib/forebay.aot
-cp
$home/lib/forebay.jar
-Dforebay.home=$home
-Dforebay.runner=$home/lib/forebay-step
io.forebay.sidecar.Main
A
} >"$tree/lib/image.args"
