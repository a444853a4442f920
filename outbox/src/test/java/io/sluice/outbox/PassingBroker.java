package io.sluice.outbox;

import io.sluice.fixtures.ApacheKafka;
import io.sluice.testing.Sluice;
import io.sluice.testing.SteadyPorts;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A broker of a test's own, of the kind that `-Dsluice.test.broker` names, that goes away and comes back.
///
/// Used by one thread.
sealed interface PassingBroker extends AutoCloseable {
    Broker broker();

    void goAway();

    void comeBack();

    @Override
    void close();

    /// @param folder for its data
    static PassingBroker on(Path folder) {
        return switch (Broker.which()) {
            case SLUICE -> new Stopped(folder);
            case APACHE_KAFKA -> new CutOff(ApacheKafka.start());
        };
    }

    /// Sluice is stopped, and started again on its data, at its address.
    final class Stopped implements PassingBroker {
        private final Path folder;
        private final Map<String, String> settings =
                Map.of("kafka.listen", "localhost:" + SteadyPorts.next());
        private final Broker broker;
        private @Nullable Sluice sluice;

        private Stopped(Path folder) {
            this.folder = folder;
            Sluice started = Sluice.on(folder, settings);
            broker = new Broker(started.bootstrap());
            sluice = started;
        }

        @Override
        public Broker broker() {
            return broker;
        }

        @Override
        public void goAway() {
            Sluice running = sluice;
            sluice = null;
            if (running != null) {
                running.close();
            }
        }

        @Override
        public void comeBack() {
            sluice = Sluice.on(folder, settings);
        }

        @Override
        public void close() {
            goAway();
        }
    }

    /// Apache Kafka goes on, and nobody reaches it: connections end, and new ones are closed at once.
    record CutOff(ApacheKafka kafka) implements PassingBroker {
        @Override
        public Broker broker() {
            return new Broker(kafka.link().bootstrap());
        }

        @Override
        public void goAway() {
            kafka.link().cut();
        }

        @Override
        public void comeBack() {
            kafka.link().mend();
        }

        @Override
        public void close() {
            kafka.close();
        }
    }
}
