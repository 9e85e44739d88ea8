#!/bin/bash
# Sets up, builds, and trains a digits classifier data-parallel: two processes under torchrun, on Gloo.
set -euo pipefail
lib=$(dirname "$0")/lib
# shellcheck source=lib/packages.sh
. "$lib/packages.sh"
# shellcheck source=lib/libtorch.sh
. "$lib/libtorch.sh"
# shellcheck source=lib/digits.sh
. "$lib/digits.sh"
# shellcheck source=lib/build.sh
. "$lib/build.sh"

need "$build_needs"
find_libtorch
put_digits "$repo/build"
# The training can do without what only tests and tools need.
options=()
if [[ $(missing_of "$test_needs") ]]; then options=(-DTORCH_DIST_INIT_BUILD_TESTS=OFF -DTORCH_DIST_INIT_BUILD_TOOLS=OFF); fi
build build -DLIBTORCH="$libtorch" "${options[@]}"

cd "$repo"
if [[ ! $python_bin ]]; then
  say "No Python with torch here, so no torchrun: training in one process. (pip install torch brings torchrun.)"
  exec build/bin/train_digits
fi
command=("$python_bin/torchrun" --standalone --no-python --nproc-per-node=2 build/bin/train_digits --backend gloo)
printf '\n$ %s\n' "${command[*]}"
exec "${command[@]}"
