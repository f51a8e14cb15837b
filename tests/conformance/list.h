/* SPDX-License-Identifier: MIT */
/*
 * The lines of a list of cases, which can say more than one case in a line. Called by main.c.
 *
 *     [topk]                                the cases of an operation begin, or lines that sections include
 *     # a comment; an empty line is skipped as well
 *     include order                         the lines of another section of this list
 *     include order descending smallest     the same lines with a word replaced in each
 *     for u8 i8 u16                         the indented lines below once per word, in place of each '$'
 *         $,1x1x1,-,0,random,
 */
#ifndef GF_TESTS_LIST_H
#define GF_TESTS_LIST_H

#include <stdbool.h>

typedef void (*gf_list_visit)(const char *line, void *context);

/* Visits every line of a section, or of a list that has no sections (NULL). False, with a sentence on standard output,
 * where the list cannot be read or has no such section. */
bool gf_list_walk(const char *path, const char *section, gf_list_visit visit, void *context);

#endif
