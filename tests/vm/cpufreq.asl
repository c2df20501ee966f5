/*
 * Two processors with two frequencies each, so that a guest has a governor to choose. Nothing answers at the I/O port
 * by which one is set: a kernel takes what it has written for done.
 */
DefinitionBlock ("", "SSDT", 2, "TEST", "CPUFREQ", 1)
{
	External (\_SB.CPUS.C000, DeviceObj)
	External (\_SB.CPUS.C001, DeviceObj)

	Scope (\_SB)
	{
		Name (CTRL, Package () {
			ResourceTemplate () { Register (SystemIO, 16, 0, 0xE000) },
			ResourceTemplate () { Register (SystemIO, 16, 0, 0xE002) }
		})
		/* MHz, mW, microseconds of latency twice, what is written and read for it. */
		Name (FREQ, Package () {
			Package () { 2000, 20000, 10, 10, 2, 2 },
			Package () { 1000, 10000, 10, 10, 1, 1 }
		})
	}
	Scope (\_SB.CPUS.C000)
	{
		Method (_PCT) { Return (CTRL) }
		Method (_PSS) { Return (FREQ) }
		Method (_PPC) { Return (0) }
	}
	Scope (\_SB.CPUS.C001)
	{
		Method (_PCT) { Return (CTRL) }
		Method (_PSS) { Return (FREQ) }
		Method (_PPC) { Return (0) }
	}
}
