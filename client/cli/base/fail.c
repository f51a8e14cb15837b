/* SPDX-License-Identifier: MIT */
/* Prints errors. Called by every command that fails. */
#include "fail.h"

#include <stdarg.h>
#include <string.h>

#include "exit_code.h"
#include "json.h"
#include "protocol/base/text.h"

/* Drops the operation from "gaussian: sigma=-1 ...", because the line already names the command. */
static const char *without_op(const struct gf_cli *cli, const char *text)
{
    size_t n = cli->op ? strlen(cli->op->name) : 0;
    if (n > 0 && strncmp(text, cli->op->name, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        return text + n + 2;
    return text;
}

/* Prints one line, whatever bytes the names and files contain. */
static void print_line(const struct gf_cli *cli, const char *kind, const char *text)
{
    const char *command = cli->command, *file = cli->file;
    char line[GF_PATH_TEXT + GF_IO_ERROR_TEXT + 128];
    bool named = !file || strncmp(text, file, strlen(file)) == 0;
    snprintf(line, sizeof(line), "%s%s%s%s%s%s", command ? command : "", command ? ": " : "", kind, named ? "" : file,
             named ? "" : ": ", text);
    fprintf(cli->err, GF_CLI_NAME ": %s\n", gf_text_clean(line));
}

static int fail(const struct gf_cli *cli, int code, const char *status, const char *text)
{
    text = without_op(cli, text);
    print_line(cli, "", text);
    if (cli->json) {
        struct gf_json json = {.out = cli->out};
        gf_json_object(&json, NULL);
        if (cli->file) {
            gf_json_object(&json, "input");
            gf_json_text(&json, "path", cli->file);
            gf_json_object_end(&json);
        }
        gf_json_object(&json, "error");
        gf_json_text(&json, "status", status);
        gf_json_text(&json, "text", text);
        gf_json_object_end(&json);
        gf_json_object_end(&json);
        fputc('\n', cli->out);
    }
    return code;
}

int gf_cli_fail(const struct gf_cli *cli, int code, const char *fmt, ...)
{
    char text[GF_IO_ERROR_TEXT];
    va_list args;
    va_start(args, fmt);
    gf_text_sentence(text, sizeof(text), fmt, args);
    va_end(args);
    return fail(cli, code, gf_exit_word(code), text);
}

int gf_cli_fail_io(const struct gf_cli *cli, const struct gf_io_error *err)
{
    return fail(cli, (int)err->status, gf_exit_word((int)err->status), err->text);
}

int gf_cli_fail_error(const struct gf_cli *cli, const struct gf_error *err)
{
    return fail(cli, (int)gf_exit_of_status((uint32_t)err->status), gf_status_name((uint32_t)err->status), err->text);
}

int gf_cli_fail_client(const struct gf_cli *cli, const gpufilter_error *err)
{
    char text[GF_IO_ERROR_TEXT];
    int n = snprintf(text, sizeof(text), "%s", err->text);
    if (err->status == GPUFILTER_E_NO_DAEMON)
        snprintf(text + n, sizeof(text) - (size_t)n, "; start one with %s",
                 cli->only_private ? "an operation" : "gpufilterd, or with systemctl start gpufilterd.socket");
    else if (err->retry_ms > 0)
        snprintf(text + n, sizeof(text) - (size_t)n, "; try again in %u ms", (unsigned)err->retry_ms);
    return fail(cli, (int)gf_exit_of_status(err->status), gf_status_name(err->status), text);
}

void gf_cli_warn(const struct gf_cli *cli, const char *text)
{
    if (text && !cli->quiet)
        print_line(cli, "warning: ", text);
}
