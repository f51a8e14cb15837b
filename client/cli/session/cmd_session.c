/* SPDX-License-Identifier: MIT */
/*
 * `session`: a script of several statements on one connection. Named data stays on the device, as resident buffers;
 * only files and reports cross the socket. Called by cli.c.
 */
#include <stdio.h>
#include <string.h>

#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/base/timeline.h"
#include "client/cli/image/image.h"
#include "client/cli/io/input.h"
#include "client/cli/op/keep.h"
#include "client/cli/op/op_data.h"
#include "client/cli/report/list.h"
#include "client/cli/report/table.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "session_text.h"

#define MAX_SCRIPT (1u << 20)
#define MAX_TEXT 4096 /* of one statement */
#define NAME_CAPACITY 64

/* What a loaded file said beside its samples, for all that is made of it; kept to the end. */
struct source {
    struct source *next;
    struct gf_image_meta meta;
};

/* Something on the device that has a name. */
struct variable {
    struct variable *next;
    char name[NAME_CAPACITY];
    gpufilter_view view;
    const struct gf_image_meta *meta; /* of the file that it was made of, first of all */
    enum gf_keep keep;                /* of that */
};

struct session {
    struct gf_cli cli; /* its command says the line, too */
    char where[32];
    gpufilter_client *client;
    struct variable *first;
    struct source *sources;
    bool loaded;    /* a picture was; the next ones lie in memory shared with the daemon */
    bool different; /* a compare found something */
};

static void session_deinit(struct session *s)
{
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

/* Gives a buffer a name; what had it before is freed. */
static int set(struct session *s, const char *name, size_t length, const gpufilter_view *view,
               const struct gf_image_meta *meta, enum gf_keep keep)
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
    v->view = *view;
    v->meta = meta;
    v->keep = keep;
    return GF_EXIT_OK;
}

static int check_name(const struct session *s, const char *name, size_t length)
{
    size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length > 0 && length < NAME_CAPACITY && good >= length && (name[0] < '0' || name[0] > '9'))
        return GF_EXIT_OK;
    return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "'%.*s' is not a name; use up to %d letters, digits and _", (int)length,
                       name, NAME_CAPACITY - 1);
}

/* An error of a run. The column that it may begin with is that of the text which the library was given. */
static int fail_run(const struct session *s, gpufilter_error *err)
{
    const char *colon = strncmp(err->text, "column ", 7) == 0 ? strstr(err->text, ": ") : NULL;
    if (colon)
        memmove(err->text, colon + 2, strlen(colon + 2) + 1);
    return gf_cli_fail_client(&s->cli, err);
}

static int run_text(const struct session *s, const char *text, const gpufilter_view *operands, uint32_t n_operands,
                    gpufilter_result *results, uint32_t n)
{
    gpufilter_error err;
    uint64_t begin = gf_now_ns();
    if (gpufilter_run_text(s->client, text, operands, n_operands, results, n, &err) != GPUFILTER_OK)
        return fail_run(s, &err);
    gf_timeline_add_run(s->cli.timeline, s->client, begin);
    return GF_EXIT_OK;
}

static int load(struct session *s, const char *name, size_t length, const char *path)
{
    const struct gf_image_memory shared = gf_cli_memory(s->client); /* outlives the image */
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error io_err;
    int code = check_name(s, name, length);
    if (code != GF_EXIT_OK)
        return code;
    const struct gf_image_load how = {.memory = s->loaded ? &shared : NULL, .page = s->cli.page_number};
    uint64_t begin = gf_now_ns();
    if (gf_image_read(path, NULL, &how, &image, &io_err) != GF_IO_OK)
        return gf_cli_fail_io(&s->cli, &io_err);
    s->loaded = true;
    gf_cli_warn(&s->cli, image.warning);
    gf_timeline_add(s->cli.timeline, "read", path, begin);
    const struct gf_view *v = &image.view;
    const gpufilter_view src = {image.data, v->width, v->height, v->pitch, v->dtype, v->channels};
    gpufilter_result result = {.view.data = GPUFILTER_RESIDENT, .step = GPUFILTER_LAST_STEP};
    struct source *source = calloc(1, sizeof(*source));
    if (!source)
        return gf_cli_fail(&s->cli, GF_EXIT_SOFTWARE, "out of memory");
    *source = (struct source){.next = s->sources, .meta = image.meta};
    image.meta = (struct gf_image_meta){0};
    s->sources = source;
    code = run_text(s, "copy", &src, 1, &result, 1);
    return code == GF_EXIT_OK ? set(s, name, length, &result.view, &source->meta, GF_KEEP_ALL) : code;
}

