package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Finds buffers that nobody gave back. Set up before Netty makes its first buffer. Thread-safe.
final class Leaks {
    private static final String CANARY = "leaked on purpose";
    private static final int ROUNDS_MAX = 200;
    private static final List<String> FOUND = new CopyOnWriteArrayList<>();

    private Leaks() {}

    static void watch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new RecordingFactory());
    }

    /// Every leak up to now, each with where its buffer was last touched.
    ///
    /// Leaks show when the garbage collector has found them. One more is made on purpose: when that one has shown, those before it have.
    static List<String> take() {
        leakOnPurpose();
        for (int round = 0; FOUND.stream().noneMatch(leak -> leak.contains(CANARY)); round++) {
            if (round == ROUNDS_MAX) {
                throw new AssertionError("no leak is found any more, not even a known one");
            }
            System.gc();
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release(); // Looks for leaks.
            Thread.onSpinWait();
        }
        List<String> real = FOUND.stream().filter(leak -> !leak.contains(CANARY)).toList();
        FOUND.clear();
        return real;
    }

    private static void leakOnPurpose() {
        ByteBuf canary = PooledByteBufAllocator.DEFAULT.directBuffer(16);
        canary.touch(CANARY + " " + System.nanoTime()); // What was reported once is not again.
    }

    private static final class RecordingFactory extends ResourceLeakDetectorFactory {
        @Override
        @SuppressWarnings("deprecation") // The one to implement, for want of another.
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return new Recording<>(resource, samplingInterval);
        }
    }

    private static final class Recording<T> extends ResourceLeakDetector<T> {
        Recording(Class<?> type, int samplingInterval) {
            super(type, samplingInterval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            FOUND.add(resourceType + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            FOUND.add(resourceType);
        }
    }
}
