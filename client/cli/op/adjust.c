/* SPDX-License-Identifier: MIT */
/* Commands that set an operation's parameters according to the type of the picture; see adjust.h. Called by main.c. */
#include "adjust.h"

#include <math.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "protocol/base/dtype.h"
#include "protocol/base/text.h"
#include "protocol/ops/params/flatten.h"
#include "protocol/ops/params/map.h"

#define MAX_AMOUNT 1000.0

struct gf_adjust {
    const char *name;
    const char *about, *example;
    enum gf_op_index op;
    const char *amount;  /* help of --amount; NULL: the command has no amount */
    bool flattens;       /* the command is the operation itself, and also takes --background */
    bool moves_grey;     /* the middle of the range changes */
    const char *unwhite; /* what to do for pictures without a white level; NULL: any picture will do */
    void (*set)(const struct gf_cli *cli, double amount, double max, union gf_params *params);
};

static void set_invert(const struct gf_cli *cli, double amount, double max, union gf_params *params)
{
    (void)cli;
    (void)amount;
    GF_SET_PARAM(params, map, scale, -1.0f);
    GF_SET_PARAM(params, map, offset, (float)max);
}

static void set_brightness(const struct gf_cli *cli, double amount, double max, union gf_params *params)
{
    (void)cli;
    (void)max;
    GF_SET_PARAM(params, map, scale, (float)amount);
}

static void set_contrast(const struct gf_cli *cli, double amount, double max, union gf_params *params)
{
    (void)cli;
    GF_SET_PARAM(params, map, scale, (float)amount);
    GF_SET_PARAM(params, map, offset, (float)((1.0 - amount) * max / 2.0));
}

/* A grey background becomes one number, which also suits grey pictures. */
static void set_background(const struct gf_cli *cli, double amount, double max, union gf_params *params)
{
    (void)amount;
    const uint8_t *b = cli->save.background;
    struct gf_f32v colour = {.n = b[0] == b[1] && b[1] == b[2] ? 1 : 3};
    if (!cli->save.flatten)
        return;
    for (uint32_t i = 0; i < colour.n; i++)
        colour.v[i] = (float)(max > 1.0 ? rint(b[i] * max / 255.0) : b[i] / 255.0);
    GF_SET_PARAM(params, flatten, colour, colour);
}

#define ABOUT_MAX "MAX is 255 for u8, 65535 for u16 and 1 for f32. Alpha stays."

static const struct gf_adjust adjusts[] = {
    {"invert", "Makes the negative: map with scale=-1 and offset=MAX.\n" ABOUT_MAX, "invert in.png out.png",
     GF_INDEX_map, NULL, false, false, "map --scale -1 is its negative", set_invert},
    {"brightness", "Multiplies the samples: map with scale=AMOUNT. Alpha stays.",
     "brightness --amount 1.2 in.png out.png", GF_INDEX_map, "factor; 1 changes nothing; 0..1000", false, true, NULL,
     set_brightness},
    {"contrast",
     "Spreads the samples around the middle: map with scale=AMOUNT and offset=(1-AMOUNT)*MAX/2.\n" ABOUT_MAX,
     "contrast --amount 1.2 in.png out.png", GF_INDEX_map, "factor; 1 changes nothing; 0..1000", false, false,
     "map --scale 1.2 --offset -20 keeps 100 where it is", set_contrast},
    {"flatten", NULL, NULL, GF_INDEX_flatten, NULL, true, false, "flatten --colour takes samples", set_background},
};

const struct gf_adjust *gf_adjust_by_name(const char *name)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(adjusts); i++)
        if (strcmp(adjusts[i].name, name) == 0)
            return &adjusts[i];
    return NULL;
}

void gf_adjust_options(const struct gf_adjust *adjust, struct gf_op_options *options)
{
    struct gf_option *rows = options->rows;
    const struct gf_option alpha = {"alpha", '\0', "WORD", "straight: change alpha as well (auto)", NULL};
    size_t n_files = options->n - options->first_file, n = 0;
    const char **alpha_ret = NULL;
    if (adjust->flattens)
        return;
    for (size_t i = options->first_param; i < options->first_file; i++)
        if (strcmp(rows[i].name, alpha.name) == 0)
            alpha_ret = rows[i].ret;
    if (adjust->amount)
        rows[n++] = (struct gf_option){"amount", '\0', "NUMBER", adjust->amount, &options->amount};
    if (alpha_ret) {
        rows[n] = alpha;
        rows[n++].ret = alpha_ret;
    }
    memmove(&rows[n], &rows[options->first_file], n_files * sizeof(*rows));
    options->first_param = options->first_file = n;
    options->n = n + n_files;
}

