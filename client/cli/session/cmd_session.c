/* SPDX-License-Identifier: MIT */
/*
 * `session`: a script of several statements on one connection. Named data stays on the device, in resident buffers;
 * only files and reports cross the socket. Every statement that computes is a pipe. Called by main.c.
 */
#include <stdio.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "client/cli/op/adjust.h"
#include "client/cli/op/op_report.h"
#include "client/cli/op/pipe_files.h"
#include "client/cli/op/store.h"
#include "client/cli/pipe/cmd_pipe.h"
#include "client/cli/report/table.h"
#include "client/io/input.h"
#include "client/lib/text/reader.h"
#include "protocol/base/clock.h"
#include "protocol/ops/op_codec.h"
#include "session_text.h"

#define MAX_SCRIPT (1u << 20)
#define NAME_CAPACITY 64
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* The metadata of a loaded file, for all data made from it. Kept until the session ends. */
struct source {
    struct source *next;
    struct gf_image_meta meta;
};

/* Named data on the device. */
struct variable {
    struct variable *next;
    char name[NAME_CAPACITY];
    gpufilter_view view;
    const struct gf_image_meta *meta; /* of the first file that it was made from */
    enum gf_keep keep;                /* what is kept of `meta` */
    bool no_alpha;                    /* see gf_image */
};

struct session {
    struct gf_cli cli; /* its command includes the line of the script */
    char where[32];
    struct gf_pipe_files files; /* options for loaded and saved files */
    gpufilter_client *client;
    struct gf_image_memory memory; /* the client's */
    struct variable *first;
    struct source *sources;
    struct gf_pipe *pipe;             /* of the current statement */
    const struct gf_image_meta *meta; /* of the first name in the statement; NULL: none */
    bool loaded;                      /* a picture has been loaded; later ones lie in memory shared with the daemon */
    bool different;                   /* a compare found a difference */
};

/* Empties the pipe of the statement, which borrows the metadata of names. */
static void end_pipe(struct session *s)
{
    if (s->meta)
        s->pipe->operands[0].image.meta = (struct gf_image_meta){0};
    gf_pipe_deinit(s->pipe);
    *s->pipe = (struct gf_pipe){.is_statement = true};
    s->meta = NULL;
}

static void session_deinit(struct session *s)
{
    gf_pipe_freep(&s->pipe);
    while (s->first) {
        struct variable *next = s->first->next;
        free(s->first);
        s->first = next;
    }
    while (s->sources) {
        struct source *next = s->sources->next;
        gf_image_meta_deinit(&s->sources->meta);
        free(s->sources);
        s->sources = next;
    }
    gf_cli_disconnectp(&s->client);
}

static struct variable *find(const struct session *s, const char *name, size_t length)
{
    for (struct variable *v = s->first; v; v = v->next)
        if (strlen(v->name) == length && memcmp(v->name, name, length) == 0)
            return v;
    return NULL;
}

static int find_or_fail(const struct session *s, const char *name, size_t length, struct variable **ret)
{
    *ret = find(s, name, length);
    if (*ret)
        return GF_EXIT_OK;
    return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "there is no '%.*s'", (int)length, name);
}

/* Gives the first result of the pipe a name, and frees the buffer that had this name before. */
static int set(struct session *s, const char *name, size_t length, const struct gf_image_meta *meta, enum gf_keep keep)
{
    struct variable *v = find(s, name, length);
    if (v)
        gpufilter_free(s->client, v->view.data);
    else {
        v = calloc(1, sizeof(*v));
        if (!v)
            return gf_cli_fail(&s->cli, GF_EXIT_SOFTWARE, "out of memory");
        memcpy(v->name, name, length);
        v->next = s->first;
        s->first = v;
    }
    v->view = s->pipe->results[0].view;
    s->pipe->results[0].view.data = NULL;
    v->meta = meta;
    v->keep = keep;
    v->no_alpha = !gf_pipe_has_alpha(s->pipe, &s->pipe->targets[0]);
    return GF_EXIT_OK;
}

static int check_name(const struct session *s, const char *name, size_t length)
{
    size_t good = strspn(name, LETTERS);
    if (length > 0 && length < NAME_CAPACITY && good >= length && (name[0] < '0' || name[0] > '9'))
        return GF_EXIT_OK;
    return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "'%.*s' is not a name; use up to %d letters, digits and _", (int)length,
                       name, NAME_CAPACITY - 1);
}

