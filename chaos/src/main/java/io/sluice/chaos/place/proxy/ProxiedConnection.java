package io.sluice.chaos.place.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// One connection through the proxy: what either side sends, its end and its reset are handed on in order, as soon as the way is open.
///
/// While a way is shut its bytes are not read, but for the one buffer that may have been under way: they wait in the kernel, as they would for TCP to send them again.
///
/// A connection that is opened while one of its ways is shut is silent until both are open, for a handshake takes both; one that its caller has given up by then was never made.
///
/// Owned by the virtual threads that carry it, one for each way; [#close] is thread-safe.
final class ProxiedConnection implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    private final SocketChannel caller;
    private final SocketChannel callee;
    private final Way there;
    private final ProxyCuts cuts;
    private final @Nullable ElectionHello hello;

    /// @param there from the caller to the callee
    /// @param hello how the caller introduces itself, where that has to be changed
    ProxiedConnection(
            SocketChannel caller, Way there, ProxyCuts cuts, @Nullable ElectionHello hello)
            throws IOException {
        this.caller = caller;
        this.callee = SocketChannel.open();
        this.there = there;
        this.cuts = cuts;
        this.hello = hello;
    }

    /// Until both sides have ended.
    void carry(InetSocketAddress target) {
        ByteBuffer said = ByteBuffer.allocate(BUFFER_BYTES);
        try (this) {
            if (!begin(target, said)) {
                return;
            }
            Thread answers =
                    Thread.ofVirtual()
                            .name("chaos-proxy-back")
                            .start(
                                    () ->
                                            carry(
                                                    callee,
                                                    caller,
                                                    there.back(),
                                                    ByteBuffer.allocate(BUFFER_BYTES),
                                                    null));
            carry(caller, callee, there, said, hello);
            answers.join();
        } catch (IOException _) {
            // Closed by another thread just now.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Connects onward. What the caller has said meanwhile is in the buffer.
    private boolean begin(InetSocketAddress target, ByteBuffer said) throws IOException {
        if (cuts.isShut(there) || cuts.isShut(there.back())) {
            if (!cuts.awaitOpenBothWays(there) || hasGivenUp(said)) {
                return false;
            }
        }
        try {
            callee.connect(target);
        } catch (IOException refused) {
            reset();
            return false;
        }
        caller.setOption(StandardSocketOptions.TCP_NODELAY, true);
        callee.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return true;
    }

    private boolean hasGivenUp(ByteBuffer said) {
        try {
            caller.configureBlocking(false);
            int read;
            do {
                read = caller.read(said);
            } while (read > 0);
            caller.configureBlocking(true);
            return read < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    /// @param arrived what was read already, ready to be filled further
    private void carry(
            SocketChannel from,
            SocketChannel to,
            Way way,
            ByteBuffer arrived,
            @Nullable ElectionHello introduction) {
        boolean ended = false;
        while (!ended) {
            try {
                ended = arrived.position() == 0 && from.read(arrived) < 0;
            } catch (IOException reset) {
                resetAfter(way);
                return;
            }
            if (!cuts.awaitOpen(way)) {
                return;
            }
            try {
                handOn(arrived.flip(), ended, to, introduction);
                arrived.clear();
                if (ended) {
                    to.shutdownOutput();
                }
            } catch (IOException gone) {
                resetAfter(way.back());
                return;
            }
        }
    }

    private static void handOn(
            ByteBuffer arrived,
            boolean ended,
            SocketChannel to,
            @Nullable ElectionHello introduction)
            throws IOException {
        if (introduction != null) {
            write(introduction.pass(arrived), to);
            if (ended) {
                write(introduction.rest(), to);
            }
        } else {
            write(arrived, to);
        }
    }

    private static void write(ByteBuffer bytes, SocketChannel to) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /// A side is gone; the other one hears of it when the way from there is open.
    private void resetAfter(Way way) {
        if (caller.isOpen() && callee.isOpen() && cuts.awaitOpen(way)) {
            reset();
        }
    }

    private void reset() {
        for (SocketChannel side : new SocketChannel[] {caller, callee}) {
            try {
                if (side.isOpen()) {
                    side.setOption(StandardSocketOptions.SO_LINGER, 0);
                    side.close();
                }
            } catch (IOException _) {
                // The other thread was faster.
            }
        }
    }

    @Override
    public void close() {
        try {
            caller.close();
            callee.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
