#!/bin/bash
# Runs a command in a chroot, at this clone: enter_chroot.sh ROOT COMMAND...
# The clone is seen read-only at /src, with its build-debian folder writable. All that is mounted lives in a mount
# namespace and all that is started in a process namespace of its own: both end with the command, however it ends.
set -euo pipefail

if [[ $1 != --inside ]]; then
  exec unshare --mount --pid --fork --kill-child "$0" --inside "$@"
fi

root=$2
shift 2
repo=$(cd "$(dirname "$0")/../.." && pwd -P)

# Inside, / is to be a mount point: unshare --mount, which tests call, fails without one.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
for file in /etc/hosts /etc/resolv.conf; do
  if [[ -e $file ]]; then
    # Kept if it is there: removing it would take the mount away from another set-up that runs now.
    if [[ -L $root$file || ! -e $root$file ]]; then
      rm -f "$root$file"
      touch "$root$file"
    fi
    mount --bind "$(realpath "$file")" "$root$file"
  fi
done
mkdir -p "$root/src" "$repo/build-debian"
mount --bind "$repo" "$root/src"
mount --bind "$repo/build-debian" "$root/src/build-debian"
mount -o remount,bind,ro "$root/src"

# Only this much of the environment is meant for a command on another system.
keep=()
for name in CI TERM http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  if [[ -v $name ]]; then keep+=("$name=${!name}"); fi
done
# shellcheck disable=SC2016 # for the shell inside
exec env -i "${keep[@]}" HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  chroot "$root" bash -c 'cd /src; "$@"; exit' bash "$@"
