package io.sluice.cli;

import io.sluice.cli.output.Colors;
import io.sluice.cli.output.Printer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What a command works with: the terminal, the printer for `-o`, and the connection to the broker, opened on first
/// use.
///
/// Owned by the main thread; [#onInterrupt] actions run on another.
public final class Session implements AutoCloseable {
    private static final long SECONDS_FOR_A_GOOD_END = 10;

    private final Terminal terminal;
    private final SluiceCommand options;
    private final Printer printer;
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Cluster cluster;

    Session(Terminal terminal, SluiceCommand options) {
        this.terminal = terminal;
        this.options = options;
        boolean colours = terminal.wantsColours() && !options.noColor;
        this.printer =
                new Printer(
                        terminal.out(),
                        options.output,
                        terminal.zone(),
                        colours ? Colors.ON : Colors.OFF);
    }

    public Terminal terminal() {
        return terminal;
    }

    /// Prints data to stdout.
    public Printer printer() {
        return printer;
    }

    /// Says something to the person, on stderr.
    public void note(String sentence) {
        if (!options.quiet) {
            terminal.err().println(sentence);
        }
    }

    /// A line on stderr that is rewritten while the command works; silent where nobody watches.
    public Progress progress() {
        return new Progress(terminal.err(), terminal.watched() && !options.quiet);
    }

    public Duration timeout() {
        return options.timeout;
    }

    public Instant now() {
        return terminal.clock().instant();
    }

    /// Where the broker is said to be, before anything has been tried.
    public ClientSettings clientSettings() {
        return ClientSettings.of(options, terminal.environment());
    }

    /// The broker, which has been seen to accept a connection.
    public Cluster cluster() {
        Cluster open = cluster;
        if (open == null) {
            open = Cluster.connect(clientSettings());
            cluster = open;
        }
        return open;
    }

    /// Runs this at Ctrl-C, then gives the command some seconds to end in good order.
    public void onInterrupt(Runnable stop) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    if (ended.getCount() == 0) {
                                        return;
                                    }
                                    stop.run();
                                    awaitEnd();
                                },
                                "sluice-interrupt"));
    }

    private void awaitEnd() {
        try {
            var _ = ended.await(SECONDS_FOR_A_GOOD_END, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (cluster != null) {
            cluster.close();
        }
        terminal.out().flush();
        terminal.err().flush();
        ended.countDown();
    }
}
