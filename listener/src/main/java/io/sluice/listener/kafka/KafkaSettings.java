package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a [KafkaSource] listens to, and how.
///
/// Immutable.
///
/// @param client kafka-clients settings for consumer and producer: at least `bootstrap.servers` and `group.id`
/// @param deadLetters what is appended to a topic's name for its dead letters
/// @param mostDeferred how many records of a partition may wait to come again, before nothing new is read from it
/// @param commitEvery how often progress is committed
/// @param revokePatience how long a rebalance waits for jobs of partitions that go away, at most half of `max.poll.interval.ms`
/// @param longestJob a job that takes longer is cancelled and has failed
public record KafkaSettings(
        Map<String, Object> client,
        List<String> topics,
        String deadLetters,
        int mostDeferred,
        Duration commitEvery,
        Duration revokePatience,
        Duration longestJob) {
    private static final Duration LONGEST_COMMIT = Duration.ofSeconds(10);

    public KafkaSettings {
        client = Map.copyOf(client);
        topics = List.copyOf(topics);
        require(client, "bootstrap.servers");
        require(client, "group.id");
        if (topics.isEmpty()) {
            throw new IllegalArgumentException("A Kafka source needs at least one topic.");
        }
        if ("true".equals(String.valueOf(client.get("enable.auto.commit")))) {
            throw new IllegalArgumentException(
                    "enable.auto.commit=true would commit records whose jobs have not ended. Remove it: the listener commits what is done.");
        }
        Object perPoll = client.getOrDefault("max.poll.records", 1);
        if (!"1".equals(String.valueOf(perPoll).strip())) {
            throw new IllegalArgumentException(
                    "max.poll.records=%s would bring records that no slot waits for. Remove it: the listener takes them one by one, each when there is room for it."
                            .formatted(perPoll));
        }
    }

    public static KafkaSettings of(Map<String, Object> client, String... topics) {
        return new KafkaSettings(
                client,
                List.of(topics),
                "-dead-letters",
                10_000,
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofHours(1));
    }

    public KafkaSettings revokePatience(Duration patience) {
        return new KafkaSettings(
                client, topics, deadLetters, mostDeferred, commitEvery, patience, longestJob);
    }

    public KafkaSettings longestJob(Duration time) {
        return new KafkaSettings(
                client, topics, deadLetters, mostDeferred, commitEvery, revokePatience, time);
    }

    private static void require(Map<String, Object> client, String key) {
        if (!client.containsKey(key)) {
            throw new IllegalArgumentException(
                    "A Kafka source needs " + key + " among its client settings.");
        }
    }

    String group() {
        return String.valueOf(client.get("group.id"));
    }

    /// How often a member tells its group that it is there: what is set, or the clients' own three seconds.
    Duration heartbeat() {
        Object millis = client.getOrDefault("heartbeat.interval.ms", 3_000);
        return Duration.ofMillis(Long.parseLong(String.valueOf(millis)));
    }

    /// How long a rebalance waits for jobs to end: half of what the group allows between two polls, at most.
    Duration jobsAtRevoke() {
        return shorter(revokePatience, pollInterval().dividedBy(2));
    }

    /// How long it waits for the commit after that.
    Duration commitAtRevoke() {
        return shorter(LONGEST_COMMIT, pollInterval().dividedBy(4));
    }

    /// A member that has not polled for so long is no longer one: what is set, or the clients' own five minutes.
    private Duration pollInterval() {
        Object millis = client.getOrDefault("max.poll.interval.ms", 300_000);
        return Duration.ofMillis(Long.parseLong(String.valueOf(millis)));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /// Whether the consumer goes on at the first record there is, when the one that it wanted is gone.
    boolean resetsToEarliest() {
        return "earliest".equals(String.valueOf(consumer().get("auto.offset.reset")));
    }

    Map<String, Object> consumer() {
        Map<String, Object> all = new HashMap<>(client);
        all.putIfAbsent("auto.offset.reset", "earliest");
        // One at a time, however many the client has fetched: a compressed batch of a megabyte can
        // be a gigabyte of records, and only those that somebody has room for are unpacked.
        all.put("max.poll.records", 1);
        all.putIfAbsent("fetch.max.bytes", mostFetched());
        all.put("enable.auto.commit", false);
        // Otherwise a topic that is deleted would be made again by whoever listens to it.
        all.putIfAbsent("allow.auto.create.topics", false);
        return all;
    }

    /// What the client may fetch ahead in one answer of a broker: its own 50 MiB, or an eighth of a small heap.
    private static int mostFetched() {
        return (int) Math.min(50 << 20, Runtime.getRuntime().maxMemory() / 8);
    }

    /// Nothing but where the brokers are and how to be let in.
    Map<String, Object> producer() {
        Map<String, Object> all = new HashMap<>();
        client.forEach(
                (key, value) -> {
                    if (key.equals("bootstrap.servers")
                            || key.equals("security.protocol")
                            || key.startsWith("sasl.")
                            || key.startsWith("ssl.")) {
                        all.put(key, value);
                    }
                });
        return all;
    }

    String deadLetterTopic(String topic) {
        return topic + deadLetters;
    }
}
