/* SPDX-License-Identifier: MIT */
/*
 * The man page gpufilter-client.1, made from the op table, the option tables and the exit codes. Called by cmd_ops.c.
 */
#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "client/cli/batch/batch_names.h"
#include "client/cli/op/op_options.h"
#include "client/cli/op/store.h"
#include "client/cli/pipe/cmd_pipe.h"
#include "client/cli/report/table.h"
#include "client/image/image.h"
#include "docgen.h"
#include "protocol/ops/enums.h"

/* Writes text for roff: minus signs remain minus signs, and no line begins with a control character. */
static void put(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (const char *p = text; *p; p++)
        switch (*p) {
        case '-':
            fputs("\\-", stdout);
            break;
        case '\\':
            fputs("\\e", stdout);
            break;
        default:
            putchar(*p);
        }
}

static void put_option(const struct gf_option *o)
{
    fputs(".TP\n.B ", stdout);
    if (o->letter)
        printf("\\-%c, ", o->letter);
    fputs("\\-\\-", stdout);
    put(o->name);
    if (o->value) {
        fputs(gf_option_takes_value(o) ? " \\fI" : "\\fI", stdout);
        put(o->value);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put(o->help);
    putchar('\n');
}

static void put_options(const char *title, const struct gf_option_set *set)
{
    printf(".SH %s\n", title);
    for (size_t i = 0; i < set->n; i++)
        put_option(&set->rows[i]);
}

static void put_words(const struct gf_param_desc *param)
{
    for (size_t i = 0; i < gf_n_words; i++) {
        const char *help = gf_op_word_help(param, &gf_words[i]);
        if (!help)
            continue;
        fputs(".br\n.B ", stdout);
        put(gf_words[i].word);
        putchar('\n');
        put(help);
        putchar('\n');
    }
}

static void put_op(const struct gf_op *op)
{
    struct gf_op_options options;
    gf_op_options_init(op, &options);
    printf(".SS %s\n", op->name);
    put(gf_help_text(op->help));
    puts(".");
    for (size_t i = 0; i < gf_n_aliases; i++)
        if (gf_op_by_name(gf_aliases[i].op) == op)
            printf("The command\n.B %s\nis the same.\n", gf_aliases[i].name);
    if (gf_table_note(op)) {
        put(gf_table_note(op));
        puts(".");
    }
    for (size_t i = 0; i < options.first_file; i++) {
        const struct gf_param_desc *param = gf_op_option_param(op, &options, i);
        if (!param && i >= options.first_param)
            continue; /* an adjacent row of the same name */
        put_option(&options.rows[i]);
        if (param)
            put_words(param);
    }
    puts(".PP\n.nf");
    put(GF_CLI_NAME " ");
    put(op->name);
    put(" ");
    put(gf_help_text(op->example));
    puts("\n.fi");
}

/* Describes the keys of --json. */
static void put_reports(void)
{
    puts(".SH JSON");
    put("With --json a command prints one object. An operation has \"op\", \"device\", its numbers, \"input\" and "
        "\"output\" (\"path\", \"width\", \"height\", \"channels\", \"dtype\"), \"hash\", \"timing_ns\", with --verify "
        "\"verified\" (the device that computed the same result), and with --explain \"plan\" and \"why\" (it ran on "
        "that device). A pipe has \"inputs\", \"outputs\" (of \"step\", counted from 1), \"taps\" (\"step\", \"op\" "
        "and its numbers), and with --explain \"plan\", an object for every step, and \"why\". A session prints such "
        "an object for every statement that runs; data that have a name have it as \"path\", and list prints "
        "\"names\". An error is an object \"error\" with \"status\" and \"text\"; with several files \"input\" and "
        "its \"path\" stand beside it. The "
        "command metrics has \"metrics\", each with \"name\", \"kind\", \"labels\" and \"value\", or for a histogram "
        "\"sum\", \"bound\" (of the first bin; each further bin reaches twice as far, the last one is open) and "
        "\"bins\". The command bench has an array for each part. Its rows have \"name\", \"way\", \"device\", "
        "\"clients\", \"bytes_in\" and \"bytes_out\" per request, \"n\" requests, \"p50_ns\", \"p99_ns\", "
        "\"stages_ns\" of the request at p50, \"front_cpu_ns\" per request, \"per_second\", \"in_per_second\", "
        "\"out_per_second\", \"floor\" (0 if there is none: for latency in ns, for link in bytes per second, for "
        "throughput in requests per second, for fairness the p99_ns of the client alone) and \"floor_is\". Further "
        "keys are \"interrupted\", \"p99_ratio\" and \"jain\".");
    puts("\n.PP");
    put("The numbers of a histogram are \"channels\", each with \"counts\", \"underflow\", \"overflow\" and \"nan\", "
        "and \"edges\"; for a reduction \"values\"; for stats \"channels\", each with \"count\", \"argmin\", "
        "\"argmax\", \"argmin_xy\" and \"argmax_xy\" (their columns and rows, empty if there are none), \"nan\", "
        "\"min\", \"max\", \"sum\", \"mean\", \"var\", \"std\", \"l1\", \"l2\" and \"linf\"; for compare \"channels\" "
        "and \"all\", each with \"equal\", \"different\", \"max\", \"mae\", \"mse\" and \"psnr\". Integers have all "
        "their digits, floats the shortest form that reads back to the same bits. A value that is not a JSON number is "
        "a string: \"NaN\", \"Infinity\", \"-Infinity\".");
    puts("\n.SH TRACE");
    put(GF_TIMELINE_ABOUT);
    puts("");
}

static void put_exits(void)
{
    puts(".SH EXIT STATUS");
    for (size_t i = 0; i < gf_n_exits; i++) {
        printf(".TP\n.B %d\n", (int)gf_exits[i].code);
        put(gf_exits[i].help);
        putchar('\n');
    }
}

void gf_page_man(const struct gf_cli *cli)
{
    struct gf_op_options options;
    gf_op_options_init(&gf_ops[0], &options);
    struct gf_option_set files = {&options.rows[options.first_file], options.n - options.first_file};
    puts(".\\\" Printed by gpufilter-client ops --man from the tables of the program; do not edit.\n"
         ".TH GPUFILTER\\-CLIENT 1 \"\" gpufilterd \"User Commands\"\n"
         ".SH NAME\n"
         "gpufilter\\-client \\- filter pictures through gpufilterd\n"
         ".SH SYNOPSIS\n"
         ".B gpufilter\\-client\n.I operation\n[options]\n.I in out\n.br\n"
         ".B gpufilter\\-client\n.I command\n[options]\n"
         ".SH DESCRIPTION\n"
         "Reads the picture\n.IR in ,\nhas the daemon\n.BR gpufilterd (8)\nfilter it on a GPU or on the CPU, with the\n"
         "same bits on either, and writes\n.IR out .\n"
         "Either is a file, or \\- for standard input and output. Options may stand anywhere; \\-\\- ends them.\n"
         "If no daemon is found and no socket was named, an operation starts a private one, which ends by itself.\n"
         "A user who may not use the system's daemon gets a private one only with \\-\\-private.\n"
         "The output is written atomically; it may be the same file as the input.\n"
         ".PP\nPNG, JPEG, BMP, TGA, PNM, PFM and HDR files are read, recognised by their first bytes. The output "
         "format\n"
         "follows from the extension, or from \\-\\-format:");
    put(gf_image_format_words());
    puts(" (FORMATS, below).\nIf a file cannot hold f32, f16 or u16, " GF_FIT_BITS ";\n" GF_FIT_KEPT ".\n"
         "Formats that hold metadata keep that of the first input (FORMATS, below), unless \\-\\-strip or \\-\\-keep\n"
         "leaves it out. Thumbnails are dropped.");
    puts(".SH COMMANDS");
    for (size_t i = 0; i < cli->n_commands; i++)
        printf(".TP\n.B %s\n%s\n", cli->commands[i].name, cli->commands[i].help);
    puts(".TP\n.BR help \" [\\fIcommand\\fR]\"\nexplain an operation or a command; help formats lists the file types,\n"
         "help expressions the language of expr\n"
         ".SH OPERATIONS");
    for (size_t i = 0; i < GF_N_OPS; i++)
        put_op(&gf_ops[i]);
    puts(".SH PIPES");
    put(GF_PIPE_ABOUT);
    puts("\n.PP\n.nf");
    put(GF_CLI_NAME " " GF_PIPE_EXAMPLE);
    puts("\n.fi");
    puts(".SH SEVERAL FILES");
    put("An operation on one file accepts several if -o names the outputs, or if nothing is written; so does a "
        "pipe. " GF_BATCH_ABOUT " ");
    put("A few files are processed at a time (--jobs), so that memory does not depend on their number. Their messages, "
        "with --json one line each, are printed in order. After a failure no further file is started; with "
        "--keep-going all are tried. The exit status says whether a retry may help: it is 69 or 75 if a retry may help "
        "every file that failed; otherwise 2 with --keep-going, or the status of the first file that a retry cannot "
        "help. A signal leaves only complete files, and the number of finished files is printed. After kill -9 or a "
        "crash of the machine a hidden file .gpufilter-*.tmp may remain beside a result; nothing reads it, and it may "
        "be removed once no command runs there.");
    puts("\n.PP");
    put("For tasks on several machines that share a list: the part that --shard takes depends only on the list, not on "
        "the files that exist, so that parts never overlap. The names of the whole list are checked, but links only in "
        "the part. With --skip-existing each result is on storage before it gets its name. A result that exists is "
        "kept even if IN is newer; remove it to have it made again. --in-place is not for tasks that are run again, "
        "because a replaced file would be filtered twice.");
    puts("\n.PP\n.nf");
    put("find /data -name '*.tif' -print0 >list");
    puts("");
    put(GF_CLI_NAME " median --files-from list --shard 2/8 --skip-existing -o '/results/{stem}.png'");
    puts("\n.fi");
    puts(".SH STREAMS");
    put(GF_STREAM_ABOUT " ");
    put("A frame is written as soon as it is done; several are in flight at a time, and memory does not depend on "
        "their number. The y4m header is passed on. Frames of 8 to 16 bits (ffmpeg needs -strict -1 for more than 8), "
        "4:2:0, 4:2:2, 4:4:4, 4:1:1 and grey are accepted; interlaced frames are refused. An operation whose result "
        "has another size or type than the plane is refused. In a chroma plane 128 is neutral, so that an operation on "
        "values rather than on neighbourhoods needs grey or RGB, as a warning says (ffmpeg -pix_fmt gray, or rgb24 "
        "with -f rawvideo and --raw WxHx3:u8). A truncated or damaged frame is an error, after all frames before it "
        "have been written. --timing, --explain, --trace, --otlp, --hash and --verify are for one picture.");
    puts("\n.PP\n.nf");
    put("ffmpeg -i in.mkv -f yuv4mpegpipe - | " GF_CLI_NAME " blur - - | ffmpeg -i - out.mkv");
    puts("\n.fi");
    puts(".SH FORMATS\n.nf");
    put(gf_formats_read);
    put(gf_formats_reading);
    put(gf_formats_written);
    puts(".fi\n.SH EXPRESSIONS\n.nf");
    put(gf_expressions_help);
    puts(".fi");
    put_reports();
    put_options("FILES OF OPERATIONS", &files);
    put_options("OPTIONS OF OPERATIONS", &cli->work);
    put_options("OPTIONS", &cli->common);
    put_exits();
    puts(".SH ENVIRONMENT\n"
         ".TP\n.B GPUFILTER_SOCKET\nsocket of the daemon, as \\-\\-socket\n"
         ".TP\n.B GPUFILTER_PRIVATE\n1: as \\-\\-private\n"
         ".TP\n.B GPUFILTER_AUTOSTART\n0: as \\-\\-no\\-autostart\n"
         ".TP\n.B GPUFILTER_WAIT\nseconds, as \\-\\-wait\n"
         ".TP\n.B GPUFILTER_DAEMON\nthe gpufilterd to start if none is found\n"
         ".SH FILES\n"
         ".TP\n.I /run/gpufilter/gpufilterd.sock\nsocket of the system's daemon\n"
         ".TP\n.I $XDG_RUNTIME_DIR/gpufilter/gpufilterd\\-1.sock\nsocket of a private daemon\n"
         ".SH SEE ALSO\n.BR gpufilterd (8),\n.BR gpufilterd\\-worker (8)");
}
