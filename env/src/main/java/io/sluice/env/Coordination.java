package io.sluice.env;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// The metadata store: a small tree of versioned texts, strongly consistent, changed only by compare-and-set, watched by everybody.
///
/// Narrow on purpose: a local file serves one node, ZooKeeper a cluster, a map the simulation. Thread-safe; replies and news come on
/// the given home mailbox.
///
/// A process has a *session* with the store. What it created for [Life#SESSION] goes when the session ends: when the process says so, or when the
/// store has not heard of it for too long. The store may decide that before the process notices.
public interface Coordination {
    /// Everything at or below the path, by full path: at least as new as all that was committed before the call. Fails while the store cannot be reached.
    Reply<SortedMap<String, Node>> load(Mailbox home, String path);

    /// Makes all changes or none; durable when the reply says [Outcome.Committed]. A watcher with the same home has heard of the changes before the reply comes.
    Reply<Outcome> commit(Mailbox home, List<Change> changes);

    /// From now on tells the watcher everything about the tree. Called once, before the first commit.
    void watch(Mailbox home, Watcher watcher);

    /// Whether other processes may use the same store. Where nobody else can, nobody can take this process's place.
    default boolean isShared() {
        return true;
    }

    /// How many bytes it takes in one commit, at most.
    default long largestCommitBytes() {
        return Long.MAX_VALUE;
    }

    /// A text and how often it has been set: 0 after its creation.
    ///
    /// @param created grows with every commit that creates something, for the life of the store: tells a node from an earlier one at the same path
    record Node(String value, int version, long created) {}

    /// How long a node lives if nobody deletes it.
    enum Life {
        LASTING,
        SESSION
    }

    sealed interface Change {
        String path();

        /// Only if there is no node at the path.
        record Create(String path, String value, Life life) implements Change {
            public Create(String path, String value) {
                this(path, value, Life.LASTING);
            }
        }

        /// Only if the node still has this version.
        record Set(String path, String value, int version) implements Change {}

        /// Only if the node still has this version.
        record Delete(String path, int version) implements Change {}

        /// Changes nothing; the commit fails unless the node has this version.
        record Check(String path, int version) implements Change {}
    }

    sealed interface Outcome {
        record Committed() implements Outcome {}

        /// Somebody was faster: the node at this path is not what the change expected.
        record Conflict(String path) implements Outcome {}

        /// The store cannot be reached, or the connection broke while the commit was under way: it may have been made, or be made yet. Look before asking again.
        record Unknown(String sentence) implements Outcome {}
    }

    /// Hears of the tree, on its home mailbox. What it is told is never older than what it was told before.
    ///
    /// ```
    ///   loaded ──▶ changed* ──▶ suspended ──▶ loaded ──▶ changed* ──▶ …
    ///                               └──▶ expired ──▶ loaded ──▶ …
    /// ```
    interface Watcher {
        /// All there is: at the beginning, and whenever changes may have been missed.
        void loaded(SortedMap<String, Node> all);

        /// One node is like this now; null when it is gone. Several changes of a node may be told as one, and changes of one commit come one by one, in any order.
        void changed(String path, @Nullable Node node);

        /// The store cannot be reached: what is known may be out of date, and what was created for the session may be gone any moment.
        void suspended();

        /// The session has ended, and with it all that was created for it. A new one has begun.
        void expired();
    }
}
