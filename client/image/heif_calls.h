/* SPDX-License-Identifier: MIT */
/* The functions used from libheif. Used by image_heif.c, and by a test that replaces one. */
#ifndef GF_HEIF_CALLS_H
#define GF_HEIF_CALLS_H

#include <libheif/heif.h>

#include "client/image/library.h"

#define GF_HEIF_CALLS(call)                                                                                            \
    call(heif_get_version) call(heif_have_decoder_for_format) call(heif_have_encoder_for_format)                       \
        call(heif_context_alloc) call(heif_context_free) call(heif_context_read_from_memory_without_copy) call(        \
            heif_context_set_maximum_image_size_limit) call(heif_context_get_number_of_top_level_images)               \
            call(heif_context_get_list_of_top_level_image_IDs) call(heif_context_get_image_handle) call(               \
                heif_image_handle_release) call(heif_image_handle_get_width) call(heif_image_handle_get_height)        \
                call(heif_image_handle_has_alpha_channel) call(heif_image_handle_is_premultiplied_alpha) call(         \
                    heif_image_handle_get_luma_bits_per_pixel) call(heif_image_handle_get_list_of_metadata_block_IDs)  \
                    call(heif_image_handle_get_number_of_metadata_blocks) call(heif_image_handle_get_metadata_type)    \
                        call(heif_image_handle_get_metadata_content_type) call(heif_image_handle_get_metadata_size)    \
                            call(heif_image_handle_get_metadata) call(heif_image_handle_get_raw_color_profile_size)    \
                                call(heif_image_handle_get_raw_color_profile) call(                                    \
                                    heif_image_handle_get_nclx_color_profile) call(heif_decoding_options_alloc)        \
                                    call(heif_decoding_options_free) call(heif_nclx_color_profile_free) call(          \
                                        heif_nclx_color_profile_alloc) call(heif_image_set_nclx_color_profile)         \
                                        call(heif_decode_image) call(heif_image_release) call(heif_image_get_width)    \
                                            call(heif_image_get_height) call(heif_image_get_plane)                     \
                                                call(heif_image_get_plane_readonly) call(                              \
                                                    heif_image_get_bits_per_pixel_range) call(heif_image_create)       \
                                                    call(heif_image_add_plane) call(heif_image_set_raw_color_profile)  \
                                                        call(heif_context_get_encoder_for_format)                      \
                                                            call(heif_encoder_release)                                 \
                                                                call(heif_encoder_set_lossy_quality)                   \
                                                                    call(heif_context_encode_image)                    \
                                                                        call(heif_context_add_exif_metadata)           \
                                                                            call(heif_context_add_XMP_metadata)        \
                                                                                call(heif_context_write)

struct gf_heif_calls {
    GF_HEIF_CALLS(GF_LIBRARY_MEMBER)
};

/* Filled by gf_heif_load. */
extern struct gf_heif_calls gf_heif;

/* Loads the library for the file `path`. DATA: it is missing. */
enum gf_io_status gf_heif_load(const char *path, struct gf_io_error *err);

#endif
