#!/bin/sh
# Fuzzes every target for some seconds, from the kept corpus; the first failure ends the run, and its input is kept in
# the current folder.
#
# usage: tests/fuzz/run.sh FOLDER-OF-THE-TARGETS [SECONDS-EACH]
#
# A failure that is found is fixed, becomes a plain test of the parser, and its input goes into corpus/.
set -eu
targets=$1
seconds=${2:-60}
corpus=$(dirname "$0")/corpus
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
for folder in "$corpus"/*/; do
  subject=$(basename "$folder")
  mkdir "$found/$subject"
  echo "$subject: $seconds s"
  # An input of 4 KiB that takes longer than a second, or 256 MiB, is a failure too: nothing may be quadratic.
  "$targets/${subject}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=1 -rss_limit_mb=512 -print_final_stats=0 \
    -verbosity=0 "$found/$subject" "$folder"
done
