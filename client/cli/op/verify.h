/* SPDX-License-Identifier: MIT */
/* --verify: runs the same request again on the CPU and compares the hashes of all results. */
#ifndef GF_CLI_VERIFY_H
#define GF_CLI_VERIFY_H

#include "pipe.h"

#define GF_VERIFY_DEVICE "cpu"

/* Runs the request of a finished pipe again, over a connection of its own, and compares the results. Reports the error,
 * with both hashes if they differ; returns an exit code. */
int gf_verify(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints that the results were the same, unless --json or --quiet. */
void gf_verify_report(const struct gf_cli *cli);

#endif