static int save(struct session *s, const struct variable *v, const char *path)
{
    enum gf_image_format format;
    struct gf_io_error io_err;
    struct gf_view view = gf_list_view(&v->view);
    if (gf_image_format_from_path(path, &format, &io_err) != GF_IO_OK ||
        gf_image_can_store(format, &view, &s->cli.save, path, &io_err) != GF_IO_OK)
        return gf_cli_fail_io(&s->cli, &io_err);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    int code = run_text(s, "copy", &v->view, 1, &result, 1);
    if (code != GF_EXIT_OK)
        return code;
    struct gf_image_save how = gf_keep_save(&s->cli, v->meta, v->keep);
    uint64_t begin = gf_now_ns();
    view = gf_list_view(&result.view);
    enum gf_io_status r = gf_image_write(path, format, &view, result.view.data, &how, &io_err);
    gf_timeline_add(s->cli.timeline, "write", path, begin);
    gpufilter_free(s->client, result.view.data);
    if (r == GF_IO_OK)
        gf_keep_warn(&s->cli, &how, format, path);
    return r == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(&s->cli, &io_err);
}

/* A statement as the library understands it. */
struct program {
    char text[MAX_TEXT];
    gpufilter_view operands[GF_MAX_OPERANDS];
    struct gf_image files[GF_MAX_OPERANDS]; /* by operand: of one that is a file; else empty */
    struct gf_coefs masks[GF_MAX_OPERANDS]; /* likewise */
    uint32_t n_operands, n_steps;
    const struct gf_op *op;           /* of the last step */
    const struct gf_op *upright;      /* a step that goes by what viewers show; NULL: none does */
    const struct gf_image_meta *meta; /* of the first operand */
    enum gf_keep keep;                /* of that, by all steps */
};

static int add_operand(const struct session *s, struct program *p, const struct variable *v)
{
    if (p->n_operands == GF_MAX_OPERANDS)
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "more than %u operands", GF_MAX_OPERANDS);
    if (p->n_operands == 0) {
        p->meta = v->meta;
        p->keep = v->keep > p->keep ? v->keep : p->keep;
    }
    p->operands[p->n_operands++] = v->view;
    return GF_EXIT_OK;
}

static void program_deinit(struct program *p)
{
    for (uint32_t i = 0; i < p->n_operands; i++) {
        gf_image_deinit(&p->files[i]);
        gf_coefs_deinit(&p->masks[i]);
    }
}

static const struct gf_input_desc *find_input(const struct gf_op *op, const char *name, size_t length)
{
    for (uint32_t i = 0; op && i < op->n_inputs; i++)
        if (strlen(op->inputs[i].name) == length && memcmp(op->inputs[i].name, name, length) == 0)
            return &op->inputs[i];
    return NULL;
}

/* What an input gets that is no name: a file, "@FILE", or for a list its numbers; as in a pipe. */
static int add_data(const struct session *s, struct program *p, const struct gf_input_desc *input, const char *value)
{
    struct gf_io_error err;
    uint32_t i = p->n_operands;
    const char *path = value + (value[0] == '@');
    if (*path == '\0')
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "%s=@: the name of a file is missing", input->name);
    if (i == GF_MAX_OPERANDS)
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "more than %u operands", GF_MAX_OPERANDS);
    enum gf_io_status r = input->kind == GF_INPUT_COEFS  ? gf_coefs_read(path, &p->masks[i], &err)
                          : input->kind == GF_INPUT_LIST ? gf_data_option_read(input, path, &p->files[i], &err)
                                                         : gf_image_read(path, NULL, NULL, &p->files[i], &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(&s->cli, &err);
    gf_cli_warn(&s->cli, p->files[i].warning);
    const struct gf_view *v = p->masks[i].data ? &p->masks[i].view : &p->files[i].view;
    p->operands[i] = (gpufilter_view){p->masks[i].data ? (void *)p->masks[i].data : p->files[i].data,
                                      v->width,
                                      v->height,
                                      v->pitch,
                                      v->dtype,
                                      v->channels};
    p->n_operands++;
    return GF_EXIT_OK;
}

