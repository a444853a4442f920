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
    private static final Duration TRY_AGAIN = Duration.ofSeconds(1);

    private final Coordination store;
    private final Mailbox owner;

    StoreReader(Coordination store, Mailbox owner) {
        this.store = store;
        this.owner = owner;
    }

    void read(String path, Consumer<SortedMap<String, Node>> then) {
        store.load(owner, path)
                .then(
                        then,
                        failure -> {
                            LOG.warn(
                                    "{} cannot be read from the metadata store: {}; the next try is in {}",
                                    path,
                                    failure.getMessage(),
                                    TRY_AGAIN);
                            owner.schedule(TRY_AGAIN, () -> read(path, then));
                        });
    }
}
