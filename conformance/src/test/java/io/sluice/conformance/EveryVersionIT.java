package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.raw.Frames;
import io.sluice.conformance.raw.RawSocket;
import io.sluice.conformance.raw.Requests;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every version of every API that the broker offers, asked once: clients of all ages pick any of them, and each is a code path of its own.
@Tag("every-version")
@ExtendWith(BrokerExtension.class)
class EveryVersionIT {
    /// What is asked about members that are not there cannot succeed; everything else must.
    private static final Map<ApiKeys, Set<Errors>> EXPECTED =
            Map.of(
                    ApiKeys.JOIN_GROUP, Set.of(Errors.INVALID_SESSION_TIMEOUT),
                    ApiKeys.SYNC_GROUP, Set.of(Errors.UNKNOWN_MEMBER_ID),
                    ApiKeys.HEARTBEAT, Set.of(Errors.UNKNOWN_MEMBER_ID),
                    ApiKeys.LEAVE_GROUP, Set.of(Errors.UNKNOWN_MEMBER_ID, Errors.NONE),
                    // A classic group: the client asks again with DescribeGroups (KIP-848).
                    ApiKeys.CONSUMER_GROUP_DESCRIBE, Set.of(Errors.GROUP_ID_NOT_FOUND),
                    ApiKeys.ELECT_LEADERS, Set.of(Errors.ELECTION_NOT_NEEDED, Errors.NONE),
                    ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
                            Set.of(Errors.NO_REASSIGNMENT_IN_PROGRESS, Errors.NONE),
                    ApiKeys.UNREGISTER_BROKER, Set.of(Errors.BROKER_ID_NOT_REGISTERED));

    /// An answer about nothing has no errors at all and would pass unnoticed; only here nothing is asked for.
    private static final Set<ApiKeys> ABOUT_NOTHING = Set.of(ApiKeys.DESCRIBE_TRANSACTIONS);

    /// What takes away the group, or an offset of it, that the version before has found.
    private static final Set<ApiKeys> CONSUMING =
            Set.of(ApiKeys.DELETE_GROUPS, ApiKeys.OFFSET_DELETE);

    private static final Set<Errors> NOT_YET =
            Set.of(
                    Errors.COORDINATOR_NOT_AVAILABLE,
                    Errors.COORDINATOR_LOAD_IN_PROGRESS,
                    Errors.NOT_COORDINATOR);

    private final Broker broker;

    EveryVersionIT(Broker broker) {
        this.broker = broker;
    }

    @TestFactory
    @DisplayName("Q38: every offered version of every API is answered, and Kafka's classes read it")
    Stream<DynamicTest> everyOfferedVersionIsAnswered() {
        Requests requests = requests();
        return offered().stream()
                .map(
                        range ->
                                DynamicTest.dynamicTest(
                                        ApiKeys.forId(range.apiKey()).name,
                                        () -> assertAnswered(range, requests)));
    }

    private void assertAnswered(ApiVersion range, Requests requests) {
        ApiKeys api = ApiKeys.forId(range.apiKey());
        // Produce is offered from version 0 on, as Apache Kafka does, because old librdkafka
        // takes anything else for a broker without headers; 3 is the first that exists.
        int lowest = Math.max(range.minVersion(), api.oldestVersion());
        for (int version = lowest; version <= range.maxVersion(); version++) {
            if (CONSUMING.contains(api)) {
                commit(requests);
            }
            AbstractResponse response = askUntilReady(api, version, requests);

            assertThat(response.errorCounts().isEmpty())
                    .as("%s version %d: %s", api, version, response.data())
                    .isEqualTo(ABOUT_NOTHING.contains(api));
            assertThat(response.errorCounts().keySet())
                    .as("%s version %d: %s", api, version, response.data())
                    .isSubsetOf(EXPECTED.getOrDefault(api, Set.of(Errors.NONE)));
            if (CONSUMING.contains(api)) {
                assertThat(committed(requests)).as("%s version %d", api, version).isEmpty();
            }
        }
    }

    /// Makes the group a real one: without members, with an offset.
    private void commit(Requests requests) {
        TopicPartition partition = new TopicPartition(requests.topic(), 0);
        try (Admin admin = new Clients(broker).admin()) {
            Clients.result(
                    admin.alterConsumerGroupOffsets(
                                    requests.group(), Map.of(partition, new OffsetAndMetadata(1)))
                            .all());
        }
        assertThat(committed(requests)).containsOnlyKeys(partition);
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(Requests requests) {
        try (Admin admin = new Clients(broker).admin()) {
            return Clients.result(
                    admin.listConsumerGroupOffsets(requests.group())
                            .partitionsToOffsetAndMetadata());
        }
    }

    /// A coordinator that is used for the first time may ask for patience.
    private AbstractResponse askUntilReady(ApiKeys api, int version, Requests requests) {
        AtomicReference<AbstractResponse> last = new AtomicReference<>();
        Eventually.holds(
                () -> api + " version " + version + ": " + last.get(),
                () -> {
                    AbstractResponse response = ask(api, version, requests);
                    last.set(response);
                    return response.errorCounts().keySet().stream().noneMatch(NOT_YET::contains);
                });
        return last.get();
    }

    private AbstractResponse ask(ApiKeys api, int version, Requests requests) {
        try (RawSocket socket = new RawSocket(broker)) {
            byte[] frame = Frames.request(api, version, requests.of(api, version));
            ByteBuffer answer = socket.send(frame).answer();
            RequestHeader header = new RequestHeader(api, (short) version, "raw", 7);
            AbstractResponse response = AbstractResponse.parseResponse(answer, header);
            assertThat(answer.remaining())
                    .as("bytes after the answer of %s version %d", api, version)
                    .isZero();
            return response;
        }
    }

    private List<ApiVersion> offered() {
        ApiVersionsResponse response =
                (ApiVersionsResponse)
                        ask(ApiKeys.API_VERSIONS, 0, new Requests("", Uuid.ZERO_UUID, ""));
        return List.copyOf(response.data().apiKeys());
    }

    private Requests requests() {
        Clients clients = new Clients(broker);
        String topic = clients.createTopic("versions", 1);
        try (Admin admin = clients.admin()) {
            Uuid id =
                    Clients.result(
                                    admin.describeTopics(List.of(topic))
                                            .topicNameValues()
                                            .get(topic))
                            .topicId();
            return new Requests(topic, id, Clients.unique("versions"));
        }
    }
}
