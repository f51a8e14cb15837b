/* SPDX-License-Identifier: MIT */
/*
 * Finds the sub-command and the options that all commands share, and handles signals and the end of standard output.
 * Called by main.c.
 */
#include "client/cli/base/cli.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "client/cli/base/exit_code.h"
#include "client/cli/base/expressions_help.h"
#include "client/cli/base/fail.h"
#include "client/cli/base/timeline.h"
#include "client/cli/batch/progress.h"
#include "client/cli/image/formats_help.h"
#include "client/cli/image/image.h"
#include "client/cli/io/output.h"
#include "client/cli/op/adjust.h"
#include "gpufilter/client.h"
#include "protocol/base/text.h"
#include "protocol/ops/suggest_op.h"

#define MAX_SECONDS 86400.0

static gf_command_fn cmd_version;

const struct gf_command gf_commands[] = {
    {"invert", "make the negative of a picture", gf_cmd_adjust, true},
    {"brightness", "multiply the samples of a picture", gf_cmd_adjust, true},
    {"contrast", "spread the samples of a picture", gf_cmd_adjust, true},
    {"split", "write each channel to a file", gf_cmd_split, true},
    {"info", "say what a file holds, without a daemon", gf_cmd_info, false},
    {"pipe", "run several operations in one request", gf_cmd_pipe, true},
    {"session", "run a script of operations on data that stays on the device", gf_cmd_session, true},
    {"bench", "measure the daemon on this machine", gf_cmd_bench, true},
    {"ops", "list the operations", gf_cmd_ops, false},
    {"devices", "list the devices of the daemon", gf_cmd_devices, false},
    {"health", "report whether the daemon can do work", gf_cmd_health, false},
    {"metrics", "print the daemon's figures (stats is about pictures)", gf_cmd_metrics, false},
    {"top", "watch these figures in a terminal", gf_cmd_top, false},
    {"ping", "measure round trips to the daemon", gf_cmd_ping, false},
    {"version", "print the version", cmd_version, false},
};
const size_t gf_n_commands = GF_ARRAY_LEN(gf_commands);

/* No temporary file stays behind; then the signal does what it does by default, so that the caller sees it. The first
 * process of a container is not ended by that. Who closed the pipe has seen enough, and is told nothing. */
static void on_signal(int number)
{
    gf_output_abort();
    if (number != SIGPIPE)
        gf_progress_abort();
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + number);
}

/* SIGPIPE also where it is ignored, as in children of a service: "| head" means the same there. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++) {
        struct sigaction old;
        bool ignored = sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN;
        if (!ignored || numbers[i] == SIGPIPE)
            sigaction(numbers[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    }
}

/* A standard descriptor that is closed would be given to the next file or socket, which what is read or written would
 * hit. It is opened the wrong way round, so that its use fails as it does for a closed one. */
static bool fill_standard(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            return false;
    return true;
}

/* What was printed must have arrived: "gpufilter-client ops >/dev/full" fails. */
static int end_output(const struct gf_cli *cli, int code)
{
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && code == GF_EXIT_OK)
        return gf_cli_fail(cli, GF_EXIT_IO, "standard output: writing failed");
    return code;
}

/* What help explains that is neither an operation nor a command. */
#define GF_TOPIC_FORMATS "formats"
#define GF_TOPIC_EXPRESSIONS "expressions"

static void print_usage(FILE *out)
{
    fputs("usage: " GF_CLI_NAME " OPERATION [options] IN OUT\n"
          "       " GF_CLI_NAME " COMMAND [options]\n",
          out);
}

static int print_main_help(const struct gf_cli *cli)
{
    print_usage(stdout);
    puts("\nFilters pictures through gpufilterd. IN and OUT are files, or - for standard input and output.\n"
         "\nOperations:");
    for (size_t i = 0; i < GF_N_OPS; i++)
        printf("  %-14s%s\n", gf_ops[i].name, gf_ops[i].help);
    for (size_t i = 0; i < gf_n_aliases; i++)
        printf("  %-14sanother name for %s\n", gf_aliases[i].name, gf_aliases[i].op);
    puts("\nCommands:");
    for (size_t i = 0; i < gf_n_commands; i++)
        printf("  %-14s%s\n", gf_commands[i].name, gf_commands[i].help);
    puts("  help          explain an operation or a command; help " GF_TOPIC_FORMATS
         " lists the file types,\n                help " GF_TOPIC_EXPRESSIONS " the language of expr\n\nOptions:");
    gf_args_print(stdout, &cli->common);
    puts("\nOptions of operations:");
    gf_args_print(stdout, &cli->work);
    puts("\nExit codes:");
    for (size_t i = 0; i < gf_n_exits; i++)
        printf("  %-4d%s\n", (int)gf_exits[i].code, gf_exits[i].help);
    puts("\nExample:\n  " GF_CLI_NAME " blur --sigma 2 in.png out.png");
    return GF_EXIT_OK;
}

