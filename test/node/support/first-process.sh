#!/bin/sh
# The first process of a node: it has mount, network, pid, uts and ipc namespaces of its own, so that ending it ends the
# whole node. It says "namespaces" when its half is done, and goes on when a line comes in: by then it has a network.
# From the environment: STATE (all that the node writes), NAME, ADDRESS, CGROUP, PATH and LD_LIBRARY_PATH.
set -eu
exec 2>> "$STATE/log/first-process.log"
hostname "$NAME"
mount --bind "$STATE/lib" /var/lib
mount --bind "$STATE/log" /var/log
mount -t tmpfs tmpfs /run
# kubelet insists on values of kernel settings, which belong to the whole machine: it is shown files that have them
for setting in "$STATE"/kernel/*; do
  mount --bind "$setting" "/proc/sys/$(basename "$setting" | tr . /)"
done
mount --bind "$STATE/resolv-node.conf" /etc/resolv.conf
mount --make-rshared /
# out of the cgroups of whoever started this, whose limits are not meant for a node
for group in $CGROUPS; do
  mkdir -p "$group/node"
  for file in cpuset.cpus cpuset.mems; do
    [ ! -e "$group/$file" ] || [ "${group#*/cpuset/}" = "$group" ] || cat "$group/$file" > "$group/node/$file"
  done
  echo $$ > "$group/node/cgroup.procs"
done
echo namespaces
read -r _
echo 1 > /proc/sys/net/ipv4/ip_forward

say() { echo "$@"; }
logs="$STATE/log/node"
mkdir -p "$logs"

# Runs a part of the node again whenever it ends, so that a test can end one.
keep() {
  part=$1
  shift
  while :; do
    "$@" >> "$logs/$part.log" 2>&1 || true
    sleep 0.2
  done
}

ready() { [ "$(kubectl get --raw /readyz 2> /dev/null)" = ok ]; }

keep etcd etcd --name "$NAME" --data-dir "$STATE/etcd" --unsafe-no-fsync --log-level error \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
  --initial-cluster "$NAME=http://127.0.0.1:2380" &
keep apiserver kube-apiserver --etcd-servers http://127.0.0.1:2379 --bind-address 0.0.0.0 --secure-port 6443 \
  --advertise-address "$ADDRESS" --service-cluster-ip-range 10.96.0.0/16 --cert-dir "$STATE/made" \
  --tls-cert-file "$STATE/keys/apiserver.crt" --tls-private-key-file "$STATE/keys/apiserver.key" \
  --client-ca-file "$STATE/keys/ca.crt" --token-auth-file "$STATE/keys/tokens.csv" \
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$STATE/keys/accounts.pub" \
  --service-account-signing-key-file "$STATE/keys/accounts.key" --authorization-mode Node,RBAC \
  --enable-admission-plugins NodeRestriction --allow-privileged --profiling=false \
  --kubelet-client-certificate "$STATE/keys/caller.crt" --kubelet-client-key "$STATE/keys/caller.key" \
  --kubelet-certificate-authority "$STATE/keys/ca.crt" --kubelet-preferred-address-types InternalIP &
keep containerd containerd --config "$STATE/containerd.toml" &
until ctr version > /dev/null 2>&1; do sleep 0.1; done
ctr --namespace k8s.io images import "$STATE/pause.tar" > "$logs/import.log" 2>&1
until ready; do sleep 0.1; done
keep controller-manager kube-controller-manager --kubeconfig "$STATE/kubeconfig/controller-manager" \
  --authentication-kubeconfig "$STATE/kubeconfig/controller-manager" \
  --authorization-kubeconfig "$STATE/kubeconfig/controller-manager" --bind-address 127.0.0.1 \
  --service-account-private-key-file "$STATE/keys/accounts.key" --root-ca-file "$STATE/keys/ca.crt" \
  --use-service-account-credentials --allocate-node-cidrs --cluster-cidr 10.244.0.0/16 \
  --service-cluster-ip-range 10.96.0.0/16 --leader-elect=false --kube-api-qps 200 --kube-api-burst 400 &
keep scheduler kube-scheduler --kubeconfig "$STATE/kubeconfig/scheduler" --bind-address 127.0.0.1 --leader-elect=false \
  --authentication-kubeconfig "$STATE/kubeconfig/scheduler" --authorization-kubeconfig "$STATE/kubeconfig/scheduler" &
keep kubelet kubelet --config "$STATE/kubelet.json" --kubeconfig "$STATE/kubeconfig/kubelet" \
  --hostname-override "$NAME" --node-ip "$ADDRESS" --root-dir /var/lib/kubelet --cert-dir "$STATE/made" &
keep kube-proxy kube-proxy --config "$STATE/kube-proxy.json" &
say started
wait
