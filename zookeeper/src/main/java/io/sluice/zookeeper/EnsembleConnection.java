package io.sluice.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A session with the ensemble, and a new one whenever ZooKeeper has ended it: Curator's part.
///
/// Only its connection is used. Its operations repeat by themselves what may have happened already, which is what a commit must never do.
/// Thread-safe: Curator's client is.
final class EnsembleConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EnsembleConnection.class);
    private static final String NETTY_SOCKET = "org.apache.zookeeper.ClientCnxnSocketNetty";
    private static final int CLOSE_MILLIS = 2_000;

    private final CuratorZookeeperClient client;
    private final List<ACL> access;
    private volatile @Nullable NearestFirst nearest;

    /// @param watcher hears of the connection's states, on ZooKeeper's thread
    EnsembleConnection(ZooKeeperSettings settings, Watcher watcher) {
        int sessionMillis = Math.toIntExact(settings.sessionTimeout().toMillis());
        client =
                new CuratorZookeeperClient(
                        factory(settings),
                        new FixedEnsembleProvider(String.join(",", settings.servers())),
                        sessionMillis,
                        sessionMillis,
                        watcher,
                        new RetryOneTime(1),
                        false);
        access =
                settings.login().isNobody()
                        ? ZooDefs.Ids.OPEN_ACL_UNSAFE
                        : ZooDefs.Ids.CREATOR_ALL_ACL;
    }

    private ZookeeperFactory factory(ZooKeeperSettings settings) {
        ZooKeeperSettings.Login login = settings.login();
        return (servers, sessionMillis, watcher, readOnly) -> {
            ZooKeeper keeper =
                    settings.nearestFirst()
                            ? new ZooKeeper(
                                    servers,
                                    sessionMillis,
                                    watcher,
                                    readOnly,
                                    nearest(settings),
                                    config(settings))
                            : new ZooKeeper(
                                    servers, sessionMillis, watcher, readOnly, config(settings));
            if (!login.isNobody()) {
                String secret = login.user() + ":" + login.password().reveal();
                keeper.addAuthInfo("digest", secret.getBytes(StandardCharsets.UTF_8));
            }
            return keeper;
        };
    }

    private NearestFirst nearest(ZooKeeperSettings settings) {
        NearestFirst fresh = new NearestFirst(settings.servers());
        nearest = fresh;
        return fresh;
    }

    private static ZKClientConfig config(ZooKeeperSettings settings) {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.JUTE_MAXBUFFER, "" + JuteBuffer.ANSWER_BYTES);
        // Another part of the process may have a JAAS file of its own; it is none of ours.
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        TlsStores tls = settings.tls();
        if (tls.isOn()) {
            config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
            config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, NETTY_SOCKET);
            config.setProperty("zookeeper.ssl.trustStore.location", tls.trustStore());
            config.setProperty(
                    "zookeeper.ssl.trustStore.password", tls.trustStorePassword().reveal());
            if (!tls.keyStore().isEmpty()) {
                config.setProperty("zookeeper.ssl.keyStore.location", tls.keyStore());
                config.setProperty(
                        "zookeeper.ssl.keyStore.password", tls.keyStorePassword().reveal());
            }
        }
        return config;
    }

    void start() {
        try {
            client.start();
        } catch (Exception e) {
            throw new StoreUnreachable("ZooKeeper's client does not start: " + e, e);
        }
    }

    /// The present session. Asked only when it is connected: otherwise Curator might give the session up.
    ZooKeeper keeper() throws Exception {
        return client.getZooKeeper();
    }

    /// With the nearest server, where there is one.
    boolean isHome() {
        NearestFirst present = nearest;
        return present == null || present.isHome();
    }

    /// Ends the connection with a farther server: the nearest one is tried first then. The session goes on.
    void goHome() {
        try {
            client.getZooKeeper().updateServerList(client.getCurrentConnectionString());
        } catch (Exception e) {
            LOG.warn("The own member of the ensemble is not reached yet; tried again soon", e);
        }
    }

    /// Who may read and write what we create.
    List<ACL> access() {
        return access;
    }

    /// Ends the session, and with it what was created for it. Waits a moment for the ensemble.
    @Override
    public void close() {
        client.close(CLOSE_MILLIS);
    }
}
