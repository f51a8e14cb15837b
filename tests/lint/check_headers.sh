#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every header compiles by itself as C17; public headers and headers that .cu files use also compile as C++17.
# usage: check_headers.sh ROOT BUILD [CC [CXX]]
set -uo pipefail
cd "$1" || exit 1
build=$2 cc=${3:-cc} cxx=${4:-c++}
# Headers of the CUDA backend need the Toolkit's headers.
cuda=true
echo '#include <cuda_runtime_api.h>' | "$cc" -E -x c - >/dev/null 2>&1 || cuda=false
$cuda || echo "without a CUDA Toolkit: kernels/cuda is left out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
try() { # compiler language header flags...
  local compiler=$1 language=$2 header=$3
  shift 3
  printf '#include "%s"\n' "$header" >"$tmp/unit.$language"
  if ! "$compiler" "$@" -D_GNU_SOURCE -I"$build" -I. -I"$build/client/include" -Wall -Wextra -Werror -fsyntax-only "$tmp/unit.$language"; then
    echo "$header does not stand alone as $*"
    bad=$((bad + 1))
  fi
  n=$((n + 1))
}
# Whether a file of the same name begins with it, which every build compiles.
begins_a_file() {
  local first
  first=$(grep -m 1 '^#include' "${1%.h}.c" 2>/dev/null)
  [ "$first" = "#include \"${1##*/}\"" ] || [ "$first" = "#include \"$1\"" ]
}
while IFS= read -r header; do
  case $header in
    kernels/cuda/*) $cuda || continue ;;
  esac
  begins_a_file "$header" || try "$cc" c "$header" -std=gnu17
  case $header in
    protocol/* | kernels/backend.h | kernels/shared/filter.h | *client/include/*) try "$cxx" cpp "$header" -std=c++17 ;;
  esac
done < <(find protocol kernels server client tests "$build/client" -type f -name '*.h' | sort)
echo "$n compilations, $bad findings"
[ "$bad" -eq 0 ] && [ "$n" -gt 0 ]
