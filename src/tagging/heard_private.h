/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the heard*.c files: heard.c calls the others, which do not call each other. */
#pragma once

#include "heard.h"

#define SECOND_MS 1000

/* Each of the three has these functions; heard.h says what they do. */
void names_update(struct heard *heard);
void names_close(struct heard *heard);
void names_check(struct heard *heard);
void names_due(struct heard *heard);

void moves_update(struct heard *heard);
void moves_close(struct heard *heard);
void moves_check(struct heard *heard);
void moves_due(struct heard *heard);

void changes_update(struct heard *heard);
void changes_close(struct heard *heard);
void changes_check(struct heard *heard);
void changes_due(struct heard *heard);
