# SPDX-License-Identifier: MIT
# %% [markdown]
# # A series with coordinates
# Sea surface temperatures as an array of xarray: one map a day, with longitudes, latitudes and dates. `apply_ufunc`
# hands bare arrays to gpufilter and puts the coordinates back on the results. Needs xarray.

# %%
import gpufilter as gf
import numpy as np
import xarray as xr
from gpufilter import ndimage

DAYS, ROWS, COLUMNS = 20, 90, 180
random = np.random.default_rng(3)
days = np.datetime64("2026-06-01") + np.arange(DAYS)
latitude, longitude = np.linspace(-89, 89, ROWS), np.linspace(-179, 179, COLUMNS)
warmth = 28 * np.cos(np.deg2rad(latitude))[:, None] + np.zeros(COLUMNS)
sea = xr.DataArray((warmth + random.normal(0, 1.5, (DAYS, ROWS, COLUMNS))).astype(np.float32),
                   {"day": days, "latitude": latitude, "longitude": longitude}, ("day", "latitude", "longitude"),
                   name="temperature", attrs={"units": "°C"})

# %% [markdown]
# ## Maps stay maps
# The core dimensions are what the function filters; the others are a stack, whose requests are in flight together.
# The globe is closed along the longitudes alone, so `ndimage`, which has a border for each axis, fits here.

# %%
MAP = ["latitude", "longitude"]
smooth = xr.apply_ufunc(ndimage.gaussian_filter, sea, kwargs={"sigma": 2, "axes": (1, 2), "mode": ("nearest", "wrap")},
                        input_core_dims=[MAP], output_core_dims=[MAP], keep_attrs=True)
assert smooth.dims == sea.dims and smooth.attrs == sea.attrs and (smooth.day == sea.day).all()
assert smooth.sel(latitude=1, longitude=1, method="nearest").std() < 0.2

# %% [markdown]
# ## Axes that end
# What a function reduces is a core dimension of the input and none of the result.

# %%
means = xr.apply_ufunc(gf.reduce, smooth, kwargs={"op": "mean", "channel_axis": None}, input_core_dims=[MAP])
assert means.dims == ("day",) and means.sel(day="2026-06-05") == gf.reduce(smooth.values[4], "mean")

# %% [markdown]
# ## Axes that change
# A function that makes another size gets new coordinates by itself: half the pixels, at the means of two coordinates.

# %%
half = xr.apply_ufunc(lambda maps: gf.resize(maps, scale=0.5, filter="area", channel_axis=None), smooth,
                      input_core_dims=[MAP], output_core_dims=[MAP], exclude_dims=set(MAP), keep_attrs=True)
half = half.assign_coords({name: smooth[name].coarsen({name: 2}).mean() for name in MAP})
assert half.shape == (DAYS, ROWS // 2, COLUMNS // 2) and half.longitude[0] == -178
warmest = half.isel(day=0).argmax(MAP)
print(f"warmest at {float(half.latitude[warmest['latitude']]):.0f} degrees of latitude, "
      f"{float(means.mean()):.1f} {sea.units} on average")
