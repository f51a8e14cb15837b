/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) of data in memory, for the test vectors: no library that the build needs provides it. */
#ifndef GF_TESTS_SHA256_H
#define GF_TESTS_SHA256_H

#include <stddef.h>

#define GF_SHA256_TEXT 65 /* 64 hexadecimal digits and the NUL */

/* The digest as lower-case hexadecimal digits; returns text. */
const char *gf_sha256(const void *data, size_t size, char text[GF_SHA256_TEXT]);

#endif
