package io.sluice.kafka.api;

import io.sluice.controller.Controller;
import io.sluice.controller.ControllerDoors;
import io.sluice.controller.ControllerSettings;
import io.sluice.controller.Probe;
import io.sluice.controller.Registration;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicOutcome;
import io.sluice.controller.TopicPlan;
import io.sluice.controller.TopicPlanner;
import io.sluice.controller.TopicRules;
import io.sluice.env.Reply;
import io.sluice.env.os.LocalCoordination;
import io.sluice.kafka.api.topics.TopicConfigView;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.PartitionId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/// The handlers' surroundings: a controller over a real store, partitions on a real disk, time that stands still. Owned by its test.
public final class ApiWorld {
    public final PartitionWorld world;
    public final Controller controller;
    public final Peer peer;
    public final TopicConfigView configs = new TopicConfigView(Map.of("flush", "fsync"));
    private long ids;

    public ApiWorld(Path folder) {
        world = new PartitionWorld(folder.resolve("partitions"));
        peer = new Peer("clients", "127.0.0.1", world.home);
        world.disk.createDirectory("meta");
        controller =
                new Controller(
                        new ControllerDoors(
                                LocalCoordination.open(world.disk, "meta", world.owner),
                                world.time,
                                () -> ++ids,
                                world.owner,
                                List.of(world.owner),
                                Probe.ofNobody()),
                        new TopicPlanner(new TopicPlanner.Defaults(2, 1), this::rules),
                        this::retire,
                        ControllerSettings.defaults());
        controller.onChange((_, after) -> after.topics().forEach(this::follow));
        world.owner.post(() -> controller.start(registration()));
        world.owner.post(controller::finishDeletions);
        world.settle();
    }

    private static Registration registration() {
        UUID id = new UUID(1, 1);
        return new Registration(
                3, "host", 9092, null, id, id, "cluster", Registration.UNCLEAN, null);
    }

    private TopicRules rules(Map<String, String> given) {
        configs.effective(given);
        return TopicRules.DEFAULT;
    }

    private void follow(TopicPlan plan) {
        for (int index = 0; index < plan.partitions().size(); index++) {
            PartitionId id = new PartitionId(plan.name(), index);
            if (world.directory.find(id) == null) {
                world.directory.add(id, plan.id(), configs.effective(plan), 0);
            }
        }
    }

    private Reply<Integer> retire(String topic, UUID id, int partitions) {
        for (int index = 0; index < partitions; index++) {
            Partition partition = world.directory.remove(new PartitionId(topic, index));
            if (partition != null) {
                partition.retire(world.owner);
            }
        }
        return Reply.of(partitions);
    }

    /// A topic with so many partitions, and settings as pairs of name and value.
    public TopicPlan create(String topic, int partitions, String... settings) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            given.put(settings[i], settings[i + 1]);
        }
        Reply<TopicOutcome> reply =
                controller.execute(
                        new TopicCommand.Create(topic, partitions, -1, List.of(), given),
                        false,
                        world.home);
        world.settle();
        if (PartitionWorld.require(reply) instanceof TopicOutcome.Done(TopicPlan plan)) {
            return plan;
        }
        throw new AssertionError("not created: " + reply);
    }

    public Partition partition(String topic, int index) {
        return Objects.requireNonNull(world.directory.find(new PartitionId(topic, index)));
    }

    /// Asks on the connection's thread. Whatever is answered must also be expressible in the version that was asked in.
    public <Q extends ApiRequest, A extends ApiResponse> Reply<A> ask(
            Handler<Q> handler, Q request, int version, Class<A> type) {
        Reply<A> reply = new Reply<>();
        RequestContext context = new RequestContext((short) version, "test", peer);
        world.home.post(
                () ->
                        handler.handle(request, context)
                                .then(
                                        answer -> {
                                            WireWriter out = new WireWriter();
                                            out.beginFrame();
                                            answer.write(out, (short) version);
                                            out.endFrame();
                                            reply.complete(type.cast(answer));
                                        },
                                        reply::fail));
        world.turn();
        return reply;
    }

    /// Asks, and lets everything happen that needs no time.
    public <Q extends ApiRequest, A extends ApiResponse> A answer(
            Handler<Q> handler, Q request, int version, Class<A> type) {
        Reply<A> reply = ask(handler, request, version, type);
        world.settle();
        return PartitionWorld.require(reply);
    }
}
