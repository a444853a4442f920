package io.sluice.cli.message;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.PresetOptions;
import io.sluice.cli.Session;
import io.sluice.cli.argument.DurationArgument;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Format;
import io.sluice.cli.output.HumanText;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.RowStream;
import io.sluice.cli.topic.Topics;
import io.sluice.client.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.TopicDescription;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice tail`
@CommandLine.Command(
        name = "tail",
        description = {
            "Show messages: the last ten, or from where you say; -f goes on with new ones.",
            "Nothing is committed unless --group makes this a member of a consumer group."
        })
public final class TailCommand implements Command {
    @CommandLine.Parameters(paramLabel = "TOPIC", description = "What to show.")
    String topic = "";

    @CommandLine.ArgGroup StartOptions start = new StartOptions();

    @CommandLine.Option(
            names = {"-f", "--follow"},
            description = "Go on with new messages until Ctrl-C.")
    boolean follow;

    @CommandLine.Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "End after so many messages.")
    long count = Long.MAX_VALUE;

    @CommandLine.Option(
            names = "--idle",
            paramLabel = "DURATION",
            converter = DurationArgument.class,
            description = "With -f or --group: end when nothing has come for so long.")
    @Nullable Duration idle;

    @CommandLine.Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            split = ",",
            description = "Only these partitions.")
    List<Integer> partitions = new ArrayList<>();

    @CommandLine.Option(
            names = {"-g", "--group"},
            paramLabel = "GROUP",
            description = {
                "Read as a member of this group, from its offset, and commit: before a message is shown",
                "with --delivery at-most-once, after it with at-least-once."
            })
    @Nullable String group;

    @CommandLine.Option(
            names = "--values",
            description = "Print the values' bytes alone, each with a line break.")
    boolean valuesOnly;

    @CommandLine.Mixin PresetOptions presetOptions = new PresetOptions();

    @CommandLine.ArgGroup(validate = false)
    Filter filter = new Filter();

    @Override
    public ExitCode run(Session session) {
        checkCombination(session.printer().format());
        // Asked before the output begins: where there is no topic there is no data.
        TopicDescription description = new Topics(session.cluster()).require(topic);
        try (RowStream rows = session.printer().stream(shape(session))) {
            var shown = new Shown(session, rows, filter, valuesOnly, count);
            ExitCode end =
                    group == null
                            ? new TopicReader(session, this, description).read(shown)
                            : new GroupReader(session, this, group).read(shown);
            if (end == ExitCode.OK && shown.total() == 0) {
                session.note("No message" + (shown.seen() == 0 ? " there." : " matches."));
                return ExitCode.NOT_FOUND;
            }
            return end;
        }
    }

    private void checkCombination(Format format) {
        if (valuesOnly && format != Format.table) {
            throw Failure.usage("--values prints bytes as they are; leave out -o.");
        }
        if (group != null && (start.isGiven() || !partitions.isEmpty())) {
            throw Failure.usage(
                    "--group reads from the group's offset on; 'sluice group reset' moves it. Leave out --from,"
                            + " --last and --partition.");
        }
        if (group != null && presetOptions.delivery() == Delivery.EXACTLY_ONCE) {
            throw Failure.usage(
                    "--delivery exactly-once and --group: a screen takes no part in a transaction. Use at-least-once.");
        }
        if (idle != null && !follow && group == null) {
            throw Failure.usage("--idle is for -f or --group; without them tail ends by itself.");
        }
    }

    private static Listing shape(Session session) {
        int timeWidth = new HumanText(session.terminal().zone()).time(session.now()).length();
        return new Listing(
                "position",
                List.of(
                        Column.of("timestamp", "TIME", timeWidth),
                        Column.of("partition", "PARTITION"),
                        Column.of("offset", "OFFSET", 8),
                        Column.of("key", "KEY", 8),
                        Column.of("value", "VALUE", 32),
                        Column.of("headers", "HEADERS")),
                List.of());
    }
}
