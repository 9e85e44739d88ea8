#!/bin/sh
# A Slurm cluster on this machine: three nodes with a host name, an address and ports of their own each.
#
#     unshare --pid --fork --kill-child --mount-proc --net --mount --uts slurm_cluster.sh FOLDER
#
# In namespaces of its own nothing here can meet what else runs on the machine: all ports are free, and the host names
# resolve. All that is started ends with the command. "The cluster is up" is said when jobs can be started; FOLDER takes
# what Slurm writes.
set -eu
. "$(dirname "$0")/make_hosts.sh"
folder=$1
cd "$folder"

make_hosts 3
printf '127.0.0.1 localhost\n10.77.0.254 login\n10.77.0.1 n1\n10.77.0.2 n2\n10.77.0.3 n3\n' >hosts
use_hosts_file hosts
hostname login

# Het jobs are started by the backfill scheduler alone, which otherwise looks every 30 s.
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=login
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=1,sched_interval=1
NodeName=n[1-3] CPUs=8 RealMemory=2000
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
export SLURM_CONF="$folder/slurm.conf"
(umask 077 && head -c 128 /dev/urandom >munge.key)
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" &
slurmctld -D &
for n in 1 2 3; do
  nsenter --net=/run/netns/n$n unshare --uts sh -c "hostname n$n && exec slurmd -D" &
done

until [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = 3 ]; do sleep 0.05; done
echo "The cluster is up"
wait
