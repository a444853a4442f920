package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The end of a broker's process, asked for or not.
@Timeout(120)
class LocalBrokerTest {
    @TempDir Path folder;

    private LocalBroker launched(String script) throws Exception {
        Path launcher = folder.resolve("launcher");
        Files.writeString(launcher, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        LocalBroker broker = new LocalBroker(2, folder.resolve("broker-2"), 19_092, 18_080);
        broker.launch(launcher.toString(), List.of("--more=flags"));
        return broker;
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(10);
        }
    }

    @Test
    void oneThatEndsByItselfIsNoticedAndCanBeStartedAgain() throws Exception {
        LocalBroker broker = launched("echo the disk is gone; exit 7");
        until(broker::hasDied);
        assertThat(broker.exitCode()).isEqualTo(7);
        assertThat(broker.lastLines()).isEqualTo("the disk is gone");
        assertThat(broker.command())
                .contains("launcher up --node.id=2 --data=")
                .endsWith("--more=flags");
        broker.launchAgain();
        until(broker::hasDied);
        assertThat(broker.lastLines()).isEqualTo("the disk is gone\nthe disk is gone");
        broker.giveUp();
        assertThat(broker.hasDied()).isFalse();
    }

    @Test
    void theEndOfItsLogIsShownWithoutStackTraces() throws Exception {
        LocalBroker broker =
                launched(
                        "printf 'it failed\\n'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf '\\tat some.Class\\n'; done; exit 1");
        until(broker::hasDied);
        assertThat(broker.lastLines()).isEqualTo("it failed");
    }

    @Test
    void oneThatWasStoppedHasNotDiedAndStaysStopped() throws Exception {
        LocalBroker broker = launched("exec sleep 100");
        assertThat(broker.isRunning()).isTrue();
        broker.stop();
        assertThat(broker.isRunning()).isFalse();
        assertThat(broker.hasDied()).isFalse();
        broker.launchAgain();
        assertThat(broker.isRunning()).isFalse();
    }
}
