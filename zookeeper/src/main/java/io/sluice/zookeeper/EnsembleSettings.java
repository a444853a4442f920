package io.sluice.zookeeper;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The ensemble that brokers of this cluster run themselves. Immutable.
///
/// @param members by number; empty: there is none
/// @param tls between the members; off unless stores are named
public record EnsembleSettings(List<Member> members, TlsStores tls) {
    private static final Pattern MEMBER =
            Pattern.compile(
                    "([0-9]{1,3})@(\\[[0-9a-fA-F:.]+]|[^:@\\s]+):([0-9]{1,5}):([0-9]{1,5}):([0-9]{1,5})");

    /// One server of the ensemble.
    ///
    /// @param id the number of the broker in which it runs
    public record Member(int id, String host, int quorumPort, int electionPort, int clientPort) {
        String clientAddress() {
            return host + ":" + clientPort;
        }
    }

    public static EnsembleSettings from(Settings settings) {
        List<String> given =
                settings.list(
                        "cluster.ensemble",
                        List.of(),
                        List.of(),
                        "The brokers that run a ZooKeeper server inside, each as"
                                + " node.id@host:quorum-port:election-port:client-port; three, or five,"
                                + " the same list on all brokers. Empty: an external ensemble"
                                + " (cluster.zookeeper), or a single node.");
        TreeMap<Integer, Member> members = new TreeMap<>();
        for (String text : given) {
            Member member = member(text);
            if (members.put(member.id(), member) != null) {
                throw invalid(text, "has a number that another member has too");
            }
        }
        return new EnsembleSettings(
                List.copyOf(members.values()),
                TlsStores.from(
                        settings, "cluster.ensemble.tls", "between the members of the ensemble"));
    }

    private static Member member(String text) {
        Matcher parts = MEMBER.matcher(text);
        if (!parts.matches()) {
            throw invalid(text, "is not node.id@host:quorum-port:election-port:client-port");
        }
        int id = Integer.parseInt(parts.group(1));
        if (id < 1 || id > 255) {
            throw invalid(text, "has a number that ZooKeeper does not take; it takes 1 to 255");
        }
        List<Integer> ports = new ArrayList<>();
        for (int group = 3; group <= 5; group++) {
            int port = Integer.parseInt(parts.group(group));
            if (port < 1 || port > 65_535 || ports.contains(port)) {
                throw invalid(text, "needs three different ports from 1 to 65535");
            }
            ports.add(port);
        }
        return new Member(id, parts.group(2), ports.get(0), ports.get(1), ports.get(2));
    }

    private static InvalidSetting invalid(String text, String complaint) {
        return new InvalidSetting(
                "cluster.ensemble",
                "Setting 'cluster.ensemble' names '"
                        + text
                        + "', which "
                        + complaint
                        + ". An example: 1@host1:2888:3888:2181,2@host2:2888:3888:2181,3@host3:2888:3888:2181");
    }

    /// Null when this broker runs no server.
    public @Nullable Member find(int nodeId) {
        return members.stream().filter(member -> member.id() == nodeId).findFirst().orElse(null);
    }

    /// How brokers reach this ensemble.
    public ZooKeeperSettings clients(ZooKeeperSettings settings) {
        return settings.at(members.stream().map(Member::clientAddress).toList(), JuteBuffer.BYTES);
    }
}
