package io.sluice.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Source;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// A worker process with little memory: three jobs at once, which look at all of their document. Says how much it has read, and ends.
public final class SmallHeap {
    private SmallHeap() {}

    /// Of a document that can never be processed, its beginning.
    public static final String HOPELESS = "hopeless ";

    /// In the worker's process.
    ///
    /// @param documents how many there are
    public static void read(Source source, int documents) throws InterruptedException {
        var left = new CountDownLatch(documents);
        var read = new AtomicLong();
        try (Listener listener =
                Listener.of(source)
                        .lane(
                                LaneSettings.lane(
                                        "all",
                                        new FixedLimit(3),
                                        job -> {
                                            String text = job.message().text();
                                            read.addAndGet(text.length());
                                            left.countDown();
                                            if (text.startsWith(HOPELESS)) {
                                                throw new UnprocessableException("as it says");
                                            }
                                        }))
                        .start()) {
            left.await();
            System.out.println("read " + read.get() + " " + listener.lanes().getFirst().done());
        }
    }

    /// In the test's process.
    ///
    /// @return what the worker has said; it has come to a good end
    public static String run(String heap, Class<?> worker, String... arguments)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx" + heap,
                                "-XX:+UseSerialGC",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-cp",
                                System.getProperty("java.class.path")
                                        .replace("\n", File.pathSeparator),
                                worker.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            return said;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
