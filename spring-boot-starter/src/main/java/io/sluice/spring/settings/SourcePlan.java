package io.sluice.spring.settings;

import io.sluice.listener.lane.Order;
import io.sluice.spring.ListenerConfigurationException;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// Checks what the properties say about a source as a whole: settings that are right by themselves and wrong together.
///
/// Immutable.
///
/// @param address the queue's name or URL, or the topic
/// @param queue whether it is a queue; otherwise a topic
/// @param lanes those that have a method
public record SourcePlan(
        String name,
        String address,
        boolean queue,
        SourceProperties said,
        Collection<String> lanes) {
    private static final Duration LONGEST_POLL = Duration.ofSeconds(20);

    public SourcePlan {
        lanes = new TreeSet<>(lanes);
        requireLanesThatExist(name, said, lanes);
        requireOneClassifier(name, said, lanes);
        if (queue) {
            requireLeasesThatFit(name, said);
            requireNothingAboutTopics(name, said);
            requireKeysForOrder(name, address, said);
        } else {
            requireNothingAboutQueues(name, said);
        }
        said.lanes()
                .forEach(
                        (lane, settings) -> {
                            if (said.shareGroup()
                                    && settings.order() != null
                                    && settings.order() != Order.NONE) {
                                throw wrong(
                                        name,
                                        "share-group=true contradicts %s=%s: a share group has no order."
                                                .formatted(
                                                        ListenerProperties.name(
                                                                name, "lanes." + lane + ".order"),
                                                        settings.order()
                                                                .name()
                                                                .toLowerCase(Locale.ROOT)),
                                        "Use a consumer group, or no order.");
                            }
                        });
    }

    private static void requireNothingAboutTopics(String name, SourceProperties said) {
        if (said.shareGroup()) {
            throw wrong(
                    name,
                    "share-group=true is about topics, but " + name + " is a queue.",
                    "Remove it.");
        }
        if (said.group() != null) {
            throw wrong(
                    name,
                    "group=" + said.group() + " is about topics, but " + name + " is a queue.",
                    "Remove it.");
        }
    }

    private static void requireNothingAboutQueues(String name, SourceProperties said) {
        SourceProperties unsaid = SourceProperties.defaults();
        String setting = null;
        if (said.deadLetters() != null) {
            setting = "dead-letters=" + said.deadLetters();
        } else if (said.dropDeadLetters()) {
            setting = "drop-dead-letters=true";
        } else if (!said.lease().equals(unsaid.lease())) {
            setting = "lease=" + said.lease();
        } else if (!said.longPoll().equals(unsaid.longPoll())) {
            setting = "long-poll=" + said.longPoll();
        }
        if (setting != null) {
            throw wrong(
                    name,
                    setting + " is about queues, but " + name + " is a topic.",
                    "Remove it; dead letters of a topic go to the topic "
                            + name
                            + "-dead-letters.");
        }
    }

    /// Only messages of a FIFO queue have something to keep order by, and only such a queue has a name like that.
    private static void requireKeysForOrder(String name, String address, SourceProperties said) {
        said.lanes()
                .forEach(
                        (lane, settings) -> {
                            if (settings.order() == Order.KEY && !address.endsWith(".fifo")) {
                                throw wrong(
                                        name,
                                        "lanes.%s.order=key contradicts the queue %s, which is not FIFO: its messages have no group to keep order by."
                                                .formatted(lane, address),
                                        "Use a queue whose name ends in .fifo, or no order.");
                            }
                        });
    }

    /// An idle poll cannot be cut off without leaving messages in flight to nobody, so a stop lasts as long as a poll may.
    public void requireTimeToStop(Duration shutdown) {
        if (queue && shutdown.minusSeconds(2).compareTo(said.longPoll()) < 0) {
            throw new ListenerConfigurationException(
                    "%s.shutdown=%s leaves no time for the poll in progress to end, which may take %s (%s)."
                            .formatted(
                                    ListenerProperties.PREFIX,
                                    shutdown,
                                    said.longPoll(),
                                    ListenerProperties.name(name, "long-poll")),
                    "Make shutdown at least two seconds longer than long-poll.");
        }
    }

    private static void requireLanesThatExist(
            String name, SourceProperties said, Collection<String> lanes) {
        Set<String> unknown = new TreeSet<>(said.lanes().keySet());
        if (said.laneOtherwise() != null) {
            unknown.add(said.laneOtherwise());
        }
        unknown.removeAll(lanes);
        if (!unknown.isEmpty()) {
            throw new ListenerConfigurationException(
                    "%s names the lanes %s, but the methods of %s have the lanes %s."
                            .formatted(
                                    ListenerProperties.name(name, "lanes (or lane-otherwise)"),
                                    unknown,
                                    name,
                                    lanes),
                    "Correct the name here or in @SluiceListener(lane = …).");
        }
    }

    private static void requireOneClassifier(
            String name, SourceProperties said, Collection<String> lanes) {
        if (said.laneFromAttribute() != null && said.laneFromJson() != null) {
            throw wrong(
                    name,
                    "lane-from-attribute=%s contradicts %s=%s."
                            .formatted(
                                    said.laneFromAttribute(),
                                    ListenerProperties.name(name, "lane-from-json"),
                                    said.laneFromJson()),
                    "Keep one of them.");
        }
        if (said.laneFromJson() != null && !said.laneFromJson().startsWith("/")) {
            throw wrong(
                    name,
                    "lane-from-json=" + said.laneFromJson() + " is no JSON pointer.",
                    "Write /" + said.laneFromJson() + ".");
        }
        if (lanes.size() > 1 && said.laneFromAttribute() == null && said.laneFromJson() == null) {
            throw new ListenerConfigurationException(
                    "%s has the lanes %s, but neither %s nor %s says which message belongs to which."
                            .formatted(
                                    name,
                                    lanes,
                                    ListenerProperties.name(name, "lane-from-attribute"),
                                    ListenerProperties.name(name, "lane-from-json")),
                    "Set one of them.");
        }
    }

    private static void requireLeasesThatFit(String name, SourceProperties said) {
        if (said.longPoll().compareTo(LONGEST_POLL) > 0) {
            throw wrong(
                    name,
                    "long-poll=" + said.longPoll() + " is longer than SQS lets a poll wait.",
                    "Use at most 20s.");
        }
        if (said.longestJob().compareTo(said.lease()) < 0) {
            throw wrong(
                    name,
                    "longest-job=%s is shorter than %s=%s: the lease would never be renewed."
                            .formatted(
                                    said.longestJob(),
                                    ListenerProperties.name(name, "lease"),
                                    said.lease()),
                    "Raise the first or lower the second.");
        }
    }

    private static ListenerConfigurationException wrong(String name, String what, String action) {
        return new ListenerConfigurationException(ListenerProperties.name(name, what), action);
    }
}
