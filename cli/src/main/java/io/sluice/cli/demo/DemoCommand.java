package io.sluice.cli.demo;

import io.sluice.cli.Cluster;
import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.Progress;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.HumanText;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.TopicExistsException;
import picocli.CommandLine;

/// `sluice demo`
@CommandLine.Command(
        name = "demo",
        description = {
            "Make traffic to look at: three topics, a group that keeps up and one that falls behind.",
            "Ends by itself, or at Ctrl-C."
        })
public final class DemoCommand implements Command {
    private static final List<String> TOPICS =
            List.of(DemoTraffic.ORDERS, DemoTraffic.PAYMENTS, DemoTraffic.CLICKS);
    private static final List<String> GROUPS = List.of(DemoTraffic.BILLING, DemoTraffic.ANALYTICS);

    @CommandLine.Option(
            names = {"-d", "--duration"},
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            defaultValue = "5m",
            description = "How long. Default: 5m.")
    Duration duration = Duration.ofMinutes(5);

    @CommandLine.Option(
            names = "--speed",
            paramLabel = "FACTOR",
            description = "1 is about 90 messages per second. Default: 1.")
    double speed = 1;

    @CommandLine.Option(
            names = "--clean-up",
            description = "Delete the demo's topics at the end, as its groups always are.")
    boolean cleanUp;

    @Override
    public ExitCode run(Session session) throws InterruptedException {
        if (speed <= 0 || speed > 1_000) {
            throw Failure.usage("--speed has to be above 0 and at most 1000.");
        }
        Cluster cluster = session.cluster();
        TOPICS.forEach(topic -> ensure(cluster, topic));
        tellWhatToLookAt(session);
        var traffic = new DemoTraffic(cluster.settings(), speed);
        session.onInterrupt(traffic::stop);
        try (traffic;
                Progress progress = session.progress()) {
            traffic.start();
            watch(traffic, progress);
        }
        session.printer().print(summary(traffic));
        GROUPS.forEach(group -> remove(session, cluster, group));
        if (cleanUp) {
            Cluster.await(cluster.admin().deleteTopics(TOPICS).all());
        } else {
            session.note("The topics stay; 'sluice topic delete \"demo.*\" --yes' removes them.");
        }
        return ExitCode.OK;
    }

    private static void ensure(Cluster cluster, String topic) {
        try {
            Cluster.await(
                    cluster.admin()
                            .createTopics(
                                    List.of(new NewTopic(topic, Optional.of(3), Optional.empty())))
                            .all());
        } catch (TopicExistsException e) {
            // from an earlier demo
        }
    }

    private void tellWhatToLookAt(Session session) {
        session.note(
                """
                A little shop is open for %s. In another terminal:
                  sluice topic list --long                 what there is
                  sluice tail -f demo.orders               orders as they come
                  sluice group list                        billing keeps up, analytics falls behind
                  sluice group describe demo-analytics     by how many messages, and how long
                Ctrl-C closes the shop."""
                        .formatted(HumanText.span(duration)));
    }

    private void watch(DemoTraffic traffic, Progress progress) throws InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        long remaining = duration.toNanos();
        while (remaining > 0 && traffic.await(Duration.ofNanos(Math.min(remaining, 500_000_000)))) {
            remaining = end - System.nanoTime();
            progress.update(
                    "%s orders, %s payments, %s clicks; %s left"
                            .formatted(
                                    HumanText.grouped(traffic.sentTo(DemoTraffic.ORDERS)),
                                    HumanText.grouped(traffic.sentTo(DemoTraffic.PAYMENTS)),
                                    HumanText.grouped(traffic.sentTo(DemoTraffic.CLICKS)),
                                    HumanText.span(
                                            Duration.ofSeconds(
                                                    Math.max(0, remaining) / 1_000_000_000))));
        }
    }

    private static Listing summary(DemoTraffic traffic) {
        return Listing.of(
                List.of(Column.of("topic", "TOPIC"), Column.of("messages", "MESSAGES SENT")),
                TOPICS.stream()
                        .map(
                                topic ->
                                        Fields.of("topic", Value.text(topic))
                                                .with(
                                                        "messages",
                                                        Value.count(traffic.sentTo(topic))))
                        .toList());
    }

    /// Nobody reads on where they stopped: they are the demo's alone, and without members only in the way.
    private static void remove(Session session, Cluster cluster, String group) {
        try {
            Cluster.await(cluster.admin().deleteConsumerGroups(List.of(group)).all());
        } catch (GroupIdNotFoundException e) {
            // it went with its last offset
        } catch (GroupNotEmptyException e) {
            session.note("The group '" + group + "' stays: another demo still runs with it.");
        }
    }
}
