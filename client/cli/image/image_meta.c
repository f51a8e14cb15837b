/* SPDX-License-Identifier: MIT */
/* Metadata kept from a file; see image_meta.h. */
#include "image_meta.h"

#include <string.h>

void gf_image_meta_deinit(struct gf_image_meta *meta)
{
    free(meta->profile);
    free(meta->exif);
    free(meta->xmp);
    *meta = (struct gf_image_meta){0};
}

void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey)
{
    free(meta->profile);
    meta->profile = size > 0 && size <= GF_IMAGE_MAX_PROFILE ? malloc(size) : NULL;
    meta->profile_size = meta->profile ? size : 0;
    meta->profile_is_grey = is_grey;
    if (meta->profile)
        memcpy(meta->profile, profile, size);
}
