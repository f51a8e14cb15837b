/* SPDX-License-Identifier: MIT */
/*
 * What the functions of libgpufilterimage have in common: the image, errors, and structs that may grow. Used by
 * public*.c.
 */
#ifndef GF_IMAGE_PUBLIC_H
#define GF_IMAGE_PUBLIC_H

#include <gpufilter/image.h>

#include "image.h"
#include "protocol/base/sized_struct.h"

#define GF_EXPORT __attribute__((visibility("default")))

struct gpufilter_image {
    struct gf_image image;
    struct gf_image_memory memory; /* of the caller, which image.memory points to */
    gpufilter_view view;
    char *profile; /* its name; NULL: none */
};

/* Fills `err`, which may be NULL, and returns the status. */
int gf_public_fail(gpufilter_error *err, enum gf_status status, const char *fmt, ...) gf_printf(3, 4);
/* The same with the status for that of a codec. */
int gf_public_fail_io(gpufilter_error *err, const struct gf_io_error *why);

/* gf_struct_in and gf_struct_out with public errors. */
int gf_public_struct_in(void *ret, size_t size, const void *from, const char *name, gpufilter_error *err);
int gf_public_struct_out(void *to, const void *from, size_t size, const char *name, gpufilter_error *err);

/* BAD_ARGUMENT unless a member is within what is allowed. */
int gf_public_check(bool good, const char *name, uint64_t value, const char *allowed, gpufilter_error *err);

static inline uint32_t gf_flag_if(bool has, uint32_t flag)
{
    return has ? flag : 0;
}

#endif
