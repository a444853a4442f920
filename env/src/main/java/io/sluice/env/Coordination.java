package io.sluice.env;

import java.util.List;
import java.util.SortedMap;

/// The metadata store: a small tree of versioned texts, strongly consistent, changed only by compare-and-set.
///
/// Narrow on purpose: a local file serves one node, ZooKeeper a cluster, a map the simulation. Thread-safe; replies complete on
/// the given home mailbox.
public interface Coordination {
    /// Everything at or below the path, by full path.
    Reply<SortedMap<String, Node>> load(Mailbox home, String path);

    /// Makes all changes or none; durable when the reply says [Outcome.Committed].
    Reply<Outcome> commit(Mailbox home, List<Change> changes);

    /// A text and how often it has been set: 0 after its creation.
    record Node(String value, int version) {}

    sealed interface Change {
        String path();

        record Create(String path, String value) implements Change {}

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
    }
}
