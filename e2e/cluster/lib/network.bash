# One bridge, on which the machine is .1 and node K is .(10+K), each node in a network namespace of its own. Pods are routed.
# shellcheck shell=bash
#
# 10.N.0.0/24        machine and nodes     10.N.64.0/20       Services
# 10.N.(128+K).0/24  pods of node K        127.77.NUMBER.1    what of the control plane only the machine itself may reach
# Every cluster has addresses of its own, so that all use the usual ports.

readonly FIRST_NETWORK=120

network_of() { printf '10.%s' $((FIRST_NETWORK + $1)); }

network_in_use() {
  local network
  network=$(network_of "$1")
  ip -4 route show | grep -q "^$network\." || [ -e "/sys/class/net/fb$1" ]
}

derive_network() {
  local network
  network=$(network_of "$number")
  bridge=fb$number
  host=$network.0.1
  loopback=127.77.$number.1
  services=$network.64.0/20
  api_service=$network.64.1
  all_pods=$network.128.0/17
  api=https://$host:6443
}

node_address() { printf '%s.%s' "${host%.1}" $((10 + $1)); }
node_namespace() { printf '%sn%s' "$bridge" "$1"; }
# The machine's end of the cable.
node_cable() { printf '%sn%s' "$bridge" "$1"; }
node_pods() { printf '%s.%s.0/24' "${host%.0.1}" $((128 + $1)); }

bridge_up() {
  if [ ! -e "/sys/class/net/$bridge" ]; then
    # A bridge without an address of its own takes that of a port, and changes it whenever ports come and go.
    ip link add "$bridge" address "$(printf '02:fb:00:00:00:%02x' "$number")" type bridge
  fi
  ip address replace "$host/24" dev "$bridge"
  ip link set "$bridge" up
  allow_forwarding
}

# Where Docker is, frames between two ports of a bridge go through iptables as if they were routed, and are dropped.
allow_forwarding() {
  [ "$(cat /proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null)" = 1 ] || return 0
  iptables -w 10 -C FORWARD -i "$bridge" -o "$bridge" -j ACCEPT 2>/dev/null ||
    iptables -w 10 -I FORWARD -i "$bridge" -o "$bridge" -j ACCEPT
}

# node_network_up K NODES
node_network_up() {
  local k=$1 other namespace cable
  namespace=$(node_namespace "$k")
  cable=$(node_cable "$k")
  [ -e "/run/netns/$namespace" ] || ip netns add "$namespace"
  ip -n "$namespace" link show eth0 >/dev/null 2>&1 ||
    ip link add "$cable" type veth peer name eth0 netns "$namespace"
  ip link set "$cable" master "$bridge" up
  ip -n "$namespace" link set lo up
  ip -n "$namespace" address replace "$(node_address "$k")/24" dev eth0
  ip -n "$namespace" link set eth0 up
  ip -n "$namespace" route replace default via "$host"
  ip route replace "$(node_pods "$k")" via "$(node_address "$k")"
  for ((other = 1; other <= $2; other++)); do
    [ "$other" = "$k" ] || ip -n "$namespace" route replace "$(node_pods "$other")" via "$(node_address "$other")"
  done
  nsenter "--net=/run/netns/$namespace" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
}

network_down() {
  local namespace cable
  for namespace in /run/netns/"${bridge}"n*; do
    [ ! -e "$namespace" ] || ip netns delete "${namespace##*/}"
  done
  # Also where it has no namespace any more.
  for cable in /sys/class/net/"${bridge}"n*; do
    if [ -e "$cable" ]; then
      ip link delete "${cable##*/}" 2>/dev/null || true
    fi
  done
  while iptables -w 10 -D FORWARD -i "$bridge" -o "$bridge" -j ACCEPT 2>/dev/null; do :; done
  [ ! -e "/sys/class/net/$bridge" ] || ip link delete "$bridge"
}
