/* SPDX-License-Identifier: MIT */
/* The function that every fuzz target defines; called by libFuzzer or by replay_main.c. */
#ifndef GF_TESTS_FUZZ_H
#define GF_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must return 0 and must not crash, whatever the bytes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
