/* SPDX-License-Identifier: MIT */
/* The help of the whole program: operations by family, commands, options, and further topics. Called by main.c. */
#ifndef GF_CLI_HELP_H
#define GF_CLI_HELP_H

#include "client/cli/base/cli.h"

void gf_help_print_usage(FILE *out);
/* Prints the help to standard output; returns the exit code. */
int gf_help_print(const struct gf_cli *cli);
/* Whether `help` explains a word that is neither an operation nor a command. */
bool gf_help_has_topic(const char *word);
/* Prints what `help` says about the word. Returns whether it is a topic. */
bool gf_help_print_topic(const char *word);

#endif
