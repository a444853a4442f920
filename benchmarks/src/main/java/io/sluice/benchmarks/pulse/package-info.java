/// What this machine asks for the bare work, with no broker around it: taken before every turn, because shared machines change by the minute.
///
/// [Pulses] takes all of them. [DiskPulse] is a durable write, [CopyPulse] a gigabyte and [RequestPulse] a million small requests on three disks; what both
/// need of sockets and of the processor's clock is in [Bare].
@NullMarked
package io.sluice.benchmarks.pulse;

import org.jspecify.annotations.NullMarked;
