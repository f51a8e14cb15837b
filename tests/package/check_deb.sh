#!/bin/sh
# SPDX-License-Identifier: MIT
# check_deb.sh CPACK BUILD INSTALLED.TXT VERSION: makes the Debian packages of this build and checks that together they
# have the files of a plain install, each once, and that neither the umask nor the time is in them. Skipped (77) without
# the tools. scripts/package-check installs the packages; scripts/reproducible builds them twice.
set -eu
cpack=$1 build=$2 list=$3 version=$4
for tool in dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null || { echo "skipped: no $tool on this machine"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
umask 077
unset SOURCE_DATE_EPOCH
"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$dir" >"$dir/log" || { cat "$dir/log"; exit 1; }
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

made=$(gzip -dc "$build/compressed/changelog.gz" | sed -n 's/^ -- .*>  //p' | head -n 1)
parts=$(LC_ALL=C TZ=UTC date -d "$made" '+%b %e %R %Y')
made=$(TZ=UTC date -d "$made" '+%F %R')
packages='gpufilterd gpufilterd-doc gpufilter-client libgpufilterclient0 libgpufilterimage0 libgpufilterclient-dev
    python3-gpufilter'
with_debug='gpufilterd gpufilter-client libgpufilterclient0 libgpufilterimage0'
without=$(mktemp -p "$dir") # the marks of files that this build lacks
[ -e "$build/bin/gpufilterd-metrics" ] || echo ' (HTTP)' >>"$without"
if [ -e "$build/bin/gpufilterd-worker-cuda" ]; then
    packages="$packages gpufilterd-cuda" with_debug="$with_debug gpufilterd-cuda"
    has gpufilterd-cuda Depends "gpufilterd (= $version-" libc6
    dpkg-deb -c "$(deb gpufilterd-cuda)" | grep -q '/gpufilterd-worker@\.service$' || fail "no unit in gpufilterd-cuda"
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
    for name in copyright sbom.spdx.json changelog.Debian.gz NEWS.md.gz; do
        grep -q "/share/doc/$package/$name\$" "$dir/files" || fail "$package has no $name"
    done
    # What no plain install has: what each package says of itself, the configuration, which dpkg looks after, and the
    # Python package, which pip installs elsewhere.
    grep -v -e '/NEWS.md.gz$' -e '/changelog.Debian.gz$' -e ' \./etc/gpufilter/gpufilterd.conf$' \
        -e '/lintian/overrides/' -e '/dist-packages/' "$dir/files" |
        { [ "$package" = gpufilterd ] && cat || grep -v -e '/copyright$' -e '/sbom.spdx.json$' || :; } >>"$dir/all"
    summary=$(dpkg-deb -f "$(deb "$package")" Description | head -n 1)
    [ ${#summary} -gt 20 ] && [ ${#summary} -lt 80 ] || fail "$package: its summary is '$summary'"
done
twice=$(awk '{ print $6 }' "$dir/all" | sort | uniq -d)
[ -z "$twice" ] || fail "in two packages: $twice"
wanted=$(grep -cvFf "$without" "$list")
found=$(sed 's#/man3/gpufilter_[a-z0-9_]*\.3#/man3/gpufilter_*.3#; s#.* \./#./#' "$dir/all" | sort -u | wc -l)
[ "$found" -eq "$wanted" ] || fail "$found files instead of $wanted"
gzip -dc "$build/compressed/changelog.gz" | head -n 1 | grep -q "^gpufilterd ($version-" ||
    fail "cmake/debian/changelog begins with another version than $version"

has gpufilterd Depends systemd libc6 libuv1 libinih1
[ ! -e "$build/bin/gpufilterd-metrics" ] || has gpufilterd Depends libmicrohttpd12
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
dpkg-deb -e "$(deb libgpufilterclient0)" "$dir/library"
cmp "$dir/library/symbols" "$build/debian/symbols"
dpkg-deb -e "$(deb libgpufilterimage0)" "$dir/image"
cmp "$dir/image/symbols" "$build/debian/image/symbols"
dpkg-deb -e "$(deb gpufilterd)" "$dir/control"
[ "$(cat "$dir/control/conffiles")" = /etc/gpufilter/gpufilterd.conf ] || fail "the configuration is no conffile"
for word in systemd-sysusers systemd-tmpfiles; do
    grep -q "^ *$word .*gpufilter.conf" "$dir/control/postinst" || fail "postinst does not run $word"
done
for script in postinst prerm postrm; do
    [ -x "$dir/control/$script" ] && sh -n "$dir/control/$script" || fail "$script cannot be run"
done
