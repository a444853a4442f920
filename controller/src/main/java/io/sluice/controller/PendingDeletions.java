package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Deletions that are answered when the data is out of the way on every live broker, and requests for the same names that wait for that. Owned by the controller's mailbox.
///
/// A broker that is away holds up nobody: when it comes back it removes what is left before it takes part in a new topic of the same name. One that is live and does not get it done blocks the name.
final class PendingDeletions {
    static final long PATIENCE = Duration.ofSeconds(10).toNanos();
    private static final long NEVER = Long.MAX_VALUE;

    private final SortedMap<String, Waiting> waiting = new TreeMap<>();
    private final Set<String> stuck = new HashSet<>();

    private record Waiting(List<TopicRequest> requests, long until) {}

    /// The deletion is durable; its answer comes when the data is gone, or it takes too long.
    void await(TopicRequest request, long now) {
        waiting.computeIfAbsent(
                        request.command().topic(),
                        _ -> new Waiting(new ArrayList<>(), now + PATIENCE))
                .requests()
                .add(request);
    }

    /// A live broker still has data of an earlier topic of this name.
    private static boolean isUnfinished(ClusterView view, String topic) {
        DeletionNote note = view.upcoming().deletions().get(topic);
        return note != null
                && note.deletions().stream()
                        .anyMatch(one -> one.brokers().stream().anyMatch(view::isLive));
    }

    /// A request for a name that is being deleted comes after the deletion. When that does not get done, it is refused in the end.
    boolean mustWait(Request request, ClusterView view, long now) {
        if (!(request instanceof TopicRequest topic)
                || !isUnfinished(view, topic.command().topic())) {
            return false;
        }
        String name = topic.command().topic();
        if (!waiting.containsKey(name)) {
            if (stuck.contains(name)) {
                return false;
            }
            waiting.put(name, new Waiting(new ArrayList<>(), now + PATIENCE));
        }
        return true;
    }

    /// Requests for this name are refused, with a sentence, while it is so.
    boolean isBlocked(String topic, ClusterView view) {
        return stuck.contains(topic) && isUnfinished(view, topic);
    }

    void changed(ClusterView view) {
        stuck.removeIf(name -> !isUnfinished(view, name));
        for (String name : List.copyOf(waiting.keySet())) {
            if (!isUnfinished(view, name)) {
                finish(name);
            }
        }
    }

    /// The data cannot be removed for now.
    void failed(String topic) {
        stuck.add(topic);
        finish(topic);
    }

    void expire(ClusterView view, long now) {
        changed(view);
        for (String name : List.copyOf(waiting.keySet())) {
            Waiting one = waiting.get(name);
            if (one != null && one.until() <= now) {
                failed(name);
            }
        }
    }

    private void finish(String topic) {
        Waiting one = waiting.remove(topic);
        if (one != null) {
            one.requests().forEach(TopicRequest::done);
        }
    }

    /// The deletions themselves are durable: only their end is not seen any more.
    void end() {
        List.copyOf(waiting.keySet()).forEach(this::finish);
    }

    static void refuse(TopicRequest request) {
        request.refuse(
                Reason.BUSY,
                "The data of the deleted topic '"
                        + request.command().topic()
                        + "' could not be removed yet; see the brokers' logs.");
    }

    long nextAt() {
        return waiting.values().stream().map(Waiting::until).min(Long::compare).orElse(NEVER);
    }
}
