package io.sluice.cli;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/// The broker this run talks to. A connection to it was accepted; the admin client is opened on first use.
///
/// Owned by the main thread.
public final class Cluster implements AutoCloseable {
    private final ClientSettings settings;
    private @Nullable Admin admin;

    private Cluster(ClientSettings settings) {
        this.settings = settings;
    }

    static Cluster connect(ClientSettings settings) {
        Bootstrap.requireOneReachable(settings.bootstrap(), settings.timeout());
        return new Cluster(settings);
    }

    public ClientSettings settings() {
        return settings;
    }

    public Admin admin() {
        Admin open = admin;
        if (open == null) {
            open = Admin.create(settings.forReading());
            admin = open;
        }
        return open;
    }

    /// The answer, or the broker's exception itself instead of one around it.
    public static <T> T await(KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
