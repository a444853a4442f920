/// Partitions moved by hand: time, mailboxes and workers do nothing until a test says so; the disk is real.
@NullMarked
package io.sluice.partition;

import org.jspecify.annotations.NullMarked;
