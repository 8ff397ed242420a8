#!/bin/sh
# A node: first process of its process namespace, in network, mount and host name namespaces of its own. Its file system is the
# machine's, seen through an overlay that keeps what the node writes in memory. It starts like a small machine: what lies in
# /etc/fabric/start is run in order, and then it waits.
set -eu
name=$1
folder=$2

mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
root=$folder/root
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o size=16m,mode=755 tmpfs "$root/run"
mount -t tmpfs -o size=16m,mode=1777 tmpfs "$root/tmp"
# the programs of a clone that lies there are programs of this machine like others
clone=$(cd "$(dirname "$0")/../.." && pwd)
case "$clone" in
  /tmp/*)
    mkdir -p "$root$clone"
    mount --bind "$clone" "$root$clone"
    ;;
esac
mount -t tmpfs -o size=1m,mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm" "$root/run/lock"
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
cd "$root"
mkdir -p mnt/old
pivot_root . mnt/old
cd /
umount -l /mnt/old
# logins of a switch do not run what the administrator of this machine has put into their shell
rm -f /root/.bashrc /root/.bash_profile /root/.bash_login /root/.profile
hostname "$(cat /etc/hostname)"
ip link set lo up
for step in /etc/fabric/start/*; do
  [ -e "$step" ] && sh "$step" </dev/null
done
touch /var/fabric-up
# a waiting shell reaps orphaned processes
while :; do sleep 3600 & wait || true; done
