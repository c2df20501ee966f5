/* SPDX-License-Identifier: GPL-2.0-only */
/* The methods by which `schedqos explain` asks. */
#pragma once

#include <systemd/sd-bus.h>

/* userdata: the struct daemon. Explain(u tid) and ExplainName(sssassu) return JSON: see tagger_explain. */
int bus_method_explain(sd_bus_message *message, void *userdata, sd_bus_error *error);
int bus_method_explain_name(sd_bus_message *message, void *userdata, sd_bus_error *error);
