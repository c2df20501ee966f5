/* SPDX-License-Identifier: GPL-2.0-only */
/* Does nothing, whatever its name and arguments are: stands in for an interpreter that need not be installed. */
#include <unistd.h>

int main(void)
{
	for (;;)
		pause();
}
