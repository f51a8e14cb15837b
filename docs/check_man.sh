#!/bin/sh
# SPDX-License-Identifier: MIT
# check_man.sh FOLDER PAGE|FOLDER...: groff formats each page without a warning, and every page has what a reader looks
# for first. The compressed pages of a folder are those of functions. Skipped (77) where there is no groff.
set -eu
folder=$1
shift
command -v groff >/dev/null || { echo "skipped: there is no groff"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# check PAGE SECTION...: standard input is the page.
check() {
    name=$1
    shift
    warnings=$(groff -b -ww -man -Tutf8 -Kutf8 -P-cbou 2>&1 >"$out")
    [ -z "$warnings" ] || { echo "$name: $warnings"; exit 1; }
    for section; do
        grep -q "^$section\$" "$out" || { echo "$name: it has no section $section"; exit 1; }
    done
}
for page; do
    if [ -d "$folder/$page" ]; then
        for file in "$folder/$page"/*.gz; do
            case $(zcat "$file") in
                .so*) ;;
                *) zcat "$file" | check "$file" NAME SYNOPSIS DESCRIPTION ;;
            esac
        done
        echo "$page: $(ls "$folder/$page" | wc -l) pages"
        continue
    fi
    content=OPTIONS
    case $page in *.3) content=FUNCTIONS ;; esac
    check "$page" NAME SYNOPSIS DESCRIPTION $content <"$folder/$page"
    echo "$page: $(wc -l <"$out") lines"
done
