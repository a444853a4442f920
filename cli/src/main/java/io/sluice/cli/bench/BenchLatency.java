package io.sluice.cli.bench;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.PresetOptions;
import io.sluice.cli.Progress;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.argument.SizeArgument;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import io.sluice.client.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/// `sluice bench latency`
@CommandLine.Command(
        name = "latency",
        description = {
            "Send at a fixed rate and measure the time until a message arrives at a consumer.",
            "It begins when the message was due, and the consumer is in this process. A stall counts for every message it delayed. 'Sender late' is how much of it is this sender's own."
        })
public final class BenchLatency implements Command {
    @CommandLine.Mixin BenchTopic topic = new BenchTopic();

    @CommandLine.Option(
            names = {"-r", "--rate"},
            paramLabel = "N",
            description = "Messages per second. Default: 1000.")
    double rate = 1_000;

    @CommandLine.Option(
            names = {"-d", "--duration"},
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            defaultValue = "10s",
            description = "How long to measure. Default: 10s.")
    Duration duration = Duration.ofSeconds(10);

    @CommandLine.Option(
            names = "--warm-up",
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            defaultValue = "3s",
            description = "How long to send before that. Default: 3s.")
    Duration warmUp = Duration.ofSeconds(3);

    @CommandLine.Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            converter = SizeArgument.class,
            defaultValue = "100",
            description = "Bytes of each value, at least 24. Default: 100.")
    int size = 100;

    @CommandLine.Mixin PresetOptions presetOptions = new PresetOptions();

    @Override
    public ExitCode run(Session session) throws InterruptedException {
        if (presetOptions.delivery() == Delivery.EXACTLY_ONCE) {
            throw Failure.usage(
                    "bench latency measures messages, not transactions: choose another --delivery.");
        }
        if (rate <= 0 || size < RoundTrip.STAMP) {
            throw Failure.usage(
                    "--rate has to be above 0 and --size at least " + RoundTrip.STAMP + ".");
        }
        topic.ensure(session);
        var roundTrip =
                new RoundTrip(
                        session.cluster().settings(), presetOptions.preset(), topic.name, size);
        session.onInterrupt(roundTrip::stop);
        try (Progress progress = session.progress()) {
            roundTrip.run(rate, warmUp, duration, session.timeout(), progress);
        }
        session.printer().print(Meter.details(topic.name, result(roundTrip), lines()));
        if (roundTrip.lost() > 0) {
            session.note(roundTrip.lost() + " messages did not arrive.");
            return ExitCode.PARTIAL;
        }
        return ExitCode.OK;
    }

    private Fields result(RoundTrip roundTrip) {
        Fields result =
                Fields.of("topic", Value.text(topic.name))
                        .with("delivery", Value.text(presetOptions.delivery().label()))
                        .with("profile", Value.text(presetOptions.profile().label()))
                        .with("targetPerSecond", Value.decimal(rate, 0))
                        .with("lostMessages", Value.count(roundTrip.lost()));
        Fields sender = roundTrip.senderDelay().addTo(Fields.none());
        return roundTrip
                .latencies()
                .addTo(roundTrip.meter().addTo(result))
                .with("senderLateP99Millis", sender.value("p99Millis"));
    }

    private static List<Column> lines() {
        List<Column> lines = new ArrayList<>();
        lines.add(Column.of("lostMessages", "Lost"));
        lines.addAll(Meter.latencyLines());
        lines.add(Column.of("senderLateP99Millis", "Sender late, p99 (ms)"));
        return lines;
    }
}
