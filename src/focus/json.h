/* SPDX-License-Identifier: GPL-2.0-only */
/* What a compositor's JSON has, whatever that may be. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <cjson/cJSON.h>

#include <schedqos/util/cleanup.h>

DEFINE_CLEANUP(cJSON, cJSON_Delete)
#define _cleanup_json_ _cleanup_(cJSON_Deletep)

/* A number from 0 to max, or 0. */
static inline uint64_t json_number(const cJSON *value, uint64_t max)
{
	return cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble <= (double)max ?
		       (uint64_t)value->valuedouble :
		       0;
}

static inline uint64_t json_id(const cJSON *object, const char *name)
{
	return json_number(cJSON_GetObjectItemCaseSensitive(object, name), UINT64_C(1) << 53);
}

static inline pid_t json_pid(const cJSON *object, const char *name)
{
	return (pid_t)json_number(cJSON_GetObjectItemCaseSensitive(object, name), INT32_MAX);
}

static inline bool json_is(const cJSON *object, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* "" if it is none. */
static inline const char *json_text(const cJSON *object, const char *name)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsString(value) ? value->valuestring : "";
}
