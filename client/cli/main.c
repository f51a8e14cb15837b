/* SPDX-License-Identifier: MIT */
/* The table of commands and the help of the whole program. Finds the called command, and handles signals and the end of
 * standard output. */
#include "client/cli/base/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "client/cli/batch/batch.h"
#include "client/cli/op/adjust.h"
#include "client/cli/untrusted/untrusted.h"
#include "client/image/image.h"
#include "client/io/output.h"
#include "gpufilter/client.h"
#include "protocol/ops/suggest_op.h"

#define TOPIC_FORMATS "formats"
#define TOPIC_EXPRESSIONS "expressions"

static gf_command_fn cmd_version;

static const struct gf_command commands[] = {
    {"invert", "make the negative of a picture", gf_cmd_adjust, true},
    {"brightness", "multiply the samples of a picture", gf_cmd_adjust, true},
    {"contrast", "spread the samples of a picture", gf_cmd_adjust, true},
    {"thumbnail", "make small pictures for web pages", gf_cmd_thumbnail, true},
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
    {"admin", "accept requests of a refused user again", gf_cmd_admin, false},
    {"ping", "measure round trips to the daemon", gf_cmd_ping, false},
    {"version", "print the version", cmd_version, false},
};

/* Removes temporary files, then lets the signal act by default, so that the caller sees it. The default action does not
 * end the first process of a container; _exit does. SIGPIPE prints nothing: the reader closed the pipe on purpose. */
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

/* Catches SIGPIPE even if it is ignored, as in children of a service, so that "| head" works the same there. Beyond the
 * size limit of files (ulimit -f) writing fails as on a full disk. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++) {
        struct sigaction old;
        bool ignored = sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN;
        if (!ignored || numbers[i] == SIGPIPE)
            sigaction(numbers[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

/* Opens every closed standard descriptor. Otherwise the next file or socket would get its number, and reads or writes
 * meant for it would hit that file. The descriptor is opened in the opposite direction, so that using it fails as for a
 * closed one. */
static bool fill_standard(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            return false;
    return true;
}

/* Checks that all output was written: "gpufilter-client ops >/dev/full" must fail. */
static int end_output(const struct gf_cli *cli, int code)
{
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && code == GF_EXIT_OK)
        return gf_cli_fail(cli, GF_EXIT_IO, "standard output: writing failed");
    return code;
}

/* Families of operations, most used first. */
static const struct {
    enum gf_op_family family;
    const char *heading;
} families[] = {
    {GF_OP_FAMILY_GEOMETRY, "Size and place"},
    {GF_OP_FAMILY_FILTER, "Blurs, gradients and masks"},
    {GF_OP_FAMILY_POINT, "Sample by sample, and tones"},
    {GF_OP_FAMILY_COLOUR, "Colours and channels"},
    {GF_OP_FAMILY_MORPHOLOGY, "Shapes"},
    {GF_OP_FAMILY_RANK, "Ranks in a window"},
    {GF_OP_FAMILY_REGION, "Parts of a picture"},
    {GF_OP_FAMILY_HISTOGRAM, "Histograms"},
    {GF_OP_FAMILY_REDUCE, "Numbers"},
    {GF_OP_FAMILY_ORDER, "Order"},
    {GF_OP_FAMILY_SELECT, "Selection"},
    {GF_OP_FAMILY_SCAN, "Running sums"},
    {GF_OP_FAMILY_LINALG, "Matrices and 1-D kernels"},
};

static void print_usage(FILE *out)
{
    fputs("usage: " GF_CLI_NAME " OPERATION [options] IN OUT\n"
          "       " GF_CLI_NAME " COMMAND [options]\n",
          out);
}

