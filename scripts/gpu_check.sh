#!/bin/bash
# Builds, and tests what needs a GPU, on all GPUs of this machine: the nccl backend, all collectives, the example.
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

command -v nvidia-smi >/dev/null || die "This needs a GPU with NVIDIA's driver: there is no nvidia-smi on this machine."
GPUS=$(nvidia-smi --list-gpus | grep -c '^GPU ') || die "nvidia-smi lists no GPU: $(nvidia-smi --list-gpus 2>&1)"
export GPUS
need "$build_needs
$test_needs"
say "GPUs: $GPUS"
find_libtorch
put_digits "$repo/build"
configure build -DLIBTORCH="$libtorch" -DTORCH_DIST_INIT_BUILD_TESTS=ON -DTORCH_DIST_INIT_BUILD_TOOLS=ON
grep -q '^TORCH_DIST_INIT_NCCL_COMPILES:INTERNAL=1' "$repo/build/CMakeCache.txt" ||
  die "The nccl backend isn't built with $libtorch; $repo/build/log tells why."
build build gpu_tests
exec "$repo/build/bin/gpu_tests"