/* Adds named data to the pipe. The result inherits the metadata of the first name. */
static enum gf_status add_variable(struct session *s, const struct variable *v, struct gf_ref *ret,
                                   struct gf_error *err)
{
    struct gf_pipe_operand *o = gf_pipe_add_data(s->pipe, ret);
    if (!o)
        return gf_error_set(err, GF_E_BAD_REQUEST, "more than %u operands", GF_MAX_OPERANDS);
    o->view = v->view;
    o->image.no_alpha = v->no_alpha;
    o->path = strdup(v->name);
    if (!o->path)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (ret->index == 0 && v->meta) {
        s->meta = v->meta;
        o->image.meta = *v->meta;
        s->pipe->kept = v->keep;
    }
    return GF_OK;
}

/* Connects an input to a name or, as in a pipe, to a file, a mask, or the result of a step. */
static enum gf_status connect(void *user, const struct gf_text_value *value, struct gf_ref *ret, struct gf_error *err)
{
    struct session *s = user;
    const struct gf_op *op = gf_text_op(value);
    const struct gf_input_desc *input = &op->inputs[value->input];
    const uint32_t n = s->pipe->program.n_operands;
    const char *text = value->text;
    if (!text && n == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s needs an input: the name of data that was loaded or made",
                            op->name);
    if (!text)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s needs %s: give it by name or as operand %u", op->name,
                            input->name, n);
    const struct variable *v = find(s, text, strlen(text));
    if (v)
        return add_variable(s, v, ret, err);
    if (text[0] == '#')
        return gf_text_ref_read(value, n, ret, err);
    if (text[strspn(text, LETTERS)] == '\0' && (text[0] < '0' || text[0] > '9') && input->kind != GF_INPUT_LIST)
        return gf_error_set(err, GF_E_BAD_REQUEST, "there is no '%s'", text);
    return gf_pipe_connect(s->pipe, value, ret, err);
}

/* Reports an error in a text without its column, which does not count from the beginning of the script's line. */
static int fail_text(const struct session *s, struct gf_error *err)
{
    const char *colon = strncmp(err->text, "column ", 7) == 0 ? strstr(err->text, ": ") : NULL;
    if (colon)
        memmove(err->text, colon + 2, strlen(colon + 2) + 1);
    return gf_pipe_fail_text(&s->cli, err);
}

/* Refuses steps that depend on the orientation that viewers show, since named data has the orientation of the file. */
static int check_upright(const struct session *s)
{
    const struct gf_program *program = &s->pipe->program;
    for (uint32_t i = 0; i < program->n_steps && s->meta && s->meta->orientation > 1; i++)
        if (gf_op_needs_upright(program->steps[i].op))
            return gf_cli_fail(&s->cli, GF_EXIT_DATA,
                               "%s: the picture lies as it is stored, while viewers rotate it (EXIF orientation %u); "
                               "load one that is rotated, as " GF_CLI_NAME " crop IN OUT writes it",
                               program->steps[i].op->name, s->meta->orientation);
    return GF_EXIT_OK;
}

/* Runs the pipe of the statement. With `resident` its first result stays on the device. */
static int run_pipe(struct session *s, const struct gf_image_load *how, bool resident)
{
    struct gf_pipe *p = s->pipe;
    int code = gf_pipe_read(&s->cli, p, how);
    if (code == GF_EXIT_OK)
        code = gf_pipe_check(&s->cli, p);
    if (code != GF_EXIT_OK)
        return code;
    if (s->cli.explain && !s->cli.json)
        gf_pipe_explain(&s->cli, p);
    if (resident)
        p->results[0].view.data = GPUFILTER_RESIDENT;
    code = gf_pipe_submit(&s->cli, p, s->client);
    if (code == GF_EXIT_OK)
        code = gf_pipe_write(&s->cli, p);
    if (code != GF_EXIT_OK)
        return code;
    gf_pipe_report(&s->cli, p);
    s->different |= gf_pipe_says_different(p);
    return code;
}

/* Makes the step `copy` of operand 0. */
static void make_copy(struct session *s)
{
    struct gf_step *step = &s->pipe->program.steps[0];
    step->op = &gf_ops[GF_INDEX_copy];
    gf_op_params_default(step->op, &step->params);
    step->in[0] = (struct gf_ref){.from = GF_FROM_OPERAND};
    s->pipe->program.n_steps = 1;
}

