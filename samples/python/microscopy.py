# SPDX-License-Identifier: MIT
# %% [markdown]
# # A stack of microscopy pictures
# 24 planes through a layer of cells, as a fluorescence microscope takes them: blurred where they are out of focus,
# lit unevenly, noisy. The planes are cleaned, the best plane is found, and the nuclei are measured in a projection.
# A notebook as a script: editors run it cell by cell; `microscopy.py [FOLDER]` runs it all and leaves a picture in
# FOLDER (out).

# %%
import os
import sys

import gpufilter as gf
import numpy as np
from pictures import save

FOLDER = sys.argv[1] if len(sys.argv) == 2 else "out"
os.makedirs(FOLDER, exist_ok=True)

# %% [markdown]
# ## The pictures
# Discs of light, each at its own depth. The nearer a disc is to a plane, the sharper it is in the plane.

# %%
PLANES, SIDE, NUCLEI, IN_FOCUS = 24, 512, 60, 11
random = np.random.default_rng(7)
y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32)
truth = np.zeros((SIDE, SIDE), bool)
by_depth = np.zeros((PLANES, SIDE, SIDE), np.float32)
for _ in range(NUCLEI):
    cx, cy = random.uniform(12, SIDE - 12, 2)
    depth = int(np.clip(random.normal(IN_FOCUS, 1.5), 0, PLANES - 1))
    disc = (x - cx) ** 2 + ((y - cy) * random.uniform(0.8, 1.25)) ** 2 < random.uniform(7, 12) ** 2
    truth |= disc
    by_depth[depth] = np.maximum(by_depth[depth], disc * np.float32(random.uniform(3000, 5000)))

light = 2500 + 2000 * np.exp(-((x - 150) ** 2 + (y - 330) ** 2) / (2 * 200**2))
stack = np.empty((PLANES, SIDE, SIDE), np.uint16)
for plane in range(PLANES):
    field = light.copy()
    for depth in np.flatnonzero(by_depth.any(axis=(1, 2))):
        field += gf.gaussian(by_depth[depth], sigma=0.7 + 1.2 * abs(plane - depth))
    stack[plane] = random.normal(field, 4 * np.sqrt(field)).clip(0, 65535)

# %% [markdown]
# ## Cleaning
# One request for each plane, all in flight at once: blur the noise away, blur much more for the background, subtract.
# uint16 saturates, so samples darker than the background become 0. `#1` is the result of step 1.

# %%
clean = gf.run("gaussian sigma=1.5 | gaussian sigma=40 | combine src=#1 other=#2 b=-1", stack)
assert clean.shape == stack.shape and clean.dtype == np.uint16

# %% [markdown]
# ## The plane in focus
# In a sharp plane the second differences vary most.

# %%
focus = gf.stats(gf.laplacian(clean, dtype="f32")).reals[:, 1]
best = int(focus.argmax())
for plane in range(0, PLANES, 3):
    bar = "#" * int(40 * focus[plane] / focus.max())
    print(f"plane {plane:2}  variance of second differences {focus[plane]:9.1f}  {bar}")
print(f"in focus: plane {best}")
assert abs(best - IN_FOCUS) <= 2

# %% [markdown]
# ## The nuclei
# The brightest sample of all planes, found on the device: only the last result comes back. Otsu's method finds
# the threshold.

# %%
brightest = gf.to_device(clean[0])
for plane in clean[1:]:
    brightest = gf.combine(brightest, plane, "max")
projection = brightest.numpy()
assert (projection == clean.max(axis=0)).all()

mask = gf.threshold(projection)
nuclei = mask > 0
overlap = (nuclei & truth).sum() / (nuclei | truth).sum()
values = gf.select(projection[nuclei], lo=1).values
print(f"nuclei cover {gf.reduce(nuclei, 'mean'):.1%} of the field, in truth {truth.mean():.1%}; "
      f"they overlap by {overlap:.0%}")
print(f"their samples: {len(values)}, from {gf.reduce(values, 'min')} to {gf.reduce(values, 'max')}, "
      f"mean {gf.reduce(values, 'mean'):.0f}")
assert overlap > 0.75

# %% [markdown]
# ## The results
# A plane as it was taken, the cleaned plane, the projection, and the mask with its outline in red.

# %%
def bright(picture):
    """As uint8, over the full range."""
    return gf.map(gf.autocontrast(picture), dtype="u8", range="full")


outline = gf.laplacian(mask, dtype="i16") < 0
marked = np.repeat(bright(projection)[..., None], 3, axis=2)
marked[outline] = 255, 40, 40
quarters = [np.repeat(bright(p)[..., None], 3, axis=2) for p in (stack[best], clean[best], projection)] + [marked]
save(os.path.join(FOLDER, "microscopy.png"), np.vstack([np.hstack(quarters[:2]), np.hstack(quarters[2:])]))
