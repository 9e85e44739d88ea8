# shellcheck shell=bash
# What every script needs: where things are, steps with a title and a log, entries of the cache.

# shellcheck disable=SC2034 # used by those who source this
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck disable=SC2034
cache=${TORCH_DIST_INIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/torch_dist_init}
log_dir=$repo/build/log

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }
is_root() { [[ $EUID == 0 ]]; }

# step TITLE COMMAND...: runs the command with its output in a log whose tail is shown if it fails. Never call it in a
# condition: bash would ignore errors inside the command, if that is a function.
step() {
  local title=$1 log status started=$SECONDS
  shift
  mkdir -p "$log_dir"
  log=$log_dir/$(tr -cs '[:alnum:].\n' '_' <<<"$title").log
  printf '%s ... ' "$title"
  set +e
  (set -e; "$@") </dev/null >"$log" 2>&1
  status=$?
  set -e
  if [[ $status == 0 ]]; then
    say "$((SECONDS - started)) s"
  else
    say "failed after $((SECONDS - started)) s (status $status); the end of $log:"
    tail -n 60 "$log"
    exit "$status"
  fi
}

# is_cached ENTRY STAMP: whether the folder was completed, and from what the stamp says.
is_cached() { [[ -f $1/.complete && $(<"$1/.complete") == "$2" ]]; }

# cached ENTRY STAMP TITLE MAKER...: has the folder ENTRY of the cache made, unless it is there and complete.
# MAKER... is called with the folder to fill and the folder it will become.
cached() {
  local entry=$1 stamp=$2 title=$3
  shift 3
  is_cached "$entry" "$stamp" || step "$title" make_entry "$entry" "$stamp" "$@"
}

# An interrupted set-up leaves only ENTRY.new behind; a second set-up waits for the first and takes what it made.
make_entry() {
  local entry=$1 stamp=$2
  shift 2
  mkdir -p "$(dirname "$entry")"
  exec 9>"$entry.lock"
  flock 9
  is_cached "$entry" "$stamp" && return
  remove_folder "$entry.new"
  "$@" "$entry.new" "$entry"
  echo "$stamp" >"$entry.new/.complete"
  remove_folder "$entry"
  mv "$entry.new" "$entry"
}

remove_folder() {
  if grep -qF " $1/" /proc/self/mounts; then die "Something is mounted below $1: unmount it first."; fi
  rm -rf --one-file-system "$1"
}
