#!/bin/sh
# SPDX-License-Identifier: MIT
# check_man.sh FOLDER PAGE...: groff formats each page without a warning, and every page has what a reader looks for
# first. Skipped (77) where there is no groff.
set -eu
folder=$1
shift
command -v groff >/dev/null || { echo "skipped: there is no groff"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for page; do
    warnings=$(groff -b -ww -man -Tutf8 -Kutf8 -P-cbou "$folder/$page" 2>&1 >"$out")
    [ -z "$warnings" ] || { echo "$page: $warnings"; exit 1; }
    content=OPTIONS
    case $page in *.3) content=FUNCTIONS ;; esac
    for section in NAME SYNOPSIS DESCRIPTION $content; do
        grep -q "^$section\$" "$out" || { echo "$page: it has no section $section"; exit 1; }
    done
    echo "$page: $(wc -l <"$out") lines"
done
