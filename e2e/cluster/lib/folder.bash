# The folder of a cluster, and the number from which everything derives that is one per machine: names of bridges,
# namespaces and cgroups, and addresses. So clusters live side by side.
# shellcheck shell=bash
#
# FOLDER/number            the cluster's number; the mark of a folder that is ours to remove
# FOLDER/boot              the kernel's boot id when the cluster was last up
# FOLDER/address           the address of the machine as nodes and pods see it
# FOLDER/admin.kubeconfig
# FOLDER/run/NAME.process  process id and start time
# FOLDER/log/NAME.log
# FOLDER/pki, etcd, control, nodeK
# /run/forebay-clusters/NUMBER  names the folder that holds NUMBER

readonly CLAIMS=/run/forebay-clusters
readonly LAST_NUMBER=60

# open_folder FOLDER: sets $folder, absolute.
open_folder() {
  folder=$(realpath -m -- "$1")
  # It goes unquoted into configuration files, and containerd's socket below it has to fit into 107 bytes.
  case $folder in
    *[!A-Za-z0-9._/-]*) refuse "$USAGE" "$folder: letters, digits and . _ - / only, please" ;;
  esac
  [ ${#folder} -le 70 ] || refuse "$USAGE" "$folder is too long: the sockets below it would exceed what the kernel allows; at most 70 characters"
}

# Makes $folder ours; sets $number. One command at a time works on a cluster: the lock is the folder itself.
create_folder() {
  if [ -e "$folder" ] && [ ! -e "$folder/number" ] && [ -n "$(ls -A "$folder")" ]; then
    refuse "$USAGE" "$folder holds something else: name a new folder"
  fi
  mkdir -p "$folder"
  lock_folder
  [ -s "$folder/number" ] && number=$(<"$folder/number") || number=
  claim_number
  mkdir -p "$folder"/{run,log,pki,control}
  derive
  forget_another_boot
}

# As create_folder, for a cluster that is there; false where there is none.
existing_folder() {
  [ -d "$folder" ] && lock_folder && [ -s "$folder/number" ] || return 1
  number=$(<"$folder/number")
  derive
}

# Everything that is started closes descriptor 9: a lock is held by commands only.
lock_folder() {
  exec 9<"$folder" && flock 9
  # Removed by a 'down' that was faster.
  [ "$folder" -ef /proc/self/fd/9 ] || refuse "$FAILED" "$folder was removed meanwhile: try again"
}

claim_number() {
  local candidate
  mkdir -p "$CLAIMS"
  exec 8>"$CLAIMS/lock" && flock 8
  if [ -n "$number" ]; then
    claimable "$number" || refuse "$FAILED" "number $number of $folder is meanwhile used by $(cat "$CLAIMS/$number"): 'down' and 'up' it"
  else
    for ((candidate = 1; candidate <= LAST_NUMBER; candidate++)); do
      claimable "$candidate" && ! network_in_use "$candidate" && number=$candidate && break
    done
    [ -n "$number" ] || refuse "$UNAVAILABLE" "none of the networks 10.$((FIRST_NETWORK + 1)).0.0/16 to 10.$((FIRST_NETWORK + LAST_NUMBER)).0.0/16 is free"
  fi
  echo "$folder" >"$CLAIMS/$number"
  echo "$number" >"$folder/number"
  exec 8>&-
}

# A claim counts for as long as the folder it names says the same.
claimable() {
  local holder
  holder=$(cat "$CLAIMS/$1" 2>/dev/null) || return 0
  [ "$holder" = "$folder" ] || [ "$(cat "$holder/number" 2>/dev/null)" != "$1" ]
}

derive() {
  name=forebay$number
  derive_network
}

# After a restart of the machine recorded processes mean nothing, and containers are gone although files tell of them.
forget_another_boot() {
  local boot node
  boot=$(</proc/sys/kernel/random/boot_id)
  if [ -e "$folder/boot" ] && [ "$(<"$folder/boot")" != "$boot" ]; then
    rm -f "$folder"/run/*.process
    for node in "$folder"/node*/; do
      rm -rf "${node}containerd/state"
    done
  fi
  echo "$boot" >"$folder/boot"
}

remove_folder() {
  rm -rf --one-file-system "$folder"
  [ "$(cat "$CLAIMS/$number" 2>/dev/null)" != "$folder" ] || rm -f "$CLAIMS/$number"
}

# Numbers of the nodes that this cluster has.
nodes() {
  local node
  for node in "$folder"/node[0-9]*/; do
    [ -d "$node" ] && node=${node%/} && printf '%s\n' "${node##*/node}"
  done
}
