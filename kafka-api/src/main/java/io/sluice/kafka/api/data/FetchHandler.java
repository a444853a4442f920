package io.sluice.kafka.api.data;

import io.sluice.controller.ClusterView;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.partition.PartitionDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Fetch: finds the session, and lets a [PendingFetch] read until there is enough or time is up. For clients, and for brokers that copy.
public final class FetchHandler implements Handler<FetchRequest> {
    /// The request stands alone, or ends its session.
    private static final int FINAL_EPOCH = -1;

    /// The request begins a session.
    private static final int INITIAL_EPOCH = 0;

    private static final int NO_SESSION = 0;

    /// Some 60 MiB of what all sessions remember.
    private static final int SESSION_PARTITIONS_MAX = 250_000;

    private final PartitionDirectory partitions;
    private final Supplier<ClusterView> cluster;
    private final int self;
    private final SessionRoom sessionRoom;

    /// @param self the id of this broker
    public FetchHandler(PartitionDirectory partitions, Supplier<ClusterView> cluster, int self) {
        this(partitions, cluster, self, new SessionRoom(SESSION_PARTITIONS_MAX));
    }

    FetchHandler(
            PartitionDirectory partitions,
            Supplier<ClusterView> cluster,
            int self,
            SessionRoom sessionRoom) {
        this.partitions = partitions;
        this.cluster = cluster;
        this.self = self;
        this.sessionRoom = sessionRoom;
    }

    @Override
    public Reply<FetchResponse> handle(FetchRequest request, RequestContext context) {
        FetchSessions sessions = context.peer().fetchSessions();
        int epoch = request.sessionEpoch();
        if (epoch == FINAL_EPOCH || epoch == INITIAL_EPOCH) {
            sessions.close(request.sessionId());
            boolean opens = epoch == INITIAL_EPOCH && context.version() >= 7;
            return opens ? begin(sessions, request, context) : alone(request, context);
        }
        FetchSession session = sessions.find(request.sessionId());
        if (session == null) {
            return refuse(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        }
        if (!session.accepts(epoch)) {
            return refuse(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
        }
        if (session.isById() != isById(context)) {
            // A client that has lost all brokers knows no ids before it has metadata again: its
            // first fetch names topics. Under two keys one partition would be fetched twice.
            sessions.close(session.id());
            return refuse(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
        }
        session.advance();
        if (!session.update(request)) {
            sessions.close(session.id());
            return refuse(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
        }
        return fetch(session.targets(), session, false, request, context);
    }

    /// One that asks for too much gets its answer, and no session: it asks for all of it again the next time.
    private Reply<FetchResponse> begin(
            FetchSessions sessions, FetchRequest request, RequestContext context) {
        FetchSession session = sessions.open(sessionRoom, isById(context));
        if (!session.update(request)) {
            sessions.close(session.id());
            return alone(request, context);
        }
        return fetch(session.targets(), session, true, request, context);
    }

    private Reply<FetchResponse> alone(FetchRequest request, RequestContext context) {
        return fetch(FetchTargets.of(request).inOrder(), null, true, request, context);
    }

    private Reply<FetchResponse> fetch(
            List<FetchTarget> targets,
            @Nullable FetchSession session,
            boolean tellAll,
            FetchRequest request,
            RequestContext context) {
        FetchSource source =
                new FetchSource(
                        partitions,
                        cluster.get(),
                        self,
                        FetchedBy.of(request, context.version()),
                        context.version());
        List<FetchSlot> slots = new ArrayList<>(targets.size());
        for (FetchTarget target : targets) {
            slots.add(source.slot(target));
        }
        Reply<FetchResponse> reply = new Reply<>();
        if (session != null) {
            session.beginFetch();
        }
        new PendingFetch(
                        slots,
                        request,
                        context.peer(),
                        () -> {
                            if (session != null) {
                                session.endFetch();
                            }
                            reply.complete(
                                    new FetchAnswer(cluster.get(), self, context.version())
                                            .assemble(slots, session, tellAll));
                        })
                .start();
        return reply;
    }

    private static boolean isById(RequestContext context) {
        return context.version() >= FetchSource.BY_TOPIC_ID;
    }

    private static Reply<FetchResponse> refuse(ErrorCode code) {
        return Reply.of(FetchResponse.builder().errorCode(code.id()).sessionId(NO_SESSION).build());
    }
}
