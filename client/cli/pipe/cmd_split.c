/* SPDX-License-Identifier: MIT */
/* `split`: writes each channel of a picture to a file, as a pipe of copies. Called by main.c. */
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "cmd_pipe.h"

int gf_cmd_split(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands files = {.n = 0};
    const char *format = NULL;
    const struct gf_option own[] = {
        {"format", '\0', "WORD", "format of the files written (by their extensions)", &format},
    };
    const struct gf_help help = {
        .synopsis = "split [options] IN OUT1 [OUT2 [OUT3 [OUT4]]]",
        .about =
            "Writes the first channel of a picture or array to OUT1, the second to OUT2, and so on. Channels without\n"
            "a file are left out. `split IN A B` is short for\n"
            "`pipe IN 'copy channel=1 | copy src=#0 channel=2' -o 1:A -o 2:B`.",
        .example = "split in.png red.png green.png blue.png",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse_all(cli, args, &help.own, &files);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (files.n < 2)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "%s is missing; name a file; see --help", files.n == 0 ? "IN" : "OUT1");
    if (files.n > 1 + GF_MAX_CHANNELS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\" is one operand too many; there are up to %u channels",
                           files.of[1 + GF_MAX_CHANNELS], GF_MAX_CHANNELS);
    return gf_pipe_channels(cli, files.of[0], files.of + 1, files.n - 1, format);
}
