package io.sluice.simulation.disk;

import java.util.SortedMap;
import java.util.TreeMap;

/// Names in one directory: those that programs see, and those that a power loss would leave. Owned by its disk.
final class SimDirectory implements SimNode {
    final SortedMap<String, SimNode> current = new TreeMap<>();
    final SortedMap<String, SimNode> durable = new TreeMap<>();
}
