# shellcheck shell=bash
# Configuring and building one build folder.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# build NAME [-DCMAKE_OPTION=...]...: NAME is the build folder inside the clone.
build() {
  local name=$1 generator=()
  shift
  log_dir=$repo/$name/log
  # The generator of a folder can't be changed later.
  if [[ ! -f $repo/$name/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  step "Configuring $name" cmake -S "$repo" -B "$repo/$name" "${generator[@]}" "$@"
  step "Building $name" cmake --build "$repo/$name" --parallel "$(nproc)"
}
