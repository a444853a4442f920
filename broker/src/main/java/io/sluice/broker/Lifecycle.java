package io.sluice.broker;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What has been started, to be closed in the opposite order; also when the start fails half-way. Owned by whoever starts.
final class Lifecycle implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

    private final ArrayDeque<Part> parts = new ArrayDeque<>();

    private record Part(String name, AutoCloseable closeable) {}

    <T extends AutoCloseable> T own(String name, T part) {
        parts.push(new Part(name, part));
        return part;
    }

    /// Goes on when one part cannot be closed: the others must get their chance.
    @Override
    public void close() {
        for (Part part = parts.poll(); part != null; part = parts.poll()) {
            try {
                part.closeable().close();
            } catch (Exception e) {
                LOG.error("Closing the {} failed", part.name(), e);
            }
        }
    }
}
