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

    /// Stops the producers, reads everything once more, lets the readers catch up and ends. Returns who did not catch up in time; empty when all did.
    public String finish() {
        producers.forEach(PacedProducer::stop);
        producerThreads.forEach(thread -> join(thread, ANSWERS_LIMIT));
        LastReader.read(clients, topic, plan.partitions(), history);
        String laggards = awaitReaders();
        close();
        return laggards;
    }

    /// Until the reader and the group have seen the last message of every partition.
    private String awaitReaders() {
        long deadline = System.nanoTime() + CATCH_UP_LIMIT.toNanos();
        String laggards = laggards();
        while (System.nanoTime() < deadline && !laggards.isEmpty()) {
            Pause.of(Duration.ofMillis(200));
            laggards = laggards();
        }
        return laggards;
    }

    private String laggards() {
        Map<String, Map<Integer, Long>> seen = new TreeMap<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Polled polled) {
                        // The members of a group see a partition together.
                        String who =
                                polled.reader().startsWith(History.GROUP)
                                        ? History.GROUP
                                        : polled.reader();
                        seen.computeIfAbsent(who, _ -> new TreeMap<>())
                                .merge(polled.partition(), polled.offset(), Math::max);
                    }
                });
        Map<Integer, Long> last = seen.getOrDefault(History.LAST_READER, Map.of());
        List<String> behind = new ArrayList<>();
        for (String who : List.of(TailReader.NAME, History.GROUP)) {
            Map<Integer, Long> reached = seen.getOrDefault(who, Map.of());
            last.forEach(
                    (partition, offset) -> {
                        long at = reached.getOrDefault(partition, -1L);
                        if (at < offset && !(who.equals(History.GROUP) && members.isEmpty())) {
                            behind.add(
                                    "the %s is at %d of %d on partition %d"
                                            .formatted(who, at, offset, partition));
                        }
                    });
        }
        return String.join(", ", behind);
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
