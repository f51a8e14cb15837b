/* SPDX-License-Identifier: MIT */
/* Writes JSON. Called by ops_json.c and by every command with --json. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/text.h"

static void put_string(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    fputc('"', out);
    while (*p) {
        size_t n = gf_text_utf8((const char *)p);
        bool c1 = p[0] == 0xc2 && p[1] < 0xa0; /* terminals obey C1 control characters, too */
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f || (n > 0 && c1))
            fprintf(out, "\\u%04x", n == 2 ? p[1] : p[0]);
        else if (n > 0)
            fwrite(p, 1, n, out);
        else
            fputs("\\ufffd", out);
        p += n > 0 ? n : 1;
    }
    fputc('"', out);
}

static void put_key(struct gf_json *json, const char *key)
{
    if (json->comma)
        fputc(',', json->out);
    json->comma = true;
    if (key) {
        put_string(json->out, key);
        fputc(':', json->out);
    }
}

static void put_open(struct gf_json *json, const char *key, char bracket)
{
    put_key(json, key);
    fputc(bracket, json->out);
    json->comma = false;
}

static void put_close(struct gf_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->comma = true;
}

void gf_json_object(struct gf_json *json, const char *key)
{
    put_open(json, key, '{');
}

void gf_json_object_end(struct gf_json *json)
{
    put_close(json, '}');
}

void gf_json_array(struct gf_json *json, const char *key)
{
    put_open(json, key, '[');
}

void gf_json_array_end(struct gf_json *json)
{
    put_close(json, ']');
}

void gf_json_text(struct gf_json *json, const char *key, const char *text)
{
    put_key(json, key);
    put_string(json->out, text);
}

void gf_json_bool(struct gf_json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

void gf_json_u64(struct gf_json *json, const char *key, uint64_t value)
{
    put_key(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void gf_json_number(struct gf_json *json, const char *key, const char *text)
{
    bool finite = strchr("-0123456789", text[0]) && text[1] != 'I';
    put_key(json, key);
    if (finite)
        fputs(text, json->out);
    else
        put_string(json->out, text);
}
