package io.sluice.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/// Many raw connections on one thread, each with a fixed number of one-record produce requests in flight: what a request costs the broker when
/// nothing is batched.
///
/// The frames are prebuilt and the thread only moves bytes, so that the generator leaves the cores to the broker. The load is a closed loop: a slow
/// answer delays the next request of its connection, and the latencies are service times.
///
/// Owned by the thread that runs it.
public final class RawProducers implements AutoCloseable {
    private static final long SILENCE_LIMIT_MILLIS = 30_000;

    private final Selector selector;
    private final List<RawConnection> connections = new ArrayList<>();

    /// One connection per frame, to the broker at the same place of the other list.
    public RawProducers(List<InetSocketAddress> brokers, List<RequestFrame> frames, int inFlight) {
        try {
            selector = Selector.open();
            for (int index = 0; index < frames.size(); index++) {
                connections.add(
                        new RawConnection(
                                brokers.get(index), frames.get(index), inFlight, selector));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot connect to the broker", failure);
        }
    }

    /// Runs for about this long; ends when the last request sent within that time has been answered.
    public LoadResult runFor(Duration duration) {
        Histogram latencyNanos = new Histogram(Duration.ofMinutes(2).toNanos(), 3);
        long started = System.nanoTime();
        long deadline = started + duration.toNanos();
        try {
            for (RawConnection connection : connections) {
                connection.begin();
            }
            long requests = 0;
            int outstanding = connections.stream().mapToInt(RawConnection::inFlight).sum();
            while (outstanding > 0) {
                if (selector.select(SILENCE_LIMIT_MILLIS) == 0) {
                    throw new IOException("The broker was silent for 30 s.");
                }
                boolean sendMore = System.nanoTime() < deadline;
                int answered = serveSelected(latencyNanos, sendMore);
                requests += answered;
                outstanding = sendMore ? outstanding : outstanding - answered;
            }
            Duration elapsed = Duration.ofNanos(System.nanoTime() - started);
            return new LoadResult(requests, elapsed, latencyNanos);
        } catch (IOException failure) {
            throw new UncheckedIOException("The load broke off", failure);
        }
    }

    private int serveSelected(Histogram latencyNanos, boolean sendMore) throws IOException {
        int answered = 0;
        for (SelectionKey key : selector.selectedKeys()) {
            RawConnection connection = (RawConnection) key.attachment();
            if (key.isWritable()) {
                connection.send();
            }
            if (key.isReadable()) {
                answered += connection.receive(latencyNanos, sendMore);
            }
        }
        selector.selectedKeys().clear();
        return answered;
    }

    @Override
    public void close() {
        try {
            for (RawConnection connection : connections) {
                connection.close();
            }
            selector.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot close the connections", failure);
        }
    }
}
