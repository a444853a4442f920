/// Listeners: sockets in, framed requests to the handlers, replies out in order.
@NullMarked
package io.sluice.gateway;

import org.jspecify.annotations.NullMarked;