static int load(struct session *s, const char *name, size_t length, const char *path)
{
    struct gf_image_load how = s->cli.load;
    struct gf_error err;
    struct gf_ref in;
    struct gf_pipe *p = s->pipe;
    how.memory = s->loaded ? &s->memory : NULL;
    int code = check_name(s, name, length);
    if (code != GF_EXIT_OK)
        return code;
    struct gf_pipe_files files = s->files;
    files.in = &path;
    files.n = 1;
    code = gf_pipe_take_input(&s->cli, &files, p);
    if (code != GF_EXIT_OK)
        return code;
    struct source *source = calloc(1, sizeof(*source));
    if (!source || gf_pipe_add_file(p, path, NULL, &in, &err) != GF_OK) {
        free(source);
        return gf_cli_fail(&s->cli, GF_EXIT_SOFTWARE, "out of memory");
    }
    source->next = s->sources;
    s->sources = source;
    make_copy(s);
    code = gf_pipe_add_target(&s->cli, p, NULL, 0, 0);
    if (code == GF_EXIT_OK)
        code = run_pipe(s, &how, true);
    if (code != GF_EXIT_OK)
        return code;
    s->loaded = true;
    source->meta = p->operands[0].image.meta;
    p->operands[0].image.meta = (struct gf_image_meta){0};
    return set(s, name, length, &source->meta, GF_KEEP_ALL);
}

static int save(struct session *s, const struct variable *v, const char *path)
{
    struct gf_ref in;
    struct gf_error err;
    if (add_variable(s, v, &in, &err) != GF_OK)
        return gf_cli_fail_error(&s->cli, &err);
    make_copy(s);
    int code = gf_pipe_add_target(&s->cli, s->pipe, path, 0, 0);
    if (code == GF_EXIT_OK)
        code = gf_pipe_find_format(&s->cli, &s->files, s->pipe, &s->pipe->targets[0]);
    return code == GF_EXIT_OK ? run_pipe(s, NULL, false) : code;
}

/* Makes a pipe from a statement's text. */
static int read_pipe(struct session *s, const char *text)
{
    struct gf_error err;
    enum gf_status status = gf_pipe_read_steps(s->pipe, text, connect, s, true, &err);
    return status == GF_OK ? check_upright(s) : fail_text(s, &err);
}

static int make(struct session *s, const char *name, size_t length, const char *text)
{
    struct gf_pipe *p = s->pipe;
    int code = check_name(s, name, length);
    if (code == GF_EXIT_OK)
        code = read_pipe(s, text);
    if (code == GF_EXIT_OK)
        code = gf_pipe_add_target(&s->cli, p, NULL, p->program.n_steps - 1, 0);
    if (code == GF_EXIT_OK)
        code = run_pipe(s, NULL, true);
    if (code != GF_EXIT_OK)
        return code;
    return set(s, name, length, s->meta, gf_pipe_keeps(p, &p->targets[0]));
}

/* Runs operations without a name for the result; they print their tables. */
static int report(struct session *s, const char *text)
{
    char name[NAME_CAPACITY];
    const char *word;
    size_t length = gf_script_word(text, &word);
    snprintf(name, sizeof(name), "%.*s", (int)length, word);
    if (!gf_op_by_word(name) && !gf_adjust_by_name(name))
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "'%.*s' is neither a statement nor an operation", (int)length, word);
    int code = read_pipe(s, text);
    if (code == GF_EXIT_OK)
        code = gf_pipe_list_results(&s->cli, s->pipe);
    if (code == GF_EXIT_OK && s->pipe->n_results == 0)
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE,
                           "the result has no name and no step gives a table; write NAME = ...");
    return code == GF_EXIT_OK ? run_pipe(s, NULL, false) : code;
}

static void forget(struct session *s, struct variable *v)
{
    struct variable **at = &s->first;
    while (*at != v)
        at = &(*at)->next;
    *at = v->next;
    gpufilter_free(s->client, v->view.data);
    free(v);
}

/* Lists the names, the newest first. */
static void list(const struct session *s)
{
    char text[64];
    struct gf_json json = {.out = s->cli.out};
    if (s->cli.json) {
        gf_json_object(&json, NULL);
        gf_json_array(&json, "names");
    }
    for (const struct variable *v = s->first; v; v = v->next) {
        struct gf_view view = gf_list_view(&v->view);
        if (!s->cli.json) {
            printf("%-16s %s\n", v->name, gf_view_text(&view, text, sizeof(text)));
            continue;
        }
        gf_json_object(&json, NULL);
        gf_report_view(&json, v->name, &v->view);
        gf_json_object_end(&json);
    }
    if (s->cli.json) {
        gf_json_array_end(&json);
        gf_json_object_end(&json);
        putchar('\n');
    }
}

static bool is(const char *word, size_t length, const char *what)
{
    return strlen(what) == length && memcmp(word, what, length) == 0;
}

