package io.sluice.broker;

import io.sluice.env.Mailbox;
import io.sluice.env.os.OsWorkers;
import io.sluice.env.os.ThreadMailbox;
import io.sluice.gateway.EventLoops;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All threads of a broker: workers that may block, loops that own partitions and connections, one for the metadata store. Immutable.
record BrokerThreads(OsWorkers workers, EventLoops loops, ThreadMailbox metadata) {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerThreads.class);
    private static final int READ_THREADS = 4;
    private static final int HOUSEKEEPING_THREADS = 1;
    private static final int WORK_QUEUED_MAX = 100_000;

    static BrokerThreads start(Lifecycle parts, BrokerConfig config) {
        OsWorkers.Sizes sizes =
                new OsWorkers.Sizes(
                        config.storage().flushThreads(),
                        READ_THREADS,
                        HOUSEKEEPING_THREADS,
                        WORK_QUEUED_MAX);
        return new BrokerThreads(
                parts.own("workers", new OsWorkers(sizes, BrokerThreads::bug)),
                parts.own("event loops", new EventLoops(config.shards(), BrokerThreads::bug)),
                parts.own(
                        "metadata thread",
                        new ThreadMailbox("sluice-metadata", BrokerThreads::bug)));
    }

    /// The owner of the plan.
    Mailbox controller() {
        return loops.mailboxes().getFirst();
    }

    private static void bug(Throwable bug) {
        LOG.error("A bug: please report this with what happened before", bug);
    }
}
