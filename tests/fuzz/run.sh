#!/bin/bash
# Fuzzes every target for some seconds, from the kept corpus, as many at once as there are processors. A failure is shown,
# and its input is kept in the current folder.
#
# usage: tests/fuzz/run.sh FOLDER-OF-THE-TARGETS [SECONDS-EACH]
#
# A failure that is found is fixed, becomes a plain test of the parser, and its input goes into corpus/.
set -euo pipefail
export targets=$1
export seconds=${2:-60}
corpus=$(dirname "$0")/corpus
export corpus
# What is freed soon counts no longer, so that the limit below is on what a parser holds.
export ASAN_OPTIONS=quarantine_size_mb=16
found=$(mktemp -d)
export found
trap 'rm -rf "$found"' EXIT
# An input of 4 KiB that takes longer than a second, or 512 MiB, is a failure too: nothing may be quadratic. The output of
# a target is shown when it failed; its exit status ends the run.
# shellcheck disable=SC2016 # for the shells that xargs starts
find "$corpus" -mindepth 1 -maxdepth 1 -printf "%f\n" | xargs -P "$(nproc)" -I '{}' sh -c '
  subject={}
  mkdir "$found/$subject"
  if "$targets/${subject}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=1 -rss_limit_mb=512 \
    -print_final_stats=0 -verbosity=0 -print_funcs=0 "$found/$subject" "$corpus/$subject" >"$found/$subject.log" 2>&1
  then
    echo "$subject: fuzzed for $seconds s"
  else
    cat "$found/$subject.log"
    exit 255
  fi'
