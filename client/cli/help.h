/* SPDX-License-Identifier: MIT */
/* The help of the program as a whole: operations by family, commands, options; and topics that are neither. Called by
 * main.c. */
#ifndef GF_CLI_HELP_H
#define GF_CLI_HELP_H

#include "client/cli/base/cli.h"

void gf_help_print_usage(FILE *out);
/* To standard output; returns the exit code. */
int gf_help_print(const struct gf_cli *cli);
/* Whether `help` explains a word that is neither an operation nor a command. */
bool gf_help_has_topic(const char *word);
/* Prints what it says of the word; whether it is a topic. */
bool gf_help_print_topic(const char *word);

#endif
