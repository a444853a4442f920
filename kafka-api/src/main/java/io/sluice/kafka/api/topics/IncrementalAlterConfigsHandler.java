package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsResponse;
import io.sluice.kafka.wire.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// IncrementalAlterConfigs: changes the named settings of a topic, or of all brokers together, and leaves the others alone (KIP-339).
public final class IncrementalAlterConfigsHandler
        implements Handler<IncrementalAlterConfigsRequest> {
    private static final int SET = 0;
    static final int DELETE = 1;
    private static final int APPEND = 2;
    private static final int SUBTRACT = 3;

    private final Controller controller;
    private final ToController elsewhere;
    private final TopicConfigView configs;
    private final ConfigChange change;
    private final BrokerStates brokers;

    public IncrementalAlterConfigsHandler(
            Controller controller, ToController elsewhere, TopicConfigView configs) {
        this.controller = controller;
        this.elsewhere = elsewhere;
        this.configs = configs;
        this.change = new ConfigChange(controller);
        this.brokers = new BrokerStates(controller);
    }

    @Override
    public Reply<IncrementalAlterConfigsResponse> handle(
            IncrementalAlterConfigsRequest request, RequestContext context) {
        if (!controller.isActive() && !ToController.passedOn(context)) {
            // Clients send this to any broker.
            return elsewhere.passOn(
                    request,
                    context,
                    IncrementalAlterConfigsResponse.class,
                    sentence ->
                            response(
                                    ConfigChange.unreached(
                                            request.resources(),
                                            IncrementalAlterConfigsHandler::subject,
                                            sentence)));
        }
        return ConfigChange.each(
                        request.resources(),
                        IncrementalAlterConfigsHandler::subject,
                        resource -> alter(resource, request.validateOnly(), context))
                .map(IncrementalAlterConfigsHandler::response);
    }

    private static IncrementalAlterConfigsResponse response(List<ConfigChange.Answer> answers) {
        return IncrementalAlterConfigsResponse.builder()
                .responses(ConfigChange.entries(answers, AlterConfigsResourceResponse::new))
                .build();
    }

    private static ConfigChange.Subject subject(AlterConfigsResource resource) {
        return new ConfigChange.Subject(resource.resourceType(), resource.resourceName());
    }

    private Reply<ConfigChange.Result> alter(
            AlterConfigsResource resource, boolean validateOnly, RequestContext context) {
        if (ConfigResource.find(resource.resourceType()) == ConfigResource.BROKER
                && resource.resourceName().isEmpty()) {
            return alterBrokers(resource, validateOnly, context);
        }
        if (KafkaThrottles.areMeant(resource)) {
            return Reply.of(KafkaThrottles.answer(resource));
        }
        ConfigChange.Result refusal = ConfigChange.refusal(resource.resourceType());
        if (refusal != null) {
            return Reply.of(refusal);
        }
        Map<String, @Nullable String> changes = new LinkedHashMap<>();
        for (AlterableConfig config : resource.configs()) {
            String value = config.value();
            switch (config.configOperation()) {
                case DELETE -> changes.put(config.name(), null);
                case SET -> changes.put(config.name(), value);
                case APPEND, SUBTRACT ->
                        changes.put(
                                config.name(),
                                editOfTopic(
                                        resource.resourceName(),
                                        config,
                                        value == null ? "" : value));
                default -> {
                    return Reply.of(
                            ConfigChange.Result.refused(
                                    ErrorCode.INVALID_REQUEST,
                                    "Unknown operation "
                                            + config.configOperation()
                                            + " on '"
                                            + config.name()
                                            + "'."));
                }
            }
        }
        return change.execute(
                new TopicCommand.ChangeSettings(resource.resourceName(), changes),
                validateOnly,
                context);
    }

    /// What concerns all brokers together: see [BrokerStates].
    private Reply<ConfigChange.Result> alterBrokers(
            AlterConfigsResource resource, boolean validateOnly, RequestContext context) {
        Reply<ConfigChange.Result> last = Reply.of(new ConfigChange.Result(ErrorCode.NONE, null));
        for (AlterableConfig config : resource.configs()) {
            String given = config.value();
            String value = given == null ? "" : given;
            last =
                    switch (config.name()) {
                        case BrokerStates.DRAINING ->
                                brokers.drain(
                                        changeOf(config), value, validateOnly, context.home());
                        case BrokerStates.MOVE_LIMIT ->
                                brokers.limitMoves(value, validateOnly, context.home());
                        case BrokerStates.REBALANCE ->
                                brokers.rebalance(value, validateOnly, context.home());
                        default -> BrokerStates.unknown(config.name());
                    };
        }
        return last;
    }

    /// Deleting is setting to the empty list.
    private static BrokerStates.Change changeOf(AlterableConfig config) {
        return switch (config.configOperation()) {
            case APPEND -> BrokerStates.Change.APPEND;
            case SUBTRACT -> BrokerStates.Change.SUBTRACT;
            default -> BrokerStates.Change.SET;
        };
    }

    /// Adds to or takes from a list setting as it is in force now.
    private String editOfTopic(String topic, AlterableConfig config, String value) {
        TopicPlan plan = controller.view().findTopic(topic);
        for (TopicConfigView.Entry entry :
                plan == null ? List.<TopicConfigView.Entry>of() : configs.entries(plan)) {
            if (entry.name().equals(config.name())) {
                return edit(entry.value(), config, value);
            }
        }
        return edit("", config, value);
    }

    private static String edit(String present, AlterableConfig config, String value) {
        Set<String> items = new LinkedHashSet<>(List.of(present.split(",", -1)));
        List<String> given = List.of(value.split(",", -1));
        if (config.configOperation() == APPEND) {
            items.addAll(given);
        } else {
            given.forEach(items::remove);
        }
        items.remove("");
        return String.join(",", items);
    }
}