/* A word behind the operation: a name is an operand, and so is a name or data after the name of an input; others stay
 * as they are. */
static int add_word(const struct session *s, struct program *p, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    struct variable *v;
    if (*word == '\'' || *word == '"') { /* the text that an operation is about */
        gf_text_append(p->text, sizeof(p->text), " %.*s", (int)length, word);
        return GF_EXIT_OK;
    }
    if (!equals && p->n_steps == 1) {
        int code = find_or_fail(s, word, length, &v);
        return code == GF_EXIT_OK ? add_operand(s, p, v) : code;
    }
    size_t key = equals ? (size_t)(equals - word) : 0;
    const struct gf_input_desc *input = equals ? find_input(p->op, word, key) : NULL;
    v = input ? find(s, equals + 1, length - key - 1) : NULL;
    bool quoted = input && length > key + 2 && strchr("'\"", equals[1]) && word[length - 1] == equals[1];
    char value[MAX_TEXT];
    snprintf(value, sizeof(value), "%.*s", input ? (int)(length - key - 1 - 2 * quoted) : 0,
             input ? equals + 1 + quoted : "");
    bool data = value[0] == '@' || (input && input->kind == GF_INPUT_LIST && value[0] != '#' && value[0] != '\0');
    if (!v && !data) {
        gf_text_append(p->text, sizeof(p->text), " %.*s", (int)length, word);
        return GF_EXIT_OK;
    }
    gf_text_append(p->text, sizeof(p->text), " %.*s=@%u", (int)key, word, p->n_operands);
    return v ? add_operand(s, p, v) : add_data(s, p, input, value);
}

static int read_program(const struct session *s, const char *text, struct program *p)
{
    char name[NAME_CAPACITY];
    const char *word;
    bool begins = true;
    int code = GF_EXIT_OK;
    *p = (struct program){.n_steps = 0};
    for (size_t length; (length = gf_script_word(text, &word)) > 0 && code == GF_EXIT_OK; text = word + length) {
        if (*word == '|') {
            gf_text_append(p->text, sizeof(p->text), " |");
            begins = true;
        } else if (begins) {
            snprintf(name, sizeof(name), "%.*s", (int)length, word);
            p->op = gf_op_by_name(name);
            if (p->op && !gf_op_is_table(p->op) && gf_op_keeps(p->op, 0) > p->keep)
                p->keep = gf_op_keeps(p->op, 0);
            if (p->op && gf_op_sees_upright(p->op))
                p->upright = p->op;
            p->n_steps++;
            gf_text_append(p->text, sizeof(p->text), " %.*s", (int)length, word);
            begins = false;
        } else
            code = add_word(s, p, word, length);
    }
    if (code == GF_EXIT_OK && p->op && p->n_operands == 0)
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "%s of what? A name that was loaded or made follows it",
                           p->op->name);
    if (code == GF_EXIT_OK && p->upright && p->meta && p->meta->orientation > 1)
        return gf_cli_fail(&s->cli, GF_EXIT_DATA,
                           "%s: the picture lies as it is stored, while viewers rotate it (EXIF orientation %u); load "
                           "one that is rotated, as " GF_CLI_NAME " crop IN OUT writes it",
                           p->upright->name, p->meta->orientation);
    return code;
}

static int make(struct session *s, const char *name, size_t length, const char *text)
{
    gf_cleanup(program_deinit) struct program p = {.n_operands = 0};
    int code = check_name(s, name, length);
    if (code == GF_EXIT_OK)
        code = read_program(s, text, &p);
    if (code != GF_EXIT_OK)
        return code;
    gpufilter_result result = {.view.data = GPUFILTER_RESIDENT, .step = GPUFILTER_LAST_STEP};
    code = run_text(s, p.text, p.operands, p.n_operands, &result, 1);
    if (p.op && gf_op_is_table(p.op))
        p.keep = GF_KEEP_NOTHING;
    return code == GF_EXIT_OK ? set(s, name, length, &result.view, p.meta, p.keep) : code;
}

