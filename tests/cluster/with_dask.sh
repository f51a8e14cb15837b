#!/bin/sh
# SPDX-License-Identifier: MIT
# with_dask.sh ARGUMENTS...: runs the Python that has Dask, $GF_DASK; 77 and a sentence where there is none.
if ! "$GF_DASK" -c 'import dask.array, distributed' 2>/dev/null; then
    echo "skipped: $GF_DASK has no Dask; scripts/deps --cluster installs it"
    exit 77
fi
exec "$GF_DASK" "$@"
