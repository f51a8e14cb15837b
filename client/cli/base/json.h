/* SPDX-License-Identifier: MIT */
/* Writes one JSON object, key by key, to a stream. Used by every command under --json. */
#ifndef GF_CLI_JSON_H
#define GF_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gf_json {
    FILE *out;
    bool comma; /* something stands before in the same object or array */
};

/* Begin and end an object or an array; `key` NULL at the top and inside arrays. */
void gf_json_object(struct gf_json *json, const char *key);
void gf_json_object_end(struct gf_json *json);
void gf_json_array(struct gf_json *json, const char *key);
void gf_json_array_end(struct gf_json *json);

/* One value. Bytes of text that are not UTF-8 become U+FFFD. */
void gf_json_text(struct gf_json *json, const char *key, const char *text);
/* A number as it is written; "NaN", "Infinity" and "-Infinity" are strings. */
void gf_json_number(struct gf_json *json, const char *key, const char *text);
void gf_json_bool(struct gf_json *json, const char *key, bool value);
void gf_json_u64(struct gf_json *json, const char *key, uint64_t value);

#endif