/* Runs `load`, `save` and `free`. Their next word is a name; for save and load the rest of the line is a path. */
static int run_named(struct session *s, char verb, const char *rest)
{
    const char *name;
    struct variable *v = NULL;
    size_t length = gf_script_word(rest, &name);
    const char *path = name + length + strspn(name + length, " \t");
    if (length == 0 || (verb == 'f') != (*path == '\0'))
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "%s",
                           verb == 'l'   ? "load NAME FILE"
                           : verb == 's' ? "save NAME FILE"
                                         : "free NAME");
    if (verb == 'l')
        return load(s, name, length, path);
    int code = find_or_fail(s, name, length, &v);
    if (code != GF_EXIT_OK)
        return code;
    if (verb == 's')
        return save(s, v, path);
    forget(s, v);
    return GF_EXIT_OK;
}

static int run_statement(struct session *s, const char *text)
{
    const char *first, *second;
    size_t length = gf_script_word(text, &first), next = gf_script_word(first + length, &second);
    if (next > 0 && is(second, next, "="))
        return make(s, first, length, second + next);
    if (is(first, length, "load") || is(first, length, "save") || is(first, length, "free"))
        return run_named(s, *first, first + length);
    if (is(first, length, "list") && next == 0) {
        list(s);
        return GF_EXIT_OK;
    }
    return report(s, text);
}

static int run_script(struct session *s, char *text)
{
    struct gf_script script = {.at = text, .line = 1};
    unsigned line;
    int code = GF_EXIT_OK;
    for (char *statement; code == GF_EXIT_OK && (statement = gf_script_next(&script, &line));) {
        snprintf(s->where, sizeof(s->where), "session: line %u", line);
        uint64_t begin = gf_now_ns();
        code = run_statement(s, statement);
        end_pipe(s);
        gf_timeline_add(s->cli.timeline, "statement", statement, begin);
    }
    return code == GF_EXIT_OK && s->different ? GF_EXIT_DIFFERENT : code;
}

static int run(const struct gf_cli *cli, const struct gf_pipe_files *files, const char *path)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    gf_cleanup(session_deinit) struct session s = {.cli = *cli, .files = *files};
    struct gf_io_error err;
    if (cli->verify)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--verify cannot be used in a session, whose data is on one device");
    if (gf_input_read(path, MAX_SCRIPT, "a script may have at most", &bytes, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    gf_cleanup(gf_freep) char *text = strndup(bytes.size > 0 ? (const char *)bytes.data : "", bytes.size);
    if (!text || strlen(text) != bytes.size)
        return gf_cli_fail(cli, text ? GF_EXIT_DATA : GF_EXIT_SOFTWARE, text ? "%s is not text" : "%s: out of memory",
                           path);
    s.pipe = calloc(1, sizeof(*s.pipe));
    if (!s.pipe)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    s.pipe->is_statement = true;
    int code = gf_cli_connect(cli, &s.client);
    s.memory = gf_cli_memory(s.client);
    s.cli.command = s.where;
    return code == GF_EXIT_OK ? run_script(&s, text) : code;
}

int gf_cmd_session(struct gf_cli *cli, struct gf_args *args)
{
    static const char *const names[] = {"SCRIPT"};
    const char *path = NULL;
    struct gf_pipe_files files = {.result = "result"};
    const struct gf_option own[] = {
        {"format", '\0', "WORD", "format of the files saved (by their extensions)", &files.format},
        {"raw", '\0', "WxHxC:DTYPE", "files that are loaded hold bare samples of this shape and type, little-endian",
         &files.raw},
        {"in-dtype", '\0', "DTYPE", "files that are loaded hold numbers of this type as text", &files.in_dtype},
    };
    const struct gf_help help = {
        .synopsis = "session [options] SCRIPT",
        .about =
            "Runs the statements of a script (- is standard input) on one connection. Named data stays on the device\n"
            "until the session ends; only files and reports are copied.\n"
            "  load NAME FILE            copy a picture or an array to the device\n"
            "  NAME = OP NAME [...]      run an operation, or several as in pipe; input=NAME names an input,\n"
            "                            input=@FILE a file, as in mask=@FILE\n"
            "  OP NAME [...]             print what operations report\n"
            "  save NAME FILE            write the data to a file\n"
            "  free NAME                 release the data\n"
            "  list                      print all names\n"
            "A statement ends with the line or with `;`, and is a comment if it begins with #. The first statement\n"
            "that fails ends the session. With --json every statement that runs prints an object as pipe does; --hash\n"
            "prints the hashes of saved files. The exit status is 1 if `compare` found a difference.",
        .example = "session - <<'END'\nload a in.png\nb = gaussian a sigma=2 | sobel dtype=u8\nhistogram b bins=64\n"
                   "save b out.png\nEND",
        .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, names, GF_ARRAY_LEN(names), &path);
    if (code == GF_EXIT_OK && cli->all_pages)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--page all: a name stands for one picture; use an operation or pipe");
    return code != GF_EXIT_OK || cli->help ? code : run(cli, &files, path);
}
