#!/bin/bash
# Sets up and passes all tests, against both ends of the range of LibTorch: the wheel's in build/, and Debian 13's 2.6
# in build-debian/ (needs a root who may mount). What does not know LibTorch also runs under sanitizers (build-sanitize/),
# and what reads foreign text is fuzzed: a minute each in CI, a few seconds elsewhere.
set -euo pipefail
lib=$(dirname "$0")/lib
# shellcheck source=lib/packages.sh
. "$lib/packages.sh"
# shellcheck source=lib/libtorch.sh
. "$lib/libtorch.sh"
# shellcheck source=lib/digits.sh
. "$lib/digits.sh"
# shellcheck source=lib/chroot.sh
. "$lib/chroot.sh"

failed=()
# suite NAME COMMAND...: one of the suites; the others run even if it fails.
suite() {
  local name=$1
  shift
  printf '\n== %s\n' "$name"
  "$@" || failed+=("$name")
}

need "$build_needs
$test_needs"
want "$test_wants"
find_libtorch
put_digits "$repo/build"
if chroot_allowed; then
  need_chroot
  put_digits "$repo/build-debian"
fi

# Only clang has the fuzzer.
clang=$(command -v clang++ || true)
suite "Sanitizers" "$lib/suite.sh" build-sanitize -DTORCH_DIST_INIT_SANITIZE=ON ${clang:+-DCMAKE_CXX_COMPILER="$clang"}
if [[ $python_bin ]]; then PATH=$python_bin:$PATH; fi
suite "LibTorch at $libtorch" "$lib/suite.sh" build -DLIBTORCH="$libtorch" \
  -DTORCH_DIST_INIT_BUILD_TESTS=ON -DTORCH_DIST_INIT_BUILD_TOOLS=ON
if chroot_allowed; then
  suite "Debian 13's LibTorch 2.6" in_chroot scripts/lib/suite.sh build-debian -DLIBTORCH=/usr
else
  printf '\n== %s\n' "Debian 13's LibTorch 2.6: not tested, as that needs a root who may mount"
  if [[ ${CI:-} == true ]]; then failed+=("Debian 13's LibTorch 2.6"); fi
fi
if [[ $clang ]]; then
  suite "Fuzzing" "$repo/tests/fuzz/run.sh" "$repo/build-sanitize/bin" "$([[ ${CI:-} == true ]] && echo 60 || echo 5)"
else
  printf '\n== %s\n' "Fuzzing: not done, as that needs clang"
  if [[ ${CI:-} == true ]]; then failed+=("Fuzzing"); fi
fi

say ""
if [[ ${failed[*]} ]]; then
  printf 'Failed: %s\n' "${failed[@]}"
  exit 1
fi
say "All tests passed, in $SECONDS s."
