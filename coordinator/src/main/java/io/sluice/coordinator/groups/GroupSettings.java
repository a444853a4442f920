package io.sluice.coordinator.groups;

import io.sluice.settings.Settings;
import java.time.Duration;
import java.util.Map;

/// What an operator can decide about groups. Immutable.
///
/// The initial delay gathers members that start together, so that they get one rebalance and not one each. Kafka waits 3 s, which every
/// single consumer and every test pays. The members of one process join within tens of milliseconds, and here each newcomer
/// extends the wait up to the limit; so a short delay gathers them just as well, and a lone consumer starts at once.
public record GroupSettings(
        Duration initialDelay,
        Duration initialDelayLimit,
        Duration sessionMin,
        Duration sessionMax,
        Duration newMemberPatience,
        Duration offsetsRetention,
        Duration expiryInterval,
        Limits limits) {

    /// @param groupsMax on one partition of the offsets topic
    /// @param memberBytesMax what one member sends, over all its protocols
    /// @param groupBytesMax all subscriptions of a group together, and all assignments
    public record Limits(
            int membersMax,
            int groupsMax,
            long memberBytesMax,
            long groupBytesMax,
            int offsetMetadataBytesMax) {

        static Limits from(Settings s) {
            return new Limits(
                    s.integer(
                            "group.members-max",
                            5_000,
                            1,
                            1_000_000,
                            "Members that one group may have."),
                    s.integer(
                            "group.groups-max",
                            100_000,
                            1,
                            Integer.MAX_VALUE,
                            "Groups that one partition of the offsets topic may hold."),
                    s.size(
                            "group.member-bytes-max",
                            "1MiB",
                            1_024,
                            "Size of what one member may send as its subscription."),
                    s.size(
                            "group.group-bytes-max",
                            "6MiB",
                            1_024,
                            "Size of all subscriptions of a group together, and of all assignments."),
                    s.integer(
                            "group.offset-metadata-bytes-max",
                            4_096,
                            0,
                            30_000,
                            "Size of the text that may go with a committed offset."));
        }
    }

    public static GroupSettings from(Settings s) {
        return new GroupSettings(
                s.duration(
                        "group.initial-rebalance-delay",
                        "200ms",
                        Duration.ZERO,
                        "How long an empty group waits for more members after the first; each newcomer extends it."),
                s.duration(
                        "group.initial-rebalance-delay-limit",
                        "3s",
                        Duration.ZERO,
                        "How far newcomers can extend the initial delay altogether."),
                s.duration(
                        "group.session-timeout-min",
                        "6s",
                        Duration.ofMillis(1),
                        "The shortest session time-out a member may ask for."),
                s.duration(
                        "group.session-timeout-max",
                        "30m",
                        Duration.ofMillis(1),
                        "The longest session time-out a member may ask for."),
                s.duration(
                        "group.new-member-patience",
                        "5m",
                        Duration.ofSeconds(1),
                        "How long a first join may wait for a rebalance before its member is given up."),
                s.duration(
                        "group.offsets-retention",
                        "7d",
                        Duration.ofMinutes(1),
                        "How long offsets are kept after their group has become empty."),
                s.duration(
                        "group.expiry-interval",
                        "10m",
                        Duration.ofSeconds(1),
                        "How often expired offsets are looked for."),
                Limits.from(s));
    }

    public static GroupSettings defaults() {
        return from(new Settings(Map.of()));
    }
}
