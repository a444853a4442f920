package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// All unfinished deletions of topics of one name: kept in the store until every broker that had data of them has confirmed that it is gone. Immutable.
///
/// There are several when a broker was away while the name was used again. See `docs/formats/cluster-nodes.md`.
///
/// @param version of the node in the metadata store; -1 when there is none yet
record DeletionNote(String topic, List<Deletion> deletions, int version) {
    static final String PATH = "/deletions";
    private static final String FORMAT = "sluice-deletions 1";
    private static final int NEW = -1;

    DeletionNote {
        deletions = List.copyOf(deletions);
    }

    static DeletionNote none(String topic) {
        return new DeletionNote(topic, List.of(), NEW);
    }

    static String path(String topic) {
        return PATH + "/" + topic;
    }

    /// Those that wait for this broker.
    List<Deletion> waitingFor(int broker) {
        return deletions.stream().filter(one -> one.brokers().contains(broker)).toList();
    }

    DeletionNote and(Deletion another) {
        List<Deletion> more = new ArrayList<>(deletions);
        more.add(another);
        return new DeletionNote(topic, more, version);
    }

    /// As it is when the broker has nothing left of any of these topics.
    DeletionNote confirmed(int broker) {
        return confirmed(broker, deletions);
    }

    /// As it is when the broker has nothing left of those.
    DeletionNote confirmed(int broker, List<Deletion> gone) {
        List<UUID> ids = gone.stream().map(Deletion::id).toList();
        List<Deletion> left = new ArrayList<>();
        for (Deletion deletion : deletions) {
            Deletion rest = ids.contains(deletion.id()) ? deletion.without(broker) : deletion;
            if (!rest.brokers().isEmpty()) {
                left.add(rest);
            }
        }
        return new DeletionNote(topic, left, version);
    }

    /// What brings the store from this note's version to its content.
    Change change() {
        if (version == NEW) {
            return new Change.Create(path(topic), write());
        }
        return deletions.isEmpty()
                ? new Change.Delete(path(topic), version)
                : new Change.Set(path(topic), write(), version);
    }

    private String write() {
        StringBuilder text = new StringBuilder(FORMAT).append('\n');
        for (Deletion deletion : deletions) {
            text.append("topic ").append(deletion.id());
            text.append(" partitions ").append(deletion.partitions());
            text.append(" brokers ").append(TopicPlanFormat.join(deletion.brokers()));
            text.append('\n');
        }
        return text.toString();
    }

    static DeletionNote read(String topic, String text, int version) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(FORMAT)) {
            throw new IllegalStateException(
                    path(topic)
                            + " in the metadata store begins with '"
                            + lines[0]
                            + "'; this version reads '"
                            + FORMAT
                            + "'.");
        }
        List<Deletion> deletions = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ", -1);
            if (words.length >= 6) {
                deletions.add(
                        new Deletion(
                                topic,
                                UUID.fromString(words[1]),
                                Integer.parseInt(words[3]),
                                TopicPlanFormat.numbers(words[5])));
            }
        }
        return new DeletionNote(topic, deletions, version);
    }
}
