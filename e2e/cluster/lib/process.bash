# The processes of a cluster: started apart from whoever starts them, and found again by process id and start time, which
# together nothing else gets during one boot. They also carry FOREBAY_CLUSTER_PART=FOLDER/PART in their environment, as do
# the shims that containerd starts: so those are found that were recorded nowhere, because their starter was killed.
# shellcheck shell=bash

# start PART NAME COMMAND...: unless NAME runs. PART is control or nodeK.
# The environment is made anew: a proxy set for the user would come between kubelet and API server.
start() {
  local part=$1 process=$2
  shift 2
  running "$process" && return
  env -i PATH="$PATH" HOME="$folder" FOREBAY_CLUSTER_PART="$folder/$part" setsid "$@" \
    </dev/null >>"$folder/log/$process.log" 2>&1 9<&- &
  printf '%s %s\n' $! "$(start_time $!)" >"$folder/run/$process.process"
}

# start_time PID: in ticks since boot; nothing for a process that has ended, or waits to be reaped.
start_time() {
  local stat fields
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
  # The name, in brackets, may hold anything: count from the last bracket.
  read -ra fields <<<"${stat##*) }"
  [ "${fields[0]}" = Z ] || printf '%s' "${fields[19]}"
}

# Sets $pid where process $1 runs.
running() {
  local since
  { read -r pid since <"$folder/run/$1.process"; } 2>/dev/null && [ -n "$since" ] && [ "$(start_time "$pid")" = "$since" ]
}

# end SECONDS NAME...: asks, waits, and ends by force what is still there after SECONDS; 0 does not ask.
end() {
  local seconds=$1 process
  shift
  if ((seconds > 0)); then
    for process; do
      send TERM "$process"
    done
    gone "$seconds" "$@" || true
  fi
  for process; do
    send KILL "$process"
  done
  gone 10 "$@" || say "still there: $*"
  for process; do
    rm -f "$folder/run/$process.process"
  done
}

# send SIGNAL NAME: to a process that may be ending at this moment.
send() {
  local pid
  if running "$2"; then
    kill "-$1" "$pid" 2>/dev/null || true
  fi
}

# gone SECONDS NAME...: whether all have ended within SECONDS.
gone() {
  local deadline=$((SECONDS + $1)) process pid
  shift
  for process; do
    while running "$process"; do
      ((SECONDS < deadline)) || return 1
      sleep 0.1
    done
  done
}

# end_strays PART: by force, whatever carries the mark; PART empty means all parts.
end_strays() {
  local attempt stray pid found
  for ((attempt = 0; attempt < 50; attempt++)); do
    found=
    while read -r stray; do
      pid=${stray#/proc/}
      pid=${pid%/environ}
      [ -n "$(start_time "$pid")" ] || continue
      found=yes
      kill -KILL "$pid" 2>/dev/null || true
    done < <(grep -lsz "^FOREBAY_CLUSTER_PART=$folder/$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || return 0
    sleep 0.1
  done
  say "processes of $folder/$1 do not end"
}
