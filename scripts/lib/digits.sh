# shellcheck shell=bash
# The UCI handwritten digits: 1,797 images of 8 x 8 and their labels, as the scikit-learn wheel ships them.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# put_digits BUILD: places digits.csv where train_digits looks for it. A copy, since a chroot can't follow a link.
put_digits() {
  [[ -s $cache/digits.csv ]] || step "Taking the digits from scikit-learn's wheel" fetch_digits
  mkdir -p "$1/data"
  cmp -s "$cache/digits.csv" "$1/data/digits.csv" || cp "$cache/digits.csv" "$1/data/digits.csv"
}

fetch_digits() {
  local tmp
  mkdir -p "$cache"
  tmp=$(mktemp -d "$cache/digits.XXXXXX")
  # shellcheck disable=SC2064 # $tmp is wanted as it is now
  trap "rm -rf '$tmp'" EXIT
  python3 -m venv "$tmp/venv"
  "$tmp/venv/bin/python3" -m pip download --no-deps --only-binary=:all: --dest "$tmp" scikit-learn
  python3 - "$tmp"/scikit_learn-*.whl "$tmp/digits.csv" <<'PY'
import gzip, sys, zipfile
wheel, out = sys.argv[1:]
text = gzip.decompress(zipfile.ZipFile(wheel).read("sklearn/datasets/data/digits.csv.gz"))
rows = text.split()
assert len(rows) == 1797 and all(row.count(b",") == 64 for row in rows), f"{wheel}: not the 1797 digits"
open(out, "wb").write(text)
PY
  mv "$tmp/digits.csv" "$cache/digits.csv"
}
