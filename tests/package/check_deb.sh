#!/bin/sh
# SPDX-License-Identifier: MIT
# check_deb.sh SOURCE BUILD VERSION: makes the Debian packages of this build and checks that together they have the files
# of a plain install, each once, and that neither the umask nor the time is in them. Skipped (77) without the tools, and
# where the build is not as packages have it. scripts/package-check installs the packages; scripts/reproducible builds
# them twice.
set -eu
source=$1 build=$2 version=$3
list=$source/tests/package/installed.txt
for tool in dh dh_python3 dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "skipped: no $tool on this machine"; exit 77; }
done
[ -e "$build/bin/gpufilterd-metrics" ] || { echo "skipped: this build has no gpufilterd-metrics, as packages do"; exit 77; }
grep -q '^CMAKE_INSTALL_PREFIX:[A-Z]*=/usr$' "$build/CMakeCache.txt" ||
    { echo "skipped: the prefix of this build is not /usr, as a preset's is"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
umask 077
unset SOURCE_DATE_EPOCH
DPKG_DEB_COMPRESSOR_TYPE=none "$source/scripts/debs" "$build" "$dir"
fail() {
    echo "check_deb: $*" >&2
    exit 1
}
deb() { # PACKAGE: its file
    ls "$dir/${1}_$version"-*.deb
}
has() { # PACKAGE FIELD WORD...: the field of the package names the words
    package=$1 field=$2
    text=$(dpkg-deb -f "$(deb "$1")" "$2")
    shift 2
    for word; do
        case $text in *"$word"*) ;; *) fail "$package: no $word in $field: $text" ;; esac
    done
}

made=$(sed -n 's/^ -- .*>  //p' "$source/debian/changelog" | head -n 1)
parts=$(LC_ALL=C TZ=UTC date -d "$made" '+%b %e %R %Y')
made=$(TZ=UTC date -d "$made" '+%F %R')
packages='gpufilterd gpufilterd-doc gpufilter-client libgpufilterclient0 libgpufilterimage0 libgpufilterclient-dev
    python3-gpufilter'
with_debug='gpufilterd gpufilter-client libgpufilterclient0 libgpufilterimage0'
without=$(mktemp -p "$dir") # the marks of files that this build lacks
if [ -e "$build/bin/gpufilterd-worker-cuda" ]; then
    packages="$packages gpufilterd-cuda" with_debug="$with_debug gpufilterd-cuda"
    has gpufilterd-cuda Depends "gpufilterd (= $version-" libc6
    dpkg-deb -c "$(deb gpufilterd-cuda)" >"$dir/files"
    grep -q '/gpufilterd-worker@\.service$' "$dir/files" || fail "no unit in gpufilterd-cuda"
else
    echo ' (CUDA)' >>"$without"
fi
# shellcheck disable=SC2086 # a list of words
[ "$(ls "$dir"/*.deb | wc -l)" -eq "$(echo $packages $with_debug | wc -w)" ] ||
    fail "other packages than $packages, and debug information of $with_debug: $(ls "$dir")"
