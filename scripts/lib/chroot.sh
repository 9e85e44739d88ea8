# shellcheck shell=bash
# A Debian 13 chroot in the cache: there is Debian's LibTorch 2.6, with Open MPI 5, MPICH and Slurm.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

chroot_dir=$cache/trixie
chroot_packages=(g++ cmake ninja-build catch2 nlohmann-json3-dev libcli11-dev libtorch-dev libgloo-dev python3-torch
  libopenmpi-dev openmpi-bin mpich slurmctld slurmd slurm-client munge iproute2 nftables)

# Whether this user may make one; a container's root often may not mount.
chroot_allowed() { is_root && unshare --mount true 2>/dev/null; }

need_chroot() {
  need "$chroot_needs"
  cached "$chroot_dir" "${chroot_packages[*]}" "Installing Debian 13 in a chroot (2 GB)" make_chroot
}

# in_chroot COMMAND...: in the chroot, at the clone. The shared lock keeps another set-up from replacing the chroot.
in_chroot() { flock --shared "$chroot_dir.lock" "$repo/scripts/lib/enter_chroot.sh" "$chroot_dir" "$@"; }

make_chroot() {
  local new=$1 mirror proxy
  mirror=$(debian_mirror)
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  # debootstrap mounts things too: in a mount namespace of its own nothing stays mounted, whatever happens.
  http_proxy=${http_proxy:-${proxy:-}} unshare --mount \
    debootstrap --variant=minbase --include=ca-certificates trixie "$new" ${mirror:+"$mirror"}
  apt-config dump Acquire | grep -E '^Acquire::(https?::|ftp::|Check-|ForceIPv|Retries)' >"$new/etc/apt/apt.conf.d/90host" || true
  if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$new/etc/ssl/certs/ca-certificates.crt"
  fi
  # Daemons are started by the tests that want them, never by their packages.
  printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
  chmod +x "$new/usr/sbin/policy-rc.d"
  "$repo/scripts/lib/enter_chroot.sh" "$new" sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@" && apt-get clean' sh "${chroot_packages[@]}"
}

# The mirror that this machine's own apt uses; nothing where that is not Debian's, so that debootstrap takes its default.
debian_mirror() {
  local ask=(apt-get indextargets --format "\$(REPO_URI)" 'ORIGIN: Debian' 'LABEL: Debian') found
  found=$("${ask[@]}" 2>/dev/null || true)
  if [[ ! $found ]] && command -v apt-get >/dev/null; then
    apt-get update >&2
    found=$("${ask[@]}" || true)
  fi
  head -n 1 <<<"$found"
}
