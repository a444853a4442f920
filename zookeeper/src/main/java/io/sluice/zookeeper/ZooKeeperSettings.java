package io.sluice.zookeeper;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Quantities;
import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// How a broker reaches the ensemble. Immutable.
///
/// @param servers host:port of each; empty when no external ensemble is named
/// @param root the znode below which everything of this cluster is
/// @param largestRequest in bytes: what the servers accept at once (their `jute.maxbuffer`)
public record ZooKeeperSettings(
        List<String> servers,
        String root,
        Duration sessionTimeout,
        Duration startTimeout,
        int largestRequest,
        Login login,
        TlsStores tls) {
    private static final String DEFAULT_ROOT = "/sluice";

    /// Who we are to the ensemble; with an empty user nobody, and everybody may do everything.
    public record Login(String user, Secret password) {
        static final Login NONE = new Login("", Secret.NONE);

        boolean isNobody() {
            return user.isEmpty();
        }
    }

    public static ZooKeeperSettings from(Settings settings) {
        List<String> given =
                settings.list(
                        "cluster.zookeeper",
                        List.of(),
                        List.of(),
                        "host:port of each server of an external ZooKeeper ensemble, and behind the"
                                + " last one, if wanted, the node below which this cluster keeps"
                                + " everything (default "
                                + DEFAULT_ROOT
                                + "). Empty: the ensemble of cluster.ensemble, or a single node.");
        Duration sessionTimeout =
                settings.duration(
                        "cluster.zookeeper.session-timeout",
                        "6s",
                        Duration.ofSeconds(1),
                        "After so long without a sign of life ZooKeeper forgets a broker, which"
                                + " then registers anew. Dead brokers are noticed earlier, by their"
                                + " heartbeats.");
        Duration startTimeout =
                settings.duration(
                        "cluster.zookeeper.start-timeout",
                        "60s",
                        Duration.ofSeconds(1),
                        "How long a starting broker waits for the ensemble.");
        long largest =
                settings.size(
                        "cluster.zookeeper.jute-maxbuffer",
                        "1MiB",
                        64 << 10,
                        "Largest request that the external ensemble accepts: jute.maxbuffer of its"
                                + " servers, in which they must agree. Bounds how much a topic with"
                                + " very many partitions can take.");
        Login login =
                new Login(
                        settings.text(
                                "cluster.zookeeper.user",
                                "",
                                "User for ZooKeeper's digest authentication; what brokers write is"
                                        + " then readable and writable for this user alone."),
                        Secret.from(
                                settings,
                                "cluster.zookeeper.password",
                                "Password of cluster.zookeeper.user."));
        if (login.isNobody() != login.password().isEmpty()) {
            throw new InvalidSetting(
                    "cluster.zookeeper.user",
                    "'cluster.zookeeper.user' and 'cluster.zookeeper.password' (or '-file') go"
                            + " together; only one of them is set.");
        }
        return new ZooKeeperSettings(
                servers(given),
                root(given),
                sessionTimeout,
                startTimeout,
                (int) Math.min(largest, Integer.MAX_VALUE),
                login,
                TlsStores.from(settings, "cluster.zookeeper.tls", "towards an external ensemble"));
    }

    /// The same, for another set of servers.
    public ZooKeeperSettings at(List<String> otherServers, int requestBytes) {
        return new ZooKeeperSettings(
                otherServers, root, sessionTimeout, startTimeout, requestBytes, login, tls);
    }

    private static List<String> servers(List<String> given) {
        List<String> servers = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            String server = given.get(i);
            int slash = server.indexOf('/');
            if (slash >= 0 && i < given.size() - 1) {
                throw invalid(server, "has a path, which may only stand behind the last server");
            }
            String address = slash < 0 ? server : server.substring(0, slash);
            if (!address.matches("(\\[[0-9a-fA-F:.]+]|[^:\\s]+):[0-9]{1,5}")) {
                throw invalid(server, "is not host:port");
            }
            servers.add(address);
        }
        return List.copyOf(servers);
    }

    private static String root(List<String> given) {
        if (given.isEmpty() || given.getLast().indexOf('/') < 0) {
            return DEFAULT_ROOT;
        }
        String last = given.getLast();
        String root = last.substring(last.indexOf('/'));
        if (!root.matches("(/[A-Za-z0-9._-]+)+") || root.startsWith("/zookeeper")) {
            throw invalid(
                    last,
                    "has the path "
                            + root
                            + ", which is not allowed: names of letters, digits, '.', '_' and '-',"
                            + " each behind a '/', and not /zookeeper");
        }
        return root;
    }

    private static InvalidSetting invalid(String server, String complaint) {
        return new InvalidSetting(
                "cluster.zookeeper",
                "Setting 'cluster.zookeeper' names '"
                        + server
                        + "', which "
                        + complaint
                        + ". An example: zk1:2181,zk2:2181,zk3:2181/sluice");
    }

    /// For sentences.
    String where() {
        return String.join(", ", servers);
    }

    String largestRequestText() {
        return Quantities.formatSize(largestRequest);
    }
}
