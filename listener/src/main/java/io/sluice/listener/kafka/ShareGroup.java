package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the brokers do for a share group. What nobody has decided for the group is decided at start, as a group's setting that people can see and change:
///
/// | setting of the group | Kafka's own | becomes | why |
/// | --- | --- | --- | --- |
/// | `share.auto.offset.reset` | latest | earliest | what was sent before the first start would never be delivered |
/// | `share.delivery.count.limit` | 5 | 10 | each stop in the middle of a job costs a delivery |
///
/// Immutable.
///
/// @param mostDeliveries how often a record is delivered. When the last of these deliveries ends without an acknowledgement, the broker archives the record: nobody
///     gets it any more
record ShareGroup(int mostDeliveries) {
    private static final Logger log = LoggerFactory.getLogger(ShareGroup.class);

    private static final String BEGINS_AT = "share.auto.offset.reset";
    private static final String DELIVERIES = "share.delivery.count.limit";
    private static final String RENEWS = "share.renew.acknowledge.enable";

    private static final Duration SPREADS_WITHIN = Duration.ofSeconds(10);

    /// A broker's own, unless it says something else.
    private static final int USUAL_DELIVERIES = 5;

    /// As many as a broker allows, unless it is told to allow more.
    private static final int WANTED_DELIVERIES = 10;

    /// Reads the group's settings and makes those that are missing.
    static ShareGroup prepare(KafkaSettings settings) {
        var group = new ConfigResource(ConfigResource.Type.GROUP, settings.group());
        try (Admin admin = Admin.create(settings.producer())) {
            Config config = describe(admin, group);
            if (config == null) {
                return new ShareGroup(deliveries(group.name(), null)); // who knows what is decided
            }
            requireRenewals(group.name(), config);
            if (!isDecided(config, BEGINS_AT) && !set(admin, group, BEGINS_AT, "earliest")) {
                log.warn(
                        "Share group {} has no {}, and it could not be set to earliest: what was sent before the group's first start may never be delivered. Set it by hand, or allow this client to.",
                        group.name(),
                        BEGINS_AT);
            }
            if (!isDecided(config, DELIVERIES)
                    && set(admin, group, DELIVERIES, Integer.toString(WANTED_DELIVERIES))) {
                return new ShareGroup(WANTED_DELIVERIES);
            }
            return new ShareGroup(deliveries(group.name(), config));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "Interrupted while looking at the settings of share group " + group.name(), e);
        }
    }

    /// Whether this delivery is the last one: it must not end without an acknowledgement.
    boolean isLast(int delivery) {
        return delivery >= mostDeliveries;
    }

    private static @Nullable Config describe(Admin admin, ConfigResource group)
            throws InterruptedException {
        try {
            return admin.describeConfigs(List.of(group)).all().get().get(group);
        } catch (ExecutionException e) {
            log.warn(
                    "The settings of share group {} cannot be read: {}. Allow this client to describe them.",
                    group.name(),
                    String.valueOf(e.getCause()));
            return null;
        }
    }

    private static void requireRenewals(String group, @Nullable Config config) {
        if ("false".equals(value(config, RENEWS))) {
            throw new IllegalStateException(
                    "Share group %s has %s=false, so that no lock can be renewed, and a job that is longer than a lock would be done again and again. Set it to true, or use a consumer group."
                            .formatted(group, RENEWS));
        }
    }

    private static int deliveries(String group, @Nullable Config config) {
        String said = value(config, DELIVERIES);
        if (said == null) {
            log.warn(
                    "Nobody says how often a record of share group {} is delivered before it is archived; taken for {}. If the brokers' group.share.delivery.count.limit is lower, records can be lost.",
                    group,
                    USUAL_DELIVERIES);
            return USUAL_DELIVERIES;
        }
        return Integer.parseInt(said);
    }

    private static @Nullable String value(@Nullable Config config, String name) {
        ConfigEntry entry = config == null ? null : config.get(name);
        return entry == null ? null : entry.value();
    }

    private static boolean isDecided(@Nullable Config config, String name) {
        ConfigEntry entry = config == null ? null : config.get(name);
        return entry != null && entry.source() == ConfigSource.DYNAMIC_GROUP_CONFIG;
    }

    private static boolean set(Admin admin, ConfigResource group, String name, String value)
            throws InterruptedException {
        var set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
        try {
            admin.incrementalAlterConfigs(Map.of(group, List.of(set))).all().get();
            awaitKnown(admin, group, name, value);
            return true;
        } catch (ExecutionException e) {
            log.info(
                    "{}={} could not be set for share group {}: {}",
                    name,
                    value,
                    group.name(),
                    String.valueOf(e.getCause()));
            return false;
        }
    }

    /// Brokers learn it from their controller: the group's first member must not be earlier, or the group begins where the brokers' own setting says.
    private static void awaitKnown(Admin admin, ConfigResource group, String name, String value)
            throws InterruptedException {
        long end = System.nanoTime() + SPREADS_WITHIN.toNanos();
        Config known = describe(admin, group);
        while (known != null && !value.equals(value(known, name))) {
            if (System.nanoTime() - end > 0) {
                log.warn(
                        "{}={} was set for share group {}, but the brokers do not show it after {}.",
                        name,
                        value,
                        group.name(),
                        SPREADS_WITHIN);
                return;
            }
            Thread.sleep(20);
            known = describe(admin, group);
        }
    }
}
