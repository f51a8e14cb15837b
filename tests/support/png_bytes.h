/* SPDX-License-Identifier: MIT */
/* Bytes of PNG files, for tests that modify them: simple code, independent of the readers that it checks. */
#ifndef GF_TESTS_PNG_BYTES_H
#define GF_TESTS_PNG_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of the specification's annex D. */
uint32_t png_crc(const uint8_t *bytes, size_t size);
/* Big-endian numbers. */
uint32_t png_get32(const uint8_t *from);
void png_put32(uint8_t *to, uint32_t v);

#endif
