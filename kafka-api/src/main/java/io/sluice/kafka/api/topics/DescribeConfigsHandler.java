package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeConfigsRequest;
import io.sluice.kafka.wire.message.DescribeConfigsRequest.DescribeConfigsResource;
import io.sluice.kafka.wire.message.DescribeConfigsResponse;
import io.sluice.kafka.wire.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import io.sluice.kafka.wire.message.DescribeConfigsResponse.DescribeConfigsResult;
import io.sluice.kafka.wire.message.DescribeConfigsResponse.DescribeConfigsSynonym;
import io.sluice.settings.SettingDefinition;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// DescribeConfigs: settings of topics and of this broker, with their meaning.
public final class DescribeConfigsHandler implements Handler<DescribeConfigsRequest> {
    private static final byte SOURCE_STATIC_BROKER = 4;
    private static final byte SOURCE_DEFAULT = 5;

    private final Controller controller;
    private final TopicConfigView topics;
    private final int brokerId;
    private final List<SettingDefinition> brokerSettings;
    private final BrokerStates brokers;
    private final LongSupplier damages;

    /// @param damages places on this broker's disk that are known to be damaged and are not mended
    public DescribeConfigsHandler(
            Controller controller,
            TopicConfigView topics,
            int brokerId,
            List<SettingDefinition> brokerSettings,
            LongSupplier damages) {
        this.controller = controller;
        this.topics = topics;
        this.brokerId = brokerId;
        this.brokerSettings = brokerSettings;
        this.brokers = new BrokerStates(controller);
        this.damages = damages;
    }

    @Override
    public Reply<DescribeConfigsResponse> handle(
            DescribeConfigsRequest request, RequestContext context) {
        List<DescribeConfigsResult> results = new ArrayList<>();
        // What is asked for in the same words is answered once.
        for (DescribeConfigsResource resource : new LinkedHashSet<>(request.resources())) {
            results.add(describe(resource, request));
        }
        return Reply.of(DescribeConfigsResponse.builder().results(results).build());
    }

    private DescribeConfigsResult describe(
            DescribeConfigsResource resource, DescribeConfigsRequest request) {
        ConfigResource kind = ConfigResource.find(resource.resourceType());
        if (kind == null) {
            return refused(
                    resource,
                    ErrorCode.INVALID_REQUEST,
                    "Unknown resource type " + resource.resourceType() + ".");
        }
        return switch (kind) {
            case TOPIC -> describeTopic(resource, request);
            case BROKER -> describeBroker(resource, request);
            case BROKER_LOGGER, CLIENT_METRICS, GROUP -> result(resource, List.of());
        };
    }

    private DescribeConfigsResult describeTopic(
            DescribeConfigsResource resource, DescribeConfigsRequest request) {
        TopicPlan plan = controller.view().findTopic(resource.resourceName());
        if (plan == null) {
            return refused(
                    resource,
                    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                    "There is no topic '" + resource.resourceName() + "'.");
        }
        List<DescribeConfigsResourceResult> configs = new ArrayList<>();
        for (TopicConfigView.Entry entry : topics.entries(plan)) {
            if (isWanted(resource, entry.name())) {
                configs.add(config(entry.definition(), entry.source().id(), false, request));
            }
        }
        return result(resource, configs);
    }

    private DescribeConfigsResult describeBroker(
            DescribeConfigsResource resource, DescribeConfigsRequest request) {
        boolean clusterWide = resource.resourceName().isEmpty();
        if (!clusterWide && !resource.resourceName().equals(String.valueOf(brokerId))) {
            return refused(
                    resource,
                    ErrorCode.INVALID_REQUEST,
                    "This is broker "
                            + brokerId
                            + "; ask broker '"
                            + resource.resourceName()
                            + "' itself.");
        }
        List<DescribeConfigsResourceResult> configs = new ArrayList<>();
        for (SettingDefinition setting : clusterWide ? brokers.definitions() : withState()) {
            if (isWanted(resource, setting.name())) {
                configs.add(
                        config(
                                setting,
                                setting.isSet() ? SOURCE_STATIC_BROKER : SOURCE_DEFAULT,
                                !clusterWide,
                                request));
            }
        }
        return result(resource, configs);
    }

    /// What a broker was told, and what it has to tell.
    private List<SettingDefinition> withState() {
        List<SettingDefinition> all = new ArrayList<>(brokerSettings);
        all.add(BrokerStates.damages(damages.getAsLong()));
        all.add(brokers.directed());
        return all;
    }

    private static boolean isWanted(DescribeConfigsResource resource, String name) {
        return resource.configurationKeys() == null || resource.configurationKeys().contains(name);
    }

    private static DescribeConfigsResourceResult config(
            SettingDefinition setting,
            byte source,
            boolean readOnly,
            DescribeConfigsRequest request) {
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        if (request.includeSynonyms()) {
            if (source != SOURCE_DEFAULT) {
                synonyms.add(new DescribeConfigsSynonym(setting.name(), setting.value(), source));
            }
            synonyms.add(
                    new DescribeConfigsSynonym(
                            setting.name(), setting.defaultValue(), SOURCE_DEFAULT));
        }
        return DescribeConfigsResourceResult.builder()
                .name(setting.name())
                .value(setting.value())
                .readOnly(readOnly)
                .configSource(source)
                .synonyms(synonyms)
                .configType(typeOf(setting.kind()))
                .documentation(request.includeDocumentation() ? setting.doc() : null)
                .build();
    }

    private static byte typeOf(SettingDefinition.Kind kind) {
        return Map.of(
                        SettingDefinition.Kind.FLAG, (byte) 1,
                        SettingDefinition.Kind.INTEGER, (byte) 3,
                        SettingDefinition.Kind.LONG, (byte) 5,
                        SettingDefinition.Kind.DECIMAL, (byte) 6,
                        SettingDefinition.Kind.LIST, (byte) 7)
                .getOrDefault(kind, (byte) 2);
    }

    private static DescribeConfigsResult result(
            DescribeConfigsResource resource, List<DescribeConfigsResourceResult> configs) {
        return build(resource, ErrorCode.NONE, null, configs);
    }

    private static DescribeConfigsResult refused(
            DescribeConfigsResource resource, ErrorCode code, String sentence) {
        return build(resource, code, sentence, List.of());
    }

    private static DescribeConfigsResult build(
            DescribeConfigsResource resource,
            ErrorCode code,
            @Nullable String sentence,
            List<DescribeConfigsResourceResult> configs) {
        return DescribeConfigsResult.builder()
                .errorCode(code.id())
                .errorMessage(sentence)
                .resourceType(resource.resourceType())
                .resourceName(resource.resourceName())
                .configs(configs)
                .build();
    }
}
