package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicOutcome;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.Repeated;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DeleteTopicsRequest;
import io.sluice.kafka.wire.message.DeleteTopicsRequest.DeleteTopicState;
import io.sluice.kafka.wire.message.DeleteTopicsResponse;
import io.sluice.kafka.wire.message.DeleteTopicsResponse.DeletableTopicResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// DeleteTopics: by name, or since version 6 by id.
public final class DeleteTopicsHandler implements Handler<DeleteTopicsRequest> {
    private static final UUID NO_ID = new UUID(0, 0);

    private final Controller controller;

    public DeleteTopicsHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<DeleteTopicsResponse> handle(DeleteTopicsRequest request, RequestContext context) {
        List<Reply<DeletableTopicResult>> results = new ArrayList<>();
        List<DeleteTopicState> asked = new ArrayList<>(request.topics());
        request.topicNames().forEach(name -> asked.add(new DeleteTopicState(name, NO_ID)));
        Set<DeleteTopicState> repeated = Repeated.among(asked);
        for (DeleteTopicState topic : repeated) {
            results.add(
                    Reply.of(
                            refused(
                                    topic.name(),
                                    topic.topicId(),
                                    ErrorCode.INVALID_REQUEST,
                                    "The request names this topic twice.")));
        }
        for (DeleteTopicState topic : asked) {
            String name = topic.name();
            if (repeated.contains(topic)) {
                continue;
            }
            if (name != null) {
                results.add(delete(name, NO_ID, context));
                continue;
            }
            TopicPlan plan = controller.view().findTopic(topic.topicId());
            results.add(
                    plan == null
                            ? Reply.of(
                                    DeletableTopicResult.builder()
                                            .name(null)
                                            .topicId(topic.topicId())
                                            .errorCode(ErrorCode.UNKNOWN_TOPIC_ID.id())
                                            .errorMessage(
                                                    "There is no topic with id "
                                                            + topic.topicId()
                                                            + ".")
                                            .build())
                            : delete(plan.name(), plan.id(), context));
        }
        return Reply.all(results).map(all -> DeleteTopicsResponse.builder().responses(all).build());
    }

    private Reply<DeletableTopicResult> delete(String name, UUID id, RequestContext context) {
        TopicPlan plan = controller.view().findTopic(name);
        if (plan != null && plan.isInternal()) {
            return Reply.of(
                    refused(
                            name,
                            id,
                            ErrorCode.INVALID_REQUEST,
                            "'" + name + "' belongs to the broker and cannot be deleted."));
        }
        return controller
                .execute(new TopicCommand.Delete(name), false, context.home())
                .map(
                        outcome ->
                                switch (outcome) {
                                    case TopicOutcome.Done(TopicPlan deleted) ->
                                            DeletableTopicResult.builder()
                                                    .name(name)
                                                    .topicId(deleted.id())
                                                    .build();
                                    case TopicOutcome.Refused(var reason, String sentence) ->
                                            refused(name, id, TopicErrors.codeOf(reason), sentence);
                                });
    }

    private static DeletableTopicResult refused(
            @Nullable String name, UUID id, ErrorCode code, String sentence) {
        return DeletableTopicResult.builder()
                .name(name)
                .topicId(id)
                .errorCode(code.id())
                .errorMessage(sentence)
                .build();
    }
}
