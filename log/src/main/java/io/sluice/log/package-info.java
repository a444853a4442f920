/// The segmented log: append, read, index, recover, retain, compact.
@NullMarked
package io.sluice.log;

import org.jspecify.annotations.NullMarked;
