# SPDX-License-Identifier: MIT
# %% [markdown]
# # A photograph
# An evening at a lake, pale and with film grain, is denoised, stretched and sharpened, gets a glow, and is measured.
# A notebook as a script: editors run it cell by cell; `photograph.py [FOLDER]` runs it all and leaves a picture in
# FOLDER (out).

# %%
import asyncio
import os
import sys

import gpufilter as gf
import numpy as np
from pictures import save

FOLDER = sys.argv[1] if len(sys.argv) == 2 else "out"
os.makedirs(FOLDER, exist_ok=True)

# %% [markdown]
# ## The picture
# Sky, sun, ridges one behind the other, and the lake that reflects them. The picture lies in memory shared with the
# daemon, so no call copies it.

# %%
WIDTH, HEIGHT, SHORE = 1200, 800, 520
random = np.random.default_rng(3)
y, x = np.mgrid[:SHORE, :WIDTH].astype(np.float32)
down = (y / SHORE)[..., None]
scene = np.float32([70, 95, 150]) * (1 - down) + np.float32([235, 150, 95]) * down
sun = np.hypot(x - 860, y - 330)
scene += np.exp(-sun / 60)[..., None] * np.float32([150, 120, 60])
for ridge in range(4):
    walk = np.interp(np.arange(WIDTH), np.arange(0, WIDTH + 1, 8), random.normal(0, 5 + ridge, WIDTH // 8 + 1).cumsum())
    top = 360 + 35 * ridge + walk - np.linspace(walk[0], walk[-1], WIDTH)
    scene[y > top] = np.float32([105, 85, 105]) * (1 - 0.22 * ridge) + np.float32([20, 8, 0])
lake = scene[::-1][: HEIGHT - SHORE] * np.float32(0.75) + np.float32([0, 6, 14])
photograph = gf.empty((HEIGHT, WIDTH, 3), np.uint8)
grain = random.normal(0, 6, (HEIGHT, WIDTH, 1))
photograph[:] = (45 + 0.6 * np.vstack([scene, lake]) + grain).clip(0, 255)

# %% [markdown]
# ## Developing it
# The brightness of all but a few pixels is stretched over the full range; the ratios of the colours are kept.
# One request of three steps denoises, stretches and sharpens. Blurring averages samples as light (`light="linear"`), as
# a lens does.

# %%
below = gf.histogram(photograph, channels="luma", cumulative=True).counts
black, white = (int(np.searchsorted(below, part * below[-1])) for part in (0.002, 0.998))
scale = 250 / (white - black)
develop = gf.pipe(photograph).gaussian(1.2, light="linear")
develop = develop.map(scale, -black * scale).unsharp(2, amount=0.6, threshold=8)
print(develop.text)
developed = develop.run()
assert gf.default_client().times().n_copied == 0
print("on", gf.default_client().times().device)

# %% [markdown]
# The same steps as single calls give the same bits.

# %%
step = gf.map(gf.gaussian(photograph, 1.2, light="linear"), scale, -black * scale)
step = gf.unsharp(step, 2, amount=0.6, threshold=8)
assert gf.compare(developed, step).counts[:, 1].sum() == 0

# %% [markdown]
# ## A glow
# The picture stays on the device while it is blurred and blended with the blurred copy.

# %%
on = gf.to_device(developed)
glow = gf.combine(on, gf.gaussian(on, sigma=18, light="linear"), a=0.65, b=0.4).numpy()

# %% [markdown]
# ## Several at once
# Edges of several scales, submitted together; asyncio waits for them.

# %%
async def edges(picture, sigmas):
    luma = np.ascontiguousarray(picture[:, :, 1])
    return await asyncio.gather(*[gf.submit(f"gaussian sigma={s} | sobel scale=2 dtype=u8", luma) for s in sigmas])


found = asyncio.run(edges(developed, (1, 2, 4)))
for sigma, picture in zip((1, 2, 4), found):
    print(f"edges of sigma {sigma}: mean {gf.reduce(picture, 'mean'):.2f}")
assert gf.reduce(found[0], "mean") > gf.reduce(found[2], "mean")

# %% [markdown]
# ## What changed
# The range of the tones, before and after.

# %%
for name, picture in ("taken", photograph), ("developed", developed):
    counts = gf.histogram(picture, bins=16, channels="luma").counts
    tones = "".join(" .:-=+*#"[min(7, int(8 * count / counts.max() + 0.9))] for count in counts)
    low, high = gf.stats(picture).range.T
    print(f"{name:10} |{tones}|  channels from {low} to {high}")
assert (gf.stats(developed).reals[:, 2] > 1.3 * gf.stats(photograph).reals[:, 2]).all()

edge_picture = np.repeat(found[1][..., None], 3, axis=2)
save(os.path.join(FOLDER, "photograph.png"),
     np.vstack([np.hstack([photograph, developed]), np.hstack([glow, edge_picture])]))
