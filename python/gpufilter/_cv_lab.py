# SPDX-License-Identifier: MIT
"""CIE L*a*b* of bytes, to the bit as OpenCV computes it: tables and sums of whole numbers, as steps of one request.
sRGB, white D65. Used by _cv_colours.py."""
import functools

import numpy as np

_ONE = 1 << 14  # of XYZ and of its cube roots, on the way back
_LEAST = -8145  # the first entry of the table of cubes
_TO_XYZ = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
_TO_RGB = np.array([[3.240479, -1.53715, -0.498535], [-0.969256, 1.875991, 0.041556], [0.055648, -0.204043, 1.057311]])
_WHITE = np.array([0.950456, 1, 1.088754])


def _weighted(rows, names, more, shift):
    """Sums of the named values by rows of weights, rounded to nearest and shifted."""
    return ["(" + " + ".join(f"{weight}*{name}" for weight, name in zip(row, names)) + f" + {more}) >> {shift}"
            for row in rows.tolist()]


def _long(table, dtype):
    """A table for uint16, whose last entries are not used."""
    made = np.zeros(65536, dtype)
    made[:len(table)] = table
    return made


@functools.cache
def to_lab(blue_first):
    """The text and the further operands that convert a picture of uint8."""
    level = np.arange(256) / 255
    linear = np.rint(2040 * np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4))
    share = np.arange(256 * 12) / 2040
    roots = np.where(share < 216 / 24389, share * 841 / 108 + 16 / 116, np.cbrt(share))
    roots = np.rint(np.float32(32768) * roots.astype(np.float32))
    weights = np.rint(4096 * _TO_XYZ / _WHITE[:, None]).astype(int)
    xyz = ", ".join(_weighted(weights, ["a[2]", "a[1]", "a[0]"] if blue_first else ["a[0]", "a[1]", "a[2]"], 2048, 12))
    lab = ("(296*a[1] - 1336934 + 16384) >> 15, (500*(a[0] - a[1]) + 4210688) >> 15, "
           "(200*(a[1] - a[2]) + 4210688) >> 15")
    return (f"map table=@1 dtype=u16 alpha=straight | expr expression='{xyz}' dtype=u16 alpha=straight | "
            f"map table=@2 dtype=u16 alpha=straight | expr expression='{lab}' dtype=u8 alpha=straight",
            [linear.astype(np.uint16), _long(roots, np.uint16)])


@functools.cache
def from_lab(blue_first):
    """The text and the further operands that convert a picture of uint8 back."""
    level = np.arange(256)
    root = 16 / 116 + level * 5 / (3 * 17 * 29)
    luminance = np.rint(_ONE * np.where(level <= 20, level * 180 / (17 * 24389), root ** 3))
    at = np.arange(_LEAST, _LEAST + _ONE * 9 // 4)
    cubes = np.where(at <= _ONE * 6 // 29, np.trunc(at * 108 / 841) - 290, at * at // _ONE * at // _ONE)
    share = (np.arange(4096).astype(np.float32) * np.float32(1 / 4096)).astype(float)
    levels = np.rint(255 * np.where(share <= 0.0031308, share * 12.92, 1.055 * share ** (1 / 2.4) - 0.055))
    weights = np.rint(4096 * _TO_RGB * _WHITE).astype(int)
    x = f"b + ((268435*a[1] + 128) >> 13) - 4194 - {_LEAST}"
    z = f"b - (((41943*a[2] + 16) >> 9) - 10484) - {_LEAST}"
    rgb = _weighted(weights[::-1] if blue_first else weights, ["i64(a[0])", "b", "i64(a[1])"], 8192, 14)
    rgb = ", ".join(f"clamp({v}, 0, 4095)" for v in rgb)
    return ("copy channel=1 | map table=@1 dtype=u16 | map src=#1 table=@2 dtype=u16 | "
            f"expr a=@0 b=#3 expression='{x}, {z}' dtype=u16 alpha=straight | map table=@3 dtype=f32 alpha=straight | "
            f"expr b=#2 expression='{rgb}' dtype=u16 alpha=straight | map table=@4 dtype=u8 alpha=straight",
            [luminance.astype(np.uint16), np.rint(_ONE * root).astype(np.uint16), _long(cubes, np.float32),
             _long(levels, np.uint8)])
