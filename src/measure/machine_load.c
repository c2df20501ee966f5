/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/measure/machine_load.h>

#include <schedqos/kernel/load.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>

void machine_load_read(struct machine_load *ret)
{
	_cleanup_close_ int proc = procfs_open();

	*ret = (struct machine_load){ 0 };
	ret->has_pressure = load_cpu_pressure(proc, &ret->pressure_us) == 0;
	ret->has_switches = load_switches(proc, &ret->switches) == 0;
}
