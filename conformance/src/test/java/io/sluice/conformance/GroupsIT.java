package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import io.sluice.conformance.scenario.DoomedMember;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Consumer groups with the classic protocol: who gets which partitions, through joining, leaving and crashing, and where a group goes on.
@Tag("groups")
@ExtendWith(BrokerExtension.class)
class GroupsIT {
    private static final String PACKAGE = "org.apache.kafka.clients.consumer.";

    private final Clients clients;

    GroupsIT(Broker broker) {
        clients = new Clients(broker);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RangeAssignor",
                "RoundRobinAssignor",
                "StickyAssignor",
                "CooperativeStickyAssignor"
            })
    @DisplayName("Q17, Q19: members share the partitions when one joins and when one leaves")
    void membersShareThePartitionsThroughJoinAndLeave(String assignor) {
        String topic = clients.createTopic("share", 6);
        String group = Clients.unique("group");
        Map<String, Object> settings = assignedBy(assignor);
        send(topic, 6, 0, 300);
        try (GroupMember first = GroupMember.join(clients, group, List.of(topic), settings)) {
            awaitShares(topic, 6, first);
            try (GroupMember second = GroupMember.join(clients, group, List.of(topic), settings)) {
                awaitShares(topic, 3, first, second);
                send(topic, 6, 300, 300);
                try (GroupMember third =
                        GroupMember.join(clients, group, List.of(topic), settings)) {
                    awaitShares(topic, 2, first, second, third);
                    if (assignor.startsWith("Cooperative")) {
                        // First from six to three, then from three to two: the rest never stopped.
                        assertThat(first.everRevoked()).hasSize(4);
                    }
                    second.leave();
                    awaitShares(topic, 3, first, third);
                    send(topic, 6, 600, 300);
                    awaitAll(900, first, second, third);
                }
            }
            awaitShares(topic, 6, first);
            assertThat(first.failure()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RangeAssignor", "CooperativeStickyAssignor"})
    @DisplayName("Q18, Q19: the others take over what a crashed member had")
    void theOthersTakeOverWhatACrashedMemberHad(String assignor) {
        String topic = clients.createTopic("crash", 4);
        String group = Clients.unique("group");
        send(topic, 4, 0, 100);
        ChildProgram doomed =
                ChildProgram.java(
                        System.getProperty("java.class.path"),
                        DoomedMember.class.getName(),
                        clients.broker().bootstrap(),
                        group,
                        topic,
                        PACKAGE + assignor,
                        Integer.toString(GroupMember.SHORT_SESSION_MILLIS));
        try (GroupMember survivor =
                        GroupMember.join(clients, group, List.of(topic), assignedBy(assignor));
                ChildProgram.Running running = doomed.start()) {
            Eventually.holds(running::output, () -> running.output().contains("assigned 2"));

            running.kill();

            awaitShares(topic, 4, survivor);
            awaitAll(100, survivor);
        }
    }

    @Test
    @DisplayName("Q17: a consumer too many idles, and steps in when another leaves")
    void aSurplusConsumerIdlesAndStepsIn() {
        String topic = clients.createTopic("surplus", 2);
        String group = Clients.unique("group");
        try (GroupMember first = GroupMember.join(clients, group, List.of(topic), Map.of());
                GroupMember second = GroupMember.join(clients, group, List.of(topic), Map.of())) {
            awaitShares(topic, 1, first, second);
            try (GroupMember third = GroupMember.join(clients, group, List.of(topic), Map.of())) {
                Eventually.holds(
                        () -> "rebalances of the third: " + third.rebalances(),
                        () -> third.rebalances() > 0 && sizes(first, second, third) == 2);
                List<GroupMember> all = List.of(first, second, third);
                GroupMember leaving =
                        all.stream()
                                .filter(m -> !m.assignment().isEmpty())
                                .findFirst()
                                .orElseThrow();

                leaving.leave();

                GroupMember[] staying =
                        all.stream().filter(m -> m != leaving).toArray(GroupMember[]::new);
                awaitShares(topic, 1, staying);
            }
        }
    }

    @Test
    @DisplayName("Q3, Q17: every group gets every message")
    void everyGroupGetsEveryMessage() {
        String topic = clients.createTopic("pubsub", 2);
        send(topic, 2, 0, 200);
        try (GroupMember one =
                        GroupMember.join(clients, Clients.unique("one"), List.of(topic), Map.of());
                GroupMember two =
                        GroupMember.join(
                                clients, Clients.unique("two"), List.of(topic), Map.of())) {
            awaitAll(200, one);
            awaitAll(200, two);
        }
    }

    @Test
    @DisplayName("Q17: a group may read several topics, by name and by pattern")
    void aGroupMayReadSeveralTopics() {
        String prefix = Clients.unique("many");
        List<String> topics =
                List.of(clients.createTopic(prefix, 2), clients.createTopic(prefix, 3));
        topics.forEach(topic -> send(topic, 2, 0, 50));
        try (GroupMember named =
                        GroupMember.join(clients, Clients.unique("named"), topics, Map.of());
                GroupMember matching =
                        GroupMember.joinMatching(
                                clients,
                                Clients.unique("pattern"),
                                Pattern.compile(prefix + ".*"),
                                Map.of())) {
            Eventually.holds(
                    () -> named.assignment() + " and " + matching.assignment(),
                    () -> named.assignment().size() == 5 && matching.assignment().size() == 5);
            Eventually.holds(
                    () -> named.received().size() + " and " + matching.received().size(),
                    () -> named.received().size() == 100 && matching.received().size() == 100);
        }
    }

    @Test
    @DisplayName("Q29: a group notices partitions that were added")
    void aGroupNoticesPartitionsThatWereAdded() {
        String topic = clients.createTopic("growing", 1);
        Map<String, Object> settings = Map.of(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 500);
        try (GroupMember member =
                        GroupMember.join(
                                clients, Clients.unique("group"), List.of(topic), settings);
                Admin admin = clients.admin()) {
            awaitShares(topic, 1, member);

            Clients.result(
                    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(4))).all());
            Clients.awaitPartitions(admin, topic, 4);
            send(topic, 4, 0, 40);

            awaitShares(topic, 4, member);
            awaitAll(40, member);
        }
    }

    @Test
    @DisplayName("Q18: a static member that comes back in time changes nothing for the others")
    void aStaticMemberThatComesBackInTimeDisturbsNobody() {
        String topic = clients.createTopic("static", 4);
        String group = Clients.unique("group");
        Map<String, Object> patient = instance("a", 300_000);
        try (GroupMember other =
                GroupMember.join(clients, group, List.of(topic), instance("b", 300_000))) {
            GroupMember restarted = GroupMember.join(clients, group, List.of(topic), patient);
            awaitShares(topic, 2, other, restarted);
            int rebalances = other.rebalances();
            Set<TopicPartition> before = restarted.assignment();

            restarted.leave();
            try (GroupMember again = GroupMember.join(clients, group, List.of(topic), patient)) {
                Eventually.holds(
                        () -> "assigned " + again.assignment(),
                        () -> again.assignment().equals(before));
                send(topic, 4, 0, 40);
                awaitAll(40, other, again);
            }
            assertThat(other.rebalances()).isEqualTo(rebalances);
        }
    }

    @Test
    @DisplayName("Q18: of two members with one instance id the older is fenced")
    void ofTwoMembersWithOneInstanceIdTheOlderIsFenced() {
        String topic = clients.createTopic("fenced", 1);
        String group = Clients.unique("group");
        try (GroupMember older =
                GroupMember.join(clients, group, List.of(topic), instance("same", 300_000))) {
            awaitShares(topic, 1, older);
            try (GroupMember newer =
                    GroupMember.join(clients, group, List.of(topic), instance("same", 300_000))) {
                awaitShares(topic, 1, newer);
                Eventually.holds(
                        () -> "failure of the older: " + older.failure(),
                        () -> older.failure() instanceof FencedInstanceIdException);
                assertThat(newer.failure()).isNull();
            }
        }
    }

    @Test
    @DisplayName("Q18, Q20: a member of an old generation cannot commit")
    void aMemberOfAnOldGenerationCannotCommit() {
        String topic = clients.createTopic("stale", 1);
        String group = Clients.unique("group");
        send(topic, 1, 0, 10);
        Map<String, Object> settings =
                Map.of(
                        ConsumerConfig.GROUP_ID_CONFIG,
                        group,
                        ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                        3_000,
                        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                        GroupMember.SHORT_SESSION_MILLIS,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false);
        try (Consumer<String, String> stalled = clients.consumer(settings)) {
            stalled.subscribe(List.of(topic));
            Clients.read(stalled, 10);
            // It stops polling here, so the group goes on without it.
            try (GroupMember other = GroupMember.join(clients, group, List.of(topic), Map.of())) {
                awaitShares(topic, 1, other);

                assertThatThrownBy(stalled::commitSync).isInstanceOf(CommitFailedException.class);
            }
        }
    }

    @Test
    @DisplayName("Q20: a group goes on where it has committed")
    void aGroupGoesOnWhereItHasCommitted() {
        String topic = clients.createTopic("commit", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        Map<String, Object> settings =
                Map.of(
                        ConsumerConfig.GROUP_ID_CONFIG,
                        Clients.unique("group"),
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false);
        send(topic, 1, 0, 100);
        try (Consumer<String, String> consumer = clients.consumer(settings)) {
            consumer.subscribe(List.of(topic));
            Clients.read(consumer, 100);
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(42, "a note")));
            assertThat(consumer.committed(Set.of(partition)).get(partition))
                    .isEqualTo(new OffsetAndMetadata(42, "a note"));
        }
        try (Consumer<String, String> consumer = clients.consumer(settings)) {
            consumer.subscribe(List.of(topic));
            assertThat(Clients.read(consumer, 1).getFirst().offset()).isEqualTo(42);
        }
    }

    @Test
    void aConsumerWithoutGroupManagementCommitsToo() {
        String topic = clients.createTopic("simple", 2);
        TopicPartition partition = new TopicPartition(topic, 1);
        Map<String, Object> settings =
                Map.of(ConsumerConfig.GROUP_ID_CONFIG, Clients.unique("group"));
        try (Consumer<String, String> consumer = clients.consumer(settings)) {
            consumer.assign(List.of(partition));
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(7)));
        }
        try (Consumer<String, String> consumer = clients.consumer(settings)) {
            assertThat(consumer.committed(Set.of(partition, new TopicPartition(topic, 0))))
                    .containsEntry(partition, new OffsetAndMetadata(7))
                    .containsEntry(new TopicPartition(topic, 0), null);
        }
    }

    private static Map<String, Object> assignedBy(String assignor) {
        return Map.of(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, PACKAGE + assignor);
    }

    private static Map<String, Object> instance(String id, int sessionTimeoutMillis) {
        return Map.of(
                ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                id,
                ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                sessionTimeoutMillis);
    }

    private void send(String topic, int partitions, int from, int count) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    count,
                    i -> new ProducerRecord<>(topic, i % partitions, null, "m" + (from + i)));
        }
    }

    /// Waits until the members have all partitions of the topic between them, each the same number and none twice.
    private static void awaitShares(String topic, int each, GroupMember... members) {
        Set<TopicPartition> all =
                IntStream.range(0, each * members.length)
                        .mapToObj(partition -> new TopicPartition(topic, partition))
                        .collect(Collectors.toSet());
        Eventually.holds(
                () ->
                        "assignments "
                                + Arrays.stream(members).map(GroupMember::assignment).toList()
                                + ", failures "
                                + Arrays.stream(members).map(m -> "" + m.failure()).toList(),
                Duration.ofMinutes(10),
                () -> {
                    Set<TopicPartition> together = new HashSet<>();
                    for (GroupMember member : members) {
                        Set<TopicPartition> own = member.assignment();
                        if (own.size() != each) {
                            return false;
                        }
                        together.addAll(own);
                    }
                    return together.equals(all);
                });
    }

    /// Waits until the members have seen messages `m0` to `m(count-1)` between them.
    private static void awaitAll(int count, GroupMember... members) {
        Set<String> wanted =
                IntStream.range(0, count).mapToObj(i -> "m" + i).collect(Collectors.toSet());
        Eventually.holds(
                () -> "received " + Arrays.stream(members).map(m -> m.received().size()).toList(),
                () -> {
                    Set<String> seen =
                            Arrays.stream(members)
                                    .flatMap(member -> member.received().stream())
                                    .map(ConsumerRecord::value)
                                    .collect(Collectors.toSet());
                    return seen.equals(wanted);
                });
    }

    private static int sizes(GroupMember... members) {
        return Arrays.stream(members).mapToInt(member -> member.assignment().size()).sum();
    }
}
