/// The real doors: files, threads, clocks, the local metadata store.
@NullMarked
package io.sluice.env.os;

import org.jspecify.annotations.NullMarked;
