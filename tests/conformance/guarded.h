/* SPDX-License-Identifier: MIT */
/* Memory with known bytes at every place that must not be written: before, behind and between the rows. For the
 * runner. */
#ifndef GF_TESTS_GUARDED_H
#define GF_TESTS_GUARDED_H

#include "kernels/backend.h"

#define GF_GUARDED_PAGE 4096u

struct gf_guarded {
    unsigned char *block;
    size_t size;
    unsigned char poison;
    struct gf_buf buf; /* within block */
};

/* Memory for the view (any pitch), filled with poison, `shift` elements off a multiple of 64 bytes. With `tail`, that
 * many bytes follow the last sample, and no other memory shares the pages; with 0 an address sanitizer detects reads
 * past the last sample. False without memory. */
bool gf_guarded_init(const struct gf_view *view, uint32_t shift, size_t tail, unsigned char poison,
                     struct gf_guarded *ret);
void gf_guarded_deinit(struct gf_guarded *guarded);
/* Whether every byte outside the samples still is poison. */
bool gf_guarded_intact(const struct gf_guarded *guarded);

#endif
