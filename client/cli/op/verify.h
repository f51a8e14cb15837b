/* SPDX-License-Identifier: MIT */
/* --verify: runs the same request once more on the CPU, and compares the hashes of all results. */
#ifndef GF_CLI_VERIFY_H
#define GF_CLI_VERIFY_H

#include "client/cli/base/cli.h"
#include "gpufilter/client.h"

#define GF_VERIFY_DEVICE "cpu"

/* What ran: a program, or where that is NULL its text. */
struct gf_verify_work {
    const gpufilter_program *program;
    const char *text;
    const gpufilter_view *operands;
    uint32_t n_operands;
};

/* Runs it over a connection of its own and compares with the results that `device` gave. Says what is wrong, and where
 * they differ both hashes; returns an exit code. */
int gf_verify(const struct gf_cli *cli, const char *device, const struct gf_verify_work *work,
              const gpufilter_result *results, uint32_t n);
/* Says that they were the same, unless --json or --quiet. */
void gf_verify_report(const struct gf_cli *cli);

#endif
