package io.sluice.controller;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads from the store what is in doubt, until that works: an outcome that is unknown has to be looked at before anything else is decided. Owned by its mailbox.
final class StoreReader {
    private static final Logger LOG = LoggerFactory.getLogger(StoreReader.class);

    /// Soon: while an election of the store's own leader is all that it takes, everything waits for this.
    private static final Duration TRY_AGAIN = Duration.ofMillis(100);

    private static final int TRIES_TOLD = 50;

    private final Coordination store;
    private final Mailbox owner;

    StoreReader(Coordination store, Mailbox owner) {
        this.store = store;
        this.owner = owner;
    }

    void read(String path, Consumer<SortedMap<String, Node>> then) {
        read(path, then, 0);
    }

    private void read(String path, Consumer<SortedMap<String, Node>> then, int tries) {
        store.load(owner, path)
                .then(
                        then,
                        failure -> {
                            if (tries % TRIES_TOLD == 0) {
                                LOG.warn(
                                        "{} cannot be read from the metadata store, and is tried again: {}",
                                        path.isEmpty() ? "The plan" : path,
                                        failure.getMessage());
                            }
                            owner.schedule(TRY_AGAIN, () -> read(path, then, tries + 1));
                        });
    }
}
