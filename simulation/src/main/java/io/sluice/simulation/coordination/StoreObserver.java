package io.sluice.simulation.coordination;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Sees every change of the store at the moment it is made, which nobody in the world can.
@FunctionalInterface
public interface StoreObserver {
    /// @param by who made the changes; null when the store has ended a session
    void changed(
            @Nullable SimCoordination by,
            List<Change> changes,
            SortedMap<String, Node> before,
            SortedMap<String, Node> after);
}
