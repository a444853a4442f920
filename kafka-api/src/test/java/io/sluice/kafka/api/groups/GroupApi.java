package io.sluice.kafka.api.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.coordinator.ManualWorld;
import io.sluice.coordinator.groups.GroupSettings;
import io.sluice.env.Entropy;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.api.OwnPlace;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The group handlers over coordinators in memory. Every request and response goes through its bytes in the version that is asked in.
final class GroupApi {
    static final UUID TOPIC_ID = new UUID(7, 7);

    boolean dateIsTrusted = true;
    boolean placeIsCertain = true;
    final ManualWorld world = new ManualWorld();
    final InMemoryOffsetsTopic topic = new InMemoryOffsetsTopic(world, 4);
    final GroupCoordinators coordinators =
            new GroupCoordinators(
                    topic, GroupSettings.defaults(), world, () -> true, () -> dateIsTrusted);
    ClusterView cluster =
            new ClusterView(
                    "cluster",
                    List.of(new BrokerView(3, "host", 9092, null, 0)),
                    3,
                    List.of(plan("t", TOPIC_ID)));
    private final Handlers handlers = handlers();
    private long ids;

    /// Who asked last.
    Peer peer = new Peer("kafka", "10.0.0.1", world);

    static TopicPlan plan(String name, UUID id) {
        PartitionPlan partition = PartitionPlan.fresh(List.of(3));
        return new TopicPlan(name, id, List.of(partition, partition), Map.of(), 0);
    }

    private Handlers handlers() {
        Entropy entropy = () -> ++ids;
        return new GroupHandlers(
                new FindCoordinatorHandler(
                        topic, () -> cluster, new OwnPlace(3, () -> placeIsCertain)),
                new JoinGroupHandler(coordinators, entropy),
                new SyncGroupHandler(coordinators),
                new HeartbeatHandler(coordinators),
                new LeaveGroupHandler(coordinators),
                new OffsetCommitHandler(coordinators, () -> cluster),
                new OffsetFetchHandler(coordinators, () -> cluster),
                new OffsetDeleteHandler(coordinators),
                new DescribeGroupsHandler(coordinators),
                new ListGroupsHandler(coordinators),
                new DeleteGroupsHandler(coordinators),
                new ConsumerGroupDescribeHandler());
    }

    /// The answer, or a time-out's worth of silence.
    <A extends ApiResponse> Reply<A> ask(ApiRequest request, int version, Class<A> type) {
        ApiKey key = keyOf(request);
        WireWriter out = new WireWriter();
        request.write(out, (short) version);
        ApiRequest received =
                Messages.readRequest(key, (short) version, new WireReader(bytes(out)));
        peer = new Peer("kafka", "10.0.0.1", world);
        RequestContext context = new RequestContext((short) version, "client", peer);
        return handlers.handle(received, context)
                .map(
                        response -> {
                            WireWriter answer = new WireWriter();
                            response.write(answer, (short) version);
                            return type.cast(
                                    Messages.readResponse(
                                            key, (short) version, new WireReader(bytes(answer))));
                        });
    }

    <A extends ApiResponse> A answer(ApiRequest request, int version, Class<A> type) {
        Reply<A> reply = ask(request, version, type);
        world.settle();
        assertThat(reply.isDone()).as("answered: %s", request).isTrue();
        return reply.value();
    }

    void pass(Duration duration) {
        world.advance(duration);
    }

    private static ApiKey keyOf(ApiRequest request) {
        for (ApiKey key : ApiKey.values()) {
            if (key.id() == request.apiKey()) {
                return key;
            }
        }
        throw new IllegalArgumentException(String.valueOf(request));
    }

    private static ByteBuffer bytes(WireWriter out) {
        ByteBuffer all = ByteBuffer.allocate(out.sizeInBytes());
        for (WirePart part : out.parts()) {
            if (part instanceof WirePart.Bytes(ByteBuffer buffer)) {
                all.put(buffer.duplicate());
            }
        }
        return all.flip();
    }
}
