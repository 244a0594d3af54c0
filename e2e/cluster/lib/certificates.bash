# Certificates and kubeconfigs. RSA, because not every client understands other keys in PKCS 8.
# shellcheck shell=bash

# Each file is put in place by a rename, key first: a certificate that is there is whole and has its key.
certificates_up() {
  local pki=$folder/pki k
  authority
  certificate apiserver /CN=kube-apiserver "IP:$host,IP:127.0.0.1,IP:$api_service,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
  certificate apiserver-kubelet /O=system:masters/CN=apiserver-kubelet
  identity admin /O=system:masters/CN=admin
  identity controller-manager /CN=system:kube-controller-manager
  identity scheduler /CN=system:kube-scheduler
  identity proxy /CN=system:kube-proxy
  identity coredns /O=system:masters/CN=coredns
  for ((k = 1; k <= $1; k++)); do
    identity "node$k" "/O=system:nodes/CN=system:node:node$k" "IP:$(node_address "$k"),DNS:node$k"
  done
  [ -e "$pki/accounts.pub" ] || {
    openssl genrsa -out "$pki/accounts.key" 2048 2>/dev/null
    openssl rsa -in "$pki/accounts.key" -pubout -out "$pki/part" 2>/dev/null
    mv "$pki/part" "$pki/accounts.pub"
  }
  cp "$pki/admin.kubeconfig" "$folder/.admin.kubeconfig"
  mv "$folder/.admin.kubeconfig" "$folder/admin.kubeconfig"
}

authority() {
  [ -e "$pki/ca.crt" ] && return
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=$name" -keyout "$pki/ca.key" -out "$pki/part" 2>/dev/null
  mv "$pki/part" "$pki/ca.crt"
}

# certificate NAME SUBJECT [ALTERNATIVE_NAMES]
certificate() {
  [ -e "$pki/$1.crt" ] && return
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$pki/$1.key" -out "$pki/request" 2>/dev/null
  openssl x509 -req -in "$pki/request" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial -days 3650 -out "$pki/part" \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s\n' "${3:+subjectAltName=$3}") 2>/dev/null
  mv "$pki/part" "$pki/$1.crt"
}

# identity NAME SUBJECT [ALTERNATIVE_NAMES]: a certificate, and a kubeconfig that holds all it needs, so that it can be copied away.
identity() {
  certificate "$@"
  [ -e "$pki/$1.kubeconfig" ] && return
  cat >"$pki/part" <<X
apiVersion: v1
kind: Config
clusters: [{name: $name, cluster: {server: "$api", certificate-authority-data: $(base64 -w 0 "$pki/ca.crt")}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w 0 "$pki/$1.crt"), client-key-data: $(base64 -w 0 "$pki/$1.key")}}]
contexts: [{name: $name, context: {cluster: $name, user: $1}}]
current-context: $name
X
  chmod 600 "$pki/part"
  mv "$pki/part" "$pki/$1.kubeconfig"
}
