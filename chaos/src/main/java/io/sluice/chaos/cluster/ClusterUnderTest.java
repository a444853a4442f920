package io.sluice.chaos.cluster;

import io.sluice.chaos.place.Disks;
import io.sluice.chaos.place.Place;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;

/// A cluster of broker processes that faults can be done to.
///
/// Owned by the campaign's thread. Closing it kills what still runs.
public interface ClusterUnderTest extends AutoCloseable {

    int MOST_REPLICAS = 3;

    /// How many replicas everything has in a cluster of so many brokers.
    static int replicas(int brokers) {
        return Math.min(MOST_REPLICAS, brokers);
    }

    /// How many of them must have what is acknowledged: also for what consumer groups commit, whose topic nobody makes by hand.
    static int minInSync(int brokers) {
        return replicas(brokers) / 2 + 1;
    }

    /// Name and version for the heading of a report.
    String description();

    /// Fetches or builds what is needed to start it; done once, before anything is measured.
    void install();

    /// The brokers, by id from 1; they are started by whoever runs the campaign.
    List<BrokerProcess> brokers();

    /// The broker that is the active controller, as the cluster itself says; absent when nobody knows right now.
    OptionalInt controller(Admin admin);

    Place place();

    Disks disks();

    /// Every broker's address, for clients.
    default String bootstrap() {
        return brokers().stream()
                .map(broker -> place().address(broker.id(), io.sluice.chaos.place.Port.CLIENTS))
                .collect(Collectors.joining(","));
    }

    default BrokerProcess broker(int id) {
        return brokers().get(id - 1);
    }

    default void startAll() {
        brokers().forEach(BrokerProcess::start);
    }

    @Override
    default void close() {
        BrokerProcess.killTogether(brokers());
    }
}
