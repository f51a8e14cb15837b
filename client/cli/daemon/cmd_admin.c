/* SPDX-License-Identifier: MIT */
/* `admin`: what an administrator asks of the daemon. Called by main.c. */
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/lib/admin.h"

#define NAMED "CN="

/* Reads a user as figures write it, a number or CN=NAME, or a name of this machine. */
static bool read_user(const char *text, struct gf_admin_request *ret)
{
    char *end;
    if (strncmp(text, NAMED, strlen(NAMED)) == 0) {
        int n = snprintf(ret->name, sizeof(ret->name), "%s", text + strlen(NAMED));
        return n > 0 && (size_t)n < sizeof(ret->name);
    }
    if (*text >= '0' && *text <= '9') {
        ret->user = strtoull(text, &end, 10);
        return *end == '\0' && ret->user < UINT64_MAX;
    }
    const struct passwd *entry = getpwnam(text);
    ret->user = entry ? entry->pw_uid : 0;
    return entry != NULL;
}

int gf_cmd_admin(struct gf_cli *cli, struct gf_args *args)
{
    static const struct gf_help help = {
        .synopsis = "admin unban USER [options]",
        .about =
            "unban accepts requests of a user again who is refused because requests ended workers; metrics and health\n"
            "say who is. USER is a number or CN=NAME, as in the figures, or a user of this machine. For root and the\n"
            "daemon's own user.",
        .example = "admin unban 1000"};
    const char *words[2] = {NULL, NULL};
    struct gf_admin_request request = {.action = GF_ADMIN_UNBAN};
    int code = gf_cli_parse(cli, args, &help, (const char *const[]){"[ACTION]", "[USER]"}, 2, words);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if (!words[0] || strcmp(words[0], "unban") != 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "ACTION %s; must be unban; see --help",
                           words[0] ? words[0] : "is missing");
    if (!words[1] || !read_user(words[1], &request))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "USER %s; must be a number, CN=NAME, or a user of this machine",
                           words[1] ? words[1] : "is missing");
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    code = gf_cli_connect(cli, &client);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_error err;
    return gf_admin(client, &request, &err) == GPUFILTER_OK ? GF_EXIT_OK : gf_cli_fail_client(cli, &err);
}
