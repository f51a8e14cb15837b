/* SPDX-License-Identifier: MIT */
/* Compares devices for --verify, before results are written. */
#include "verify.h"

#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "op_report.h"
#include "protocol/base/clock.h"
#include "protocol/base/limits.h"

static int compare(const struct gf_cli *cli, const char *device, const gpufilter_result *a, const gpufilter_result *b)
{
    char first[GF_HASH_TEXT], second[GF_HASH_TEXT];
    if (strcmp(gf_hash_of(&a->view, first), gf_hash_of(&b->view, second)) == 0)
        return GF_EXIT_OK;
    return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s and " GF_VERIFY_DEVICE " differ in output %u of step %u: %s and %s",
                       device, a->output, a->step + 1, first, second);
}

int gf_verify(const struct gf_cli *cli, const struct gf_pipe *p)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    gpufilter_result again[GF_MAX_RESULTS];
    gpufilter_error err;
    struct gf_cli other = *cli;
    other.device = GF_VERIFY_DEVICE;
    other.timeline = NULL;
    uint64_t begin = gf_now_ns();
    int code = gf_cli_connect(&other, &client);
    if (code != GF_EXIT_OK)
        return code;
    for (uint32_t i = 0; i < p->n_results; i++)
        again[i] = (gpufilter_result){.step = p->results[i].step, .output = p->results[i].output};
    if (gpufilter_run(client, &p->request.program, p->request.operands, p->program.n_operands, again, p->n_results,
                      &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    for (uint32_t i = 0; i < p->n_results && code == GF_EXIT_OK; i++)
        code = compare(cli, p->times.device, &p->results[i], &again[i]);
    gf_timeline_add(cli->timeline, "verify", NULL, begin);
    return code;
}

void gf_verify_report(const struct gf_cli *cli)
{
    if (cli->verify && !cli->json && !cli->quiet)
        fputs("verified: " GF_VERIFY_DEVICE " gives the same\n", cli->err);
}
