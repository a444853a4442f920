package io.sluice.cli.broker;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine;

/// `sluice rebalance`
@CommandLine.Command(
        name = "rebalance",
        description = {
            "Spread replicas and leaders evenly over the brokers that are there.",
            "With --status or --cancel: what moves now, by whatever command, and how long it will take; or take it all back."
        })
public final class RebalanceCommand implements Command {
    private static final Duration SAMPLE = Duration.ofSeconds(2);

    @CommandLine.Option(
            names = "--status",
            description =
                    "Move nothing; show what moves, what is left of it and how long it takes.")
    boolean status;

    @CommandLine.Option(
            names = "--cancel",
            description =
                    "Move nothing; take back every move that is not done. A broker that drains goes on: see 'sluice broker resume'.")
    boolean cancel;

    @CommandLine.Mixin MoveThrottle throttle = new MoveThrottle();

    @Override
    public ExitCode run(Session session) {
        if (status && cancel) {
            throw Failure.usage("Say --status or --cancel, not both.");
        }
        Cluster cluster = session.cluster();
        throttle.apply(cluster);
        BrokerStates states = new BrokerStates(cluster);
        if (cancel) {
            int taken = MoveProgress.ask(cluster.admin()).cancel(cluster.admin());
            session.note(taken + " move(s) were taken back.");
        } else if (!status) {
            states.rebalance();
        }
        MoveProgress now = MoveProgress.ask(cluster.admin());
        OptionalLong rate = status && now.bytesLeft() > 0 ? rate(cluster) : OptionalLong.empty();
        Stranded stranded = Stranded.ask(cluster, states.draining());
        session.printer().print(details(now, rate, states.moveLimit(), stranded));
        session.note(
                now.rows().isEmpty()
                        ? "Nothing moves."
                        : now.rows().size()
                                + " partition(s) are on the move; 'sluice rebalance --status' shows how far they are.");
        stranded.tell(session);
        return ExitCode.OK;
    }

    /// Bytes per second that go, from two looks.
    private static OptionalLong rate(Cluster cluster) {
        long begin = System.nanoTime();
        long before = MoveProgress.ask(cluster.admin()).bytesLeft();
        try {
            Thread.sleep(SAMPLE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalLong.empty();
        }
        long after = MoveProgress.ask(cluster.admin()).bytesLeft();
        double seconds = (System.nanoTime() - begin) / 1e9;
        return after < before
                ? OptionalLong.of(Math.max(1, (long) ((before - after) / seconds)))
                : OptionalLong.empty();
    }

    private static Details details(
            MoveProgress now, OptionalLong rate, OptionalLong limit, Stranded stranded) {
        long left = now.bytesLeft();
        Fields fields =
                Fields.of("moving", Value.count(now.rows().size()))
                        .with("bytesLeft", Value.bytes(left))
                        .with(
                                "bytesPerSecond",
                                rate.isPresent() ? Value.bytes(rate.getAsLong()) : Value.absent())
                        .with(
                                "timeLeft",
                                rate.isPresent()
                                        ? Value.span(Duration.ofSeconds(left / rate.getAsLong()))
                                        : Value.absent())
                        .with(
                                "throttle",
                                limit.isPresent() ? Value.bytes(limit.getAsLong()) : Value.absent())
                        .with("stranded", Value.count(stranded.sum()));
        List<Fields> rows =
                now.rows().stream()
                        .map(
                                row ->
                                        Fields.of(
                                                        "partition",
                                                        Value.text(row.partition().toString()))
                                                .with("adding", Value.counts(row.adding()))
                                                .with("removing", Value.counts(row.removing()))
                                                .with("bytesLeft", Value.bytes(row.bytesLeft())))
                        .toList();
        return Details.of(
                        "rebalance",
                        List.of(
                                Column.of("moving", "Moving"),
                                Column.of("bytesLeft", "Left to copy"),
                                Column.of("bytesPerSecond", "A second"),
                                Column.of("timeLeft", "Time left"),
                                Column.of("throttle", "Limit a second")),
                        fields)
                .with(
                        "moves",
                        "",
                        Listing.of(
                                List.of(
                                        Column.of("partition", "PARTITION"),
                                        Column.of("adding", "ADDING"),
                                        Column.of("removing", "REMOVING"),
                                        Column.of("bytesLeft", "LEFT")),
                                rows));
    }
}
