#!/bin/sh
# SPDX-License-Identifier: MIT
# with_python.sh PYTHON ARGUMENTS...: runs a Python of an environment; 77 and a sentence where there is none.
if [ ! -x "$1" ]; then
    echo "skipped: there is no $1; scripts/deps --test --cluster makes it where PyPI can be reached"
    exit 77
fi
exec "$@"
