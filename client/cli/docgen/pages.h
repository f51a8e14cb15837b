/* SPDX-License-Identifier: MIT */
/* Pages printed from the op table to standard output: docs/operations.md and the man page of the command. */
#ifndef GF_CLI_PAGES_H
#define GF_CLI_PAGES_H

#include "client/cli/base/cli.h"

/* docs/operations.md; in page_markdown.c. */
void gf_page_markdown(void);
/* gpufilter-client.1; in page_man.c. */
void gf_page_man(const struct gf_cli *cli);

#endif
