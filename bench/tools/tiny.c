/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that the exec storm starts: it ends at once, or with an argument stays until it is killed. */
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argv;
	while (argc > 1)
		pause();
	return 0;
}
