/* SPDX-License-Identifier: MIT */
/* gpufilter-client: everything is in gf_cli_main, which tests can link. */
#include "client/cli/base/cli.h"

int main(int argc, char **argv)
{
    (void)argc;
    return gf_cli_main(argv);
}
