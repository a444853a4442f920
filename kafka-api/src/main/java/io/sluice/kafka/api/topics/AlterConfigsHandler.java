package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.ToController;
import io.sluice.kafka.wire.message.AlterConfigsRequest;
import io.sluice.kafka.wire.message.AlterConfigsRequest.AlterConfigsResource;
import io.sluice.kafka.wire.message.AlterConfigsRequest.AlterableConfig;
import io.sluice.kafka.wire.message.AlterConfigsResponse;
import io.sluice.kafka.wire.message.AlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// AlterConfigs: replaces all settings of a topic; what is not named goes back to its default.
public final class AlterConfigsHandler implements Handler<AlterConfigsRequest> {
    private final Controller controller;
    private final ToController elsewhere;
    private final ConfigChange change;

    public AlterConfigsHandler(Controller controller, ToController elsewhere) {
        this.controller = controller;
        this.elsewhere = elsewhere;
        this.change = new ConfigChange(controller);
    }

    @Override
    public Reply<AlterConfigsResponse> handle(AlterConfigsRequest request, RequestContext context) {
        if (!controller.isActive() && !ToController.passedOn(context)) {
            // Clients send this to any broker.
            return elsewhere.passOn(
                    request,
                    context,
                    AlterConfigsResponse.class,
                    sentence ->
                            response(
                                    ConfigChange.unreached(
                                            request.resources(),
                                            AlterConfigsHandler::subject,
                                            sentence)));
        }
        return ConfigChange.each(
                        request.resources(),
                        AlterConfigsHandler::subject,
                        resource -> alter(resource, request.validateOnly(), context))
                .map(AlterConfigsHandler::response);
    }

    private static AlterConfigsResponse response(List<ConfigChange.Answer> answers) {
        return AlterConfigsResponse.builder()
                .responses(ConfigChange.entries(answers, AlterConfigsResourceResponse::new))
                .build();
    }

    private static ConfigChange.Subject subject(AlterConfigsResource resource) {
        return new ConfigChange.Subject(resource.resourceType(), resource.resourceName());
    }

    private Reply<ConfigChange.Result> alter(
            AlterConfigsResource resource, boolean validateOnly, RequestContext context) {
        ConfigChange.Result refusal = ConfigChange.refusal(resource.resourceType());
        if (refusal != null) {
            return Reply.of(refusal);
        }
        Map<String, String> settings = new HashMap<>();
        for (AlterableConfig config : resource.configs()) {
            String value = config.value();
            if (value != null) {
                settings.put(config.name(), value);
            }
        }
        return change.execute(
                new TopicCommand.ReplaceSettings(resource.resourceName(), settings),
                validateOnly,
                context);
    }
}
