package io.sluice.zookeeper;

import io.sluice.settings.Settings;
import io.sluice.zookeeper.EnsembleSettings.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// Some members of an ensemble in this process, on real sockets and files. Owned by its test class.
final class TestEnsemble implements AutoCloseable {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    private final Path folder;
    private final EnsembleSettings settings;
    private final SortedMap<Integer, EmbeddedEnsemble> running = new ConcurrentSkipListMap<>();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());

    TestEnsemble(Path folder, int members) throws IOException {
        this(folder, members, TlsStores.NONE);
    }

    TestEnsemble(Path folder, int members, TlsStores tls) throws IOException {
        this.folder = folder;
        Set<Integer> taken = new HashSet<>();
        List<Member> all = new ArrayList<>();
        for (int id = 1; id <= members; id++) {
            all.add(new Member(id, "127.0.0.1", freePort(taken), freePort(taken), freePort(taken)));
        }
        this.settings = new EnsembleSettings(List.copyOf(all), tls);
        for (Member member : all) {
            start(member.id());
        }
    }

    /// Below the range from which outgoing connections get theirs.
    static int freePort(Set<Integer> taken) throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(23_000, 32_000);
            if (taken.add(port)) {
                try (ServerSocket held =
                        new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                    return held.getLocalPort();
                } catch (IOException _) {
                    // Somebody else's.
                }
            }
        }
    }

    EnsembleSettings settings() {
        return settings;
    }

    List<String> failures() {
        return failures;
    }

    void start(int id) {
        Member member = settings.members().get(id - 1);
        running.put(
                id,
                EmbeddedEnsemble.start(
                        settings, member, folder.resolve("zookeeper-" + id), failures::add));
    }

    void stop(int id) {
        EmbeddedEnsemble member = running.remove(id);
        if (member != null) {
            member.close();
        }
    }

    /// Its disk is replaced by an empty one.
    void wipe(int id) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("zookeeper-" + id))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    String role(int id) {
        EmbeddedEnsemble member = running.get(id);
        return member == null ? "ABSENT" : member.role();
    }

    boolean serves(int id) {
        EmbeddedEnsemble member = running.get(id);
        return member != null && member.serves();
    }

    /// Waits until all that run are with it: an ensemble whose third member still copies has no majority once the second one ends.
    int leader() throws InterruptedException {
        while (true) {
            if (!running.values().stream().allMatch(EmbeddedEnsemble::serves)) {
                Thread.sleep(10);
                continue;
            }
            for (Map.Entry<Integer, EmbeddedEnsemble> member : running.entrySet()) {
                if (member.getValue().role().equals("LEADING")) {
                    return member.getKey();
                }
            }
            Thread.sleep(10);
        }
    }

    void expire(long session) throws InterruptedException {
        EmbeddedEnsemble leader = running.get(leader());
        if (leader != null) {
            leader.expire(session);
        }
    }

    /// A part of the tree that no other test uses.
    static String newRoot() {
        return "/test/" + ROOTS.incrementAndGet();
    }

    ZooKeeperSettings clients(String root) {
        return clients(
                root, settings.members().stream().map(Member::clientAddress).toList(), Map.of());
    }

    static ZooKeeperSettings clients(
            String root, List<String> servers, Map<String, String> moreSettings) {
        Map<String, String> given = new TreeMap<>(moreSettings);
        given.put("cluster.zookeeper", String.join(",", servers) + root);
        given.putIfAbsent("cluster.zookeeper.start-timeout", "3m");
        given.putIfAbsent("cluster.zookeeper.session-timeout", "30s");
        given.putIfAbsent("cluster.zookeeper.jute-maxbuffer", "8MiB");
        return ZooKeeperSettings.from(new Settings(given));
    }

    static Duration patience() {
        return Duration.ofMinutes(3);
    }

    @Override
    public void close() {
        running.values().forEach(EmbeddedEnsemble::close);
        running.clear();
    }
}
