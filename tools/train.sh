#!/bin/sh
# train.sh JAVA HOME: makes HOME/lib/forebay.aot from a small real run, so that what a start loads lies ready (JEP 514).
set -u
java=$1 home=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/in" "$scratch/cache"
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
XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
aot_mode=Output
(
  set -- run "$scratch/job.yaml"
  . "$home/lib/start.sh"
) </dev/null
echo "training run: exit $?"
[ -s "$home/lib/forebay.aot" ]
