/// Log-backed machines run on a partition; consumer groups.
@NullMarked
package io.sluice.coordinator;

import org.jspecify.annotations.NullMarked;
