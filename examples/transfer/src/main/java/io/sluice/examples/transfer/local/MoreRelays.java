package io.sluice.examples.transfer.local;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.Relay;
import io.sluice.outbox.RelaySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/// Relays beside the application's own, as other processes would run them: each with connections, lease and lanes of its own.
///
/// Owned by the thread that starts and stops the application.
@Component
public final class MoreRelays implements SmartLifecycle {
    private final ObjectProvider<ConnectionSource> database;
    private final String servers;
    private final String topic;
    private final int count;
    private final List<Relay> relays = new ArrayList<>();

    MoreRelays(
            ObjectProvider<ConnectionSource> database,
            @Value("${spring.kafka.bootstrap-servers}") String servers,
            @Value("${app.outbox.relay.topic}") String topic,
            @Value("${transfer.more-relays}") int count) {
        this.database = database;
        this.servers = servers;
        this.topic = topic;
        this.count = count;
    }

    /// The application has a source only if a relay of its own runs in it. Where relays run elsewhere, none is wanted here either.
    @Override
    public void start() {
        for (int number = 1; number <= count; number++) {
            RelaySettings settings =
                    RelaySettings.of(topic, Map.of("bootstrap.servers", servers))
                            .withName("relay-" + number);
            relays.add(Relay.start(database.getObject(), settings));
        }
    }

    @Override
    public void stop() {
        relays.forEach(Relay::close);
        relays.clear();
    }

    @Override
    public boolean isRunning() {
        return !relays.isEmpty();
    }
}
