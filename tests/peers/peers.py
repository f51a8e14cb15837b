#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares results with NumPy, SciPy, OpenCV and Pillow and prints a table: exactly, within a bound, or different on purpose.
Needs $GPUFILTER_SOCKET and $GF_CLIENT; ends with 77 where a package is missing. Run by ctest under with_daemon.sh."""
import sys

try:
    import cv2
    import numpy as np
    import scipy
    import PIL
except ImportError as missing:
    print("skipped: %s; install python3-numpy, python3-pil, python3-scipy and python3-opencv" % missing)
    sys.exit(77)

from arrays import histograms, joint, orders, products, quantiles, reductions, scans, selections
from colours import colours, halves, tones, video
from filters import bilaterals, blurs, edges, kernels, masks, ranks, shapes, signed
from geometry import places, pyramids, sizes
from regions import canny_edges, distances, labels, matches
from support import Table


def main():
    print("numpy %s, scipy %s, OpenCV %s, Pillow %s" % (np.__version__, scipy.__version__, cv2.__version__,
                                                        PIL.__version__))
    t = Table()
    for part in (masks, blurs, places, edges, signed, halves, histograms, tones, reductions, quantiles, joint, scans,
                 selections, colours, video, sizes, pyramids, labels, distances, canny_edges, matches, ranks, orders,
                 shapes, bilaterals, products, kernels):
        part(t)
    t.show()
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
