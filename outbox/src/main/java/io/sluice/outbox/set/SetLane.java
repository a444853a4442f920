package io.sluice.outbox.set;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A lane as its row has it.
///
/// ```
///                 begin(ids): saved before anything is sent
///  AT REST ─────────────────────────────────────────────────▶ SENDING ──skip(id): parked──┐
///     ▲                                                         │  ▲                       │
///     │  end(): what was sent is deleted, sequence grows        │  └───────────────────────┘
///     └─────────────────────────────────────────────────────────┘
/// ```
/// A successor finds the list and sends the same events with the same numbers, whoever has committed meanwhile.
///
/// Immutable.
///
/// @param sequence the last number given before the list
/// @param sending ids in the order of their numbers; an empty one keeps the number of an event that was parked. Null at rest
record SetLane(int number, long epoch, long sequence, @Nullable List<OptionalLong> sending) {
    static SetLane of(int number, long epoch, long sequence, @Nullable String list) {
        if (list == null) {
            return new SetLane(number, epoch, sequence, null);
        }
        List<OptionalLong> ids = new ArrayList<>();
        for (String id : list.split(",")) {
            ids.add(id.equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(id)));
        }
        return new SetLane(number, epoch, sequence, ids);
    }

    SetLane begin(List<Long> ids) {
        return new SetLane(number, epoch, sequence, ids.stream().map(OptionalLong::of).toList());
    }

    SetLane skip(long id) {
        List<OptionalLong> rest = new ArrayList<>();
        for (OptionalLong each : requireSending()) {
            rest.add(each.equals(OptionalLong.of(id)) ? OptionalLong.empty() : each);
        }
        return new SetLane(number, epoch, sequence, rest);
    }

    SetLane end() {
        return new SetLane(number, epoch, sequence + requireSending().size(), null);
    }

    List<OptionalLong> requireSending() {
        if (sending == null) {
            throw new IllegalStateException("lane " + number + " is at rest");
        }
        return sending;
    }

    /// The number of this event, if it is in the list.
    OptionalLong sequenceOf(long id) {
        int place = sending == null ? -1 : sending.indexOf(OptionalLong.of(id));
        return place < 0 ? OptionalLong.empty() : OptionalLong.of(sequence + 1 + place);
    }

    @Nullable String list() {
        if (sending == null) {
            return null;
        }
        StringBuilder list = new StringBuilder();
        for (OptionalLong id : sending) {
            list.append(list.isEmpty() ? "" : ",");
            if (id.isPresent()) {
                list.append(id.getAsLong());
            } else {
                list.append('-');
            }
        }
        return list.toString();
    }
}
