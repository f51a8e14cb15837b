/* SPDX-License-Identifier: MIT */
/* Reads CUDA_VISIBLE_DEVICES as the CUDA driver does: which GPUs a process may use, and in which order. Used by the
 * daemon, which starts a worker for each GPU, and by the CUDA backend, which narrows the list to one GPU. */
#ifndef GF_VISIBLE_H
#define GF_VISIBLE_H

#include "base.h"

/* The number of GPUs in a list of indices, UUIDs or prefixes of UUIDs, separated by commas. As in CUDA, the list ends
 * before the first invalid word, and names no GPU if a word is repeated. */
uint32_t gf_visible_count(const char *list);
/* Copies the i-th word, i < gf_visible_count(list), in the form the variable accepts; false if it does not fit. */
bool gf_visible_word(const char *list, uint32_t i, char *ret, size_t size);

#endif