for stripped in $with_debug; do
    dpkg-deb -x "$(deb "$stripped")" "$dir/stripped"
    dpkg-deb -x "$(deb "$stripped-dbgsym")" "$dir/debug"
    has "$stripped-dbgsym" Depends "$stripped (= $version-"
    has "$stripped-dbgsym" Auto-Built-Package debug-symbols
    find "$dir/stripped" -type f | while read -r program; do
        [ "$(head -c 4 "$program" | od -An -tx1)" = ' 7f 45 4c 46' ] || continue
        readelf -SW "$program" >"$dir/sections"
        ! grep -qE '\.(comment|debug_[a-z]*|symtab) ' "$dir/sections" || fail "$program is not stripped"
        id=$(readelf -n "$program" | sed -n 's/^ *Build ID: *//p')
        debug=$(find "$dir/debug" -path "*/${id%"${id#??}"}/${id#??}.debug")
        readelf -SW "$debug" 2>/dev/null | grep -q ' \.debug_info ' || fail "$program: no debug information in $stripped-dbgsym"
        echo "$program" >>"$dir/programs"
    done
    [ -s "$dir/programs" ] || fail "$stripped has no programs"
    rm -r "$dir/stripped" "$dir/debug" "$dir/programs"
done
dpkg-deb -x "$(deb libgpufilterclient-dev)" "$dir/dev"
find "$dir/dev" -name 'lib*.a' >"$dir/archives"
[ "$(wc -l <"$dir/archives")" -eq 2 ] || fail "other static libraries than two: $(cat "$dir/archives")"
while read -r archive; do
    nm "$archive" | grep -q ' T gpufilter_' || fail "$archive defines no function of the library"
done <"$dir/archives"
rm -r "$dir/dev" "$dir/archives"
# shellcheck disable=SC2086
for package in $packages $(printf '%s-dbgsym ' $with_debug); do
    TZ=UTC ar tv "$(deb "$package")" | grep -v "^rw-r--r-- 0/0 .* $parts " && fail "$package: parts by umask, or of a time"
    TZ=UTC dpkg-deb -c "$(deb "$package")" >"$dir/entries"
    grep -v '^d' "$dir/entries" >"$dir/files"
    awk '/^d/ && $1 != "drwxr-xr-x" { print; bad = 1 } END { exit bad }' "$dir/entries" || fail "$package: folders by umask"
    awk -v made="$made" '$4 " " $5 != made { print; bad = 1 } END { exit bad }' "$dir/entries" ||
        fail "$package: other times than the change log's, $made"
    awk '$2 != "root/root" { print; bad = 1 } END { exit bad }' "$dir/files" || fail "$package: files of others"
    has "$package" Version "$version-"
    has "$package" Maintainer @
    echo "$package: $(wc -l <"$dir/files") files, $(stat -c %s "$(deb "$package")") bytes"
    case $package in *-dbgsym) continue ;; esac
    for name in copyright sbom.spdx.json changelog.Debian.gz changelog.gz; do
        grep -q "/share/doc/$package/$name\$" "$dir/files" || fail "$package has no $name"
    done
    # What no plain install has: what each package says of itself and to lintian, the configuration, which dpkg looks
    # after, and the Python package, which pip installs elsewhere.
    grep -v -e '/changelog.gz$' -e '/changelog.Debian.gz$' -e ' \./etc/gpufilter/gpufilterd.conf$' \
        -e '/lintian/overrides/' -e '/dist-packages/' "$dir/files" |
        { [ "$package" = gpufilterd ] && cat || grep -v -e '/copyright$' -e '/sbom.spdx.json$' || :; } >>"$dir/all"
    summary=$(dpkg-deb -f "$(deb "$package")" Description | head -n 1)
    [ ${#summary} -gt 20 ] && [ ${#summary} -lt 80 ] || fail "$package: its summary is '$summary'"
done
twice=$(awk '{ print $6 }' "$dir/all" | sort | uniq -d)
[ -z "$twice" ] || fail "in two packages: $twice"
wanted=$(grep -cvFf "$without" "$list")
found=$(sed 's#/man3/gpufilter_[a-z0-9_]*\.3\.gz.*#/man3/gpufilter_*.3.gz#; s#.* \./#./#' "$dir/all" | sort -u | wc -l)
[ "$found" -eq "$wanted" ] || fail "$found files instead of $wanted"
# Without its library an optional part would be left out of the packages in silence.
sed -n '/^to_build=/,/^plugins=/p' "$source/scripts/deps" | grep -o 'lib[a-z0-9-]*-dev' | grep -v cmocka >"$dir/libraries"
[ "$(wc -l <"$dir/libraries")" -ge 12 ]
while read -r library; do
    grep -qE "^ $library( |,)" "$source/debian/control" || fail "scripts/deps has $library, debian/control has not"
done <"$dir/libraries"
sed '1,/^License: /d; s/^ //; s/^\.$//' "$source/debian/copyright" >"$dir/licence"
sed 1,4d "$source/LICENSE" | diff - "$dir/licence" || fail "debian/copyright has another licence than LICENSE"
head -n 1 "$source/debian/changelog" | grep -q "^gpufilterd ($version-" ||
    fail "debian/changelog begins with another version than $version"

has gpufilterd Depends systemd libc6 libuv1 libinih1 libmicrohttpd12
has gpufilter-client Depends libc6 libspng0
has python3-gpufilter Depends python3 python3-numpy "libgpufilterclient0 (>= $version)"
for package in gpufilterd-doc python3-gpufilter; do has $package Architecture all; done
dpkg-deb --fsys-tarfile "$(deb python3-gpufilter)" | tar -t >"$dir/python"
for name in _ops.py __init__.py py.typed; do
    grep -q "/lib/python3/dist-packages/gpufilter/$name\$" "$dir/python" || fail "python3-gpufilter has no $name"
done
for library in libgpufilterclient0 libgpufilterimage0; do
    dpkg-deb -e "$(deb $library)" "$dir/scripts.$library"
    ! ls "$dir/scripts.$library" | grep -E 'postinst|postrm' || fail "$library has scripts beside its trigger"
done
has libgpufilterimage0 Depends libc6 libspng0
has libgpufilterclient-dev Depends "libgpufilterclient0 (= $version-" "libgpufilterimage0 (= $version-"
more=$(dpkg-deb -f "$(deb libgpufilterclient0)" Depends | tr ',' '\n' | grep -v '^ *libc6 ' || :)
[ -z "$more" ] || fail "the library depends on more than the C library: $more"
for name in client image; do
    library=libgpufilter${name}0
    {
        printf '%s\n' "libgpufilter$name.so.0 $library #MINVER#" '* Build-Depends-Package: libgpufilterclient-dev'
        nm -D --defined-only --with-symbol-versions "$(find "$build/client" -name "libgpufilter$name.so.0")" |
            sed -n 's/@@/@/; s/^[0-9a-f]* A \(.*\)/ \1@\1 0.1.0/p; s/^[0-9a-f]* T \(.*\)/ \1 0.1.0/p' | LC_ALL=C sort
    } >"$dir/symbols"
    diff -u "$dir/symbols" "$dir/scripts.$library/symbols"
    grep -qx "libgpufilter$name 0 $library (>= $version)" "$dir/scripts.$library/shlibs" || fail "$library: other shlibs"
done
dpkg-deb -e "$(deb gpufilterd)" "$dir/control"
[ "$(cat "$dir/control/conffiles")" = /etc/gpufilter/gpufilterd.conf ] || fail "the configuration is no conffile"
for word in systemd-sysusers systemd-tmpfiles; do
    grep -q "^[[:space:]]*$word .*gpufilter.conf" "$dir/control/postinst" || fail "postinst does not run $word"
done
for script in postinst prerm postrm; do
    [ -x "$dir/control/$script" ] && sh -n "$dir/control/$script" || fail "$script cannot be run"
done