static bool parse_amount(const char *text, double *ret)
{
    const char *end = gf_text_to_f64(text, ret);
    return end && !*end && *ret >= 0.0 && *ret <= MAX_AMOUNT;
}

int gf_adjust_parse(const struct gf_cli *cli, const struct gf_op_options *options, union gf_params *params,
                    double *ret_amount)
{
    const struct gf_adjust *a = cli->adjust;
    if (a->flattens && cli->save.flatten == (options->params[0] != NULL))
        return cli->save.flatten
                   ? gf_cli_fail(cli, GF_EXIT_USAGE, "--colour and --background mean the same; leave one of them out")
                   : gf_cli_fail(cli, GF_EXIT_USAGE, "--background is missing, e.g. --background white");
    a->set(cli, 1.0, 255.0, params); /* sets the right number of values; gf_adjust_apply sets them for the real type */
    if (!a->amount)
        return GF_EXIT_OK;
    if (!options->amount)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--amount is missing, e.g. --amount 1.2; 1 changes nothing");
    if (!parse_amount(options->amount, ret_amount))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--amount %s; allowed: 0..%.0f", options->amount, MAX_AMOUNT);
    return GF_EXIT_OK;
}

const struct gf_op *gf_adjust_op(const struct gf_adjust *adjust)
{
    return &gf_ops[adjust->op];
}

enum gf_status gf_adjust_pair(const struct gf_adjust *adjust, const struct gf_text_value *value, const char *name,
                              double *amount, bool *ret_taken, struct gf_error *err)
{
    *ret_taken = adjust->amount && strcmp(name, "amount") == 0;
    if (*ret_taken && !isnan(*amount))
        return gf_text_fail(value, GF_E_BAD_PARAM, err, "amount of %s is given twice", adjust->name);
    if (*ret_taken && !parse_amount(value->text, amount))
        return gf_text_fail(value, GF_E_BAD_PARAM, err, "%s: amount=%s; allowed: 0..%.0f", adjust->name, value->text,
                            MAX_AMOUNT);
    if (*ret_taken || strcmp(name, "alpha") == 0 || strcmp(name, gf_ops[adjust->op].inputs[0].name) == 0)
        return GF_OK;
    return gf_text_fail(value, GF_E_UNKNOWN_PARAM, err, "%s has no %s; it takes %s%salpha", adjust->name, name,
                        gf_ops[adjust->op].inputs[0].name, adjust->amount ? ", amount or " : " or ");
}

enum gf_status gf_adjust_check(const struct gf_adjust *adjust, uint32_t step, double amount, struct gf_error *err)
{
    if (!adjust->amount || !isnan(amount))
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_REQUEST, "step %u (%s) needs amount, e.g. amount=1.2; 1 changes nothing",
                        step + 1, adjust->name);
}

bool gf_adjust_moves_grey(const struct gf_adjust *adjust)
{
    return adjust->moves_grey;
}

int gf_adjust_apply(const struct gf_cli *cli, const struct gf_adjust *adjust, double amount, uint32_t dtype,
                    union gf_params *params)
{
    bool needs_white = adjust->unwhite && (!adjust->flattens || cli->save.flatten);
    if (needs_white && (GF_DT(dtype) & GF_DT_UNWHITE) != 0)
        return gf_cli_fail(cli, GF_EXIT_DATA, "the picture is %s, which has no white level; %s", gf_dtype_word(dtype),
                           adjust->unwhite);
    double max = cli->save.white > 0 ? cli->save.white : dtype == GF_U8 ? 255.0 : dtype == GF_U16 ? 65535.0 : 1.0;
    adjust->set(cli, amount, max, params);
    return GF_EXIT_OK;
}

int gf_adjust_help(const struct gf_cli *cli)
{
    const struct gf_adjust *a = cli->adjust;
    struct gf_op_options options;
    char synopsis[128];
    gf_op_options_init(&gf_ops[a->op], &options);
    gf_adjust_options(a, &options);
    snprintf(synopsis, sizeof(synopsis), "%s [options] IN OUT", a->name);
    const struct gf_help help = {
        .synopsis = synopsis, .about = a->about, .example = a->example, .own = {options.rows, options.n}};
    return gf_cli_print_help(cli, &help);
}

int gf_cmd_adjust(struct gf_cli *cli, struct gf_args *args)
{
    cli->adjust = gf_adjust_by_name(cli->command);
    cli->op = &gf_ops[cli->adjust->op];
    return gf_cmd_op(cli, args);
}
