#!/bin/bash
# Builds with another LibTorch, the PyPI wheel of the given version, and passes all tests with it, in build-VERSION/:
#   scripts/try_libtorch.sh 2.9.1
# The wheel is put into the cache, where it stays.
set -euo pipefail
lib=$(dirname "$0")/lib
# shellcheck source=lib/packages.sh
. "$lib/packages.sh"
# shellcheck source=lib/libtorch.sh
. "$lib/libtorch.sh"
# shellcheck source=lib/digits.sh
. "$lib/digits.sh"

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "Give the version of a torch wheel, as $0 2.9.1 (pip index versions torch lists them)."
need "$build_needs
$test_needs"
want "$test_wants"
wheel_libtorch "$version"
put_digits "$repo/build-$version"
PATH=$python_bin:$PATH exec "$lib/suite.sh" "build-$version" -DLIBTORCH="$libtorch" \
  -DTORCH_DIST_INIT_BUILD_TESTS=ON -DTORCH_DIST_INIT_BUILD_TOOLS=ON