/* An operation that gets no name prints its tables. */
static int report(struct session *s, const char *text)
{
    gf_cleanup(program_deinit) struct program p = {.n_operands = 0};
    gpufilter_result results[GF_MAX_OUTPUTS];
    uint32_t tables[GF_MAX_OUTPUTS];
    int code = read_program(s, text, &p);
    if (code != GF_EXIT_OK)
        return code;
    if (!p.op && p.n_steps == 1)
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE, "'%s' is neither a statement nor an operation",
                           p.text + strspn(p.text, " "));
    uint32_t n = p.op && p.n_steps == 1 ? gf_op_tables(p.op, tables) : 0;
    if (n == 0)
        return gf_cli_fail(&s->cli, GF_EXIT_USAGE,
                           "the result has no name and is not a table of one step; write NAME = ...");
    for (uint32_t i = 0; i < n; i++)
        results[i] = (gpufilter_result){.step = GPUFILTER_LAST_STEP, .output = tables[i]};
    code = run_text(s, p.text, p.operands, p.n_operands, results, n);
    if (code != GF_EXIT_OK)
        return code;
    struct gf_view in = gf_list_view(&p.operands[0]);
    gf_table_print(stdout, p.op, results, &in);
    s->different |= gf_table_says_different(p.op, results);
    for (uint32_t i = 0; i < n; i++)
        gpufilter_free(s->client, results[i].view.data);
    return GF_EXIT_OK;
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

/* The newest first. */
static void list(const struct session *s)
{
    char text[64];
    for (const struct variable *v = s->first; v; v = v->next) {
        struct gf_view view = gf_list_view(&v->view);
        printf("%-16s %s\n", v->name, gf_view_text(&view, text, sizeof(text)));
    }
}

static bool is(const char *word, size_t length, const char *what)
{
    return strlen(what) == length && memcmp(word, what, length) == 0;
}

/* `load`, `save` and `free`, whose next word is a name; save and load have a path, which goes to the end. */
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
        code = strlen(statement) < MAX_TEXT / 2
                   ? run_statement(s, statement)
                   : gf_cli_fail(&s->cli, GF_EXIT_USAGE, "a statement of %zu bytes; the limit is %d", strlen(statement),
                                 MAX_TEXT / 2);
        gf_timeline_add(s->cli.timeline, "statement", statement, begin);
    }
    return code == GF_EXIT_OK && s->different ? GF_EXIT_DIFFERENT : code;
}

static int run(const struct gf_cli *cli, const char *path)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    gf_cleanup(session_deinit) struct session s = {.cli = *cli};
    struct gf_io_error err;
    if (cli->json || cli->timing || cli->explain || cli->hash || cli->verify)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json, --timing, --explain, --hash and --verify are not for sessions");
    if (gf_input_read(path, MAX_SCRIPT, "a script may have", &bytes, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    gf_cleanup(gf_freep) char *text = strndup(bytes.size > 0 ? (const char *)bytes.data : "", bytes.size);
    if (!text || strlen(text) != bytes.size)
        return gf_cli_fail(cli, text ? GF_EXIT_DATA : GF_EXIT_SOFTWARE, text ? "%s is not text" : "%s: out of memory",
                           path);
    int code = gf_cli_connect(cli, &s.client);
    s.cli.command = s.where;
    return code == GF_EXIT_OK ? run_script(&s, text) : code;
}

int gf_cmd_session(struct gf_cli *cli, struct gf_args *args)
{
    static const char *const names[] = {"SCRIPT"};
    const char *path = NULL;
    const struct gf_help help = {
        .synopsis = "session [options] SCRIPT",
        .about =
            "Runs the statements of a script (- is standard input) on one connection. What has a name stays on the\n"
            "device until the end, so that nothing but files and reports is copied.\n"
            "  load NAME FILE            bring a picture or an array there\n"
            "  NAME = OP NAME [...]      run an operation, or several as in pipe; input=NAME names an input,\n"
            "                            input=@FILE a file, as in mask=@FILE\n"
            "  OP NAME [...]             print what an operation reports\n"
            "  save NAME FILE            write it to a file\n"
            "  free NAME                 let go of it\n"
            "  list                      print what there is\n"
            "A statement ends with the line or with `;`, and is a comment where it begins with #. The first that\n"
            "fails ends the session. The exit status is 1 where `compare` found a difference.",
        .example = "session - <<'END'\nload a in.png\nb = gaussian a sigma=2 | sobel dtype=u8\nhistogram b bins=64\n"
                   "save b out.png\nEND"};
    int code = gf_cli_parse(cli, args, NULL, names, GF_ARRAY_LEN(names), &path);
    if (code != GF_EXIT_OK)
        return code;
    return cli->help ? gf_cli_print_help(cli, &help) : run(cli, path);
}
