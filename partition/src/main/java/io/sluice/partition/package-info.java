/// A replica's life: the shard that owns it, its role, its watermark.
@NullMarked
package io.sluice.partition;

import org.jspecify.annotations.NullMarked;
