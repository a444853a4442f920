package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.message.FetchRequest;
import java.util.List;

/// The partitions that a client fetches again and again, with what it was last told of each. Owned by its connection.
///
/// One fetch at a time: a request of a few bytes asks for all partitions of its session, so that only the room of the session bounds what waits for them.
final class FetchSession {
    private static final int FIRST_EPOCH = 1;

    private final int id;
    private final boolean byId;
    private final SessionRoom room;
    private final FetchTargets targets = new FetchTargets();
    private int nextEpoch = FIRST_EPOCH;
    private int taken;
    private boolean underWay;
    private boolean ended;

    /// @param byId whether its topics are named by their ids
    FetchSession(int id, boolean byId, SessionRoom room) {
        this.id = id;
        this.byId = byId;
        this.room = room;
    }

    int id() {
        return id;
    }

    boolean isById() {
        return byId;
    }

    /// Requests of a session are numbered, so that a lost or repeated one is noticed. No client asks again before it has its answer.
    boolean accepts(int epoch) {
        return epoch == nextEpoch && !underWay;
    }

    void beginFetch() {
        underWay = true;
    }

    void endFetch() {
        underWay = false;
        if (ended) {
            giveBack();
        }
    }

    void advance() {
        nextEpoch = nextEpoch == Integer.MAX_VALUE ? FIRST_EPOCH : nextEpoch + 1;
    }

    /// Adds and changes what the request names, forgets what it says to forget. False when the broker has no room to remember it: then the session must end.
    boolean update(FetchRequest request) {
        targets.update(request);
        int more = targets.size() - taken;
        if (!room.take(more)) {
            return false;
        }
        taken += more;
        return true;
    }

    /// Gives back its room, when nothing waits for its partitions any more.
    void end() {
        ended = true;
        if (!underWay) {
            giveBack();
        }
    }

    private void giveBack() {
        room.take(-taken);
        taken = 0;
    }

    /// In the order of service.
    List<FetchTarget> targets() {
        return targets.inOrder();
    }

    /// What got data goes to the end of the line, so that a busy partition cannot starve the others (KIP-74).
    void moveToEnd(FetchTarget target) {
        targets.moveToEnd(target);
    }
}
