package io.sluice.kafka.api.cluster;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.OwnPlace;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.topics.TopicCreation;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.MetadataRequest.MetadataRequestTopic;
import io.sluice.kafka.wire.message.MetadataResponse;
import io.sluice.kafka.wire.message.MetadataResponse.MetadataResponseBroker;
import io.sluice.kafka.wire.message.MetadataResponse.MetadataResponsePartition;
import io.sluice.kafka.wire.message.MetadataResponse.MetadataResponseTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Metadata: brokers, topics, and who leads each partition, as far as this broker can know. Creates a topic on first use when the broker may.
public final class MetadataHandler implements Handler<MetadataRequest> {
    private static final UUID NO_ID = new UUID(0, 0);

    private final Controller controller;
    private final OwnPlace place;
    private final TopicCreation creation;
    private final boolean autoCreate;

    public MetadataHandler(
            Controller controller, OwnPlace place, TopicCreation creation, boolean autoCreate) {
        this.controller = controller;
        this.place = place;
        this.creation = creation;
        this.autoCreate = autoCreate;
    }

    @Override
    public Reply<MetadataResponse> handle(MetadataRequest request, RequestContext context) {
        List<MetadataRequestTopic> asked = request.topics();
        boolean all = asked == null || (context.version() == 0 && asked.isEmpty());
        if (all || asked == null) {
            return Reply.of(describeAll(context));
        }
        List<Reply<MetadataResponseTopic>> topics = new ArrayList<>();
        boolean mayCreate =
                autoCreate && (request.allowAutoTopicCreation() || context.version() < 4);
        for (MetadataRequestTopic topic : once(asked)) {
            topics.add(describe(topic, mayCreate, context));
        }
        return Reply.all(topics).map(this::respond);
    }

    /// However often it is named, a topic is described once, as by Apache Kafka: the answer to a few bytes can be a large one.
    private static Collection<MetadataRequestTopic> once(List<MetadataRequestTopic> asked) {
        Map<Object, MetadataRequestTopic> once = new LinkedHashMap<>();
        for (MetadataRequestTopic topic : asked) {
            String name = topic.name();
            once.putIfAbsent(isNamed(topic) && name != null ? name : topic.topicId(), topic);
        }
        return once.values();
    }

    /// An id counts where there is one.
    private static boolean isNamed(MetadataRequestTopic asked) {
        return asked.name() != null && asked.topicId().equals(NO_ID);
    }

    private MetadataResponse describeAll(RequestContext context) {
        ClusterView view = controller.view();
        List<MetadataResponseTopic> topics = new ArrayList<>(view.topics().size());
        for (TopicPlan plan : view.topics()) {
            topics.add(describe(plan, context));
        }
        return respond(topics);
    }

    private Reply<MetadataResponseTopic> describe(
            MetadataRequestTopic asked, boolean mayCreate, RequestContext context) {
        ClusterView view = controller.view();
        String name = asked.name();
        TopicPlan plan =
                name == null || !isNamed(asked)
                        ? view.findTopic(asked.topicId())
                        : view.findTopic(name);
        if (plan != null) {
            return Reply.of(describe(plan, context));
        }
        if (name == null) {
            return Reply.of(unknown(ErrorCode.UNKNOWN_TOPIC_ID, null, asked.topicId()));
        }
        if (TopicNames.flaw(name) != null) {
            return Reply.of(unknown(ErrorCode.INVALID_TOPIC_EXCEPTION, name, NO_ID));
        }
        if (!mayCreate || TopicNames.isInternal(name)) {
            return Reply.of(unknown(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, NO_ID));
        }
        TopicCommand.Create create = new TopicCommand.Create(name, -1, -1, List.of(), Map.of());
        return creation.create(create, context.home())
                .map(result -> created(name, result, context));
    }

    private MetadataResponseTopic created(
            String name, TopicCreation.Result result, RequestContext context) {
        TopicPlan plan =
                controller.view().findTopic(name); // Somebody else may have created it meanwhile.
        if (plan != null) {
            return describe(plan, context);
        }
        return unknown(
                result == TopicCreation.Result.REFUSED
                        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                        : ErrorCode.LEADER_NOT_AVAILABLE,
                name,
                NO_ID);
    }

    private MetadataResponseTopic describe(TopicPlan plan, RequestContext context) {
        ClusterView view = controller.view();
        List<MetadataResponsePartition> partitions = new ArrayList<>(plan.partitions().size());
        int index = 0;
        for (PartitionPlan partition : plan.partitions()) {
            int leader = partition.leader();
            boolean led = view.isLive(leader) && place.mayName(leader, context);
            partitions.add(
                    MetadataResponsePartition.builder()
                            .errorCode((led ? ErrorCode.NONE : ErrorCode.LEADER_NOT_AVAILABLE).id())
                            .partitionIndex(index)
                            .leaderId(led ? leader : PartitionPlan.NONE)
                            .leaderEpoch(partition.leaderEpoch())
                            .replicaNodes(partition.replicas())
                            .isrNodes(partition.inSync())
                            .offlineReplicas(Offline.of(partition, view))
                            .build());
            index++;
        }
        return MetadataResponseTopic.builder()
                .name(plan.name())
                .topicId(plan.id())
                .isInternal(plan.isInternal())
                .partitions(partitions)
                .build();
    }

    private static MetadataResponseTopic unknown(ErrorCode code, @Nullable String name, UUID id) {
        return MetadataResponseTopic.builder().errorCode(code.id()).name(name).topicId(id).build();
    }

    private MetadataResponse respond(List<MetadataResponseTopic> topics) {
        ClusterView view = controller.view();
        List<MetadataResponseBroker> brokers = new ArrayList<>();
        for (BrokerView broker : view.brokers()) {
            brokers.add(
                    new MetadataResponseBroker(
                            broker.id(), broker.host(), broker.port(), broker.rack()));
        }
        return MetadataResponse.builder()
                .brokers(brokers)
                .clusterId(view.clusterId())
                .controllerId(view.controllerId())
                .topics(topics)
                .build();
    }
}
