# The control plane, on the machine itself.
# shellcheck shell=bash

# shellcheck disable=SC2034 # used by the commands
readonly CONTROL_PROCESSES=(coredns scheduler controller-manager apiserver etcd)

control_up() {
  etcd_up
  apiserver_up
  controllers_up
  coredns_up
}

etcd_up() {
  start control etcd etcd --name "$name" --data-dir "$folder/etcd" \
    --listen-client-urls "http://$loopback:2379" --advertise-client-urls "http://$loopback:2379" \
    --listen-peer-urls "http://$loopback:2380" --initial-advertise-peer-urls "http://$loopback:2380" \
    --initial-cluster "$name=http://$loopback:2380"
  await etcd 60 curl -sf "http://$loopback:2379/health"
}

apiserver_up() {
  local pki=$folder/pki
  start control apiserver "$programs/kube-apiserver" --etcd-servers="http://$loopback:2379" \
    --bind-address="$host" --advertise-address="$host" --secure-port=6443 \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
    --kubelet-client-certificate="$pki/apiserver-kubelet.crt" --kubelet-client-key="$pki/apiserver-kubelet.key" \
    --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-signing-key-file="$pki/accounts.key" --service-account-key-file="$pki/accounts.pub" \
    --service-cluster-ip-range="$services" --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
    --allow-privileged=true
  await apiserver 120 api_ready
}

api_ready() {
  curl -sf --max-time 5 --cacert "$folder/pki/ca.crt" --cert "$folder/pki/admin.crt" --key "$folder/pki/admin.key" "$api/readyz"
}

# There is one of each: electing a leader would only cost time. A node that is silent is found out sooner than by default
# (50 s), because tests wait for it.
controllers_up() {
  local pki=$folder/pki
  start control controller-manager "$programs/kube-controller-manager" --kubeconfig="$pki/controller-manager.kubeconfig" \
    --bind-address="$loopback" --leader-elect=false --use-service-account-credentials=true \
    --root-ca-file="$pki/ca.crt" --service-account-private-key-file="$pki/accounts.key" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" \
    --node-monitor-grace-period=20s
  start control scheduler "$programs/kube-scheduler" --kubeconfig="$pki/scheduler.kubeconfig" --bind-address="$loopback" --leader-elect=false
  # Pods are refused until it is there.
  await controller-manager 60 kubectl get serviceaccount default
  await scheduler 60 curl -skf "https://$loopback:10259/healthz"
}

# Names outside the cluster do not exist, and that is answered at once: the tests must not depend on any network.
coredns_up() {
  configure "$folder/control/Corefile" <<X
cluster.local:53 {
  bind $host
  errors
  kubernetes cluster.local {
    kubeconfig $folder/pki/coredns.kubeconfig
    endpoint_pod_names
    ttl 1
  }
}
.:53 {
  bind $host
  errors
  template ANY ANY {
    rcode NXDOMAIN
  }
}
X
  start control coredns "$programs/coredns" -conf "$folder/control/Corefile"
  await coredns 60 bash -c ": </dev/tcp/$host/53"
}

kubectl() { "$programs/kubectl" --kubeconfig "$folder/admin.kubeconfig" --request-timeout=10s "$@"; }
