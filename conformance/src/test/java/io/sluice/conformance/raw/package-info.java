/// Bytes on a socket, for tests that say to a broker what no client would.
@NullMarked
package io.sluice.conformance.raw;

import org.jspecify.annotations.NullMarked;
