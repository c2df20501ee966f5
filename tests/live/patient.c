/* SPDX-License-Identifier: GPL-2.0-only */
/* Just is there, whatever its name and its arguments: in place of an interpreter that need not be installed. */
#include <unistd.h>

int main(void)
{
	for (;;)
		pause();
}
