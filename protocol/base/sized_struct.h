/* SPDX-License-Identifier: MIT */
/*
 * Structs of public headers that begin with `struct_size` and may grow at their end. Used by libgpufilterclient and
 * libgpufilterimage.
 */
#ifndef GF_PROTOCOL_SIZED_STRUCT_H
#define GF_PROTOCOL_SIZED_STRUCT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define GF_STRUCT_NAME 64 /* room for the name of a struct, or of its _INIT macro */

/* No public struct ends in padding where pointers have 64 bits: a later member there would have the garbage of older
 * programs. */
#define GF_ENDS_WITHOUT_PADDING(type, last)                                                                            \
    _Static_assert(sizeof(void *) != 8 || sizeof(type) == offsetof(type, last) + sizeof(((type *)0)->last), #type)

/* Copies a caller's extensible struct over the defaults in ret, which has `size` bytes. BAD_ARGUMENT: an impossible
 * size, or nonzero members that this library does not know. */
enum gf_status gf_struct_in(void *ret, size_t size, const void *from, const char *name, struct gf_error *err);
/* Checks such a struct, of which this library knows `size` bytes. BAD_ARGUMENT as above. */
enum gf_status gf_struct_check(const void *from, size_t size, const char *name, struct gf_error *err);
/* The macro that initialises a struct: "GPUFILTER_GAUSSIAN_INIT" of "gpufilter_gaussian_params". Returns text. */
const char *gf_struct_macro(const char *name, char *text, size_t size);
/* BAD_ARGUMENT unless a reserved member is 0. */
enum gf_status gf_reserved_check(uint32_t reserved, const char *name, struct gf_error *err);
/* Fills the members of a caller's extensible struct that its size covers. BAD_ARGUMENT: an impossible size. */
enum gf_status gf_struct_out(void *to, const void *from, size_t size, const char *name, struct gf_error *err);

#endif
