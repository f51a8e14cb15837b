# SPDX-License-Identifier: MIT
"""Writes arrays as PNG files, for the samples of this folder; needs numpy alone."""
import struct
import zlib

import numpy as np


def save(path, picture):
    """Writes a picture (rows, columns) or (rows, columns, 3) of uint8."""
    rows = np.pad(picture.reshape(len(picture), -1), ((0, 0), (1, 0)))  # each row begins with its filter: none
    head = struct.pack(">2I5B", picture.shape[1], picture.shape[0], 8, 2 if picture.ndim == 3 else 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in (b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""):
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))
