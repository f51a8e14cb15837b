# SPDX-License-Identifier: MIT
"""OpenCV's functions of channels: conversions of colours and of video, merging and splitting. Used by cv.py."""
import numpy as np

from . import _calls, _cv_lab, _ops
from ._arguments import whole_of
from ._cv_arguments import array_of, channels_of, list_of, picture_of, with_channels
from ._cv_constants import *  # noqa: F403

__all__ = ["cvtColor", "cvtColorTwoPlane", "merge", "split", "transform"]

_SWAP = "merge order=3,2,1"
_ORDERS = {  # code: (channels of src, order of gpufilter.merge)
    0: (3, "1,2,3,0"), 1: (4, "1,2,3"), 2: (3, "3,2,1,0"), 3: (4, "3,2,1"), 4: (3, "3,2,1"), 5: (4, "3,2,1,4"),
    COLOR_GRAY2BGR: (1, "1,1,1"), COLOR_GRAY2BGRA: (1, "1,1,1,0")}
_COLOURS = {  # code: (channels of src, steps)
    COLOR_RGB2GRAY: ((3,), "gray"), COLOR_BGR2GRAY: ((3,), f"{_SWAP} | gray"),
    COLOR_RGBA2GRAY: ((4,), "gray alpha=drop"), COLOR_BGRA2GRAY: ((4,), f"{_SWAP} | gray"),
    COLOR_RGB2YCrCb: ((3, 4), "ycbcr alpha=drop | merge order=1,3,2"),
    COLOR_BGR2YCrCb: ((3, 4), f"{_SWAP} | ycbcr | merge order=1,3,2"),
    COLOR_YCrCb2RGB: ((3,), "merge order=1,3,2 | rgb"), COLOR_YCrCb2BGR: ((3,), f"merge order=1,3,2 | rgb | {_SWAP}"),
    COLOR_RGB2HSV: ((3, 4), "hsv alpha=drop turn={turn}"), COLOR_BGR2HSV: ((3, 4), _SWAP + " | hsv turn={turn}"),
    COLOR_HSV2RGB: ((3,), "rgb model=hsv turn={turn}"), COLOR_HSV2BGR: ((3,), "rgb model=hsv turn={turn} | " + _SWAP)}
_FULL_TURN = {COLOR_RGB2HSV_FULL: COLOR_RGB2HSV, COLOR_BGR2HSV_FULL: COLOR_BGR2HSV,
              COLOR_HSV2RGB_FULL: COLOR_HSV2RGB, COLOR_HSV2BGR_FULL: COLOR_HSV2BGR}
_LAB = {COLOR_RGB2Lab: lambda: _cv_lab.to_lab(False), COLOR_BGR2Lab: lambda: _cv_lab.to_lab(True),
        COLOR_Lab2RGB: lambda: _cv_lab.from_lab(False), COLOR_Lab2BGR: lambda: _cv_lab.from_lab(True)}
_PAIRS = {COLOR_YUV2RGB_NV12: "", COLOR_YUV2BGR_NV12: "3,2,1", COLOR_YUV2RGB_NV21: "", COLOR_YUV2BGR_NV21: "3,2,1"}
_PLANES = {COLOR_YUV2RGB_YV12: "", COLOR_YUV2BGR_YV12: "3,2,1", COLOR_YUV2RGB_I420: "", COLOR_YUV2BGR_I420: "3,2,1"}
_CR_FIRST = {COLOR_YUV2RGB_NV21, COLOR_YUV2BGR_NV21, COLOR_YUV2RGB_YV12, COLOR_YUV2BGR_YV12}
_TO_PLANES = range(127, 135)  # COLOR_RGB2YUV_I420 and the like


def _cb_first(pairs, code):
    return np.ascontiguousarray(pairs[:, :, ::-1]) if code in _CR_FIRST else pairs


