/// The gateway over real sockets on loopback, in front of handlers that answer when the test says so.
@NullMarked
package io.sluice.gateway;

import org.jspecify.annotations.NullMarked;
