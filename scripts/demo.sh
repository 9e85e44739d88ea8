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
# The training can do without what tests and tools need.
options=()
if [[ $(missing_of "$test_needs") ]]; then options=(-DTORCH_DIST_INIT_BUILD_TESTS=OFF -DTORCH_DIST_INIT_BUILD_TOOLS=OFF); fi
configure build -DLIBTORCH="$libtorch" "${options[@]}"
build build train_digits

cd "$repo"
if [[ ! $python_bin ]]; then
  say "No Python with torch here, so no torchrun: training in one process. (pip install torch brings torchrun.)"
  exec build/bin/train_digits
fi
# What torchrun would set, without its warning.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
if grep -q '^TORCH_DIST_INIT_LIBTORCH_LIBUV:INTERNAL=1' build/CMakeCache.txt; then
  meet=(--standalone)
else
  # Debian's torchrun can serve no store, as its LibTorch has no libuv: it meets by a file instead.
  meet=(--rdzv-backend=c10d --rdzv-conf=store_type=file --rdzv-endpoint="$(mktemp -d)/store" --local-addr=127.0.0.1)
  export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
fi
command=("$python_bin/torchrun" "${meet[@]}" --no-python --nproc-per-node=2 build/bin/train_digits --backend gloo)
printf '\n$ %s\n' "${command[*]}"
exec "${command[@]}"
