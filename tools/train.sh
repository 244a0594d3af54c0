#!/bin/sh
# train.sh JAVA ARGS AOT: makes the AOT cache from a small real run, so that what a start loads lies ready (JEP 514).
set -u
java=$1 args=$2 aot=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/in" "$scratch/home"
printf 'one\n' >"$scratch/in/a.txt"
printf 'two\n' >"$scratch/in/b.txt"
cat >"$scratch/job.yaml" <<J
apiVersion: forebay.io/v1alpha1
kind: PipelineJob
metadata: {name: training}
spec:
  inputs:
  - name: files
    source: file://$scratch/in/
    include: ["*.txt"]
  forEach: {input: files}
  steps:
  - name: copy
    command: [cp, \$(INPUT), \$(OUT)/\$(STEM).out]
  outputs:
  - name: result
    path: "*.out"
    to: file://$scratch/out/
  buffer:
    tiers: [{medium: Disk, size: 64Mi}]
  workers: {max: 1, slots: 1}
J
grep -v '^-XX:AOTCache=' "$args" >"$scratch/args"
LC_ALL=C.UTF-8 XDG_CACHE_HOME=$scratch/home "$java" "@$scratch/args" -Xmx96m "-XX:AOTCacheOutput=$aot" io.forebay.sidecar.Main run "$scratch/job.yaml" </dev/null
echo "training run: exit $?"
[ -s "$aot" ]
