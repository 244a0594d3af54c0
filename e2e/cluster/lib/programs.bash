# Which programs a cluster is made of, and where 'build' puts those that no distribution packages.
# shellcheck shell=bash

readonly KUBERNETES_VERSION=1.34.4 COREDNS_VERSION=1.12.4 HELM_VERSION=3.22.0
readonly KUBERNETES_PROGRAMS=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)
readonly PROGRAMS=("${KUBERNETES_PROGRAMS[@]}" coredns helm pause)

# Sets $programs, the folder that holds them.
programs_folder() {
  local cache
  # shellcheck source=/dev/null
  . "$checkout/tools/state.sh"
  cache_folder
  built=$cache/kubernetes/$KUBERNETES_VERSION
  programs=$built/bin
}

# stamp PROGRAM: the file that says that PROGRAM is there in the version wanted now.
stamp() {
  local version
  case $1 in
    coredns) version=$COREDNS_VERSION ;;
    helm) version=$HELM_VERSION ;;
    pause) version=$(cksum <"$here/lib/pause.go" | tr ' ' -) ;;
    *) version=$KUBERNETES_VERSION ;;
  esac
  printf '%s' "$built/stamps/$1@$version"
}

is_built() { [ -x "$programs/$1" ] && [ -e "$(stamp "$1")" ]; }

missing_programs() {
  local program
  for program in "${PROGRAMS[@]}"; do
    is_built "$program" || printf '%s\n' "$program"
  done
}

# What the distribution has: program:Debian package.
readonly PACKAGED=(containerd:containerd ctr:containerd containerd-shim-runc-v2:containerd runc:runc etcd:etcd-server
  ip:iproute2 iptables:iptables conntrack:conntrack openssl:openssl curl:curl nsenter:util-linux flock:util-linux)

missing_packages() {
  local pair
  {
    for pair in "${PACKAGED[@]}"; do
      command -v "${pair%:*}" >/dev/null || printf '%s\n' "${pair#*:}"
    done
    cni_plugins >/dev/null || echo containernetworking-plugins
  } | sort -u
}

# Debian's place for them, and everybody else's.
cni_plugins() {
  local place
  for place in /usr/lib/cni /opt/cni/bin; do
    [ -x "$place/ptp" ] && [ -x "$place/host-local" ] && printf '%s' "$place" && return
  done
  return 1
}

# Refuses, in one line, where this machine cannot hold a cluster.
require_machine() {
  local lacking
  [ "$(id -u)" = 0 ] || refuse "$UNAVAILABLE" "a cluster needs root (network namespaces, mounts, cgroups); this is user $(id -un)"
  lacking=$(missing_packages | paste -sd ' ')
  [ -z "$lacking" ] || refuse "$UNAVAILABLE" "missing packages: $lacking (Debian: apt-get install $lacking)"
  lacking=$(missing_programs | paste -sd ' ')
  [ -z "$lacking" ] || refuse "$UNAVAILABLE" "not built: $lacking (e2e/cluster/build makes them in $programs)"
  require_cgroups
  grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null ||
    refuse "$UNAVAILABLE" "this kernel has no overlay file system, in which containerd keeps its containers"
}
