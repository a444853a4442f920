package io.sluice.kafka.api.data;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The fetch sessions of one connection (KIP-227): what was asked before need not be asked again. Owned by its connection.
///
/// Sessions live and die with their connection; a client that comes back over another one is told that its session is unknown and
/// begins a new one, as the protocol provides. At most [#SESSIONS_MAX], the oldest goes first.
public final class FetchSessions {
    static final int SESSIONS_MAX = 8;

    private final Map<Integer, FetchSession> byId = new LinkedHashMap<>();
    private int lastId;

    @Nullable FetchSession find(int id) {
        return byId.get(id);
    }

    FetchSession open(SessionRoom room, boolean usesIds) {
        if (byId.size() >= SESSIONS_MAX) {
            close(byId.keySet().iterator().next());
        }
        lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
        FetchSession session = new FetchSession(lastId, usesIds, room);
        byId.put(lastId, session);
        return session;
    }

    void close(int id) {
        FetchSession closed = byId.remove(id);
        if (closed != null) {
            closed.end();
        }
    }

    /// The connection has ended.
    public void end() {
        byId.values().forEach(FetchSession::end);
        byId.clear();
    }
}
