package io.sluice.chaos.place;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The network that brokers live on. Brokers are numbered from 1.
///
/// Owned by the campaign's thread. Closing it removes what it made.
public interface Place extends AutoCloseable {

    /// What it is, for the report.
    String description();

    String host(int broker);

    int port(int broker, Port purpose);

    /// The command that runs `command` at that broker's place.
    List<String> inside(int broker, List<String> command);

    /// What the broker's process must have in its environment to live there.
    default Map<String, String> environment(int broker) {
        return Map.of();
    }

    /// Cuts between brokers; absent where the machine does not offer them.
    @Nullable Cuts cuts();

    default String address(int broker, Port purpose) {
        return host(broker) + ":" + port(broker, purpose);
    }

    @Override
    void close();
}
