package io.sluice.outbox.bench.stage;

import io.sluice.outbox.bench.host.BrokerHost;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/// One PostgreSQL and one broker for all.
///
/// Owned by the thread that measures; others may kill what it waits for.
public final class Stage implements AutoCloseable {
    private static final int PARTITIONS = 6;
    private static final AtomicInteger SCENES = new AtomicInteger();

    private final EmbeddedPostgres postgres;
    private final @Nullable HostProcess broker;
    private final String bootstrap;
    private final Path folder;
    private final Path checkout;
    private final Queue<HostProcess> hosts = new ConcurrentLinkedQueue<>();

    private Stage(
            EmbeddedPostgres postgres,
            @Nullable HostProcess broker,
            String bootstrap,
            Path folder,
            Path checkout) {
        this.postgres = postgres;
        this.broker = broker;
        this.bootstrap = bootstrap;
        this.folder = folder;
        this.checkout = checkout;
    }

    /// @param bootstrap a broker that runs already; otherwise a Sluice is started
    public static Stage open(@Nullable String bootstrap, Path checkout) throws IOException {
        // As safe as in production: an embedded one is not, unless it is told.
        EmbeddedPostgres postgres =
                EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "200")
                        .setServerConfig("wal_level", "logical")
                        .setServerConfig("fsync", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .setServerConfig("full_page_writes", "on")
                        .setServerConfig("shared_buffers", "256MB")
                        .setServerConfig("max_wal_size", "4GB")
                        .start();
        HostProcess broker =
                bootstrap == null ? HostProcess.ours(BrokerHost.class, List.of()) : null;
        String address = broker == null ? String.valueOf(bootstrap) : broker.awaitReady();
        return new Stage(
                postgres, broker, address, Files.createTempDirectory("outbox-bench-"), checkout);
    }

    /// A schema, a table as this contender needs it, a topic.
    public Scene scene(Contender contender) {
        int number = SCENES.incrementAndGet();
        String schema = "bench_" + number;
        String topic = "transfers-" + number;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(
                            List.of(new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        } catch (InterruptedException
                | ExecutionException
                | java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException("no topic", e);
        }
        return new Scene(this, contender, schema, topic).install();
    }

    HostProcess started(HostProcess host) {
        hosts.add(host);
        return host;
    }

    /// Whatever a turn has left running, frozen ones too. Called by anybody.
    public void killHosts() {
        for (HostProcess host = hosts.poll(); host != null; host = hosts.poll()) {
            host.kill();
        }
    }

    String url() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    int port() {
        return postgres.getPort();
    }

    String bootstrap() {
        return bootstrap;
    }

    Path folder() {
        return folder;
    }

    Path checkout() {
        return checkout;
    }

    @Override
    public void close() throws IOException {
        killHosts();
        if (broker != null) {
            broker.close();
        }
        postgres.close();
    }
}
