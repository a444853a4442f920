/// A ZooKeeper server of its own, as one that is there already: a process with or without TLS.
@NullMarked
package io.sluice.conformance.ensemble;

import org.jspecify.annotations.NullMarked;
