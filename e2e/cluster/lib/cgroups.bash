# A cgroup for each node, below which its kubelet and containers keep theirs: /sys/fs/cgroup/[HIERARCHY/]NAME-nodeK.
# shellcheck shell=bash

readonly CGROUPS=/sys/fs/cgroup

is_unified() { [ -e "$CGROUPS/cgroup.controllers" ]; }

# All hierarchies in which a node can have left something; a link (cpu -> cpu,cpuacct) is one that was named already.
hierarchies() {
  local hierarchy
  if is_unified; then
    echo "$CGROUPS"
    return
  fi
  for hierarchy in "$CGROUPS"/*/; do
    hierarchy=${hierarchy%/}
    [ -e "$hierarchy/cgroup.procs" ] && [ ! -L "$hierarchy" ] && printf '%s\n' "$hierarchy"
  done
}

require_cgroups() {
  local needed
  if is_unified; then
    for needed in cpu cpuset memory pids; do
      grep -qw "$needed" "$CGROUPS/cgroup.controllers" ||
        refuse "$UNAVAILABLE" "$CGROUPS has no controller $needed: kubelet needs it"
      # Refused where this is a container whose processes sit in the topmost cgroup it sees.
      grep -qw "$needed" "$CGROUPS/cgroup.subtree_control" || echo "+$needed" 2>/dev/null >"$CGROUPS/cgroup.subtree_control" ||
        refuse "$UNAVAILABLE" "controller $needed cannot be had below $CGROUPS, which is writable only on a machine of one's own or in a privileged container"
    done
  else
    for needed in cpu cpuacct cpuset memory pids devices freezer; do
      [ -w "$CGROUPS/$needed/cgroup.procs" ] || refuse "$UNAVAILABLE" "there is no cgroup hierarchy $CGROUPS/$needed to write to: kubelet and runc need it"
    done
  fi
}

node_cgroup_up() {
  local hierarchy cgroup
  for hierarchy in $(hierarchies); do
    # Beside version 1 the unified hierarchy has no controllers: nothing to prepare.
    ! is_unified && [ -e "$hierarchy/cgroup.controllers" ] && continue
    cgroup=$hierarchy/$name-node$1
    mkdir -p "$cgroup"
    # A new cpuset of version 1 is empty, and nothing can run in it.
    [ ! -e "$cgroup/cpuset.mems" ] || is_unified || {
      cat "$hierarchy/cpuset.mems" >"$cgroup/cpuset.mems"
      cat "$hierarchy/cpuset.cpus" >"$cgroup/cpuset.cpus"
    }
  done
}

# Ends what runs in node K's cgroups, that is, its containers, and removes them.
node_cgroup_down() {
  local hierarchy cgroup attempt left=
  for ((attempt = 0; attempt < 100; attempt++)); do
    left=
    for hierarchy in $(hierarchies); do
      cgroup=$hierarchy/$name-node$1
      [ -d "$cgroup" ] || continue
      left=yes
      # A cgroup can vanish while it is being looked at.
      find "$cgroup" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -un | xargs -r kill -KILL 2>/dev/null || true
      find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  say "cgroup $name-node$1 cannot be removed: something in it does not end"
}
