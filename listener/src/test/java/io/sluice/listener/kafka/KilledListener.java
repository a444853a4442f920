package io.sluice.listener.kafka;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Source;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// A process that does some jobs, hangs in the others, and is killed. Prints each value that it has done.
///
/// Arguments: bootstrap servers, topic, group, how many jobs to do, and [#SHARE] for a share group.
final class KilledListener {
    static final String DONE = "done ";
    static final String HANGS = "hangs";
    static final String SHARE = "share";

    private KilledListener() {}

    public static void main(String[] args) {
        int most = Integer.parseInt(args[3]);
        var done = new AtomicInteger();
        var hanging = new AtomicInteger();
        var ignored =
                Listener.of(source(args))
                        .lane(
                                LaneSettings.lane(
                                        "all",
                                        new FixedLimit(4),
                                        job -> {
                                            if (done.incrementAndGet() > most) {
                                                if (hanging.incrementAndGet() == 4) {
                                                    System.out.println(HANGS);
                                                    System.out.flush();
                                                }
                                                new CountDownLatch(1).await();
                                            }
                                            System.out.println(DONE + job.message().text());
                                            System.out.flush();
                                        }))
                        .start();
    }

    private static Source source(String[] args) {
        return args.length > 4 && args[4].equals(SHARE)
                ? new KafkaShareSource(
                        KafkaSettings.of(
                                Map.of("bootstrap.servers", args[0], "group.id", args[2]), args[1]))
                : new KafkaSource(KafkaSettings.of(settings(args[0], args[2]), args[1]));
    }

    /// A static member: its successor takes the partitions over at once instead of after the session time-out.
    static Map<String, Object> settings(String servers, String group) {
        return Map.of(
                "bootstrap.servers", servers, "group.id", group, "group.instance.id", "worker-1");
    }

    /// Starts the process with these arguments, and kills it when it has done its jobs and hangs in others.
    ///
    /// @return what it has done
    static List<String> workUntilKilled(String... args) throws Exception {
        int most = Integer.parseInt(args[3]);
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path")
                                        .replace("\n", File.pathSeparator),
                                KilledListener.class.getName()));
        command.addAll(List.of(args));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<String> done = new ArrayList<>();
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            boolean hangs = false;
            String line = lines.readLine();
            while (line != null && !(hangs && done.size() == most)) {
                if (line.startsWith(DONE)) {
                    done.add(line.substring(DONE.length()));
                }
                hangs |= line.equals(HANGS);
                line = hangs && done.size() == most ? null : lines.readLine();
            }
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
        return done;
    }
}
