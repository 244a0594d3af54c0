#!/bin/sh
# train.sh JAVA HOME [JDKJAVA]: makes HOME/lib/forebay.aot from a small real run, so that what a start loads lies ready (JEP 514).
# JDKJAVA, where JAVA has no compiler, runs the small S3 server of the training; without one, the run has no S3 in it.
set -u
java=$1 home=$2
server=${3:-$java}
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/in" "$scratch/cache"
printf 'one\n' >"$scratch/in/a.txt"
printf 'two\n' >"$scratch/in/b.txt"

# It ends with its standard input: with this script, whatever ends that.
mkfifo "$scratch/alive"
"$server" "$here/TrainingStore.java" "$scratch/url" <"$scratch/alive" &
exec 8>"$scratch/alive"
tries=0
while [ ! -s "$scratch/url" ] && [ "$tries" -lt 200 ] && kill -0 $! 2>/dev/null; do
  sleep 0.1
  tries=$((tries + 1))
done
stores='' input='' output=''
if [ -s "$scratch/url" ]; then
  stores="  stores: [{uri: 's3://training', endpoint: '$(cat "$scratch/url")', region: us-east-1}]"
  input="  - {name: objects, source: 's3://training/in/'}"
  output="  - {name: kept, path: '*.kept', to: 's3://training/out/'}"
else
  echo "no S3 server for the training: starts that use S3 will be slower"
fi

cat >"$scratch/job.yaml" <<J
apiVersion: forebay.io/v1alpha1
kind: PipelineJob
metadata: {name: training}
spec:
$stores
  inputs:
  - name: files
    source: file://$scratch/in/
    include: ["*.txt"]
$input
  forEach: {input: files}
  steps:
  - name: copy
    command: [sh, -c, 'cp "\$FOREBAY_INPUT" "\$FOREBAY_OUT/\$FOREBAY_STEM.out" && cp "\$FOREBAY_INPUT" "\$FOREBAY_OUT/\$FOREBAY_STEM.kept"']
  outputs:
  - name: result
    path: "*.out"
    to: file://$scratch/out/
$output
  buffer:
    tiers: [{medium: Disk, size: 64Mi}]
  workers: {max: 1, slots: 1}
J
XDG_CACHE_HOME=$scratch/cache
AWS_ACCESS_KEY_ID=training AWS_SECRET_ACCESS_KEY=training
export XDG_CACHE_HOME AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
aot_mode=Output
(
  set -- run "$scratch/job.yaml"
  . "$home/lib/start.sh"
) </dev/null 8>&-
echo "training run: exit $?"
[ -s "$home/lib/forebay.aot" ]
