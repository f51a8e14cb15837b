/* SPDX-License-Identifier: MIT */
/* Writes JSON objects, key by key, to a stream. Used by ops_json.c and by every command with --json. */
#ifndef GF_CLIENT_TEXT_JSON_H
#define GF_CLIENT_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gf_json {
    FILE *out;
    bool comma; /* the current object or array already has a member */
};

/* Begin and end an object or an array. `key` is NULL at the top level and inside arrays. */
void gf_json_object(struct gf_json *json, const char *key);
void gf_json_object_end(struct gf_json *json);
void gf_json_array(struct gf_json *json, const char *key);
void gf_json_array_end(struct gf_json *json);

/* Writes one value. Bytes that are not UTF-8 become U+FFFD. */
void gf_json_text(struct gf_json *json, const char *key, const char *text);
/* Writes a number as its text stands; "NaN", "Infinity" and "-Infinity" become strings. */
void gf_json_number(struct gf_json *json, const char *key, const char *text);
void gf_json_bool(struct gf_json *json, const char *key, bool value);
void gf_json_u64(struct gf_json *json, const char *key, uint64_t value);

#endif
