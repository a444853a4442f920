package io.sluice.cli.outbox;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.cli.output.Value.Mood;
import io.sluice.outbox.compat.Seat;
import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.operating.Member;
import io.sluice.outbox.operating.Operator;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;

/// `sluice outbox members`
@CommandLine.Command(
        name = "members",
        description =
                "Show the relays, the lanes they have, and where they publish to; in compat mode the instances and their parts.")
public final class OutboxMembers implements Command {
    @CommandLine.Mixin DatabaseOptions database = new DatabaseOptions();

    @Override
    public ExitCode run(Session session) {
        Operator operator = Operator.of(database.source(session), database.table());
        List<Member> members = DatabaseOptions.ask(operator::members);
        List<Seat> instances = DatabaseOptions.ask(operator::instances);
        if (DatabaseOptions.ask(operator::isCompat)) {
            InstanceRows.print(session, instances);
            noteWaiting(session, members);
        } else {
            print(session, members);
            noteInstances(session, members, instances);
        }
        return ExitCode.OK;
    }

    private static void print(Session session, List<Member> members) {
        session.printer().print(listing(members.stream().map(OutboxMembers::row).toList()));
        if (destinations(members) > 1) {
            session.note(
                    "The relays disagree: each publishes its own lanes to its own topic, with its own guarantee. Give all of them the same.");
        }
    }

    private static void noteWaiting(Session session, List<Member> members) {
        long alive = members.stream().filter(Member::isAlive).count();
        if (alive > 0) {
            session.note(
                    "Relays of log and wal mode that do nothing in compat mode: %d."
                            .formatted(alive));
        }
    }

    private static void noteInstances(Session session, List<Member> members, List<Seat> instances) {
        if (!instances.isEmpty()) {
            session.note(
                    "Instances of compat mode that run, too, and publish what was written for them: %s."
                            .formatted(instances.stream().map(Seat::instance).toList()));
        } else if (members.isEmpty()) {
            session.note("No relay runs. 'sluice relay' starts one.");
        }
    }

    private static long destinations(List<Member> members) {
        return members.stream()
                .filter(Member::isAlive)
                .map(Member::destination)
                .filter(Objects::nonNull)
                .distinct()
                .count();
    }

    private static Fields row(Member member) {
        Destination to = member.destination();
        return Fields.of("member", Value.count(member.number()))
                .with("name", Value.text(member.name()))
                .with(
                        "state",
                        member.isAlive()
                                ? Value.state("alive", Mood.GOOD)
                                : Value.state("expired", Mood.BAD))
                .with("laneCount", Value.count(member.lanes().size()))
                .with("leaseSeconds", Value.span(member.leaseLeft()))
                .with("joinedAt", Value.time(member.joinedAt()))
                .with("topic", to == null ? Value.absent() : Value.text(to.topic()))
                .with("guarantee", to == null ? Value.absent() : Value.text(to.guarantee()))
                .with("lanes", Value.counts(member.lanes()));
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("member", "MEMBER"),
                        Column.of("name", "NAME"),
                        Column.of("state", "STATE"),
                        Column.of("laneCount", "LANES"),
                        Column.of("leaseSeconds", "LEASE"),
                        Column.of("joinedAt", "JOINED"),
                        Column.of("topic", "TOPIC"),
                        Column.of("guarantee", "GUARANTEE")),
                rows);
    }
}
