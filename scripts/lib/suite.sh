#!/bin/bash
# Configures, builds and tests one build folder: suite.sh BUILD [-DCMAKE_OPTION=...]...
# Runs on this machine as well as in the chroot. In CI a skipped test is a failed one.
set -euo pipefail
. "$(dirname "$0")/build.sh"

name=$1
configure "$@"
build "$name" all

# Of the tests only those that did not pass are shown, and ctest's own closing lines.
log=$log_dir/ctest.log
status=0
cd "$repo/$name"
ctest --output-on-failure --timeout 300 -j2 2>&1 | tee "$log" |
  grep --line-buffered -vE '^ +Start +[0-9]+:|\.\.\. +Passed ' || status=${PIPESTATUS[0]}
if grep -q 'No tests were found' "$log"; then
  say "$name has no tests."
  status=1
elif [[ ${CI:-} == true ]] && grep -qE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Skipped|Not Run)' "$log"; then
  say "In CI no test may be skipped."
  status=1
fi
exit "$status"
