# SPDX-License-Identifier: MIT
"""Runs a program with gpufilter.ndimage in the place of scipy.ndimage, its own calls and those of other packages:

    python3 -m gpufilter.instead_of_scipy SCRIPT [ARGUMENT...]

See gpufilter.ndimage.replace_scipy."""
import os
import runpy
import sys

from . import ndimage


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python3 -m gpufilter.instead_of_scipy SCRIPT [ARGUMENT...]")
    if not os.path.exists(sys.argv[1]):
        sys.exit(f"gpufilter.instead_of_scipy: there is no {sys.argv[1]}")
    ndimage.replace_scipy()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
