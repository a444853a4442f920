package io.sluice.simulation.disk;

import java.util.List;
import java.util.Set;

/// A change of names that is visible but not durable until one of its directories is synced. Immutable.
sealed interface NameChange {
    /// In which directories names change.
    List<SimDirectory> directories();

    /// Makes it part of the durable names.
    void settle();

    default boolean touches(Set<SimDirectory> some) {
        return directories().stream().anyMatch(some::contains);
    }

    record Link(SimDirectory directory, String name, SimNode node) implements NameChange {
        @Override
        public List<SimDirectory> directories() {
            return List.of(directory);
        }

        @Override
        public void settle() {
            directory.durable.put(name, node);
        }
    }

    record Unlink(SimDirectory directory, String name) implements NameChange {
        @Override
        public List<SimDirectory> directories() {
            return List.of(directory);
        }

        @Override
        public void settle() {
            directory.durable.remove(name);
        }
    }

    /// Atomic, also between directories.
    record Move(SimDirectory from, String oldName, SimDirectory to, String newName, SimNode node)
            implements NameChange {
        @Override
        public List<SimDirectory> directories() {
            return List.of(from, to);
        }

        @Override
        public void settle() {
            from.durable.remove(oldName);
            to.durable.put(newName, node);
        }
    }
}
