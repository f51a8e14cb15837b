/* SPDX-License-Identifier: MIT */
/*
 * Converts pictures to sRGB through lcms2 (--srgb). Of its ways the one of floats without optimisation is taken, in a
 * context without plug-ins: its results depend on no cache, no table made for the picture's type, and no vector
 * instructions. Of a profile that is a matrix and curves, lcms2 only tells the light of every value of a channel.
 * docs/files.md, "Conversion to sRGB", has the rules. A file may bring any profile, so the memory of a conversion is
 * limited, and profiles whose cost per pixel is not are refused. Called by image.c.
 */
#include <lcms2.h>
#include <lcms2_plugin.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "client/io/threads.h"
#include "image_codec.h"
#include "library.h"
#include "protocol/base/text.h"

/* Memory of lcms2 for one conversion. The largest profiles in use need a tenth. */
#define MEMORY_BYTES ((size_t)128 << 20)
/* Pixels that are converted at a time. */
#define RUN_PIXELS 1024u
/* Values per channel of the colours that tell whether a profile is that of sRGB. */
#define GRID 17u
/* The most by which they may differ: a step of 8 bits. */
#define NEAR_SAMPLE (1.0f / 255.0f)
#define MAX_INKS 4u
/* The range of an ink in lcms2's floats. */
#define FULL_INK 100.0f
#define RELATIVE_COLORIMETRIC 1u

#define LCMS_CALLS(call)                                                                                               \
    call(cmsCreateContext) call(cmsDeleteContext) call(cmsGetContextUserData) call(cmsSetLogErrorHandlerTHR)           \
        call(cmsOpenProfileFromMemTHR) call(cmsCloseProfile) call(cmsGetColorSpace) call(cmsGetDeviceClass)            \
            call(cmsIsTag) call(cmsIsMatrixShaper) call(cmsCreateRGBProfileTHR) call(cmsCreateGrayProfileTHR)          \
                call(cmsBuildParametricToneCurve) call(cmsFreeToneCurve) call(cmsCreateTransformTHR)                   \
                    call(cmsDeleteTransform) call(cmsDoTransform) call(cmsGetEncodedCMMversion)

static struct {
    LCMS_CALLS(GF_LIBRARY_MEMBER)
} lcms;

static const char *const names[] = {LCMS_CALLS(GF_LIBRARY_NAME)};
static struct gf_library library = {
    .name = "lcms2", .file = GF_LCMS2_FILE, .names = names, .n = GF_ARRAY_LEN(names), .calls = &lcms};

static const char *version(char *text, size_t size)
{
    if (gf_library_load(&library, "", &gf_colour_use, NULL) != GF_IO_OK)
        return NULL;
    int number = lcms.cmsGetEncodedCMMversion(); /* 2140: version 2.14 */
    snprintf(text, size, "%d.%d", number / 1000, number % 1000 / 10);
    return text;
}

const struct gf_library_use gf_colour_use = {"--srgb", "lcms2", true, version, "leave --srgb out"};

/* Tables for integers of 0 to `max`, where the light of a colour is the sum of that of its channels. */
struct sums {
    uint32_t max;
    /* Red, green and blue of sRGB for the values of the first, second and third channel; NULL: there are no tables. */
    float (*light)[3];
    float *edges;     /* the least light of every value of sRGB, and infinity */
    uint16_t *firsts; /* the value at the beginning of every bucket of light */
};

/* Buckets of light per value: the darkest still span less than a value. */
#define BUCKETS 16u

/* A conversion. */
struct conversion {
    const struct gf_source *src;
    struct gf_image *image;
    size_t memory;  /* left for lcms2 */
    bool is_costly; /* lcms2 asked for more */
    char why[128];  /* the first error of lcms2 */
    cmsContext context;
    cmsHPROFILE from, to, linear; /* linear: sRGB without its curve */
    cmsHTRANSFORM transform, to_light;
    struct sums sums;        /* without light the transform converts every pixel */
    uint32_t given, colours; /* channels that the transform takes; of the picture and the result, without alpha */
    uint32_t step;           /* samples from pixel to pixel */
    uint64_t pixels;
    atomic_uint_fast64_t next; /* run */
};

