package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import io.sluice.conformance.ensemble.ExternalEnsemble;
import io.sluice.conformance.ensemble.ExternalEnsemble.Visitors;
import io.sluice.conformance.ensemble.KeyStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Real brokers whose metadata is in a ZooKeeper server that was there already, reached as `deploy/external` sets it: with TLS, a trust store alone, and a user. Who is not let in says why.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class ExternalEnsembleIT {
    private static final int MESSAGES = 100;
    private static final String TLS = "--cluster.zookeeper.tls.";

    @TempDir Path folder;

    @Test
    @DisplayName(
            "TLS with a trust store alone, and a user with a password: brokers serve, and are there again after a kill")
    void aTrustStoreAndAUserAreEnough() throws IOException {
        KeyStores stores = KeyStores.in(folder.resolve("keys"));
        List<String> access = new ArrayList<>(trusting(stores));
        access.addAll(user("sluice", "canary-5f1c"));
        try (ExternalEnsemble ensemble =
                        new ExternalEnsemble(folder.resolve("server"), stores, Visitors.ANYBODY);
                SluiceProcess one = broker(1, ensemble, access);
                SluiceProcess two = broker(2, ensemble, access)) {
            one.start();
            two.start();
            servesBeforeAndAfterAKill(one, two);

            List<String> nobody = trusting(stores);
            assertRefused(ensemble, nobody, "does not let a broker without a user use /sluice");
            List<String> wrong = new ArrayList<>(trusting(stores));
            wrong.addAll(user("sluice", "wrong-canary"));
            assertRefused(ensemble, wrong, "does not let the user 'sluice' use /sluice");
            List<String> others = trusting(KeyStores.in(folder.resolve("others")));
            assertRefused(ensemble, others, "that the stores in cluster.zookeeper.tls fit");
            assertRefused(ensemble, List.of(), "do not expect TLS");
        }
    }

    @Test
    @DisplayName("An ensemble that asks brokers for a certificate lets in those who have one")
    void whereACertificateIsAskedForOneHasToBeGiven() throws IOException {
        KeyStores stores = KeyStores.in(folder.resolve("keys"));
        List<String> known = new ArrayList<>(trusting(stores));
        known.add(TLS + "key-store=" + stores.keys());
        known.add(TLS + "key-store-password-file=" + stores.password());
        try (ExternalEnsemble ensemble =
                        new ExternalEnsemble(folder.resolve("server"), stores, Visitors.KNOWN);
                SluiceProcess one = broker(1, ensemble, known);
                SluiceProcess two = broker(2, ensemble, known)) {
            one.start();
            two.start();
            servesBeforeAndAfterAKill(one, two);
            assertRefused(
                    ensemble, trusting(stores), "that the stores in cluster.zookeeper.tls fit");
        }
    }

    private static List<String> trusting(KeyStores stores) {
        return List.of(
                TLS + "trust-store=" + stores.trust(),
                TLS + "trust-store-password-file=" + stores.password());
    }

    private List<String> user(String name, String password) throws IOException {
        Path file = Files.createTempFile(folder, "password", "");
        Files.writeString(file, password + "\n");
        return List.of(
                "--cluster.zookeeper.user=" + name, "--cluster.zookeeper.password-file=" + file);
    }

    private SluiceProcess broker(int id, ExternalEnsemble ensemble, List<String> access)
            throws IOException {
        List<String> flags = new ArrayList<>(access);
        flags.add("--node.id=" + id);
        flags.add("--cluster.zookeeper=" + ensemble.servers());
        flags.add("--cluster.zookeeper.start-timeout=3m");
        return new SluiceProcess(Files.createDirectories(folder.resolve("broker-" + id)), flags);
    }

    private static void servesBeforeAndAfterAKill(SluiceProcess one, SluiceProcess two) {
        Clients clients = new Clients(one.broker());
        try (Admin admin = clients.admin()) {
            Eventually.holds(
                    two::output, () -> Clients.result(admin.describeCluster().nodes()).size() == 2);
            Clients.result(admin.createTopics(List.of(new NewTopic("orders", 1, (short) 2))).all());
            Clients.awaitPartitions(admin, "orders", 1);
        }
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer, MESSAGES, i -> new ProducerRecord<>("orders", 0, "" + i, "v" + i));
        }
        one.kill();
        one.start();
        assertThat(clients.readAll("orders", 1, MESSAGES))
                .map(ConsumerRecord::key)
                .hasSize(MESSAGES)
                .doesNotHaveDuplicates();
    }

    private void assertRefused(ExternalEnsemble ensemble, List<String> access, String sentence)
            throws IOException {
        Path place = Files.createTempDirectory(folder, "stranger");
        List<String> flags = new ArrayList<>(access);
        flags.add("--node.id=9");
        flags.add("--cluster.zookeeper=" + ensemble.servers());
        flags.add("--cluster.zookeeper.start-timeout=15s");
        try (SluiceProcess stranger = new SluiceProcess(place, flags)) {
            stranger.launch();
            assertThat(stranger.awaitOwnEnd()).as(stranger.output()).isEqualTo(1);
            assertThat(stranger.output()).contains(sentence).doesNotContain("canary");
        }
    }
}
