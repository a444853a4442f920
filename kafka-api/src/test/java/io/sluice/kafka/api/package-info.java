/// The handlers, asked as a connection asks them, over a real controller and real partitions in time that stands still.
@NullMarked
package io.sluice.kafka.api;

import org.jspecify.annotations.NullMarked;