/* Counts memory, also what is given back later. lcms2 asks for that of a context before the context has a user. */
static bool may_take(struct conversion *c, size_t size)
{
    if (c && size > c->memory) {
        c->is_costly = true;
        return false;
    }
    if (c)
        c->memory -= size;
    return true;
}

static void *take(cmsContext context, cmsUInt32Number size)
{
    struct conversion *c = lcms.cmsGetContextUserData(context);
    return may_take(c, size) ? malloc(size) : NULL;
}

static void give_back(cmsContext context, void *data)
{
    (void)context;
    free(data);
}

static void *retake(cmsContext context, void *data, cmsUInt32Number size)
{
    struct conversion *c = lcms.cmsGetContextUserData(context);
    return may_take(c, size) ? realloc(data, size) : NULL;
}

static void on_error(cmsContext context, cmsUInt32Number code, const char *text)
{
    struct conversion *c = lcms.cmsGetContextUserData(context);
    (void)code;
    if (c && c->why[0] == '\0')
        snprintf(c->why, sizeof(c->why), "%s", text);
}

static void conversion_deinit(struct conversion *c)
{
    const cmsHTRANSFORM transforms[] = {c->transform, c->to_light};
    const cmsHPROFILE profiles[] = {c->from, c->to, c->linear};
    for (size_t i = 0; i < GF_ARRAY_LEN(transforms); i++)
        if (transforms[i])
            lcms.cmsDeleteTransform(transforms[i]);
    for (size_t i = 0; i < GF_ARRAY_LEN(profiles); i++)
        if (profiles[i])
            lcms.cmsCloseProfile(profiles[i]);
    free(c->sums.light);
    free(c->sums.edges);
    free(c->sums.firsts);
    if (c->context)
        lcms.cmsDeleteContext(c->context);
}

static bool open_context(struct conversion *c)
{
    static cmsPluginMemHandler memory = {.base = {cmsPluginMagicNumber, 2060, cmsPluginMemHandlerSig, NULL},
                                         .MallocPtr = take,
                                         .FreePtr = give_back,
                                         .ReallocPtr = retake};
    c->memory = MEMORY_BYTES;
    c->context = lcms.cmsCreateContext(&memory, c);
    if (c->context)
        lcms.cmsSetLogErrorHandlerTHR(c->context, on_error);
    return c->context;
}

