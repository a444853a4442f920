package io.sluice.controller;

import java.util.ArrayList;
import java.util.List;

/// Notes of deleted topics that wait for brokers which were removed from the cluster: nobody would ever confirm them. Pure.
///
/// There may be very many of a broker that was away for long, and a commit takes so many only. So the broker is removed first, and its notes are let go of in portions, by whoever is the controller then.
final class AbandonedNotes {
    private AbandonedNotes() {}

    /// As many as there is room for; the rest is for the next draft.
    static void letGo(ClusterView view, Draft draft) {
        for (DeletionNote note : view.upcoming().deletions().values()) {
            if (!draft.hasRoom()) {
                return;
            }
            List<Integer> gone = gone(note, view);
            if (!gone.isEmpty()) {
                DeletionNote left = note;
                for (int broker : gone) {
                    left = left.confirmed(broker);
                }
                draft.put(left);
            }
        }
    }

    private static List<Integer> gone(DeletionNote note, ClusterView view) {
        List<Integer> gone = new ArrayList<>();
        for (Deletion deletion : note.deletions()) {
            for (int broker : deletion.brokers()) {
                // One that is about to be admitted is asked, as every other.
                if (!view.members().containsKey(broker) && view.findRegistered(broker) == null) {
                    gone.add(broker);
                }
            }
        }
        return gone;
    }
}
