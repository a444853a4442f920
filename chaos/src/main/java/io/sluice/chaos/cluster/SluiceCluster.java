package io.sluice.chaos.cluster;

import io.sluice.chaos.place.Disks;
import io.sluice.chaos.place.Place;
import io.sluice.chaos.place.Port;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;

/// Sluice, every broker started as a user starts it, with a member of the ensemble inside each.
///
/// Owned by the campaign's thread.
public final class SluiceCluster implements ClusterUnderTest {
    private final Place place;
    private final Disks disks;
    private final List<BrokerProcess> brokers;

    /// Nothing runs yet. `command` starts a broker when the settings are added to it; `logs` is where the brokers' output goes, away from the disks that may fail.
    public SluiceCluster(List<String> command, Place place, Disks disks, Path logs, int size) {
        this.place = place;
        this.disks = disks;
        this.brokers =
                IntStream.rangeClosed(1, size)
                        .mapToObj(
                                id ->
                                        new BrokerProcess(
                                                id,
                                                place.inside(id, with(command, settings(id, size))),
                                                environment(id),
                                                logs.resolve("sluice-" + id + ".log")))
                        .toList();
    }

    /// The repository's own script.
    public static List<String> script(Path repository) {
        return List.of(repository.resolve("sluice").toString(), "up");
    }

    private Map<String, String> environment(int id) {
        Map<String, String> variables = new HashMap<>(place.environment(id));
        variables.put("JAVA_HOME", System.getProperty("java.home"));
        variables.put("SLUICE_NO_BUILD", "1");
        return variables;
    }

    private static List<String> with(List<String> command, List<String> settings) {
        List<String> words = new ArrayList<>(command);
        words.addAll(settings);
        return words;
    }

    private List<String> settings(int id, int size) {
        String ensemble =
                IntStream.rangeClosed(1, size)
                        .mapToObj(
                                member ->
                                        "%d@%s:%d:%d:%d"
                                                .formatted(
                                                        member,
                                                        place.host(member),
                                                        place.port(member, Port.ENSEMBLE_PEERS),
                                                        place.port(member, Port.ENSEMBLE_ELECTION),
                                                        place.port(member, Port.ENSEMBLE_CLIENTS)))
                        .collect(Collectors.joining(","));
        return List.of(
                "--node.id=" + id,
                "--data=" + disks.folder(id).resolve("data"),
                "--kafka.listen=" + place.address(id, Port.CLIENTS),
                "--admin.listen=" + place.address(id, Port.ADMIN),
                "--cluster.ensemble=" + ensemble,
                "--topic.min.insync.replicas=" + ClusterUnderTest.minInSync(size));
    }

    @Override
    public String description() {
        return "Sluice (an ensemble member in every broker; its defaults, but for min.insync.replicas)";
    }

    @Override
    public void install() {
        // The script that starts the harness has built what there is to start.
    }

    @Override
    public List<BrokerProcess> brokers() {
        return brokers;
    }

    @Override
    public OptionalInt controller(Admin admin) {
        try {
            Node controller = admin.describeCluster().controller().get(10, TimeUnit.SECONDS);
            return controller == null || controller.id() < 1
                    ? OptionalInt.empty()
                    : OptionalInt.of(controller.id());
        } catch (ExecutionException | TimeoutException unknown) {
            return OptionalInt.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }

    @Override
    public Place place() {
        return place;
    }

    @Override
    public Disks disks() {
        return disks;
    }
}
