/* SPDX-License-Identifier: MIT */
/* The help topic "formats". Used by help.c and page_man.c. */
#ifndef GF_CLI_FORMATS_HELP_H
#define GF_CLI_FORMATS_HELP_H

/* What is read and written, in lines of at most 105 columns; those of formats begin with two blanks and their word.
 * tests/unit/image/test_image_formats.c holds the second table against what the command does. */
extern const char gf_formats_read[], gf_formats_written[];

#endif
