#!/bin/sh
# SPDX-License-Identifier: MIT
# check_installed.sh CMAKE BUILD SOURCE GPUFILTERD WORKER CC [CXX]: installs into an empty directory, moves that, and
# builds a sample outside the tree in every way there is: pkg-config and find_package, C17 and C++17, shared and static.
# Each program then blurs through a daemon, all with the same result. Every installed header compiles alone and says its
# version; the headers of C++ and their users compile as C++17 and C++20, by clang++ too if it is there.
set -eu
cmake=$1 build=$2 source=$3 daemon=$4 worker=$5 cc=$6 cxx=${7:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

DESTDIR=$dir/root "$cmake" --install "$build" --prefix /opt/first >/dev/null
mv "$dir/root/opt/first" "$dir/prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$dir/prefix" -name gpufilter.pc)")
libdir=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH
mkdir "$dir/bin"
cp "$source/samples/hello_blur.c" "$dir/hello.c"
cp "$source/samples/hello_blur.c" "$dir/hello.cpp"
cp "$source/samples/blur.cpp" "$source/tests/package/cpp_probe.cpp" "$dir"

# By pkg-config.
warn='-Wall -Wextra -Wpedantic -Wcast-qual -Werror'
cflags=$(pkg-config --cflags gpufilter)
shared=$(pkg-config --libs gpufilter)
static="$libdir/libgpufilterclient.a -lm" # what pkg-config --static says, with the archive named
# shellcheck disable=SC2086
{
    $cc -std=c17 $warn "$dir/hello.c" $cflags $shared -Wl,-rpath,"$libdir" -o "$dir/bin/pc_c_shared"
    $cc -std=c17 $warn "$dir/hello.c" $cflags $static -o "$dir/bin/pc_c_static"
    if [ -n "$cxx" ]; then
        $cxx -std=c++17 $warn "$dir/hello.cpp" $cflags $shared -Wl,-rpath,"$libdir" -o "$dir/bin/pc_cxx_shared"
        $cxx -std=c++17 $warn "$dir/hello.cpp" $cflags $static -o "$dir/bin/pc_cxx_static"
        $cxx -std=c++17 $warn "$dir/blur.cpp" $cflags $shared -Wl,-rpath,"$libdir" -o "$dir/bin/pc_blur_shared"
    fi
}

# The sample with both libraries, which without arguments says how it is used.
mkdir "$dir/both"
# shellcheck disable=SC2046,SC2086
{
    $cc -std=c17 $warn "$source/samples/thumbnail.c" $cflags $(pkg-config --libs gpufilter-image gpufilter) \
        -Wl,-rpath,"$libdir" -o "$dir/both/pc_shared"
    $cc -std=c17 $warn "$source/samples/thumbnail.c" $cflags "$libdir/libgpufilterimage.a" $static \
        $(sed -n 's/^Libs.private: //p' "$PKG_CONFIG_PATH/gpufilter-image.pc") -o "$dir/both/pc_static"
}

# shellcheck disable=SC2086
for header in $(cd "$dir/prefix/include" && echo gpufilter/*.h gpufilter/ops/*.h gpufilter/*.hpp); do
    printf '#include <%s>\n#if GPUFILTER_VERSION < GPUFILTER_VERSION_NUMBER(0, 1, 0)\n#error older\n#endif\n' "$header" \
        >"$dir/alone"
    [ "${header%.hpp}" != "$header" ] || $cc -std=c17 $warn $cflags -fsyntax-only -x c "$dir/alone"
    [ -z "$cxx" ] || $cxx -std=c++17 $warn $cflags -fsyntax-only -x c++ "$dir/alone"
done

for compiler in ${cxx:+"$cxx" clang++}; do
    command -v "$compiler" >/dev/null || continue
    for file in "$dir/blur.cpp" "$dir/cpp_probe.cpp"; do # which begin with ops.hpp
        for standard in c++17 c++20; do
            # shellcheck disable=SC2086
            $compiler -std=$standard $warn -Wconversion -Wold-style-cast -Wshadow $cflags -fsyntax-only "$file"
        done
    done
done

# By find_package.
cat >"$dir/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(outside LANGUAGES C${cxx:+ CXX})
set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 17)
find_package(gpufilter 0.1 REQUIRED)
foreach(language c${cxx:+ cpp})
  add_executable(cm_\${language}_shared hello.\${language})
  target_link_libraries(cm_\${language}_shared PRIVATE gpufilter::client)
  add_executable(cm_\${language}_static hello.\${language})
  target_link_libraries(cm_\${language}_static PRIVATE gpufilter::client_static)
endforeach()
foreach(kind image image_static)
  add_executable(cm_\${kind} $source/samples/thumbnail.c)
  target_link_libraries(cm_\${kind} PRIVATE gpufilter::\${kind} gpufilter::client)
  set_target_properties(cm_\${kind} PROPERTIES RUNTIME_OUTPUT_DIRECTORY $dir/both)
endforeach()
END
"$cmake" -S "$dir" -B "$dir/out" -DCMAKE_PREFIX_PATH="$dir/prefix" -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$dir/bin" \
    -DCMAKE_C_COMPILER="$cc" ${cxx:+-DCMAKE_CXX_COMPILER="$cxx"} >/dev/null
"$cmake" --build "$dir/out" >/dev/null

for program in "$dir"/both/*; do
    ! "$program" 2>"$dir/said"
    grep -qx 'thumbnail: usage: thumbnail IN OUT' "$dir/said"
done

# shellcheck disable=SC2016
"$source/tests/support/with_daemon.sh" "$daemon" "$worker" sh -c '
    for program; do "$program" || exit 1; done' - "$dir"/bin/* >"$dir/sums"
cat "$dir/sums"
[ "$(ls "$dir/bin" | wc -l)" -eq "$(wc -l <"$dir/sums")" ]
[ "$(cut -d' ' -f1 "$dir/sums" | sort -u | wc -l)" -eq 1 ]
