package io.sluice.chaos.load;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The clients of one round on one topic: producers, a reader of everything, a consumer group; and in the end a reader who reads it all once more.
///
/// Owned by the campaign's thread. Everything that they do goes to the history.
public final class Load implements AutoCloseable {
    private static final Duration ANSWERS_LIMIT = Duration.ofMinutes(4);
    private static final Duration CATCH_UP_LIMIT = Duration.ofMinutes(2);

    private final Clients clients;
    private final String topic;
    private final LoadPlan plan;
    private final History history = new History();
    private final List<PacedProducer> producers = new ArrayList<>();
    private final List<Thread> producerThreads = new ArrayList<>();
    private final List<GroupMember> members = new ArrayList<>();
    private final List<Thread> readerThreads = new ArrayList<>();
    private final TailReader reader;
    private final Pulse pulse;

    /// Starts them on a topic that exists.
    public Load(Clients clients, String topic, LoadPlan plan) {
        this.clients = clients;
        this.topic = topic;
        this.plan = plan;
        this.pulse = new Pulse(plan.partitions());
        this.reader = new TailReader(clients, topic, plan.partitions(), history);
        readerThreads.add(start(reader, "chaos-reader"));
        for (int number = 1; number <= plan.groupMembers(); number++) {
            GroupMember member = new GroupMember(clients, topic, number, history);
            members.add(member);
            readerThreads.add(start(member, "chaos-group-" + number));
        }
        for (int number = 1; number <= plan.producers(); number++) {
            PacedProducer producer =
                    new PacedProducer(clients, topic, number, plan, history, pulse);
            producers.add(producer);
            producerThreads.add(start(producer, "chaos-producer-" + number));
        }
    }

    private static Thread start(Runnable client, String name) {
        return Thread.ofPlatform().name(name).daemon().start(client);
    }

    public History history() {
        return history;
    }

    /// Whether every partition has acknowledged something since then.
    public boolean everyPartitionAcknowledgedSince(long nanos) {
        return pulse.allSince(nanos);
    }

    /// Stops the producers, lets the readers catch up, reads everything once more and ends.
    public void finish() {
        producers.forEach(PacedProducer::stop);
        producerThreads.forEach(thread -> join(thread, ANSWERS_LIMIT));
        LastReader.read(clients, topic, plan.partitions(), history);
        awaitReaders();
        close();
    }

    /// Until the reader and the group have seen the last message of every partition.
    private void awaitReaders() {
        long deadline = System.nanoTime() + CATCH_UP_LIMIT.toNanos();
        while (System.nanoTime() < deadline && !readersAreAtTheEnd()) {
            Pause.of(Duration.ofMillis(200));
        }
    }

    private boolean readersAreAtTheEnd() {
        Map<Integer, Long> last = new TreeMap<>();
        Map<Integer, Long> byReader = new TreeMap<>();
        Map<Integer, Long> byGroup = new TreeMap<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Polled polled) {
                        Map<Integer, Long> seen =
                                polled.reader().equals(History.LAST_READER)
                                        ? last
                                        : polled.reader().startsWith(History.GROUP)
                                                ? byGroup
                                                : byReader;
                        seen.merge(polled.partition(), polled.offset(), Math::max);
                    }
                });
        return last.equals(byReader) && (members.isEmpty() || last.equals(byGroup));
    }

    @Override
    public void close() {
        producers.forEach(PacedProducer::stop);
        reader.stop();
        members.forEach(GroupMember::stop);
        readerThreads.forEach(thread -> join(thread, Duration.ofSeconds(40)));
    }

    private static void join(Thread thread, Duration limit) {
        try {
            if (!thread.join(limit)) {
                System.err.println(thread.getName() + " does not end; left behind");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }
}
