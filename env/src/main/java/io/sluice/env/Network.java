package io.sluice.env;

import java.nio.ByteBuffer;

/// The way to other brokers: connections that carry whole frames in order, until they break.
///
/// What was sent before a break may or may not have arrived. Thread-safe.
public interface Network {
    /// Begins a connection; what happens to it is told on the home mailbox. Frames may be sent at once: they leave when it is open.
    Link connect(String host, int port, Mailbox home, Listener listener);

    /// Told on the home mailbox. Nothing is told after [#closed].
    interface Listener {
        /// A whole frame, without its length. The bytes belong to the listener.
        void received(ByteBuffer frame);

        /// The connection is over, or never came to be. Told once, also after [Link#close].
        ///
        /// @param refused nobody listens there: the process that should is not running
        void closed(boolean refused, String why);
    }

    /// One connection. Owned by the home mailbox.
    interface Link {
        /// A whole frame, with its length in front. The bytes must stay as they are until they have been sent.
        void send(ByteBuffer frame);

        void close();
    }
}
