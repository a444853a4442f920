package io.sluice.broker;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Settings;
import io.sluice.zookeeper.EnsembleSettings;
import io.sluice.zookeeper.ZooKeeperSettings;

/// Whether this broker is one of several, and where they agree on what is decided. Immutable.
record ClusterConfig(ZooKeeperSettings zookeeper, EnsembleSettings ensemble) {
    static ClusterConfig from(Settings s) {
        ClusterConfig config =
                new ClusterConfig(ZooKeeperSettings.from(s), EnsembleSettings.from(s));
        if (!config.zookeeper().servers().isEmpty() && !config.ensemble().members().isEmpty()) {
            throw new InvalidSetting(
                    "cluster.ensemble",
                    "'cluster.zookeeper' names an external ensemble and 'cluster.ensemble' one inside the brokers; set one of them.");
        }
        return config;
    }

    boolean isSingleNode() {
        return zookeeper.servers().isEmpty() && ensemble.members().isEmpty();
    }
}
