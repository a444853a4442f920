package io.sluice.cli.message;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.PresetOptions;
import io.sluice.cli.Progress;
import io.sluice.cli.Session;
import io.sluice.cli.output.HumanText;
import io.sluice.client.Delivery;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice send`
@CommandLine.Command(
        name = "send",
        description = {
            "Send messages: each VALUE, else each line of stdin.",
            "Prints where they went, one row per partition."
        })
public final class SendCommand implements Command {
    @CommandLine.Parameters(index = "0", paramLabel = "TOPIC", description = "Where to.")
    String topic = "";

    @CommandLine.Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "VALUE",
            description = "One message each.")
    List<String> values = new ArrayList<>();

    @CommandLine.Option(
            names = {"-k", "--key"},
            description = "The key; messages with the same key stay in order.")
    @Nullable String key;

    @CommandLine.Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "A header. Repeatable.")
    Map<String, String> headers = new LinkedHashMap<>();

    @CommandLine.Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            description = "This partition. Default: by the key, else any.")
    @Nullable Integer partition;

    @CommandLine.Option(
            names = "--file",
            paramLabel = "FILE",
            description = "A file's bytes as one message. Repeatable.")
    List<Path> files = new ArrayList<>();

    @CommandLine.Option(
            names = "--lines",
            paramLabel = "FILE",
            description = "Each line of a file as a message; - is stdin.")
    @Nullable String lines;

    @CommandLine.Option(
            names = "--json-lines",
            description = {
                "Lines are JSON objects with key, value, headers, partition, timestamp,",
                "as 'tail -o jsonl' prints them."
            })
    boolean jsonLines;

    @CommandLine.Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "Lines are KEY TEXT VALUE, such as --key-separator=: for 42:hello.")
    @Nullable String keySeparator;

    @CommandLine.Option(names = "--tombstone", description = "Send the key with no value at all.")
    boolean tombstone;

    @CommandLine.Mixin PresetOptions presetOptions = new PresetOptions();

    @Override
    public ExitCode run(Session session) throws IOException {
        checkCombination();
        Map<String, Object> settings =
                new LinkedHashMap<>(session.cluster().settings().forWriting());
        boolean transaction = presetOptions.delivery() == Delivery.EXACTLY_ONCE;
        if (transaction) {
            settings.putIfAbsent(
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG, "sluice-send-" + UUID.randomUUID());
        }
        var report = new SendReport();
        try (Producer<byte[], byte[]> producer =
                        presetOptions
                                .preset()
                                .openProducer(
                                        settings,
                                        new ByteArraySerializer(),
                                        new ByteArraySerializer());
                Progress progress = session.progress()) {
            if (transaction) {
                producer.beginTransaction();
            }
            var partitions = new KnownPartitions(session.cluster(), topic);
            sendAll(session, new Outlet(producer, topic, partitions, report), report, progress);
            producer.flush();
            if (transaction && report.failed() == 0) {
                producer.commitTransaction();
            } else if (transaction) {
                producer.abortTransaction();
                throw new Failure(ExitCode.FAILED, "Nothing was sent: " + reason(report));
            }
        }
        return conclude(session, report);
    }

    private void checkCombination() {
        boolean fromLines = lines != null || (values.isEmpty() && files.isEmpty() && !tombstone);
        if ((jsonLines || keySeparator != null) && !fromLines) {
            throw Failure.usage(
                    "--json-lines and --key-separator are for lines, not for VALUE or --file.");
        }
        if (jsonLines && (keySeparator != null || key != null || partition != null)) {
            throw Failure.usage(
                    "--json-lines takes key and partition from each line; leave out --key, --key-separator and --partition.");
        }
        if (tombstone && (key == null || !values.isEmpty())) {
            throw Failure.usage("--tombstone needs --key and no VALUE.");
        }
        files.forEach(file -> requireReadable("--file", file));
        if (lines != null && !lines.equals("-")) {
            requireReadable("--lines", Path.of(lines));
        }
    }

    private void sendAll(Session session, Outlet outlet, SendReport report, Progress progress)
            throws IOException {
        if (tombstone) {
            outlet.send(outgoing(utf8(key), null));
        }
        for (String value : values) {
            outlet.send(outgoing(utf8(key), utf8(value)));
        }
        for (Path file : files) {
            outlet.send(outgoing(utf8(key), Files.readAllBytes(file)));
        }
        if (lines != null && !lines.equals("-")) {
            try (var in = Files.newInputStream(Path.of(lines))) {
                sendLines(in, outlet, report, progress);
            }
        } else if (lines != null || (values.isEmpty() && files.isEmpty() && !tombstone)) {
            if (session.terminal().terminals().in()) {
                session.note("Each line you type is a message to '" + topic + "'; Ctrl-D ends.");
            }
            sendLines(session.terminal().in(), outlet, report, progress);
        }
    }

    private void sendLines(InputStream in, Outlet outlet, SendReport report, Progress progress)
            throws IOException {
        var reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        var json = jsonLines ? new JsonMessages() : null;
        long number = 0;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            number++;
            if (json == null) {
                outlet.send(fromLine(line, number));
            } else if (!line.isBlank()) {
                outlet.send(json.parse(line, number));
            }
            if (report.failed() > 0) {
                return;
            }
            if (number % 10_000 == 0) {
                progress.update(HumanText.grouped(report.acknowledged()) + " messages sent");
            }
        }
    }

    private Outgoing fromLine(String line, long number) {
        if (keySeparator == null) {
            return outgoing(utf8(key), utf8(line));
        }
        int at = line.indexOf(keySeparator);
        if (at < 0) {
            throw Failure.usage(
                    "Line %d has no '%s' between key and value: %s"
                            .formatted(number, keySeparator, line));
        }
        return outgoing(
                utf8(line.substring(0, at)), utf8(line.substring(at + keySeparator.length())));
    }

    private Outgoing outgoing(byte @Nullable [] messageKey, byte @Nullable [] value) {
        Map<String, byte @Nullable []> all = new LinkedHashMap<>();
        headers.forEach((name, text) -> all.put(name, utf8(text)));
        return new Outgoing(messageKey, value, all, partition, null);
    }

    private ExitCode conclude(Session session, SendReport report) {
        Exception failure = report.firstFailure();
        if (failure != null && report.acknowledged() == 0) {
            throw failure instanceof RuntimeException runtime
                    ? runtime
                    : new IllegalStateException(failure);
        }
        session.printer().print(report.listing(topic));
        if (failure != null) {
            session.terminal()
                    .err()
                    .println(
                            "%s messages were sent, then it failed: %s"
                                    .formatted(
                                            HumanText.grouped(report.acknowledged()),
                                            reason(report)));
            return ExitCode.PARTIAL;
        }
        if (!report.offsetsKnown()) {
            session.note("At-most-once: the broker was not asked whether they arrived.");
        }
        return ExitCode.OK;
    }

    private static String reason(SendReport report) {
        Exception failure = report.firstFailure();
        return failure == null ? "" : String.valueOf(failure.getMessage());
    }

    private static void requireReadable(String option, Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw Failure.usage(
                    "%s: '%s' %s."
                            .formatted(
                                    option,
                                    file,
                                    Files.exists(file)
                                            ? "is not a file that can be read"
                                            : "does not exist"));
        }
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
