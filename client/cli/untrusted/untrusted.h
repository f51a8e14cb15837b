/* SPDX-License-Identifier: MIT */
/*
 * --untrusted: files are decoded in a process that has given up its rights. A flaw of a codec then yields wrong samples
 * and nothing else. untrusted.c is the command's side, decoder.c the process's; both are this program. Called by main.c
 * and base/cli.c.
 */
#ifndef GF_CLI_UNTRUSTED_H
#define GF_CLI_UNTRUSTED_H

#include "protocol/base/error.h"

/* The name, as argv[0], by which the program is a decoder. */
#define GF_DECODER_NAME "gpufilter-decoder"

/* What a decoder may use, whatever the file is. */
#define GF_DECODER_MEMORY (8ull << 30) /* of address space */
#define GF_DECODER_SECONDS 600u        /* of processor time */

/* Has all files decoded by decoders from now on, one for each file. Before threads start. START_FAILED if they could
 * not give up their rights here. */
enum gf_status gf_untrusted_begin(struct gf_error *err);

/* What a decoder does instead of a command: reads a request from descriptor 0, gives up its rights, and answers.
 * Returns the exit code. */
int gf_decoder_main(void);

#endif
