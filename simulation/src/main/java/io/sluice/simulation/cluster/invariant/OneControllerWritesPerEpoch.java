package io.sluice.simulation.cluster.invariant;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.coordination.SimCoordination;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// The plan is changed by the process alone that has claimed the newest controller epoch.
public final class OneControllerWritesPerEpoch extends ClusterInvariant {
    private static final String EPOCH = "/epoch";

    private final Map<Integer, SimProcess> claims = new HashMap<>();

    public OneControllerWritesPerEpoch(Facts facts) {
        super(facts);
    }

    @Override
    public void storeChanged(
            SimCoordination by,
            List<Change> changes,
            SortedMap<String, Node> before,
            SortedMap<String, Node> after) {
        Node epoch = after.get(EPOCH);
        for (Change change : changes) {
            boolean isCheck = change instanceof Change.Check;
            if (change.path().equals(EPOCH) && !isCheck && epoch != null) {
                claims.put(epoch.version(), by.process());
            }
        }
        for (Change change : changes) {
            if (!(change instanceof Change.Check) && isPlan(change.path())) {
                require(
                        epoch != null && by.process() == claims.get(epoch.version()),
                        () ->
                                by.process().name()
                                        + " has changed "
                                        + change.path()
                                        + " in controller epoch "
                                        + epoch
                                        + ", which belongs to another");
            }
        }
    }

    private static boolean isPlan(String path) {
        return path.startsWith("/topics/") || path.startsWith("/members/");
    }
}
