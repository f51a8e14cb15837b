/* SPDX-License-Identifier: MIT */
/* The font of drawings as PNG. Used by canvas_png.c. */
#ifndef GF_CLI_FONT_H
#define GF_CLI_FONT_H

#include <stdint.h>

#define GF_FONT_COLUMNS 5
#define GF_FONT_ROWS 8
#define GF_FONT_BASE 7 /* rows above the baseline; one row is below */

/* Column 0 to 4 of a character. Bit 0 is the top row. Characters outside printable ASCII look like '?'. */
uint8_t gf_font_column(char character, int column);

#endif