static int print_help(const struct gf_cli *cli)
{
    print_usage(stdout);
    puts("\nFilters pictures through gpufilterd. IN and OUT are files, or - for standard input and output.\n"
         "\nOperations:");
    for (size_t f = 0; f < GF_ARRAY_LEN(families); f++) {
        printf(" %s\n", families[f].heading);
        for (size_t i = 0; i < GF_N_OPS; i++)
            if (gf_ops[i].family == families[f].family)
                printf("  %-14s%s\n", gf_ops[i].name, gf_help_text(gf_ops[i].help));
    }
    puts(" Other names");
    for (size_t i = 0; i < gf_n_aliases; i++)
        printf("  %-14sanother name for %s\n", gf_aliases[i].name, gf_aliases[i].op);
    puts("\nCommands:");
    for (size_t i = 0; i < cli->n_commands; i++)
        printf("  %-14s%s\n", cli->commands[i].name, cli->commands[i].help);
    puts("  help          explain an operation or a command; help " TOPIC_FORMATS
         " lists the file types,\n                help " TOPIC_EXPRESSIONS " the language of expr\n\nOptions:");
    gf_args_print(stdout, &cli->common);
    puts("\nOptions of operations:");
    gf_args_print(stdout, &cli->work);
    puts("\nAn option that is given again replaces its earlier value; -o of pipe and --set add to it.");
    puts("\nExit codes:");
    for (size_t i = 0; i < gf_n_exits; i++)
        printf("  %-4d%s\n", (int)gf_exits[i].code, gf_exits[i].help);
    puts("\nExample:\n  " GF_CLI_NAME " blur --sigma 2 in.png out.png");
    return GF_EXIT_OK;
}

/* Whether `help` explains a word that is neither an operation nor a command. */
static bool has_topic(const char *word)
{
    return strcmp(word, TOPIC_FORMATS) == 0 || strcmp(word, TOPIC_EXPRESSIONS) == 0;
}

/* Prints what `help` says about the word. Returns whether it is a topic. */
static bool print_topic(const char *word)
{
    if (strcmp(word, TOPIC_EXPRESSIONS) == 0)
        fputs(gf_expressions_help, stdout);
    if (strcmp(word, TOPIC_FORMATS) == 0) {
        fputs(gf_formats_read, stdout);
        fputs(gf_formats_reading, stdout);
        fputs(gf_formats_written, stdout);
    }
    return has_topic(word);
}

static int fail_unknown(const struct gf_cli *cli, const char *word)
{
    struct gf_suggest suggest = gf_suggest_op(word);
    for (size_t i = 0; i < cli->n_commands; i++)
        gf_suggest_try(&suggest, cli->commands[i].name);
    gf_suggest_try(&suggest, "help");
    if (has_topic(word))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; " GF_CLI_NAME " help %s explains them", word, word);
    if (gf_suggest_instead(word))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; %s", word, gf_suggest_instead(word));
    if (suggest.best)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; did you mean %s?", word, suggest.best);
    return gf_cli_fail(cli, GF_EXIT_USAGE, "unknown command %s; " GF_CLI_NAME " --help lists them", word);
}

/* Refuses options of operations that were given before the name of a command that takes none. */
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
    for (size_t i = 0; i < cli->n_commands; i++)
        if (strcmp(word, cli->commands[i].name) == 0) {
            cli->command = word;
            cli->works = cli->commands[i].works;
            int code = cli->works ? GF_EXIT_OK : refuse_work_options(cli);
            return code == GF_EXIT_OK ? gf_timeline_end(cli, cli->commands[i].run(cli, args)) : code;
        }
    return fail_unknown(cli, word);
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
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    return code != GF_EXIT_OK || cli->help ? code : print_version();
}

/* Handles options before the command's name, the command's name, and options that need no command. */
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
    if (word && cli->help && print_topic(word))
        return GF_EXIT_OK;
    if (word)
        return run_command(cli, word, args);
    if (cli->help)
        return print_help(cli);
    print_usage(stderr);
    return gf_cli_fail(cli, GF_EXIT_USAGE, "a command is missing; " GF_CLI_NAME " --help lists them");
}

/* Errors before --json itself is parsed must be JSON, too. */
static const char *find_json(char *const *argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++)
        if (strcmp(*argv, "--json") == 0)
            return "";
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], GF_DECODER_NAME) == 0)
        return gf_decoder_main();
    struct gf_cli cli = {.commands = commands, .n_commands = GF_ARRAY_LEN(commands)};
    struct gf_cli_rows rows;
    gf_cli_init(&cli, &rows);
    struct gf_args args = {.next = *argv ? argv + 1 : argv, .help = &cli.help, .sets = {cli.work, cli.common}};
    args.n_sets = 2;
    if (!fill_standard())
        return gf_cli_fail(&cli, GF_EXIT_IO, "/dev/null cannot be opened in the place of a closed standard descriptor");
    catch_signals();
    cli.json = find_json(argv);
    return end_output(&cli, run(&cli, &args));
}
