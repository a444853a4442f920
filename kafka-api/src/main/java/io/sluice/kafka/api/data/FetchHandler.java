package io.sluice.kafka.api.data;

import io.sluice.controller.Controller;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.partition.PartitionDirectory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Fetch: finds the session, and lets a [PendingFetch] read until there is enough or time is up.
public final class FetchHandler implements Handler<FetchRequest> {
    /// The request stands alone, or ends its session.
    private static final int FINAL_EPOCH = -1;

    /// The request begins a session.
    private static final int INITIAL_EPOCH = 0;

    private static final int NO_SESSION = 0;

    private final PartitionDirectory partitions;
    private final Controller controller;

    public FetchHandler(PartitionDirectory partitions, Controller controller) {
        this.partitions = partitions;
        this.controller = controller;
    }

    @Override
    public Reply<FetchResponse> handle(FetchRequest request, RequestContext context) {
        FetchSessions sessions = context.peer().fetchSessions();
        int epoch = request.sessionEpoch();
        if (epoch == FINAL_EPOCH || epoch == INITIAL_EPOCH) {
            sessions.close(request.sessionId());
            boolean opens = epoch == INITIAL_EPOCH && context.version() >= 7;
            return opens ? begin(sessions.open(), request, context) : alone(request, context);
        }
        FetchSession session = sessions.find(request.sessionId());
        if (session == null) {
            return refuse(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        }
        if (!session.accepts(epoch)) {
            return refuse(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
        }
        session.advance();
        session.update(request);
        return fetch(List.copyOf(session.targets()), session, false, request, context);
    }

    private Reply<FetchResponse> begin(
            FetchSession session, FetchRequest request, RequestContext context) {
        session.update(request);
        return fetch(List.copyOf(session.targets()), session, true, request, context);
    }

    private Reply<FetchResponse> alone(FetchRequest request, RequestContext context) {
        List<FetchTarget> targets = new ArrayList<>();
        for (FetchRequest.FetchTopic topic : request.topics()) {
            for (FetchRequest.FetchPartition partition : topic.partitions()) {
                FetchTarget target =
                        new FetchTarget(topic.topic(), topic.topicId(), partition.partition());
                target.ask(partition);
                targets.add(target);
            }
        }
        return fetch(targets, null, true, request, context);
    }

    private Reply<FetchResponse> fetch(
            List<FetchTarget> targets,
            @Nullable FetchSession session,
            boolean tellAll,
            FetchRequest request,
            RequestContext context) {
        List<FetchSlot> slots = new ArrayList<>(targets.size());
        for (FetchTarget target : targets) {
            slots.add(FetchSlot.of(target, context.version(), partitions, controller.view()));
        }
        Reply<FetchResponse> reply = new Reply<>();
        new PendingFetch(
                        slots,
                        request,
                        context.peer(),
                        () -> reply.complete(FetchAnswer.assemble(slots, session, tellAll)))
                .start();
        return reply;
    }

    private static Reply<FetchResponse> refuse(ErrorCode code) {
        return Reply.of(FetchResponse.builder().errorCode(code.id()).sessionId(NO_SESSION).build());
    }
}