bool gf_cli_wants_colour(const struct gf_cli *cli)
{
    const char *no = getenv("NO_COLOR");
    return !cli->no_color && (!no || no[0] == '\0');
}

int gf_cli_print_help(const struct gf_cli *cli, const struct gf_help *help)
{
    if (cli->taker) {
        cli->taker->take(cli->taker, cli, help);
        return GF_EXIT_OK;
    }
    printf("usage: " GF_CLI_NAME " %s\n\n%s\n\nOptions:\n", help->synopsis, help->about);
    gf_args_print(stdout, &help->own);
    if (cli->works)
        gf_args_print(stdout, &cli->work);
    gf_args_print(stdout, &cli->common);
    printf("\nExample:\n  " GF_CLI_NAME " %s\n", help->example);
    return GF_EXIT_OK;
}

static int fail_unknown(const struct gf_cli *cli, const char *word)
{
    struct gf_suggest suggest = gf_suggest_op(word);
    for (size_t i = 0; i < gf_n_commands; i++)
        gf_suggest_try(&suggest, gf_commands[i].name);
    gf_suggest_try(&suggest, "help");
    if (strcmp(word, GF_TOPIC_FORMATS) == 0 || strcmp(word, GF_TOPIC_EXPRESSIONS) == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; " GF_CLI_NAME " help %s explains them", word, word);
    if (gf_suggest_instead(word))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; %s", word, gf_suggest_instead(word));
    if (suggest.best)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; did you mean %s?", word, suggest.best);
    return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; " GF_CLI_NAME " --help lists them", word);
}

/* Options of operations may stand before the command's name too; here they turn out to be out of place. */
static int refuse_work_options(const struct gf_cli *cli)
{
    for (size_t i = 0; i < cli->work.n; i++)
        if (*cli->work.rows[i].ret)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "takes no --%s", cli->work.rows[i].name);
    return GF_EXIT_OK;
}

static int run_command(struct gf_cli *cli, const char *word, struct gf_args *args)
{
    cli->op = gf_op_by_word(word);
    if (cli->op) {
        cli->command = word;
        cli->works = true;
        cli->adjust = gf_adjust_by_name(word);
        return gf_timeline_end(cli, gf_cmd_op(cli, args));
    }
    for (size_t i = 0; i < gf_n_commands; i++)
        if (strcmp(word, gf_commands[i].name) == 0) {
            cli->command = word;
            cli->works = gf_commands[i].works;
            int code = cli->works ? GF_EXIT_OK : refuse_work_options(cli);
            return code == GF_EXIT_OK ? gf_timeline_end(cli, gf_commands[i].run(cli, args)) : code;
        }
    return fail_unknown(cli, word);
}

/* Seconds as text, which may be NULL, in milliseconds. */
static int check_seconds(const struct gf_cli *cli, const char *option, const char *text, uint32_t *ret_ms)
{
    double seconds;
    if (!text)
        return GF_EXIT_OK;
    const char *end = gf_text_to_f64(text, &seconds);
    if (!end || *end || !(seconds >= 0.001 && seconds <= MAX_SECONDS))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s; allowed: 0.001..%.0f seconds", option, text, MAX_SECONDS);
    *ret_ms = (uint32_t)ceil(seconds * 1e3);
    return GF_EXIT_OK;
}

int gf_cli_number(const struct gf_cli *cli, const char *option, const char *text, uint32_t max, uint32_t *ret)
{
    char *end;
    if (!text)
        return GF_EXIT_OK;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n < 1 || n > max)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s; allowed: 1..%u", option, text, max);
    *ret = (uint32_t)n;
    return GF_EXIT_OK;
}

