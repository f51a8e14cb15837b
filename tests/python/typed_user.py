# SPDX-License-Identifier: MIT
"""A program of a user, without an error of type. test_types.py has it checked, and reads what the checker reveals at
the lines with a comment."""
import asyncio
from typing import Any

import gpufilter as gf
import numpy as np
from gpufilter import cv, ndimage
from numpy.typing import NDArray


def blurred(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    out = gf.empty(picture.shape, np.uint8)
    gf.gaussian(picture, sigma=(3, 1), border="wrap", out=out)
    return gf.gaussian(out, sigma=2)


def on_the_device(picture: NDArray[np.float32]) -> gf.DeviceArray:
    on = gf.to_device(picture)
    return gf.sobel(gf.gaussian(on, 2), "dx")


def counted(picture: NDArray[np.uint8]) -> NDArray[np.int64]:
    return gf.argsort(picture, axis=0)


def arrays(picture: NDArray[np.uint16]) -> None:
    reveal_type(gf.median(picture))  # ndarray of uint16
    reveal_type(gf.sobel(picture))  # ndarray of float32
    reveal_type(gf.map(picture, dtype=np.uint8))  # ndarray of Any
    reveal_type(gf.label(picture > 9).labels)  # ndarray of int32
    reveal_type(gf.label(picture > 9).boxes)  # ndarray of int32
    reveal_type(gf.canny(picture))  # ndarray of uint8
    reveal_type(gf.empty((3, 4), np.float32))  # ndarray of float32
    reveal_type(gf.copy(gf.to_device(picture)))  # DeviceArray
    reveal_type(gf.box([[1, 2], [3, 4]]))  # ndarray of Any
    reveal_type(gf.reduce(picture, "mean", axis=(0, 1), keepdims=True))  # Any


def others(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    smooth = ndimage.gaussian_filter(picture, (2, 1), mode="mirror")
    edges = cv.Sobel(cv.GaussianBlur(picture, (5, 5), 1), cv.CV_16S, 1, 0, borderType=cv.BORDER_REFLECT)
    parts: list[gf.Partial] = [gf.partial("reduce op=max", smooth, start=0)]
    print(gf.merge_partials(parts), gf.reach("box size=3").left, edges.shape)
    with gf.Client(device="cpu", deadline=10) as client:
        made: NDArray[np.uint8] = client.run("gaussian sigma=2", picture)
        print(client.times().total, [device.name for device in client.devices()], client.server, client.closed)
    return gf.pipe(made).gaussian(2).histogram(64).run().counts  # type: ignore[no-any-return]


async def later(picture: NDArray[Any]) -> None:
    future = gf.submit(gf.gaussian, picture, sigma=2)
    print(await future, future.done(), await gf.submit("box | sobel", picture))


asyncio.run(later(np.zeros((4, 4), np.uint8)))
try:
    gf.expr(np.zeros((4, 4)), "param k = 1.0; a*k", {"k": 2})
except gf.Error as error:
    print(error.status_name, error.retry)
