/* SPDX-License-Identifier: MIT */
/*
 * The lines of a list of cases, which can say more than one case in a line. Called by main.c.
 *
 *     # a comment; an empty line and the line of columns, "dtype,...", are skipped as well
 *     include sort.csv                          the lines of a list beside this one
 *     include sort.csv descending smallest      the same lines with a word replaced in each
 *     for u8 i8 u16                             the indented lines below once per word, in place of each '$'
 *         $,1x1x1,-,0,random,
 */
#ifndef GF_TESTS_LIST_H
#define GF_TESTS_LIST_H

#include <stdbool.h>

typedef void (*gf_list_visit)(const char *line, void *context);

/* Visits every line of a list. False, with a sentence on standard output, where a list cannot be read. */
bool gf_list_walk(const char *path, gf_list_visit visit, void *context);

#endif
