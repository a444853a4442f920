package io.sluice.cli.outbox;

import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.cli.output.Value.Mood;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.compat.Seat;
import io.sluice.outbox.operating.PartState;
import java.util.List;

/// What compat mode has in the place of relays and lanes: instances and parts.
///
/// Stateless.
final class InstanceRows {
    private InstanceRows() {}

    static void print(Session session, List<Seat> instances) {
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("instance", "INSTANCE"),
                                        Column.of("total", "TOTAL"),
                                        Column.of("state", "STATE"),
                                        Column.of("parts", "PARTS")),
                                instances.stream().map(InstanceRows::row).toList()));
        note(session, instances);
    }

    private static Fields row(Seat seat) {
        return Fields.of("instance", Value.count(seat.instance()))
                .with("total", Value.count(seat.total()))
                .with(
                        "state",
                        seat.parts().isEmpty()
                                ? Value.state("waiting", Mood.DOUBTFUL)
                                : Value.state("working", Mood.GOOD))
                .with("partCount", Value.count(seat.parts().size()))
                .with("parts", Value.counts(seat.parts()));
    }

    static void print(Session session, List<PartState> parts, List<Seat> instances) {
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("part", "PART"),
                                        Column.of("total", "TOTAL"),
                                        Column.of("state", "STATE"),
                                        Column.of("instance", "INSTANCE")),
                                parts.stream().map(InstanceRows::row).toList()));
        session.note("Compat mode has parts in the place of lanes: events by MOD of their ids.");
        note(session, instances);
    }

    private static Fields row(PartState part) {
        Integer instance = part.instance();
        return Fields.of("part", Value.count(part.part()))
                .with("total", Value.count(part.total()))
                .with(
                        "state",
                        part.isCovered()
                                ? Value.state("covered", Mood.GOOD)
                                : Value.state("uncovered", Mood.BAD))
                .with("instance", instance == null ? Value.absent() : Value.count(instance));
    }

    private static void note(Session session, List<Seat> instances) {
        List<Integer> totals = instances.stream().map(Seat::total).distinct().sorted().toList();
        if (totals.isEmpty()) {
            session.note("No relay of compat mode runs. 'sluice relay --mode compat' starts one.");
        } else if (totals.size() > 1) {
            session.note(
                    "The instances disagree: %s is %s. Those that wait claim nothing before all have the same value."
                            .formatted(CompatSettings.TOTAL_INSTANCES, totals));
        }
    }
}
