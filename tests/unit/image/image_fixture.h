/* SPDX-License-Identifier: MIT */
/* Shared by the tests of image files: pictures of seeded noise, comparison, files and bytes. */
#ifndef GF_TESTS_IMAGE_FIXTURE_H
#define GF_TESTS_IMAGE_FIXTURE_H

#include "client/image/image.h"

/* A picture of seeded noise; f32 samples are in [0, 1). */
struct gf_image fixture_noise(uint32_t dtype, uint64_t width, uint64_t height, uint32_t channels, uint64_t seed);

/* Same shape, same dtype, same bytes. */
void fixture_assert_equal(const struct gf_image *a, const struct gf_image *b);
/* Sample i as a number. */
double fixture_sample(const struct gf_image *image, uint64_t i);

/* Writes to and reads from DIR/NAME, asserting success. */
void fixture_write(const char *dir, const char *name, const struct gf_image *image);
struct gf_image fixture_read(const char *dir, const char *name);
/* Decodes bytes and asserts success. */
struct gf_image fixture_decode(const char *name, const void *bytes, size_t size);
/* Decodes bytes and asserts the status of the refusal. *ret_err receives the message. */
void fixture_refuses(const char *name, const void *bytes, size_t size, enum gf_io_status status,
                     struct gf_io_error *ret_err);
/* Asserts that a file cut anywhere from `least` bytes on is refused, except within the `mark` bytes at its end, without
 * which it is read with a warning. */
void fixture_needs_all_but(size_t mark, const char *name, const void *bytes, size_t least, size_t size);
/* Asserts that a sentence has these words. */
void fixture_assert_says(const struct gf_io_error *err, const char *words);

/* "DIR/NAME"; the caller frees it. */
char *fixture_path(const char *dir, const char *name);
/* All bytes of a file; the caller frees them. */
uint8_t *fixture_load(const char *path, size_t *ret_size);
void fixture_store(const char *path, const void *bytes, size_t size);
/* Entries of a directory, without "." and "..". */
int fixture_entries(const char *dir);

#endif
