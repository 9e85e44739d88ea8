# shellcheck shell=sh
# To be sourced in network and mount namespaces of one's own.

# make_hosts N: hosts n1 to nN, each a network namespace with eth0 (10.77.0.I, fd00::I) on a switch, where this host is
# 10.77.0.254.
make_hosts() {
  mount -t tmpfs tmpfs /run
  ip link set lo up
  ip link add switch type bridge
  ip address add 10.77.0.254/24 dev switch
  ip link set switch up
  for n in $(seq "$1"); do
    ip netns add "n$n"
    ip link add "port$n" type veth peer name eth0 netns "n$n"
    ip link set "port$n" master switch up
    ip -n "n$n" link set lo up
    ip -n "n$n" address add "10.77.0.$n/24" dev eth0
    # An address that is first looked for on the network can't be used at once.
    ip -n "n$n" address add "fd00::$n/64" dev eth0 nodad
    ip -n "n$n" link set eth0 up
  done
}

# use_hosts_file FILE: has /etc/hosts be that file.
use_hosts_file() { mount --bind "$1" /etc/hosts; }
