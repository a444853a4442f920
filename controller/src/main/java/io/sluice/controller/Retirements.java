package io.sluice.controller;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gets the data of deleted topics out of the way on this broker, and confirms it in the store. Owned by the controller's mailbox.
///
/// Until then, this broker does not see a new topic of the same name: it could not tell the old data from the new.
final class Retirements {
    private static final Logger LOG = LoggerFactory.getLogger(Retirements.class);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(10);

    private final Coordination store;
    private final Mailbox owner;
    private final TopicData data;
    private final int self;
    private final News news;
    private final TreeSet<String> underWay = new TreeSet<>();
    private ClusterView view = ClusterView.empty();
    private boolean enabled;

    /// What others have to hear of.
    interface News {
        void confirmed(List<Coordination.Change> changes);

        /// The store holds something else than was known; the continuation follows when it is known again.
        void outdated(String path, Runnable then);

        void failed(String topic);
    }

    Retirements(Coordination store, Mailbox owner, TopicData data, int self, News news) {
        this.store = store;
        this.owner = owner;
        this.data = data;
        this.self = self;
        this.news = news;
    }

    /// From now on this broker can do what it takes.
    void enable() {
        enabled = true;
        look(view);
    }

    void look(ClusterView present) {
        view = present;
        if (!enabled) {
            return;
        }
        for (DeletionNote note : present.upcoming().deletions().values()) {
            if (!note.waitingFor(self).isEmpty() && underWay.add(note.topic())) {
                begin(note);
            }
        }
    }

    /// The view without topics whose name is still taken by old data here.
    ClusterView visible(ClusterView all) {
        ClusterView.Topics fewer = null;
        for (DeletionNote note : all.upcoming().deletions().values()) {
            if (!note.waitingFor(self).isEmpty() && all.findTopic(note.topic()) != null) {
                fewer = fewer == null ? all.plans().copy() : fewer;
                fewer.remove(note.topic());
            }
        }
        return fewer == null
                ? all
                : new ClusterView(
                        all.clusterId(),
                        all.office(),
                        all.brokersAndMembers(),
                        fewer,
                        all.upcoming());
    }

    private void begin(DeletionNote note) {
        List<Deletion> own = note.waitingFor(self);
        Reply<Integer> retired = Reply.of(0);
        for (Deletion deletion : own) {
            retired =
                    retired.flatMap(
                            _ ->
                                    data.retire(
                                            deletion.topic(),
                                            deletion.id(),
                                            deletion.partitions()));
        }
        retired.then(_ -> confirm(note.topic(), own), failure -> tryAgain(note.topic(), failure));
    }

    private void confirm(String topic, List<Deletion> gone) {
        DeletionNote note = view.upcoming().deletions().get(topic);
        if (note == null || note.waitingFor(self).isEmpty()) {
            underWay.remove(topic);
            return;
        }
        List<Coordination.Change> changes = List.of(note.confirmed(self, gone).change());
        store.commit(owner, changes)
                .then(
                        outcome -> {
                            switch (outcome) {
                                case Outcome.Committed() -> {
                                    underWay.remove(topic);
                                    news.confirmed(changes);
                                }
                                case Outcome.Conflict _, Outcome.Unknown _ ->
                                        news.outdated(
                                                DeletionNote.path(topic),
                                                () -> confirm(topic, gone));
                            }
                        },
                        failure -> tryAgain(topic, failure));
    }

    private void tryAgain(String topic, Throwable failure) {
        LOG.error(
                "The data of the deleted topic '{}' is still there; the next try is in {}",
                topic,
                TRY_AGAIN,
                failure);
        news.failed(topic);
        owner.schedule(
                TRY_AGAIN,
                () -> {
                    underWay.remove(topic);
                    look(view);
                });
    }
}
