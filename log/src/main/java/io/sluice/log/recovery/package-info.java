/// Makes a folder of files a log again after whatever happened to it.
///
/// Runs on a worker before a partition has an owner. What is known to be durable is never cut: a flaw there is reported as damage. What is not known to be durable is
/// read and checked, and ends at the first flaw. Order of trust: a sealed index, the recovery point, a snapshot of the index, nothing.
@NullMarked
package io.sluice.log.recovery;

import org.jspecify.annotations.NullMarked;
