/// Ids and the record batch: the same bytes on the wire, on disk and in the consumer.
@NullMarked
package io.sluice.record;

import org.jspecify.annotations.NullMarked;
