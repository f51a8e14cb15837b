/* SPDX-License-Identifier: MIT */
/* What CUDA_VISIBLE_DEVICES says, as the CUDA driver reads it: which GPUs a process may use, and in which order. Used
 * by the daemon, which starts a worker for each, and by the CUDA backend, which narrows it to one. */
#ifndef GF_VISIBLE_H
#define GF_VISIBLE_H

#include "base.h"

/* The GPUs of a list of indices, UUIDs or beginnings of UUIDs, separated by commas. As for CUDA it ends before the
 * first word that is none of these, and names no GPU if a word is there twice. */
uint32_t gf_visible_count(const char *list);
/* The i-th word, i < gf_visible_count(list), as the variable takes it; false: it is longer than size - 1. */
bool gf_visible_word(const char *list, uint32_t i, char *ret, size_t size);

#endif
