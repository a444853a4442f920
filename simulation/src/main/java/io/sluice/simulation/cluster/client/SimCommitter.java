package io.sluice.simulation.cluster.client;

import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.FindCoordinatorResponse;
import io.sluice.kafka.wire.message.OffsetCommitRequest;
import io.sluice.kafka.wire.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import io.sluice.kafka.wire.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetFetchRequest;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import io.sluice.kafka.wire.message.OffsetFetchResponse;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponsePartitions;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.Cluster;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Commits offsets for a group of its own, each one higher than the last, and looks now and then what the coordinator remembers: of the topic that is there now, and nothing of those before it. Owned by its run.
public final class SimCommitter {
    private static final short FIND_VERSION = 4;
    private static final short COMMIT_VERSION = 10;
    private static final short FETCH_VERSION = 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(120);
    private static final int NOBODY = -1;
    private static final long NOTHING = -1;

    private final ClientProgram client;
    private final String topic;
    private final String group;
    private final KnownLeaders leaders;
    private int coordinator = NOBODY;

    /// In which the next two are offsets.
    private @Nullable UUID topicId;

    private long committed = NOTHING;
    private long sent = NOTHING;

    /// Never used for two topics.
    private long next;

    private boolean stopped;
    private boolean looked;

    public SimCommitter(Cluster cluster, String topic, int number) {
        this.client = new ClientProgram(cluster, "committer-" + number);
        this.topic = topic;
        this.group = "group-" + number;
        this.leaders = new KnownLeaders(client, topic, this::topicKnown);
    }

    /// Where it runs.
    public String machine() {
        return client.name();
    }

    public void start() {
        client.run(
                () -> {
                    leaders.refresh();
                    act();
                });
    }

    /// What was committed of a deleted topic is forgotten with it.
    private void topicKnown() {
        UUID now = leaders.topicId();
        if (!Objects.equals(now, topicId)) {
            topicId = now;
            committed = NOTHING;
            sent = NOTHING;
        }
    }

    /// The last commit is the one under way; afterwards it only looks.
    public void stop() {
        stopped = true;
        looked = false;
    }

    /// All that was committed is acknowledged, and was found again since [#stop].
    public boolean isDone() {
        return stopped && looked && committed == sent;
    }

    @Override
    public String toString() {
        return client.name() + " had " + committed + " acknowledged of " + sent;
    }

    private void act() {
        UUID known = topicId;
        if (coordinator == NOBODY || known == null) {
            find();
        } else if (sent > committed) {
            commit(known); // Once more: nobody knows what became of it.
        } else if (stopped || client.entropy().oneIn(5)) {
            look(known);
        } else {
            sent = next;
            next++;
            commit(known);
        }
    }

    private void soon() {
        client.after(
                Duration.ofMillis(20 + client.entropy().below(looked && stopped ? 2_000 : 400)),
                this::act);
    }

    private void lost() {
        coordinator = NOBODY;
        client.after(PAUSE, this::act);
    }

    private void find() {
        FindCoordinatorRequest request =
                FindCoordinatorRequest.builder().coordinatorKeys(List.of(group)).build();
        client.ask(client.anyBroker(), request, FIND_VERSION, TIMEOUT)
                .then(
                        answer -> {
                            FindCoordinatorResponse.Coordinator found =
                                    ((FindCoordinatorResponse) answer).coordinators().getFirst();
                            if (found.errorCode() == ErrorCode.NONE.id() && found.nodeId() >= 0) {
                                coordinator = found.nodeId();
                            }
                            client.after(PAUSE, this::act);
                        },
                        _ -> lost());
    }

    private void commit(UUID known) {
        long offset = sent;
        OffsetCommitRequest request =
                OffsetCommitRequest.builder()
                        .groupId(group)
                        .generationIdOrMemberEpoch(-1)
                        .memberId("")
                        .topics(
                                List.of(
                                        new OffsetCommitRequestTopic(
                                                topic,
                                                known,
                                                List.of(
                                                        new OffsetCommitRequestPartition(
                                                                0, offset, -1, "")))))
                        .build();
        client.ask(coordinator, request, COMMIT_VERSION, TIMEOUT)
                .then(answer -> committed(known, offset, answer), _ -> lost());
    }

    private void committed(UUID of, long offset, ApiResponse response) {
        short error =
                ((OffsetCommitResponse) response)
                        .topics()
                        .getFirst()
                        .partitions()
                        .getFirst()
                        .errorCode();
        if (error == ErrorCode.NONE.id()) {
            if (of.equals(topicId)) {
                committed = offset;
            }
            client.cluster().count("offset commits");
            soon();
        } else {
            leaders.refresh();
            lost();
        }
    }

    private void look(UUID known) {
        client.ask(coordinator, question(known), FETCH_VERSION, TIMEOUT)
                .then(answer -> seen(known, answer), _ -> lost());
    }

    /// Asks a broker that need not be the coordinator. It may refuse; what it tells must not be older than what was acknowledged before it was asked.
    public void ask(int broker) {
        client.run(
                () -> {
                    UUID known = topicId;
                    long acknowledged = committed;
                    if (known != null) {
                        client.ask(broker, question(known), FETCH_VERSION, TIMEOUT)
                                .then(answer -> told(broker, known, acknowledged, answer), _ -> {});
                    }
                });
    }

    private void told(int broker, UUID of, long acknowledged, ApiResponse response) {
        OffsetFetchResponsePartitions found = find(response);
        if (found != null && isPresent(of)) {
            check(broker, acknowledged, found.committedOffset());
        }
    }

    /// Nobody need remember anything of a topic that was deleted, though not everybody has heard of it.
    private boolean isPresent(UUID asked) {
        return asked.equals(topicId) && client.cluster().generations().isPresent(asked);
    }

    private OffsetFetchRequest question(UUID known) {
        return OffsetFetchRequest.builder()
                .groups(
                        List.of(
                                new OffsetFetchRequestGroup(
                                        group,
                                        null,
                                        -1,
                                        List.of(
                                                new OffsetFetchRequestTopics(
                                                        topic, known, List.of(0))))))
                .build();
    }

    private void seen(UUID of, ApiResponse response) {
        OffsetFetchResponsePartitions found = find(response);
        if (found == null || !isPresent(of)) {
            leaders.refresh();
            lost();
            return;
        }
        check(coordinator, committed, found.committedOffset());
        looked = true;
        soon();
    }

    /// Null when it was refused.
    private static @Nullable OffsetFetchResponsePartitions find(ApiResponse response) {
        OffsetFetchResponseGroup answer = ((OffsetFetchResponse) response).groups().getFirst();
        if (answer.errorCode() != ErrorCode.NONE.id()) {
            return null;
        }
        OffsetFetchResponsePartitions found = answer.topics().getFirst().partitions().getFirst();
        return found.errorCode() == ErrorCode.NONE.id() ? found : null;
    }

    private void check(int broker, long acknowledged, long remembered) {
        if (remembered < acknowledged || remembered > sent) {
            throw new InvariantBroken(
                    "CommittedOffsetsAreKept",
                    group
                            + " has committed "
                            + acknowledged
                            + " and sent "
                            + sent
                            + ", broker "
                            + broker
                            + " remembers "
                            + remembered);
        }
    }
}