/* H.273, table 2: x and y of white, red, green and blue. */
static const struct primaries {
    uint8_t code;
    double xy[8];
} primaries[] = {
    {1, {0.3127, 0.3290, 0.640, 0.330, 0.300, 0.600, 0.150, 0.060}},
    {4, {0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08}},
    {5, {0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06}},
    {6, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {7, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {8, {0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049}},
    {9, {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046}},
    {11, {0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {12, {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {22, {0.3127, 0.3290, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077}},
};

/* Adobe RGB (1998), 4.3.1. */
static const double adobe_rgb[8] = {0.3127, 0.3290, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06};
#define ADOBE_GAMMA 2.19921875

/* The curve of sRGB (IEC 61966-2-1), or with `exponent` of a power, to linear light. */
static cmsToneCurve *make_curve(const struct conversion *c, double exponent)
{
    static const double srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    return exponent > 0 ? lcms.cmsBuildParametricToneCurve(c->context, 1, &exponent)
                        : lcms.cmsBuildParametricToneCurve(c->context, 4, srgb);
}

/* A profile for grey or for colours, by x and y of white, red, green and blue. */
static cmsHPROFILE make_profile(const struct conversion *c, double exponent, const double xy[8])
{
    cmsToneCurve *curve = make_curve(c, exponent), *const curves[3] = {curve, curve, curve};
    const cmsCIExyY white = {xy[0], xy[1], 1};
    const cmsCIExyYTRIPLE rgb = {{xy[2], xy[3], 1}, {xy[4], xy[5], 1}, {xy[6], xy[7], 1}};
    cmsHPROFILE profile = NULL;
    if (curve && c->colours == 1)
        profile = lcms.cmsCreateGrayProfileTHR(c->context, &white, curve);
    else if (curve)
        profile = lcms.cmsCreateRGBProfileTHR(c->context, &white, &rgb, curves);
    if (curve)
        lcms.cmsFreeToneCurve(curve);
    return profile;
}

/* Whether a profile has processing elements (ICC.1, 10.16). Every pixel would pass each of them, and a profile may have
 * thousands. */
static bool has_elements(cmsHPROFILE profile)
{
    static const char *const tags[] = {"D2B0", "D2B1", "D2B2", "D2B3", "B2D0", "B2D1", "B2D2", "B2D3"};
    for (size_t i = 0; i < GF_ARRAY_LEN(tags); i++)
        if (lcms.cmsIsTag(profile, (cmsTagSignature)gf_get_be32((const uint8_t *)tags[i])))
            return true;
    return false;
}

/* Opens the profile of the file. Returns why it cannot be used; NULL: it can. */
static const char *open_profile(struct conversion *c)
{
    const struct gf_image_meta *meta = &c->image->meta;
    c->from = lcms.cmsOpenProfileFromMemTHR(c->context, meta->profile, (cmsUInt32Number)meta->profile_size);
    if (!c->from)
        return "it is damaged";
    cmsProfileClassSignature kind = lcms.cmsGetDeviceClass(c->from);
    if (kind != cmsSigInputClass && kind != cmsSigDisplayClass && kind != cmsSigOutputClass &&
        kind != cmsSigColorSpaceClass)
        return "it does not describe colours of a device";
    if (has_elements(c->from))
        return "it has processing elements (D2B, B2D), which are not supported";
    switch (lcms.cmsGetColorSpace(c->from)) {
    case cmsSigGrayData:
        c->given = 1;
        break;
    case cmsSigRgbData:
        c->given = 3;
        break;
    case cmsSigCmykData:
        c->given = 4;
        break;
    default:
        c->given = 0;
    }
    bool fits = c->image->is_cmyk ? c->given == 4 : c->given == c->colours || (c->given == 3 && c->colours == 1);
    return fits ? NULL : "it is for other channels";
}

/* The description of colours by numbers: x and y, and the exponent of the curve, 0 for that of sRGB. False: the
 * numbers describe HDR, a limited range, or colours that H.273 does not list. */
static bool read_numbers(const struct gf_image_meta *meta, double ret_xy[8], double *ret_exponent)
{
    const struct primaries *found = &primaries[0];
    *ret_exponent = 0;
    if (meta->cicp[0] == 0) {
        if (!gf_image_has_srgb_curve(meta))
            *ret_exponent = 1e5 / meta->gamma;
        memcpy(ret_xy, found->xy, sizeof(found->xy));
        for (size_t i = 0; i < 8 && meta->primaries[1] > 0; i++)
            ret_xy[i] = meta->primaries[i] / 1e5;
        return true;
    }
    switch (meta->cicp[1]) {
    case 4:
        *ret_exponent = 2.2;
        break;
    case 5:
        *ret_exponent = 2.8;
        break;
    case 8:
        *ret_exponent = 1;
        break;
    default:
        if (!gf_image_has_srgb_curve(meta))
            return false;
    }
    for (size_t i = 0; meta->cicp[0] != 2 && found->code != meta->cicp[0]; i++, found++)
        if (i + 1 == GF_ARRAY_LEN(primaries))
            return false;
    memcpy(ret_xy, found->xy, sizeof(found->xy));
    return meta->cicp[3] != 0;
}

static cmsHTRANSFORM make_transform(const struct conversion *c, cmsHPROFILE to)
{
    static const cmsUInt32Number formats[] = {0, TYPE_GRAY_FLT, 0, TYPE_RGB_FLT, TYPE_CMYK_FLT};
    const cmsUInt32Number flags = cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION;
    if (!c->from || !to)
        return NULL;
    return lcms.cmsCreateTransformTHR(c->context, c->from, formats[c->given], to, formats[c->colours],
                                      INTENT_RELATIVE_COLORIMETRIC, flags);
}

static bool open_transform(struct conversion *c)
{
    c->to = make_profile(c, 0, primaries[0].xy);
    c->transform = make_transform(c, c->to);
    return c->transform;
}

/* Whether the profile is a matrix and curves, without tables, which would come first. */
static bool is_matrix(const struct conversion *c)
{
    static const cmsTagSignature tables[] = {cmsSigAToB0Tag, cmsSigAToB1Tag, cmsSigAToB2Tag};
    for (size_t i = 0; i < GF_ARRAY_LEN(tables); i++)
        if (lcms.cmsIsTag(c->from, tables[i]))
            return false;
    return lcms.cmsIsMatrixShaper(c->from);
}

/* Fills the light of the values of channel k. That of black, which every channel has, counts in the first one. */
static void fill_light(const struct conversion *c, uint32_t k)
{
    const struct sums *sums = &c->sums;
    float from[RUN_PIXELS * 3] = {0};
    for (uint32_t first = 0; first <= sums->max; first += RUN_PIXELS) {
        float(*light)[3] = sums->light + (size_t)k * (sums->max + 1) + first;
        const uint32_t n = sums->max - first < RUN_PIXELS ? sums->max - first + 1 : RUN_PIXELS;
        for (uint32_t i = 0; i < n; i++)
            from[3 * i + k] = (float)(first + i) / (float)sums->max;
        lcms.cmsDoTransform(c->to_light, from, light, n);
        for (uint32_t i = 0; i < n && k > 0; i++)
            for (uint32_t j = 0; j < 3; j++)
                light[i][j] -= sums->light[0][j];
    }
}

/* Fills the edges between the values of sRGB, and where buckets begin. */
static void fill_edges(const struct sums *sums)
{
    const uint32_t n = sums->max + 1;
    for (uint32_t i = 1; i < n; i++) {
        const double v = (i - 0.5) / sums->max;
        sums->edges[i] = (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    sums->edges[n] = INFINITY;
    for (uint32_t i = 0, value = 0; i < BUCKETS * n; i++) {
        while ((float)i / (float)(BUCKETS * n) >= sums->edges[value + 1])
            value++;
        sums->firsts[i] = (uint16_t)value;
    }
}

/* Makes the tables for integers if the light of a colour is a sum. False: out of memory. */
static bool open_sums(struct conversion *c)
{
    struct sums *sums = &c->sums;
    if (c->given != 3 || c->colours != 3 || c->image->view.dtype == GF_F32 || !is_matrix(c))
        return true;
    c->linear = make_profile(c, 1, primaries[0].xy);
    c->to_light = make_transform(c, c->linear);
    if (!c->to_light)
        return false;
    sums->max = c->image->view.dtype == GF_U8 ? UINT8_MAX : UINT16_MAX;
    const size_t n = sums->max + 1;
    sums->edges = calloc(n + 1, sizeof(*sums->edges));
    sums->firsts = calloc(BUCKETS * n, sizeof(*sums->firsts));
    sums->light = calloc(3 * n, sizeof(*sums->light));
    if (!sums->light || !sums->edges || !sums->firsts)
        return false;
    for (uint32_t k = 0; k < 3; k++)
        fill_light(c, k);
    fill_edges(sums);
    return true;
}

/* The value of sRGB for an amount of light. */
static inline uint32_t encode_light(const struct sums *sums, float light)
{
    if (!(light > 0.0f)) /* or NaN */
        return 0;
    if (light >= 1.0f)
        return sums->max;
    uint32_t value = sums->firsts[(uint32_t)(light * (float)(BUCKETS * (sums->max + 1)))];
    while (light >= sums->edges[value + 1])
        value++;
    return value;
}

/* Converts a run of pixels by the tables. */
static void add_run(const struct conversion *c, uint64_t first, uint32_t n)
{
    const struct sums *sums = &c->sums;
    uint8_t *bytes = c->image->data;
    uint16_t *words = c->image->data;
    const bool is_u8 = sums->max == UINT8_MAX;
    for (uint64_t at = first * c->step; n > 0; n--, at += c->step) {
        const float *of[3];
        for (uint32_t k = 0; k < 3; k++)
            of[k] = sums->light[(size_t)k * (sums->max + 1) + (is_u8 ? bytes[at + k] : words[at + k])];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t value = encode_light(sums, of[0][k] + of[1][k] + of[2][k]);
            if (is_u8)
                bytes[at + k] = (uint8_t)value;
            else
                words[at + k] = (uint16_t)value;
        }
    }
}

static float clamp(float v)
{
    return v >= 1.0f ? 1.0f : v > 0.0f ? v : 0.0f; /* NaN becomes 0 */
}

/* Whether the conversion changes no colour of a grid by more than a step of 8 bits. */
static bool is_srgb(const struct conversion *c)
{
    float from[GRID * 3], to[GRID * 3], most = 0;
    uint32_t planes = c->given == 3 ? GRID : 1;
    if (c->given == 4 || c->colours != c->given)
        return false;
    for (uint32_t i = 0; i < planes * planes; i++) {
        for (uint32_t k = 0; k < GRID; k++)
            for (uint32_t n = 0; n < c->given; n++)
                from[k * c->given + n] = (float)(n == 0 ? k : n == 1 ? i % GRID : i / GRID) / (float)(GRID - 1);
        lcms.cmsDoTransform(c->transform, from, to, GRID);
        for (uint32_t k = 0; k < GRID * c->given; k++) {
            float v = clamp(to[k]), difference = v > from[k] ? v - from[k] : from[k] - v;
            most = difference > most ? difference : most;
        }
    }
    return most <= NEAR_SAMPLE;
}

static void load_run(const struct conversion *c, uint64_t first, uint32_t n, float *to)
{
    const struct gf_image *image = c->image;
    const uint32_t has = image->is_cmyk ? MAX_INKS : c->colours;
    const float full = image->is_cmyk ? FULL_INK : 1.0f;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < c->given; k++) {
            const uint64_t at = (first + i) * c->step + (k < has ? k : 0); /* grey is red, green and blue */
            *to++ = image->view.dtype == GF_U8    ? (float)((const uint8_t *)image->data)[at] / 255.0f * full
                    : image->view.dtype == GF_U16 ? (float)((const uint16_t *)image->data)[at] / 65535.0f * full
                                                  : ((const float *)image->data)[at] * full;
        }
}

static void store_run(const struct conversion *c, uint64_t first, uint32_t n, const float *from)
{
    const struct gf_image *image = c->image;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < c->colours; k++, from++) {
            const uint64_t at = (first + i) * c->step + k;
            if (image->view.dtype == GF_U8)
                ((uint8_t *)image->data)[at] = (uint8_t)(clamp(*from) * 255.0f + 0.5f);
            else if (image->view.dtype == GF_U16)
                ((uint16_t *)image->data)[at] = (uint16_t)(clamp(*from) * 65535.0f + 0.5f);
            else
                ((float *)image->data)[at] = *from;
        }
}

static void *convert_runs(void *data)
{
    struct conversion *c = data;
    float from[RUN_PIXELS * MAX_INKS], to[RUN_PIXELS * 3];
    for (;;) {
        const uint64_t first = atomic_fetch_add(&c->next, 1) * RUN_PIXELS;
        if (first >= c->pixels)
            return NULL;
        const uint32_t n = c->pixels - first < RUN_PIXELS ? (uint32_t)(c->pixels - first) : RUN_PIXELS;
        if (c->sums.light) {
            add_run(c, first, n);
            continue;
        }
        load_run(c, first, n, from);
        lcms.cmsDoTransform(c->transform, from, to, n);
        store_run(c, first, n, to);
    }
}

/* Closes up the gaps that inks leave when they become colours. */
static void pack(struct gf_image *image)
{
    struct gf_view *v = &image->view;
    const size_t sample = gf_dtype_size(v->dtype);
    uint8_t *bytes = image->data;
    for (uint64_t i = 0; i < v->width * v->height; i++)
        memmove(bytes + 3 * sample * i, bytes + MAX_INKS * sample * i, 3 * sample);
    *v = gf_view_tight(v->dtype, v->width, v->height, 3);
    image->is_cmyk = false;
}

static enum gf_io_status convert(struct conversion *c, struct gf_io_error *err)
{
    struct gf_image *image = c->image;
    struct gf_image_meta *meta = &image->meta;
    if (!open_sums(c))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", c->src->name);
    gf_on_threads(c->src->how.threads, c->pixels / RUN_PIXELS + 1, convert_runs, c);
    if (image->is_cmyk)
        pack(image);
    free(meta->profile);
    meta->profile = NULL;
    meta->profile_size = 0;
    meta->profile_is_grey = false;
    meta->gamma = 0;
    memset(meta->primaries, 0, sizeof(meta->primaries));
    memset(meta->cicp, 0, sizeof(meta->cicp));
    meta->srgb_intent = 1 + RELATIVE_COLORIMETRIC;
    gf_exif_set_srgb(meta);
    return GF_IO_OK;
}

static enum gf_io_status by_profile(struct conversion *c, struct gf_io_error *err)
{
    struct gf_image *image = c->image;
    const char *name = c->src->name, *why = open_profile(c);
    if (!why && !open_transform(c))
        why = "it is damaged";
    if (c->is_costly)
        why = "it takes too much memory";
    if (why) {
        gf_image_warn(image, "%s: its colour profile is not applied: %s%s%s%s", name, why, c->why[0] ? " (" : "",
                      c->why, c->why[0] ? ")" : "");
        return GF_IO_OK;
    }
    gf_cleanup(gf_freep) char *title = gf_image_profile_name(&image->meta);
    const char *of = title ? gf_text_clean(title) : "without a name";
    if (is_srgb(c)) {
        gf_image_note(image, "%s: the colour profile \"%s\" is that of sRGB; the samples stay as they are", name, of);
        return GF_IO_OK;
    }
    gf_image_note(image, "%s: converted to sRGB by the colour profile \"%s\"", name, of);
    return convert(c, err);
}

static enum gf_io_status by_numbers(struct conversion *c, struct gf_io_error *err)
{
    char from[GF_COLOUR_TEXT];
    double xy[8], exponent;
    if (!gf_image_colour(&c->image->meta, from)) {
        snprintf(from, sizeof(from), "Adobe RGB, as EXIF says");
        memcpy(xy, adobe_rgb, sizeof(xy));
        exponent = ADOBE_GAMMA;
    } else if (!read_numbers(&c->image->meta, xy, &exponent))
        return gf_io_fail(err, GF_IO_DATA, "%s: --srgb does not convert colours of %s%s; leave --srgb out",
                          c->src->name, from, gf_cicp_is_hdr(c->image->meta.cicp[1]) ? ", which is HDR" : "");
    c->from = make_profile(c, exponent, xy);
    c->given = c->colours;
    if (!open_transform(c)) {
        gf_image_warn(c->image, "%s: its colours (%s) are not converted: %s", c->src->name, from,
                      c->why[0] ? c->why : "no such colour space can be made");
        return GF_IO_OK;
    }
    gf_image_note(c->image, "%s: converted to sRGB by %s", c->src->name, from);
    return convert(c, err);
}

enum gf_io_status gf_image_to_srgb(struct gf_image *image, const struct gf_source *src, struct gf_io_error *err)
{
    const struct gf_view *v = &image->view;
    char text[GF_COLOUR_TEXT];
    const bool by_icc = image->meta.profile && !gf_image_colour(&image->meta, text);
    enum gf_io_status s = gf_library_load(&library, src->name, &gf_colour_use, err);
    if (s != GF_IO_OK)
        return s;
    gf_cleanup(conversion_deinit) struct conversion c = {
        .src = src, .image = image, .step = v->channels, .pixels = v->width * v->height};
    c.colours = v->channels < 3 ? 1 : 3;
    if (!open_context(&c))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", src->name);
    return by_icc ? by_profile(&c, err) : by_numbers(&c, err);
}
