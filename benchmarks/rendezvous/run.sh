#!/bin/bash
# shellcheck source-path=SCRIPTDIR
# Builds, measures and reports: writes docs/benchmarks/rendezvous.json and .svg and the tables in docs/benchmarks.md.
# Takes twenty minutes on two cores; nothing else should run meanwhile. Arguments go to measure.py, so a short try is
#   benchmarks/rendezvous/run.sh --rounds 1 --sizes 4 --skews 0 2 --counts 16 64 --output build/try.json
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
lib=$here/../../scripts/lib
# shellcheck source=../../scripts/lib/packages.sh
. "$lib/packages.sh"
# shellcheck source=../../scripts/lib/libtorch.sh
. "$lib/libtorch.sh"
# shellcheck source=../../scripts/lib/build.sh
. "$lib/build.sh"

need "$build_needs
$test_needs"
find_libtorch
[[ $python_bin ]] || die "Python's ranks need a Python that has torch (pip install torch)."
configure build -DLIBTORCH="$libtorch" -DTORCH_DIST_INIT_BUILD_TESTS=ON
build build rendezvous_benchmark

# TCPStore looks up the name of the server's address in each rank: without this, name servers would be measured too.
files_only=$repo/build/nsswitch-files
printf 'hosts: files\n' >"$files_only"
measure=("$python_bin/python3" "$here/measure.py" --programs "$repo/build/bin" "$@")
if unshare --map-root-user --mount true 2>/dev/null; then
  # shellcheck disable=SC2016 # for the shell inside
  exec unshare --map-root-user --mount bash -euc 'mount --bind "$0" /etc/nsswitch.conf; exec "$@"' "$files_only" "${measure[@]}"
fi
say "No namespace for mounts here: name servers are asked, and their time is part of the figures."
exec "${measure[@]}"