def _from_video(name, order, planes, dst):
    if any(p.dtype != np.uint8 for p in planes):
        raise TypeError(f"{name}: src has dtype {', '.join(str(p.dtype) for p in planes)}; video takes uint8; "
                        "gpufilter.rgb420 takes uint16 and float32")
    arrays = [with_channels(p) for p in planes]
    refs = "chroma=@1" + " cr=@2" * (len(arrays) == 3)
    text = f"rgb420 {refs}" + (f" | merge order={order}" if order else "")
    return _calls.default_client().run(text, *arrays, out=dst, channel_axis=-1)


def _from_frame(src, code, dst):
    """A frame with its planes below each other: 3/2 times as high as the picture."""
    name = "cvtColor"
    src = array_of(name, "src", src)
    if src.ndim != 2 or src.shape[0] % 3 or src.shape[1] % 2 or src.size == 0:
        raise ValueError(f"{name}: src has shape {src.shape}; code={code} takes (H * 3 / 2, W), H and W even; "
                         "gpufilter.rgb420 takes planes of any size")
    height, width = src.shape[0] * 2 // 3, src.shape[1]
    chroma = np.ascontiguousarray(src[height:])
    if code in _PAIRS:
        planes = [_cb_first(chroma.reshape(height // 2, width // 2, 2), code)]
    else:
        planes = list(chroma.reshape(2, height // 2, width // 2))[::-1 if code in _CR_FIRST else 1]
    return _from_video(name, {**_PAIRS, **_PLANES}[code], [src[:height], *planes], dst)


def cvtColorTwoPlane(src1, src2, code, dst=None):
    """gpufilter.rgb420 for NV12 and NV21: Y, and pairs of half the sides. Like cvtColor."""
    name = "cvtColorTwoPlane"
    y, pairs, code = array_of(name, "src1", src1), array_of(name, "src2", src2), whole_of(name, "code", code)
    if code not in _PAIRS:
        raise NotImplementedError(f"{name}: code={code}; it takes COLOR_YUV2RGB_NV12, COLOR_YUV2BGR_NV12 and the same "
                                  "of NV21")
    if y.ndim != 2 or pairs.ndim != 3 or pairs.shape[2] != 2:
        raise ValueError(f"{name}: src1 has shape {y.shape}, src2 {pairs.shape}; they must be (H, W) and (H / 2, W / "
                         "2, 2)")
    return _from_video(name, _PAIRS[code], [y, _cb_first(pairs, code)], dst)


def cvtColor(src, code, dst=None, dstCn=0):
    """gpufilter.merge, gray, ycbcr, hsv, rgb and rgb420, by the constants COLOR_... of this module: between RGB and
    BGR, with or without alpha, grey, YCrCb, HSV and Lab, and from video (NV12, NV21, I420, YV12). Integers may differ
    from OpenCV's by what numerics.md of gpufilterd-doc says, because OpenCV has fixed-point weights; Lab, and channels
    that only move, do not. HSV: uint8, float32; Lab: uint8."""
    name = "cvtColor"
    code, dstCn = whole_of(name, "code", code), whole_of(name, "dstCn", dstCn)
    if code in _PAIRS or code in _PLANES:
        if dstCn not in (0, 3):
            raise NotImplementedError(f"{name}: dstCn={dstCn}; code={code} gives 3")
        return _from_frame(src, code, dst)
    if code in _TO_PLANES:
        raise NotImplementedError(f"{name}: code={code}; OpenCV samples the chroma of one pixel of four; "
                                  "gpufilter.i420 takes their mean; on the host: cv2.cvtColor")
    src, axis = picture_of(name, src)
    if code in _LAB:
        return _lab(name, src, code, dst, dstCn)
    full = code in _FULL_TURN
    code = _FULL_TURN.get(code, code)
    if code not in _ORDERS and code not in _COLOURS:
        raise NotImplementedError(f"{name}: code={code}; allowed: the constants COLOR_... of gpufilter.cv; on the "
                                  "host: cv2.cvtColor")
    if code in _ORDERS:
        allowed, text = (_ORDERS[code][0],), f"merge order={_ORDERS[code][1]}"
    else:
        allowed, text = _COLOURS[code]
    channels = channels_of(src)
    if channels not in allowed:
        raise ValueError(f"{name}: src has {channels} channel{'s' * (channels > 1)}; code={code} takes "
                         + " or ".join(map(str, allowed)))
    if "turn" in text and src.dtype not in (np.uint8, np.float32):
        raise TypeError(f"{name}: src has dtype {src.dtype}; HSV takes uint8 and float32; gpufilter.hsv takes uint16")
    made = len(_ORDERS[code][1].split(",")) if code in _ORDERS else 1 if "gray" in text else 3
    if dstCn not in (0, made):
        raise NotImplementedError(f"{name}: dstCn={dstCn}; code={code} gives {made}")
    whole = 256 if text.startswith(("hsv", _SWAP)) else 255  # a full turn in OpenCV's bytes, to HSV and back
    turn = 360 if src.dtype == np.float32 else whole if full else 180
    return _calls.default_client().run(text.format(turn=turn), src, out=dst, channel_axis=axis)


def _lab(name, src, code, dst, dstCn):
    allowed = (3, 4) if code in (COLOR_RGB2Lab, COLOR_BGR2Lab) else (3,)
    if src.dtype != np.uint8 or channels_of(src) not in allowed:
        raise TypeError(f"{name}: src has shape {src.shape} and dtype {src.dtype}; code={code} takes uint8 of "
                        f"{' or '.join(map(str, allowed))} channels; on the host: cv2.cvtColor")
    if dstCn not in (0, 3):
        raise NotImplementedError(f"{name}: dstCn={dstCn}; code={code} gives 3")
    text, tables = _LAB[code]()
    return _calls.default_client().run(text, src, *tables, out=dst, channel_axis=-1)


def merge(mv, dst=None):
    """gpufilter.merge of up to four pictures, with up to 4 channels in total."""
    pictures = [picture_of("merge", p, f"mv[{i}]")[0] for i, p in enumerate(list_of("merge", "mv", mv))]
    if not 1 <= len(pictures) <= 4:
        raise ValueError(f"merge: mv has {len(pictures)} pictures; it takes 1 to 4")
    pictures = [with_channels(p) for p in pictures]
    if len(pictures) == channels_of(pictures[0]) == 1:
        return _ops.copy(pictures[0][:, :, 0], out=dst, channel_axis=None)
    return _ops.merge(pictures[0], **{f"src{i + 1}": p for i, p in enumerate(pictures) if i}, out=dst, channel_axis=-1)


def split(m, mv=None):
    """gpufilter.copy of each channel; a tuple of arrays of shape (H, W)."""
    if mv is not None:
        raise NotImplementedError("split: mv; the arrays are made here")
    m = with_channels(picture_of("split", m, "m")[0])
    return tuple(_ops.copy(m, channel=c + 1, channel_axis=-1).reshape(m.shape[:2]) for c in range(channels_of(m)))


def transform(src, m, dst=None):
    """gpufilter.matrix: m has a row per channel of the result, up to 4, a column per channel of src, and an optional
    column of offsets. In float32, rounded once."""
    name = "transform"
    src, axis = picture_of(name, src)
    m, channels = array_of(name, "m", m), channels_of(src)
    if m.ndim != 2 or m.dtype.kind not in "iuf" or not 1 <= m.shape[0] <= 4 or m.shape[1] - channels not in (0, 1):
        raise ValueError(f"{name}: m has shape {m.shape} and dtype {m.dtype} for {channels} channels; it must be "
                         f"numbers of 1 to 4 rows and {channels} or {channels + 1} columns")
    return _ops.matrix(src, m.astype(np.float32), out=dst, channel_axis=axis)
