/* SPDX-License-Identifier: MIT */
/* What every cmocka program includes: cmocka wants these headers before its own. */
#ifndef GF_TESTS_UNIT_H
#define GF_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* An unused cmocka state. */
#define UNUSED(state) ((void)(state))

#endif
