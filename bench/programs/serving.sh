#!/bin/sh
# How long a worker's process takes until its step socket can be connected to.
#
# usage: serving.sh FOREBAY JOB FOLDER
#
# A coordinator is started first. FOLDER/begin is made right before "forebay buffer" is started, FOLDER/ready when its socket is there, FOLDER/idle
# holds its resident memory a second later, in KiB. Both are ended then; the coordinator is not waited for, so that its memory and time are not counted.
set -u
forebay=$1 job=$2 folder=$3
umask 077
rm -rf "$folder" && mkdir -p "$folder/tier" "$folder/control" && cd "$folder" || exit 70
echo 0123456789abcdef0123456789abcdef >token
"$forebay" coordinator "$job" --token-file token --listen 127.0.0.1:0 --port-file port >coordinator.log 2>&1 &
coordinator=$!
trap 'kill "$coordinator" 2>/dev/null' EXIT
tries=0
until [ -s port ] || [ $((tries += 1)) -gt 6000 ]; do sleep 0.01; done
: >begin
"$forebay" buffer "$job" --token-file token --coordinator "http://127.0.0.1:$(cat port)" --worker a \
  --tier "$folder/tier" --control "$folder/control" --steps socket --socket "$folder/steps" >buffer.log 2>&1 &
worker=$!
tries=0
until [ -S steps ] || [ $((tries += 1)) -gt 6000 ]; do sleep 0.005; done
: >ready
[ -S steps ] || { cat buffer.log coordinator.log; kill "$worker"; exit 1; }
sleep 1
sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$worker/status" >idle
kill -9 "$worker"
exit 0
