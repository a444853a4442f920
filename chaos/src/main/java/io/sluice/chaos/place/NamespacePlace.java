package io.sluice.chaos.place;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One network namespace per broker on a bridge, the clients at the bridge itself; nftables drops packets where something is cut. Takes root.
///
/// Names and addresses come from a number, so that a run which was killed leaves nothing that the next one with the same number does not remove.
///
/// Owned by the campaign's thread.
public final class NamespacePlace implements Place {
    private static final int FIRST_BROKER_ADDRESS = 10;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final int brokers;
    private final int number;
    private final NftCuts cuts = new NftCuts(this);

    /// Makes the namespaces. `number` (0 to 255) keeps runs apart that are under way at the same time.
    public NamespacePlace(int brokers, int number) {
        this.brokers = brokers;
        this.number = number;
        removeAll();
        boolean made = false;
        try {
            make();
            made = true;
        } finally {
            if (!made) {
                removeAll();
            }
        }
    }

    /// Why this machine cannot have one; absent when it can.
    public static @Nullable String obstacle(int number) {
        for (String tool : List.of("ip", "nft", "nsenter")) {
            if (!Command.succeeds("sh", "-c", "command -v " + tool)) {
                return "there is no '"
                        + tool
                        + "' (Debian and Ubuntu: apt install iproute2 nftables util-linux)";
            }
        }
        try (NamespacePlace _ = new NamespacePlace(1, number)) {
            return null;
        } catch (CommandFailed refused) {
            return "this machine does not allow network namespaces with nftables (are you root?): "
                    + refused.getMessage();
        }
    }

    @Override
    public String description() {
        return "a network namespace per broker, cuts by nftables";
    }

    @Override
    public String host(int broker) {
        return broker == Cuts.CLIENTS ? subnet() + ".1" : subnet() + "." + lastByte(broker);
    }

    private static int lastByte(int broker) {
        return FIRST_BROKER_ADDRESS + broker;
    }

    @Override
    public int port(int broker, Port purpose) {
        return switch (purpose) {
            case CLIENTS -> 9092;
            case ADMIN -> 9644;
            case CONTROLLERS -> 9093;
            case ENSEMBLE_CLIENTS -> 2181;
            case ENSEMBLE_PEERS -> 2888;
            case ENSEMBLE_ELECTION -> 3888;
        };
    }

    /// `nsenter` rather than `ip netns exec`: the latter also makes a copy of the mounts, and a disk that another broker's copy still shows cannot be
    /// unmounted.
    @Override
    public List<String> inside(int broker, List<String> command) {
        List<String> words =
                new ArrayList<>(List.of("nsenter", "--net=/run/netns/" + namespace(broker)));
        words.addAll(command);
        return words;
    }

    @Override
    public Cuts cuts() {
        return cuts;
    }

    int brokers() {
        return brokers;
    }

    /// Changes the packet filter of one broker's namespace.
    void filter(int broker, String script) {
        Command.run(inside(broker, List.of("nft", "-f", "-")), script, LIMIT);
    }

    private void make() {
        String bridge = bridge();
        Command.run("ip", "link", "add", bridge, "type", "bridge");
        Command.run("ip", "addr", "add", host(Cuts.CLIENTS) + "/24", "dev", bridge);
        Command.run("ip", "link", "set", bridge, "up");
        for (int broker = 1; broker <= brokers; broker++) {
            String space = namespace(broker);
            String cable = bridge + "v" + broker;
            Command.run("ip", "netns", "add", space);
            Command.run(
                    "ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns",
                    space);
            Command.run("ip", "link", "set", cable, "master", bridge, "up");
            Command.run("ip", "-n", space, "addr", "add", host(broker) + "/24", "dev", "eth0");
            Command.run("ip", "-n", space, "link", "set", "eth0", "up");
            Command.run("ip", "-n", space, "link", "set", "lo", "up");
            filter(broker, NftCuts.table());
        }
    }

    @Override
    public void close() {
        removeAll();
    }

    private void removeAll() {
        // More than this run has: an earlier one may have had more brokers.
        for (int broker = 1; broker <= Math.max(brokers, 9); broker++) {
            if (Command.succeeds("test", "-e", "/run/netns/" + namespace(broker))) {
                Command.succeeds("ip", "netns", "del", namespace(broker));
            }
        }
        if (Command.succeeds("test", "-e", "/sys/class/net/" + bridge())) {
            Command.succeeds("ip", "link", "del", bridge());
        }
    }

    private String subnet() {
        return "10.80." + number;
    }

    private String bridge() {
        return String.format(Locale.ROOT, "slc%02x", number);
    }

    private String namespace(int broker) {
        return bridge() + "-" + broker;
    }
}
