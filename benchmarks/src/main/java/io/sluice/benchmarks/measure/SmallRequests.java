package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Acks;
import io.sluice.benchmarks.load.LoadResult;
import io.sluice.benchmarks.load.RawProducers;
import io.sluice.benchmarks.load.RequestFrame;
import io.sluice.benchmarks.peer.Brokers;
import io.sluice.benchmarks.peer.ProcessUsage;
import io.sluice.benchmarks.report.Figure;
import io.sluice.benchmarks.report.Target;
import io.sluice.benchmarks.report.Unit;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a produce request costs when it carries a single record of 100 bytes: the worst case for every broker, and the best view of its path.
public final class SmallRequests implements Measure {
    private static final int VALUE_BYTES = 100;

    private final List<Variant> variants;

    private SmallRequests(List<Variant> variants) {
        this.variants = List.copyOf(variants);
    }

    /// The standard variants, and one more with `pipelined` requests in flight per connection when that is above one.
    public static SmallRequests ofOneNode(int pipelined) {
        Target third = new Target.RatioAtMost(1.0 / 3);
        Target noSlower = new Target.RatioAtLeast(1);
        List<Variant> variants = new ArrayList<>();
        variants.add(new Variant(32, 1, Acks.ONE, 1, null, third));
        variants.add(new Variant(32, 1, Acks.ALL, 1, noSlower, null));
        variants.add(new Variant(32, 6, Acks.ALL, 1, null, null));
        variants.add(new Variant(1, 1, Acks.ONE, 1, null, null));
        variants.add(new Variant(1, 1, Acks.ALL, 1, null, null));
        if (pipelined > 1) {
            variants.add(new Variant(32, 1, Acks.ONE, pipelined, null, null));
        }
        return new SmallRequests(variants);
    }

    /// Acknowledged by all replicas: from one leader, and from all brokers as leaders.
    public static SmallRequests ofCluster() {
        Target third = new Target.RatioAtMost(1.0 / 3);
        return new SmallRequests(
                List.of(
                        new Variant(32, 1, Acks.ALL, 1, null, third),
                        new Variant(32, 6, Acks.ALL, 1, null, third)));
    }

    @Override
    public String name() {
        return "small";
    }

    @Override
    public List<Figure> figures() {
        return variants.stream().flatMap(variant -> variant.figures().stream()).toList();
    }

    @Override
    public boolean usesClients() {
        return true;
    }

    @Override
    public void run(Session session, Sink sink) {
        Brokers brokers = session.brokers();
        try (Topics topics = new Topics(brokers)) {
            for (Variant variant : variants) {
                session.say(variant.title());
                session.settleDisk();
                topics.createWritable(variant.topic(), variant.partitions);
                List<InetSocketAddress> leaders = topics.leaderAddresses(variant.topic());
                Duration warmUp =
                        variant.equals(variants.getFirst())
                                ? session.pace().firstWarmUp()
                                : session.pace().warmUp();
                try (RawProducers load = variant.open(leaders)) {
                    WarmUp.run(session, warmUp, load::runFor);
                    variant.measure(load, session, sink);
                }
                topics.delete(variant.topic());
            }
        }
    }

    /// One shape of the load and the figures it yields.
    private record Variant(
            int connections,
            int partitions,
            Acks acks,
            int inFlight,
            @Nullable Target rateTarget,
            @Nullable Target cpuTarget) {

        String title() {
            return "100 B requests, "
                    + counted(connections, "connection")
                    + (partitions == 1 ? "" : ", " + partitions + " partitions")
                    + (inFlight == 1 ? "" : ", " + inFlight + " in flight each")
                    + ", acks="
                    + acks.setting();
        }

        String topic() {
            return "bench-small-%d-%d-%d-%s"
                    .formatted(connections, partitions, inFlight, acks.setting());
        }

        List<Figure> figures() {
            return List.of(rate(), cpu(), median(), tail(), switches());
        }

        Figure rate() {
            return new Figure("small", title(), Unit.REQUESTS_PER_SECOND, rateTarget);
        }

        Figure cpu() {
            return new Figure(
                    "small", title() + ": broker", Unit.CPU_SECONDS_PER_MILLION, cpuTarget);
        }

        Figure median() {
            return Figure.of("small", title() + ": p50", Unit.MILLISECONDS);
        }

        Figure tail() {
            return Figure.of("small", title() + ": p99", Unit.MILLISECONDS);
        }

        Figure switches() {
            return Figure.of("small", title() + ": broker", Unit.CONTEXT_SWITCHES_PER_REQUEST);
        }

        /// Every connection goes to the leader of its partition.
        RawProducers open(List<InetSocketAddress> leaders) {
            List<InetSocketAddress> addresses = new ArrayList<>();
            List<RequestFrame> frames = new ArrayList<>();
            for (int connection = 0; connection < connections; connection++) {
                int partition = connection % partitions;
                addresses.add(leaders.get(partition));
                frames.add(RequestFrame.produce(topic(), partition, acks, VALUE_BYTES));
            }
            return new RawProducers(addresses, frames, inFlight);
        }

        void measure(RawProducers load, Session session, Sink sink) {
            Brokers brokers = session.brokers();
            ProcessUsage before = brokers.usage();
            LoadResult result = load.runFor(session.pace().measured());
            ProcessUsage after = brokers.usage();
            double requests = result.requests();
            sink.value(rate(), result.requestsPerSecond());
            sink.value(cpu(), after.cpuSecondsSince(before) / (requests / 1e6));
            sink.value(median(), result.latencyMillis(50));
            sink.value(tail(), result.latencyMillis(99));
            sink.value(switches(), (after.contextSwitches() - before.contextSwitches()) / requests);
        }

        private static String counted(int count, String noun) {
            return count + " " + noun + (count == 1 ? "" : "s");
        }
    }
}
