/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test includes: cmocka, which needs others before it, and what nearly all of them use. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
