# shellcheck shell=bash
# Configuring and building one build folder.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# configure NAME [-DCMAKE_OPTION=...]...: NAME is the build folder inside the clone.
configure() {
  local name=$1 generator=()
  shift
  log_dir=$repo/$name/log
  # The generator of a folder can't be changed later.
  if [[ ! -f $repo/$name/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  step "Configuring $name" cmake -S "$repo" -B "$repo/$name" "${generator[@]}" "$@"
}

# build NAME TARGET: in a folder that is configured.
build() { step "Building $2 in $1" cmake --build "$repo/$1" --target "$2" --parallel "$(nproc)"; }
