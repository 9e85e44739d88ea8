# shellcheck shell=bash
# LibTorch: the user's, the active Python's, or the PyPI wheel in the cache.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# find_libtorch: sets libtorch (the folder for CMake's LIBTORCH) and python_bin (the folder of a Python that has torch,
# and so of torchrun; else empty).
find_libtorch() {
  local active
  active=$(torch_of "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/}python3")
  if [[ ${LIBTORCH:-} ]]; then
    [[ -d $LIBTORCH ]] || die "LIBTORCH=$LIBTORCH is not a folder: set it to the folder that holds LibTorch's lib/ and include/."
    libtorch=$(cd "$LIBTORCH" && pwd)
    python_bin=${active%%|*}
    say "LibTorch: $libtorch (from LIBTORCH)"
  elif [[ $active ]]; then
    python_bin=${active%%|*} libtorch=${active#*|}
    say "LibTorch: $libtorch (from the active Python)"
  else
    wheel_libtorch "$(<"$repo/scripts/libtorch-version")"
    say "LibTorch: $libtorch (PyPI wheel, in the cache)"
    link_venv "$(dirname "$python_bin")"
  fi
}

# torch_of PYTHON: "the folder of its programs|its torch folder", or nothing. Does not import torch, which takes seconds.
torch_of() {
  # Not here: Python would look for torch in the current folder first.
  (cd / && "$1" - 2>/dev/null) <<'PY' || true
import importlib.util, os, sys
spec = importlib.util.find_spec("torch")
if spec and spec.submodule_search_locations:
    print(os.path.realpath(os.path.dirname(sys.executable)), os.path.realpath(spec.submodule_search_locations[0]), sep="|")
PY
}

# wheel_libtorch VERSION: sets libtorch and python_bin to that wheel's, installed in the cache. Which index serves it is
# for pip's own settings to say.
wheel_libtorch() {
  local venv=$cache/venv-$1 found
  cached "$venv" "torch $1" "Installing torch $1 from PyPI (several GB)" make_venv "$1"
  found=$(torch_of "$venv/bin/python3")
  python_bin=${found%%|*} libtorch=${found#*|}
}

make_venv() {
  local version=$1 new=$2 final=$3
  python3 -m venv "$new"
  # numpy: without it torch warns at each import.
  "$new/bin/python3" -m pip install "torch==$version" numpy
  # The programs and activate name the folder by its path, which is about to change.
  grep -rlIF "$new" "$new/bin" | xargs sed -i "s|$new|$final|g"
}

# .venv in the clone is where editors and people look for it. A folder of the user's own stays.
link_venv() {
  if [[ -L $repo/.venv || ! -e $repo/.venv ]]; then ln -sfn "$1" "$repo/.venv"; fi
}
