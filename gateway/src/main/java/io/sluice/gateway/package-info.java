/// Sockets in, framed requests to the dispatcher, replies out in order: the first and the last room of a message's path.
///
/// [io.sluice.gateway.Listener] accepts, [io.sluice.gateway.Connection] takes one frame after the other within its limits and hands it to
/// the dispatcher, [io.sluice.gateway.ReplyQueue] keeps the order, [io.sluice.gateway.ReplyWriter] puts bytes and file ranges on the socket.
/// Everything of a connection runs on its event loop, which is also a shard ([io.sluice.gateway.EventLoops]). Nothing here may block, and
/// nothing here knows what a request means.
@NullMarked
package io.sluice.gateway;

import org.jspecify.annotations.NullMarked;