/* Devices have a kind and a number; a name alone is what people try first. */
static int check_device(const struct gf_cli *cli)
{
    static const char *const tried[] = {"cuda", "gpu", "nvidia", "cuda0", "gpu0", "gpu:0"};
    for (size_t i = 0; cli->device && i < GF_ARRAY_LEN(tried); i++)
        if (strcasecmp(cli->device, tried[i]) == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE,
                               "there is no device %s; did you mean cuda:0? " GF_CLI_NAME " devices lists them",
                               cli->device);
    return GF_EXIT_OK;
}

/* "white", "#fff" or "#ffffff". */
static int check_background(struct gf_cli *cli)
{
    const char *text = cli->background;
    if (!text)
        return GF_EXIT_OK;
    const char *hex = strcmp(text, "white") == 0 ? "#fff" : strcmp(text, "black") == 0 ? "#000" : text;
    size_t n = strlen(hex), digits = n == 4 ? 1 : 2;
    if (hex[0] != '#' || (n != 4 && n != 7) || strspn(hex + 1, "0123456789abcdefABCDEF") != n - 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--background %s; allowed: white, black, #RGB or #RRGGBB", text);
    unsigned long rgb = strtoul(hex + 1, NULL, 16);
    for (size_t i = 0; i < 3; i++) {
        unsigned long part = rgb >> (4 * digits * (2 - i)) & (digits == 1 ? 0xf : 0xff);
        cli->save.background[i] = (uint8_t)(digits == 1 ? part * 0x11 : part);
    }
    cli->save.flatten = true;
    return GF_EXIT_OK;
}

static int check_values(struct gf_cli *cli)
{
    int code = check_seconds(cli, "timeout", cli->timeout, &cli->timeout_ms);
    if (code == GF_EXIT_OK)
        code = check_seconds(cli, "wait", cli->wait, &cli->wait_ms);
    if (code == GF_EXIT_OK)
        code = check_device(cli);
    if (code == GF_EXIT_OK)
        code = check_background(cli);
    if (code == GF_EXIT_OK && cli->only_private && cli->socket)
        code = gf_cli_fail(cli, GF_EXIT_USAGE, "--private: allowed without --socket");
    if (code == GF_EXIT_OK)
        code = gf_cli_number(cli, "quality", cli->quality, 100, &cli->save.quality);
    if (code == GF_EXIT_OK)
        code = gf_cli_number(cli, "page", cli->page, UINT32_MAX, &cli->page_number);
    return code == GF_EXIT_OK ? gf_cli_number(cli, "png-level", cli->png_level, 9, &cli->save.png_level) : code;
}

/* Values, and what they ask for; after the last error of the command line itself. */
static int take_values(struct gf_cli *cli)
{
    int code = check_values(cli);
    return code == GF_EXIT_OK && !cli->help ? gf_timeline_begin(cli) : code;
}

static enum gf_io_status read_all(const struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own,
                                  struct gf_operands *ret_operands, struct gf_io_error *err)
{
    args->n_sets = 0;
    if (own)
        args->sets[args->n_sets++] = *own;
    if (cli->works)
        args->sets[args->n_sets++] = cli->work;
    args->sets[args->n_sets++] = cli->common;
    return gf_args_all(args, ret_operands, err);
}

int gf_cli_parse_all(struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own,
                     struct gf_operands *ret_operands)
{
    struct gf_io_error err;
    if (read_all(cli, args, own, ret_operands, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return take_values(cli);
}

int gf_cli_parse(struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own, const char *const *names,
                 size_t n, const char **ret_operands)
{
    gf_cleanup(gf_operands_deinit) struct gf_operands operands = {.n = 0};
    struct gf_io_error err;
    enum gf_io_status r = read_all(cli, args, own, &operands, &err);
    if (r == GF_IO_OK)
        r = gf_args_match(args, &operands, names, n, ret_operands, &err);
    return r == GF_IO_OK ? take_values(cli) : gf_cli_fail_io(cli, &err);
}

static int print_version(void)
{
    printf(GF_CLI_NAME " %s (protocol %u)\n", gpufilter_version(), GF_VERSION);
    gf_library_print(stdout);
    return GF_EXIT_OK;
}

static int cmd_version(struct gf_cli *cli, struct gf_args *args)
{
    const struct gf_help help = {
        .synopsis = "version", .about = "Prints the version, as --version does.", .example = "version"};
    int code = gf_cli_parse(cli, args, NULL, NULL, 0, NULL);
    if (code != GF_EXIT_OK)
        return code;
    return cli->help ? gf_cli_print_help(cli, &help) : print_version();
}

/* Options before the command's name, the command's name, and what needs no command. */
static int run(struct gf_cli *cli, struct gf_args *args)
{
    const char *word;
    struct gf_io_error err;
    if (gf_args_next(args, &word, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    while (word && strcmp(word, "help") == 0) {
        cli->help = "";
        if (gf_args_next(args, &word, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    }
    if (cli->version)
        return print_version();
    if (word && cli->help && strcmp(word, GF_TOPIC_FORMATS) == 0) {
        fputs(gf_formats_read, stdout);
        fputs(gf_formats_written, stdout);
        return GF_EXIT_OK;
    }
    if (word && cli->help && strcmp(word, GF_TOPIC_EXPRESSIONS) == 0) {
        fputs(gf_expressions_help, stdout);
        return GF_EXIT_OK;
    }
    if (word)
        return run_command(cli, word, args);
    if (cli->help)
        return print_main_help(cli);
    print_usage(stderr);
    return gf_cli_fail(cli, GF_EXIT_USAGE, "a command is missing; " GF_CLI_NAME " --help lists them");
}

/* Errors before the option itself is reached are to be JSON too. */
static const char *find_json(char *const *argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++)
        if (strcmp(*argv, "--json") == 0)
            return "";
    return NULL;
}

int gf_cli_main(char *const *argv)
{
    struct gf_cli cli = {.out = stdout, .err = stderr};
    const struct gf_option common[] = {
        {"socket", '\0', "PATH", "socket of the daemon (found automatically)", &cli.socket},
        {"private", '\0', NULL, "use a private daemon, not the system's", &cli.only_private},
        {"no-autostart", '\0', NULL, "never start a private daemon", &cli.no_autostart},
        {"timeout", '\0', "SECONDS", "give up after this time (no limit)", &cli.timeout},
        {"wait", '\0', "SECONDS", "wait for a daemon that is not there, and start none", &cli.wait},
        {"json", '\0', NULL, "print one JSON object, errors too", &cli.json},
        {"quiet", 'q', NULL, "print nothing but errors", &cli.quiet},
        {"verbose", 'v', NULL, "report on standard error what was done", &cli.verbose},
        {"no-color", '\0', NULL, "print charts without colours", &cli.no_color},
        {"help", 'h', NULL, "explain the command", &cli.help},
        {"version", '\0', NULL, "print the version", &cli.version},
    };
    const struct gf_option work[] = {
        {"device", '\0', "NAME", "auto, cpu, cuda:0, a UUID, see devices, or cuda:all (auto)", &cli.device},
        {"timing", '\0', NULL, "print on standard error how long each stage took", &cli.timing},
        {"explain", '\0', NULL, "print on standard error what will be computed", &cli.explain},
        {"hash", '\0', NULL, "print a hash of the result (FNV-1a 64 of its samples)", &cli.hash},
        {"page", '\0', "N", "page or frame to read of files that have several, from 1", &cli.page},
        {"quality", '\0', "N", "quality of JPEG, AVIF, HEIC (90) and WebP (without loss), 1..100", &cli.quality},
        {"png-level", '\0', "N", "compression of PNG output, fast to small, 1..9 (1)", &cli.png_level},
        {"background", '\0', "COLOUR", "put it behind alpha in the file: white, black, #RGB or #RRGGBB",
         &cli.background},
        {"verify", '\0', NULL, "run on the CPU too and compare the hashes of all results", &cli.verify},
        {"trace", '\0', "FILE", "write a timeline for chrome://tracing or Perfetto", &cli.trace},
        {"no-fuse", '\0', NULL, "compute each step of a pipe by itself", &cli.no_fuse},
    };
    cli.common = (struct gf_option_set){common, GF_ARRAY_LEN(common)};
    cli.work = (struct gf_option_set){work, GF_ARRAY_LEN(work)};
    struct gf_args args = {.next = *argv ? argv + 1 : argv, .help = &cli.help, .sets = {cli.work, cli.common}};
    args.n_sets = 2;
    if (!fill_standard())
        return gf_cli_fail(&cli, GF_EXIT_IO, "/dev/null cannot be opened in the place of a closed standard descriptor");
    catch_signals();
    cli.json = find_json(argv);
    return end_output(&cli, run(&cli, &args));
}
