#!/bin/sh
# Hosts n1 to nN on this machine, for the class Network:
#
#     unshare --pid --fork --kill-child --mount-proc --net --mount --uts network.sh FOLDER N
#
# All hosts have the same host name, "node", and it resolves to the loopback address, as it does on many systems.
# "The hosts are up" is said when they are; FOLDER/hosts is their /etc/hosts.
set -eu
. "$(dirname "$0")/make_hosts.sh"
make_hosts "$2"
printf '127.0.0.1 localhost\n127.0.1.1 node\n' >"$1/hosts"
for n in $(seq "$2"); do echo "10.77.0.$n n$n" >>"$1/hosts"; done
use_hosts_file "$1/hosts"
hostname node
echo "The hosts are up"
exec sleep infinity
