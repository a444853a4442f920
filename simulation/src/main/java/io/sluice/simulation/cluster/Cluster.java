package io.sluice.simulation.cluster;

import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.Story;
import io.sluice.simulation.cluster.client.SimAdmin;
import io.sluice.simulation.coordination.SimStore;
import io.sluice.simulation.network.SimNetwork;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The machines of one run, what connects them, and what is told of them. Owned by its run.
public final class Cluster {
    public static final int PORT = 9092;

    private final SimWorld world;
    private final Story story;
    private final ClusterShape shape;
    private final SimNetwork network;
    private final SimStore store;
    private final ClusterHabits habits;
    private final List<SimBroker> brokers = new ArrayList<>();
    private final List<String> clients = new ArrayList<>();
    private final SortedMap<String, Integer> counts = new TreeMap<>();
    private final Generations generations = new Generations();
    private final SortedMap<String, String> topicSettings;

    Cluster(long seed, Plot plot, ClusterHabits habits, Story story) {
        this.world = new SimWorld(seed);
        this.story = story;
        this.shape = plot.shape(ClusterShape.draw(world.entropy("shape")));
        this.habits = habits;
        this.topicSettings = shape.topic().settings();
        this.topicSettings.putAll(habits.topicSettings());
        this.network = new SimNetwork(world);
        this.store = new SimStore(world, network.ways(), shape.sessionTimeout());
        for (int i = 0; i < shape.brokers(); i++) {
            addBroker();
        }
    }

    public SimWorld world() {
        return world;
    }

    public ClusterShape shape() {
        return shape;
    }

    /// The topic that clients use, to be made with so many partitions.
    SimAdmin.Wanted topic(int partitions) {
        TopicShape topic = shape.topic();
        return new SimAdmin.Wanted(topic.name(), partitions, topic.replicas(), topicSettings);
    }

    public Generations generations() {
        return generations;
    }

    public SimNetwork network() {
        return network;
    }

    public SimStore store() {
        return store;
    }

    /// One that was never part of the cluster, on a machine of its own.
    SimBroker addBroker() {
        SimBroker added = new SimBroker(this, habits, brokers.size() + 1);
        brokers.add(added);
        return added;
    }

    /// All that have ever been part of the cluster, by their ids, which begin with 1.
    public List<SimBroker> brokers() {
        return Collections.unmodifiableList(brokers);
    }

    public SimBroker broker(int id) {
        return brokers.get(id - 1);
    }

    /// A program that talks to brokers from a machine of its own.
    public void addClient(String machine) {
        clients.add(machine);
    }

    /// Their machines.
    List<String> clients() {
        return Collections.unmodifiableList(clients);
    }

    /// Whose process this is, if it is the present one of a broker.
    public @Nullable SimBroker brokerOf(@Nullable SimProcess process) {
        for (SimBroker broker : brokers) {
            if (broker.isOf(process)) {
                return broker;
            }
        }
        return null;
    }

    /// Something happened that is worth counting.
    public void count(String what) {
        count(what, 1);
    }

    void count(String what, int times) {
        counts.merge(what, times, Integer::sum);
    }

    SortedMap<String, Integer> counts() {
        return counts;
    }

    public void tell(Supplier<String> sentence) {
        story.add(world, sentence);
    }
}
