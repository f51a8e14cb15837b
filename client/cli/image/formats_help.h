/* SPDX-License-Identifier: MIT */
/* The help topic "formats". Used by help.c and page_man.c. */
#ifndef GF_CLI_FORMATS_HELP_H
#define GF_CLI_FORMATS_HELP_H

/* The formats read and written, in lines of at most 105 columns. The line of a format begins with two blanks and the
 * format's word. tests/unit/image/test_image_formats.c compares the second table with the command. */
extern const char gf_formats_read[], gf_formats_written[];

#endif
