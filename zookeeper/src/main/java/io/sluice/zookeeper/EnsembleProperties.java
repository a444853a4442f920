package io.sluice.zookeeper;

import io.sluice.zookeeper.EnsembleSettings.Member;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/// How the server inside a broker is set up, in ZooKeeper's own words. Stateless.
final class EnsembleProperties {
    private static final int TICK_MILLIS = 500;

    private EnsembleProperties() {}

    static Properties of(EnsembleSettings settings, Member self, Path folder) {
        Properties properties = new Properties();
        properties.setProperty("dataDir", folder.toString());
        properties.setProperty("clientPortAddress", unbracketed(self.host()));
        properties.setProperty("clientPort", "" + self.clientPort());
        properties.setProperty("tickTime", "" + TICK_MILLIS);
        // Ten seconds to take over the leader's data, two without a word from it: when a broker
        // hangs that has the ensemble's
        // leader in it, there is another before its partitions need one
        // (cluster.heartbeat-timeout).
        properties.setProperty("initLimit", "20");
        properties.setProperty("syncLimit", "4");
        // Three ticks to connect to it: one that cannot be reached is tried again soon, and not
        // when TCP sees fit.
        properties.setProperty("connectToLearnerMasterLimit", "3");
        properties.setProperty("minSessionTimeout", "1000");
        properties.setProperty("maxSessionTimeout", "120000");
        properties.setProperty("maxClientCnxns", "1000");
        properties.setProperty("standaloneEnabled", "false");
        properties.setProperty("autopurge.snapRetainCount", "3");
        properties.setProperty("autopurge.purgeInterval", "1");
        for (Member member : settings.members()) {
            properties.setProperty(
                    "server." + member.id(),
                    member.host() + ":" + member.quorumPort() + ":" + member.electionPort());
        }
        tls(settings.tls(), properties);
        return properties;
    }

    static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static void tls(TlsStores tls, Properties properties) {
        if (!tls.isOn()) {
            return;
        }
        properties.setProperty("sslQuorum", "true");
        Map<String, String> stores = new TreeMap<>();
        stores.put("keyStore.location", tls.keyStore());
        stores.put("keyStore.password", tls.keyStorePassword().reveal());
        stores.put("trustStore.location", tls.trustStore());
        stores.put("trustStore.password", tls.trustStorePassword().reveal());
        stores.forEach((name, value) -> properties.setProperty("ssl.quorum." + name, value));
    }

    /// What ZooKeeper takes from the process as a whole, and looks at when its classes are first used. What somebody has set before stays.
    static void prepareProcess() {
        Map<String, String> values = new TreeMap<>();
        values.put("zookeeper.admin.enableServer", "false");
        // A member without a snapshot has lost its data, and does not vote (FirstStart).
        values.put("zookeeper.db.autocreate", "false");
        values.put("zookeeper.4lw.commands.whitelist", "srvr,mntr");
        values.put("zookeeper.jmx.log4j.disable", "true");
        // In KiB. The log grows in such steps; the default of 64 MiB is for another amount of
        // writes.
        values.put("zookeeper.preAllocSize", "4096");
        values.put("zookeeper.snapCount", "20000");
        // A handful of brokers are the only clients.
        values.put("zookeeper.nio.numSelectorThreads", "1");
        values.put("zookeeper.nio.numWorkerThreads", "2");
        values.put("zookeeper.commitProcessor.numWorkerThreads", "1");
        // Members that vote ask each other one after the other: one that is cut off must not hold
        // up the rest for long.
        values.put("zookeeper.cnxTimeout", "1000");
        // A follower is often earlier than the leader that it has voted for. It tries five times;
        // when all were too early,
        // seconds pass until the members vote again, so that longer rests make for shorter
        // elections on a busy machine.
        values.put("zookeeper.leaderConnectDelayDuringRetryMs", "200");
        // A member that is elected waits for the others; if one of them is still voting after this
        // time, it votes again.
        // The default are the ten seconds of initLimit: for so long there would be no ensemble when
        // a follower was
        // too early for its leader on a busy machine.
        values.put("zookeeper.leader.maxTimeToWaitForEpoch", "1000");
        // One that is alone asks the others again, each time after twice as long, up to a minute:
        // so
        // long it could stay away
        // when it is cut off no more, and the next who is cut off would be one too many.
        values.put("zookeeper.fastleader.maxNotificationInterval", "1000");
        values.put("zookeeper.leader.closeSocketAsync", "true");
        values.put("zookeeper.learner.closeSocketAsync", "true");
        values.forEach(
                (name, value) -> {
                    if (System.getProperty(name) == null) {
                        System.setProperty(name, value);
                    }
                });
    }
}
