/// A network without sockets: connections between simulated processes, and everything that can happen to them.
@NullMarked
package io.sluice.simulation.network;

import org.jspecify.annotations.NullMarked;
