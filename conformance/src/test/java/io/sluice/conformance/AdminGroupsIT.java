package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/// Groups and their offsets, through the admin client.
@Tag("admin")
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdminGroupsIT {
    private final Clients clients;
    private final Admin admin;

    AdminGroupsIT(Broker broker) {
        clients = new Clients(broker);
        admin = clients.admin();
    }

    @AfterAll
    void close() {
        admin.close();
    }

    @Test
    @DisplayName("Q18, Q20: a group is listed and described with its members and their partitions")
    void aGroupIsListedAndDescribed() {
        String topic = clients.createTopic("described", 2);
        String group = Clients.unique("group");
        try (GroupMember member = GroupMember.join(clients, group, List.of(topic), Map.of())) {
            Eventually.holds(() -> "" + member.failure(), () -> member.assignment().size() == 2);

            assertThat(Clients.result(admin.listGroups().all()))
                    .extracting(GroupListing::groupId)
                    .contains(group);
            Eventually.holds(
                    () -> describe(group).toString(),
                    () -> describe(group).groupState() == GroupState.STABLE);
            ConsumerGroupDescription description = describe(group);
            assertThat(description.partitionAssignor()).isEqualTo("range");
            assertThat(description.coordinator().port()).isEqualTo(clients.broker().port());
            assertThat(description.members()).hasSize(1);
            MemberDescription only = description.members().iterator().next();
            assertThat(only.assignment().topicPartitions()).isEqualTo(member.assignment());
            assertThat(only.host()).contains("127.0.0.1");
            assertThat(only.consumerId()).isNotEmpty();
            assertThat(only.clientId()).isNotEmpty();
        }
        Eventually.holds(
                () -> describe(group).toString(),
                () -> describe(group).groupState() == GroupState.EMPTY);
    }

    @Test
    void aGroupIsDeletedWhenItIsEmptyAndNotBefore() {
        String topic = clients.createTopic("deleted", 1);
        String group = Clients.unique("group");
        try (GroupMember member = GroupMember.join(clients, group, List.of(topic), Map.of())) {
            Eventually.holds(() -> "" + member.failure(), () -> !member.assignment().isEmpty());
            assertThatThrownBy(
                            () -> Clients.result(admin.deleteConsumerGroups(List.of(group)).all()))
                    .isInstanceOf(GroupNotEmptyException.class);
        }

        Clients.result(admin.deleteConsumerGroups(List.of(group)).all());

        assertThat(Clients.result(admin.listGroups().all()))
                .extracting(GroupListing::groupId)
                .doesNotContain(group);
        assertThatThrownBy(() -> Clients.result(admin.deleteConsumerGroups(List.of(group)).all()))
                .isInstanceOf(GroupIdNotFoundException.class);
    }

    @Test
    @DisplayName("Q4, Q20: the offsets of a group are listed, set and deleted")
    void offsetsAreListedSetAndDeleted() {
        String topic = clients.createTopic("offsets", 3);
        String group = Clients.unique("group");
        Map<TopicPartition, OffsetAndMetadata> offsets =
                Map.of(
                        new TopicPartition(topic, 0), new OffsetAndMetadata(10),
                        new TopicPartition(topic, 1), new OffsetAndMetadata(20, "why not"),
                        new TopicPartition(topic, 2), new OffsetAndMetadata(30));

        Clients.result(admin.alterConsumerGroupOffsets(group, offsets).all());
        assertThat(offsets(group)).isEqualTo(offsets);

        Set<TopicPartition> gone =
                Set.of(new TopicPartition(topic, 0), new TopicPartition(topic, 2));
        Clients.result(admin.deleteConsumerGroupOffsets(group, gone).all());
        assertThat(offsets(group))
                .containsExactly(
                        Map.entry(
                                new TopicPartition(topic, 1),
                                new OffsetAndMetadata(20, "why not")));
    }

    @Test
    void theOffsetsOfAnActiveGroupArePutBeyondReach() {
        String topic = clients.createTopic("active", 1);
        String group = Clients.unique("group");
        TopicPartition partition = new TopicPartition(topic, 0);
        try (GroupMember member = GroupMember.join(clients, group, List.of(topic), Map.of())) {
            Eventually.holds(() -> "" + member.failure(), () -> !member.assignment().isEmpty());

            assertThatThrownBy(
                            () ->
                                    Clients.result(
                                            admin.alterConsumerGroupOffsets(
                                                            group,
                                                            Map.of(
                                                                    partition,
                                                                    new OffsetAndMetadata(1)))
                                                    .all()))
                    .isInstanceOf(UnknownMemberIdException.class);
            assertThatThrownBy(
                            () ->
                                    Clients.result(
                                            admin.deleteConsumerGroupOffsets(
                                                            group, Set.of(partition))
                                                    .partitionResult(partition)))
                    .isInstanceOf(GroupSubscribedToTopicException.class);
        }
    }

    @Test
    void severalGroupsAreAskedForTheirOffsetsAtOnce() {
        String topic = clients.createTopic("several", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        List<String> groups = List.of(Clients.unique("one"), Clients.unique("two"));
        for (String group : groups) {
            Clients.result(
                    admin.alterConsumerGroupOffsets(
                                    group, Map.of(partition, new OffsetAndMetadata(5)))
                            .all());
        }

        Map<String, Map<TopicPartition, OffsetAndMetadata>> found =
                Clients.result(
                        admin.listConsumerGroupOffsets(
                                        groups.stream()
                                                .collect(
                                                        Collectors.toMap(
                                                                group -> group,
                                                                _ ->
                                                                        new org.apache.kafka.clients
                                                                                .admin
                                                                                .ListConsumerGroupOffsetsSpec())))
                                .all());

        assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(groups);
        assertThat(found.values())
                .allSatisfy(
                        offsets ->
                                assertThat(offsets)
                                        .containsEntry(partition, new OffsetAndMetadata(5)));
    }

    @Test
    @DisplayName("Q18: a static member can be removed by an operator")
    void aStaticMemberCanBeRemoved() {
        String topic = clients.createTopic("removed", 1);
        String group = Clients.unique("group");
        Map<String, Object> settings =
                Map.of(
                        ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                        "worker-1",
                        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                        60_000);
        try (GroupMember member = GroupMember.join(clients, group, List.of(topic), settings)) {
            Eventually.holds(() -> "" + member.failure(), () -> !member.assignment().isEmpty());
        }
        // It went away without leaving: without help its place is kept for a minute.
        assertThat(describe(group).members()).hasSize(1);

        Clients.result(
                admin.removeMembersFromConsumerGroup(
                                group,
                                new RemoveMembersFromConsumerGroupOptions(
                                        List.of(new MemberToRemove("worker-1"))))
                        .all());

        assertThat(describe(group).members()).isEmpty();
    }

    @Test
    void anUnknownGroupIsNotFound() {
        assertThatThrownBy(() -> describe(Clients.unique("nobody")))
                .isInstanceOf(GroupIdNotFoundException.class);
    }

    @Test
    void aConsumerThatHasNeverCommittedHasNoOffsets() {
        String topic = clients.createTopic("never", 1);
        try (Consumer<String, String> consumer =
                clients.consumer(Map.of(ConsumerConfig.GROUP_ID_CONFIG, Clients.unique("group")))) {
            assertThat(consumer.committed(Set.of(new TopicPartition(topic, 0))))
                    .containsEntry(new TopicPartition(topic, 0), null);
        }
    }

    private ConsumerGroupDescription describe(String group) {
        return Clients.result(
                admin.describeConsumerGroups(List.of(group)).describedGroups().get(group));
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(String group) {
        return Clients.result(
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    }
}
