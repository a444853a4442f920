package io.sluice.outbox.compat;

import java.util.List;

/// An instance of compat mode as the locks of its session show it.
///
/// Immutable.
///
/// @param instance its id; two sessions may have the same, and then one of them waits
/// @param total how many instances it believes in
/// @param parts that it works on, of so many as its total says; none if it waits
public record Seat(int instance, int total, List<Integer> parts) {
    public Seat {
        parts = List.copyOf(parts);
    }
}
