#!/bin/bash
# Measures the rendezvous and writes docs/benchmarks/rendezvous.json and .svg: run.sh BUILD [OPTION OF measure.py]...
# BUILD is a build folder with the tests; torch must be in the Python that is found first (PATH, or .venv in the clone).
set -euo pipefail
repo=$(cd "$(dirname "$0")/../.." && pwd)
here=$repo/benchmarks/rendezvous
build=$(cd "${1:?usage: run.sh BUILD [OPTION]...}" && pwd)
shift
if [[ -d $repo/.venv/bin ]]; then PATH=$repo/.venv/bin:$PATH; fi
cmake --build "$build" --target rendezvous_ours rendezvous_c10d rendezvous_clients
mkdir -p "$repo/docs/benchmarks"

# LibTorch's store asks for the name of each client: here it finds it in a hosts file, so that no name server is measured.
hosts=$(mktemp)
trap 'rm -f "$hosts"' EXIT
printf '127.0.0.1 localhost\n::ffff:127.0.0.1 localhost\n' >"$hosts"
# shellcheck disable=SC2016 # for the shell inside
unshare --map-root-user --net --mount sh -c 'mount --bind "$0" /etc/hosts && ip link set lo up && exec "$@"' "$hosts" \
  python3 "$here/measure.py" --programs "$build/bin" --output "$repo/docs/benchmarks/rendezvous.json" "$@"
python3 "$here/plot.py" "$repo/docs/benchmarks/rendezvous.json" "$repo/docs/benchmarks/rendezvous.svg"
