#!/bin/sh
# SPDX-License-Identifier: MIT
# with_python.sh PYTHON ARGUMENTS...: runs the Python of an environment; exits with 77 and a message without one.
if [ ! -x "$1" ]; then
    echo "skipped: there is no $1; scripts/deps --test --cluster makes it where PyPI can be reached"
    exit 77
fi
exec "$@"
