# A node: containerd, kubelet and kube-proxy in its network namespace, with everything they keep in FOLDER/nodeK.
# shellcheck shell=bash

readonly PAUSE_IMAGE=forebay.test/pause:1

node_processes() { printf '%s\n' "kubelet$1" "proxy$1" "containerd$1"; }

# Sets $home, $address and $enter for node K.
of_node() {
  home=$folder/node$1
  address=$(node_address "$1")
  enter=(nsenter "--net=/run/netns/$(node_namespace "$1")")
}

# --- containerd

containerd_up() {
  local k=$1 home address enter
  of_node "$k"
  mkdir -p "$home"/{containerd,cni,kubelet,logs,plugins}
  containerd_configuration | configure "$home/containerd.toml"
  cni_configuration | configure "$home/cni/10-$name.conflist"
  start "node$k" "containerd$k" "${enter[@]}" containerd --config "$home/containerd.toml"
  await "containerd$k" 60 node_ctr "$k" version
}

node_ctr() {
  local k=$1
  shift
  ctr --address "$folder/node$k/containerd.sock" --namespace k8s.io "$@"
}

# import_image K ARCHIVE
import_image() {
  node_ctr "$1" images import "$2" >>"$folder/log/import$1.log" 2>&1 ||
    refuse "$FAILED" "$2 could not be imported on node$1: $(tail -n 1 "$folder/log/import$1.log")"
}

containerd_configuration() {
  cat <<X
version = 2
root = "$home/containerd/root"
state = "$home/containerd/state"
# Of these, some warn at length on machines without the file system.
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]

[grpc]
  address = "$home/containerd.sock"

[plugins."io.containerd.internal.v1.opt"]
  path = "$home/plugins"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  stream_server_address = "127.0.0.1"
  # With the rest of the state, so that it goes with it.
  netns_mounts_under_state_dir = true
  restrict_oom_score_adj = $(may_protect_from_oom && echo false || echo true)
  disable_apparmor = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true

[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
  Root = "$home/containerd/state/runc"

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "$(cni_plugins)"
  conf_dir = "$home/cni"
X
}

# Not every root may: it takes CAP_SYS_RESOURCE.
may_protect_from_oom() { (echo -999 >/proc/self/oom_score_adj) 2>/dev/null; }

# Each pod on a cable of its own, routed. On a bridge, what one pod answers to another's call of a Service would go past
# the rules that have to translate it back.
cni_configuration() {
  cat <<X
{"cniVersion": "0.4.0", "name": "$name-node$k", "plugins": [
  {"type": "ptp", "ipMasq": false, "ipam": {
    "type": "host-local", "dataDir": "$home/addresses",
    "ranges": [[{"subnet": "$(node_pods "$k")"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
X
}

# --- kubelet and kube-proxy

kubelet_up() {
  local k=$1 home address enter
  of_node "$k"
  # Volumes that a container mounts have to be seen by the others.
  mountpoint -q "$home/kubelet" || {
    mount --bind "$home/kubelet" "$home/kubelet"
    mount --make-rshared "$home/kubelet"
  }
  node_cgroup_up "$k"
  kubelet_configuration | configure "$home/kubelet.yaml"
  start "node$k" "kubelet$k" "${enter[@]}" "$programs/kubelet" --config="$home/kubelet.yaml" --kubeconfig="$folder/pki/node$k.kubeconfig" \
    --hostname-override="node$k" --node-ip="$address" --root-dir="$home/kubelet" --v=2
}

kubelet_configuration() {
  cat <<X
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $folder/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $folder/pki/node$k.crt
tlsPrivateKeyFile: $folder/pki/node$k.key
cgroupDriver: cgroupfs
cgroupRoot: /$name-node$k
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix://$home/containerd.sock
podLogsDir: $home/logs
volumePluginDir: $home/plugins
clusterDNS: [$host]
clusterDomain: cluster.local
maxPods: 200
# A node that is lost is known sooner; see the controller manager.
nodeStatusUpdateFrequency: 4s
nodeLeaseDurationSeconds: 16
# The machine's disk and memory are shared with others: their use is no reason to end pods, or to remove images, which
# no registry would bring back.
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
X
}

proxy_up() {
  local k=$1 home address enter
  of_node "$k"
  configure "$home/proxy.yaml" <<X
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
hostnameOverride: node$k
clusterCIDR: $all_pods
clientConnection: {kubeconfig: $folder/pki/proxy.kubeconfig}
# The limits of connection tracking are the machine's: not ours to change.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
X
  start "node$k" "proxy$k" "${enter[@]}" "$programs/kube-proxy" --config="$home/proxy.yaml"
}

await_node() {
  local k=$1 home address enter
  of_node "$k"
  await "kubelet$k" 90 node_reported "$k"
  await "kubelet$k" 90 node_ready "$k"
  await "proxy$k" 60 "${enter[@]}" curl -sf http://127.0.0.1:10256/healthz
}

# Whether this kubelet has been heard of: the API server may still say Ready of the one before.
node_reported() {
  local renewed
  renewed=$(kubectl get lease --namespace kube-node-lease "node$1" -o 'jsonpath={.spec.renewTime}') &&
    (($(date -d "$renewed" +%s) > $(stat -c %Y "$folder/run/kubelet$1.process")))
}

node_ready() {
  [ "$(kubectl get node "node$1" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]
}

# --- the end

# As a power cut: nothing is asked, and what a machine forgets is forgotten. What it has on disk stays.
node_off() {
  local k=$1 processes
  mapfile -t processes < <(node_processes "$k")
  end 0 "${processes[@]}"
  node_cgroup_down "$k"
  end_strays "node$k"
  forget_sockets "$folder/node$k/containerd/state"
  unmount_below "$folder/node$k"
  rm -rf --one-file-system "$folder/node$k/containerd/state"
}

# Shims listen on sockets outside our folder, which they remove only when they are asked to end.
forget_sockets() {
  local file
  for file in "$1"/io.containerd.runtime.v2.task/*/*/address; do
    [ -e "$file" ] && rm -f "$(sed 's|^unix://||' "$file")"
  done
  return 0
}

unmount_below() {
  local point
  # Field 5; nested ones and those mounted over others come later in the table.
  awk -v below="$1/" 'index($5, below) == 1 { print $5 }' /proc/self/mountinfo | tac | while read -r point; do
    umount "$point" 2>/dev/null || umount --lazy "$point" || say "$point cannot be unmounted"
  done
}

# What kubelet and CNI leave at fixed places.
forget_leftovers() {
  local link pod
  for pod in "$folder"/node*/containerd/root/io.containerd.grpc.v1.cri/sandboxes/*; do
    rm -f /var/lib/cni/results/*-"${pod##*/}"-*
  done
  for link in /var/log/containers/*; do
    case $(readlink "$link") in
      "$folder"/*) rm -f "$link" ;;
    esac
  done
}
