/* SPDX-License-Identifier: MIT */
/* Parameters of operations as people read them. Used by ops_json.c, and by the help and the pages of the command. */
#ifndef GF_CLIENT_TEXT_OP_TEXT_H
#define GF_CLIENT_TEXT_OP_TEXT_H

#include "protocol/ops/enums.h"
#include "protocol/ops/op_table.h"

/* Each function that takes `text` fills it and returns it. */
/* "0..2047", "0 or more", "any finite number", or the words of an enum. */
const char *gf_op_range_text(const struct gf_param_desc *param, char *text, size_t size);
/* The help of a word that the parameter accepts; otherwise NULL. */
const char *gf_op_word_help(const struct gf_param_desc *param, const struct gf_word *word);
/* The default as it may be given; "" for none. */
const char *gf_op_default_text(const struct gf_op *op, const struct gf_param_desc *param, char *text, size_t size);

#endif
