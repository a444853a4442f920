package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/// Topics and their settings, through the admin client.
@Tag("admin")
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdminTopicsIT {
    private final Clients clients;
    private final Admin admin;

    AdminTopicsIT(Broker broker) {
        clients = new Clients(broker);
        admin = clients.admin();
    }

    @AfterAll
    void close() {
        admin.close();
    }

    @Test
    @DisplayName("Q10: a topic is created, listed, described and deleted")
    void aTopicIsCreatedListedDescribedAndDeleted() {
        String name = clients.createTopic("life", 3);

        assertThat(Clients.result(admin.listTopics().names())).contains(name);
        TopicDescription description = describe(name);
        assertThat(description.partitions()).hasSize(3);
        assertThat(description.isInternal()).isFalse();
        assertThat(description.topicId()).isNotEqualTo(Uuid.ZERO_UUID);
        assertThat(description.partitions())
                .allSatisfy(
                        partition -> {
                            assertThat(partition.leader()).isNotNull();
                            assertThat(partition.replicas()).hasSize(1);
                            assertThat(partition.isr()).isEqualTo(partition.replicas());
                        });

        Clients.result(admin.deleteTopics(List.of(name)).all());

        Eventually.holds(
                () -> name + " is still listed",
                () -> !Clients.result(admin.listTopics().names()).contains(name));
    }

    @Test
    void aTopicCanBeAddressedByItsId() {
        String name = clients.createTopic("by-id", 2);
        Uuid id = describe(name).topicId();

        Map<Uuid, TopicDescription> described =
                Clients.result(
                        admin.describeTopics(TopicCollection.ofTopicIds(List.of(id)))
                                .allTopicIds());
        assertThat(described.get(id))
                .isNotNull()
                .extracting(TopicDescription::name)
                .isEqualTo(name);

        Clients.result(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(id))).all());
        Eventually.holds(
                () -> name + " is still listed",
                () -> !Clients.result(admin.listTopics().names()).contains(name));
    }

    @Test
    void aTopicThatIsDeletedAndMadeAgainIsEmptyAndHasAnotherId() {
        String name = clients.createTopic("again", 1);
        Uuid id = describe(name).topicId();
        Clients.result(admin.deleteTopics(List.of(name)).all());
        Eventually.holds(
                () -> name + " cannot be made again",
                () -> {
                    try {
                        Clients.result(
                                admin.createTopics(List.of(new NewTopic(name, 1, (short) 1)))
                                        .all());
                        return true;
                    } catch (TopicExistsException notYet) {
                        return false;
                    }
                });
        Clients.awaitPartitions(admin, name, 1);

        assertThat(describe(name).topicId()).isNotEqualTo(id);
    }

    @Test
    void whatCannotBeCreatedIsRefusedWithTheRightError() {
        String existing = clients.createTopic("taken", 1);

        assertRefused(new NewTopic(existing, 1, (short) 1), TopicExistsException.class);
        assertRefused(new NewTopic("not/a/name", 1, (short) 1), InvalidTopicException.class);
        assertRefused(new NewTopic("x".repeat(250), 1, (short) 1), InvalidTopicException.class);
        assertRefused(new NewTopic("..", 1, (short) 1), InvalidTopicException.class);
        assertRefused(fresh(0, 1), InvalidPartitionsException.class);
        assertRefused(fresh(1, 3), InvalidReplicationFactorException.class);
        assertRefused(
                fresh(1, 1).configs(Map.of("no.such.setting", "1")),
                InvalidConfigurationException.class);
        assertRefused(
                fresh(1, 1).configs(Map.of("retention.ms", "soon")),
                InvalidConfigurationException.class);
    }

    @Test
    void defaultsAreFilledInAndReported() {
        String name = Clients.unique("defaults");

        CreateTopicsResult created =
                admin.createTopics(List.of(new NewTopic(name, Optional.empty(), Optional.empty())));

        assertThat(Clients.result(created.numPartitions(name))).isPositive();
        assertThat(Clients.result(created.replicationFactor(name))).isEqualTo(1);
        assertThat(Clients.result(created.config(name)).get("retention.ms")).isNotNull();
    }

    @Test
    void validationAloneCreatesNothing() {
        String name = Clients.unique("dry");
        CreateTopicsOptions dry = new CreateTopicsOptions().validateOnly(true);

        Clients.result(admin.createTopics(List.of(new NewTopic(name, 1, (short) 1)), dry).all());

        assertThat(Clients.result(admin.listTopics().names())).doesNotContain(name);
    }

    @Test
    void whatDoesNotExistIsReported() {
        String name = Clients.unique("nowhere");

        assertThatThrownBy(() -> describe(name))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
        assertThatThrownBy(() -> Clients.result(admin.deleteTopics(List.of(name)).all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
        assertThatThrownBy(() -> config(name)).isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    @DisplayName("Q29: partitions can be added and not taken away")
    void partitionsCanBeAddedAndNotTakenAway() {
        String name = clients.createTopic("grow", 2);

        Clients.result(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(5))).all());
        Clients.awaitPartitions(admin, name, 5);

        assertThat(describe(name).partitions()).hasSize(5);
        assertThatThrownBy(
                        () ->
                                Clients.result(
                                        admin.createPartitions(
                                                        Map.of(name, NewPartitions.increaseTo(3)))
                                                .all()))
                .isInstanceOf(InvalidPartitionsException.class);
    }

    @Test
    void aDescriptionComesInPagesWhenThePageIsSmall() {
        String name = clients.createTopic("pages", 25);
        DescribeTopicsOptions small = new DescribeTopicsOptions().partitionSizeLimitPerResponse(4);

        Map<String, TopicDescription> described =
                Clients.result(admin.describeTopics(List.of(name), small).allTopicNames());

        assertThat(described.get(name)).isNotNull();
        assertThat(described.get(name).partitions())
                .extracting(partition -> partition.partition())
                .containsExactlyElementsOf(
                        java.util.stream.IntStream.range(0, 25).boxed().toList());
    }

    @Test
    @DisplayName("Q8: settings of a topic are described and changed one by one")
    void settingsAreChangedOneByOne() {
        String name = Clients.unique("settings");
        NewTopic topic = new NewTopic(name, 1, (short) 1).configs(Map.of("retention.ms", "1000"));
        Clients.result(admin.createTopics(List.of(topic)).all());
        Clients.awaitPartitions(admin, name, 1);
        assertThat(value(name, "retention.ms")).isEqualTo("1000");
        String defaultMaximum = value(name, "max.message.bytes");

        alter(name, "retention.ms", "2000", AlterConfigOp.OpType.SET);
        alter(name, "max.message.bytes", "5000", AlterConfigOp.OpType.SET);
        awaitValue(name, "max.message.bytes", "5000");
        awaitValue(name, "retention.ms", "2000");
        assertThat(entry(name, "retention.ms").source())
                .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertThat(entry(name, "retention.ms").isDefault()).isFalse();

        alter(name, "max.message.bytes", "", AlterConfigOp.OpType.DELETE);
        awaitValue(name, "max.message.bytes", defaultMaximum);
        awaitValue(name, "retention.ms", "2000");

        alter(name, "cleanup.policy", "compact", AlterConfigOp.OpType.APPEND);
        Eventually.holds(
                () -> value(name, "cleanup.policy"),
                () ->
                        List.of("delete,compact", "compact,delete")
                                .contains(value(name, "cleanup.policy")));
        alter(name, "cleanup.policy", "delete", AlterConfigOp.OpType.SUBTRACT);
        awaitValue(name, "cleanup.policy", "compact");
    }

    @Test
    void aWrongSettingIsRefusedAndChangesNothing() {
        String name = clients.createTopic("wrong", 1);
        String before = value(name, "retention.ms");

        assertThatThrownBy(() -> alter(name, "retention.ms", "soon", AlterConfigOp.OpType.SET))
                .isInstanceOf(InvalidConfigurationException.class);
        assertThatThrownBy(() -> alter(name, "no.such", "1", AlterConfigOp.OpType.SET))
                .isInstanceOf(InvalidConfigurationException.class);
        assertThat(value(name, "retention.ms")).isEqualTo(before);
    }

    private void assertRefused(NewTopic topic, Class<? extends Throwable> error) {
        assertThatThrownBy(() -> Clients.result(admin.createTopics(List.of(topic)).all()))
                .as("%s", topic)
                .isInstanceOf(error);
    }

    private static NewTopic fresh(int partitions, int replicas) {
        return new NewTopic(Clients.unique("refused"), partitions, (short) replicas);
    }

    private TopicDescription describe(String name) {
        return Clients.result(admin.describeTopics(List.of(name)).topicNameValues().get(name));
    }

    private Config config(String name) {
        ConfigResource resource = resource(name);
        return Clients.result(admin.describeConfigs(List.of(resource)).values().get(resource));
    }

    private ConfigEntry entry(String name, String key) {
        return config(name).get(key);
    }

    private String value(String name, String key) {
        return entry(name, key).value();
    }

    /// Apache Kafka makes a change visible a little after its answer.
    private void awaitValue(String name, String key, String wanted) {
        Eventually.holds(
                () -> key + " is " + value(name, key) + " and not " + wanted,
                () -> value(name, key).equals(wanted));
    }

    private void alter(String name, String key, String value, AlterConfigOp.OpType operation) {
        Collection<AlterConfigOp> changes =
                List.of(new AlterConfigOp(new ConfigEntry(key, value), operation));
        Clients.result(admin.incrementalAlterConfigs(Map.of(resource(name), changes)).all());
    }

    private static ConfigResource resource(String name) {
        return new ConfigResource(ConfigResource.Type.TOPIC, name);
    }
}
