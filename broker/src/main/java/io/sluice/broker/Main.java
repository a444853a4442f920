package io.sluice.broker;

import io.sluice.env.os.UnusableDataDirectory;
import io.sluice.settings.InvalidSetting;
import io.sluice.settings.SettingDefinition;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/// `sluice up`: one broker in this process, until it is told to stop.
public final class Main {
    private static final Duration GIVE_UP_LIMIT = Duration.ofSeconds(45);

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        try {
            run(List.of(arguments), System.getenv());
        } catch (InvalidSetting e) {
            System.err.println(e.getMessage());
            System.err.println("See `sluice up --help`.");
            System.exit(ExitStatus.USAGE.code());
        } catch (UnusableDataDirectory e) {
            end(e, e.mayPass() ? ExitStatus.FAILED : ExitStatus.REFUSED);
        } catch (RefusedSetup e) {
            end(e, ExitStatus.REFUSED);
        } catch (IllegalStateException e) {
            end(e, ExitStatus.FAILED);
        }
    }

    private static void end(RuntimeException why, ExitStatus status) {
        System.err.println(why.getMessage());
        System.exit(status.code());
    }

    /// Netty samples buffers for leaks by default, at the price of stack traces. Give `paranoid` to look for one.
    private static void quietNetty() {
        String property = "io.netty.leakDetection.level";
        if (System.getProperty(property) == null) {
            System.setProperty(property, "disabled");
        }
    }

    private static void run(List<String> arguments, Map<String, String> environment)
            throws InterruptedException {
        Set<String> known = new LinkedHashSet<>();
        for (SettingDefinition setting : BrokerSettings.read(Map.of()).definitions()) {
            known.add(setting.name());
        }
        CommandLine command = CommandLine.parse(arguments, environment, known);
        if (command.help()) {
            Help.print();
            return;
        }
        BrokerSettings settings = BrokerSettings.read(settingsOf(command));
        settings.logging().apply();
        quietNetty();
        long startNanos = System.nanoTime();
        Broker broker = Broker.start(settings);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    broker.close();
                                    stopped.countDown();
                                },
                                "sluice-stop"));
        Duration startup = Duration.ofNanos(System.nanoTime() - startNanos);
        System.out.print(Banner.of(broker, settings.data().ephemeral(), startup));
        System.out.flush();
        if (command.trainAot()) {
            Training.run(broker);
            System.exit(0);
        }
        var _ =
                broker.mustStop()
                        .thenAccept(ending -> Thread.ofPlatform().start(() -> giveUp(ending)));
        stopped.await();
    }

    /// As when asked to stop, but it is said why, and the exit code tells. A disk that fails may also hang: then it ends all the same.
    private static void giveUp(Broker.Ending ending) {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                Thread.sleep(GIVE_UP_LIMIT);
                            } catch (InterruptedException _) {
                                Thread.currentThread().interrupt();
                            }
                            Runtime.getRuntime().halt(ending.status().code());
                        });
        System.err.println(ending.sentence());
        System.exit(ending.status().code());
    }

    /// A training run must not get in the way of a real one.
    private static Map<String, String> settingsOf(CommandLine command) {
        if (!command.trainAot()) {
            return command.settings();
        }
        Map<String, String> settings = new HashMap<>(command.settings());
        settings.put("ephemeral", "true");
        settings.put("kafka.listen", "localhost:0");
        settings.put("admin.listen", "localhost:0");
        return settings;
    }
}
