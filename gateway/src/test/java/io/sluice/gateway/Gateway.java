package io.sluice.gateway;

import io.sluice.env.os.OsClock;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.RequestTimes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/// A listener with one event loop on a free port of loopback. Owned by its test.
final class Gateway implements AutoCloseable {
    /// For what must come; how long it takes says nothing.
    static final int PATIENCE_SECONDS = 20;

    static final GatewayConfig ROOMY =
            new GatewayConfig(100, 100, 1 << 20, 1000, 64 << 20, Duration.ofHours(1));

    static {
        Leaks.watch();
    }

    final HeldRequests requests = new HeldRequests();
    final GatewayCounters counters = new GatewayCounters();
    final List<Throwable> bugs = new CopyOnWriteArrayList<>();
    private final EventLoops loops = new EventLoops(1, bugs::add);
    private final Listener listener;

    Gateway(GatewayConfig config) {
        this(config, 1 << 30);
    }

    /// @param heapBytes that the process is said to have
    Gateway(GatewayConfig config, long heapBytes) {
        OsClock clock = new OsClock();
        listener =
                new Listener(
                        "clients",
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        loops,
                        config,
                        counters,
                        clock,
                        heapBytes);
        listener.serve(new Dispatcher(requests, clock, new RequestTimes()));
    }

    TestClient connect() throws IOException {
        return new TestClient(listener.port());
    }

    /// A client that leaves what it does not read with the gateway.
    TestClient connectNarrow() throws IOException {
        return TestClient.withReceiveBuffer(listener.port(), 32 << 10);
    }

    TestClient connectFrom(InetAddress address) throws IOException {
        return new TestClient(listener.port(), address);
    }

    /// A whole round trip of another client, twice: what had been sent before has been looked at by the loop, if it looks at all.
    void pulse(TestClient other) throws IOException {
        for (int i = 0; i < 2; i++) {
            other.send(i, HeldRequests.PULSE);
            other.receive();
        }
    }

    /// Waits for what must come.
    static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it never came");
            }
            Thread.sleep(1);
        }
    }

    /// As at the end, with another patience for answers that are owed.
    void stop(Duration patience) {
        listener.close(patience);
    }

    @Override
    public void close() {
        listener.close();
        loops.close();
    }
}
