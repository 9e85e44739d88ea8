# shellcheck shell=bash
# Programs and headers from the distribution: what is missing is installed by root, and named to others.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# shellcheck disable=SC2034 # used by those who source this
# A line each: what it is | how to look for it | the Debian package.
build_needs="a C++ compiler|program ${CXX:-c++}|g++
CMake|program cmake|cmake
Ninja or make|program ninja make|ninja-build
Python 3|program python3|python3
the Python modules venv and ensurepip|module venv ensurepip|python3-venv
CLI11|header CLI/CLI.hpp|libcli11-dev"
# shellcheck disable=SC2034
test_needs='Catch2|header catch2/catch.hpp catch2/catch_all.hpp|catch2
nlohmann/json|header nlohmann/json.hpp|nlohmann-json3-dev'
# What single tests start; where it is missing those are skipped.
# shellcheck disable=SC2034
test_wants='Open MPI|program mpirun.openmpi ompi_info|openmpi-bin
MPICH|program mpirun.mpich mpichversion|mpich
the Slurm controller|program slurmctld|slurmctld
the Slurm node daemon|program slurmd|slurmd
srun|program srun|slurm-client
MUNGE|program munged|munge
network namespaces|program ip|iproute2
a packet filter|program nft|nftables
clang, for fuzzing|program clang++|clang
its runtime libraries|file /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a|libclang-rt-dev'
# shellcheck disable=SC2034
chroot_needs='debootstrap|program debootstrap|debootstrap
the keys of the Debian archive|file /usr/share/keyrings/debian-archive-keyring.gpg|debian-archive-keyring'

# need LIST: has what is missing of the list installed, or stops and says what that is.
need() {
  local missing
  install_missing "$1"
  missing=$(missing_of "$1")
  [[ $missing ]] || return 0
  die "Missing on this machine: $(names_of "$missing")." "$(remedy_for "$missing")"
}

# want LIST: has what is missing of the list installed, or says what goes without it.
want() {
  local missing
  install_missing "$1"
  missing=$(missing_of "$1")
  [[ $missing ]] || return 0
  say "Missing on this machine, so that tests are skipped: $(names_of "$missing"). $(remedy_for "$missing")"
}

# install_missing LIST: only root may, and only Debian's relatives name their packages so.
install_missing() {
  local packages
  mapfile -t packages < <(missing_of "$1" | cut -d'|' -f2)
  if [[ ${packages[*]} ]] && is_root && command -v apt-get >/dev/null; then
    step "Installing ${packages[*]}" apt_install "${packages[@]}"
  fi
}

names_of() { cut -d'|' -f1 <<<"$1" | paste -sd, | sed 's/,/, /g'; }

remedy_for() {
  local packages
  packages=$(cut -d'|' -f2 <<<"$1" | paste -sd' ')
  if command -v apt-get >/dev/null; then
    say "An administrator can install that with: apt-get install $packages"
  else
    say "Install that with this system's package manager (on Debian the packages are: $packages)."
  fi
}

# missing_of LIST: a line "what it is|package" for each line of the list that is not there.
missing_of() {
  local what look package
  while IFS='|' read -r what look package; do
    # shellcheck disable=SC2086 # the words of $look are separate arguments
    look_for $look || say "$what|$package"
  done <<<"$1"
}

# look_for KIND NAME...: whether any of the programs, headers or files, or all of the Python modules are there.
look_for() {
  local kind=$1 name
  shift
  if [[ $kind == module ]]; then
    python3 -c "import $(IFS=,; echo "$*")" 2>/dev/null
    return
  fi
  for name; do
    case $kind in
      program) command -v "$name" >/dev/null && return ;;
      header) echo "#include <$name>" | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1 && return ;;
      file) [[ -e $name ]] && return ;;
    esac
  done
  return 1
}

# The package lists may be absent or out of date: they are fetched only if the first try fails.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  # Daemons are started by the tests that want them, never by their packages.
  if [[ ! -e /usr/sbin/policy-rc.d ]]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
  fi
  apt-get install -y --no-install-recommends "$@" && return
  apt-get update
  apt-get install -y --no-install-recommends "$@"
}
