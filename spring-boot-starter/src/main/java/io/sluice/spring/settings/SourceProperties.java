package io.sluice.spring.settings;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The properties `sluice.listener.sources.<name>.…`.
///
/// Immutable.
///
/// @param group of a topic: the consumer group, by default the application's name
/// @param shareGroup of a topic: read by a share group instead of a consumer group
/// @param laneFromAttribute a message's lane is the value of this attribute (header)
/// @param laneFromJson a message's lane is the value at this JSON pointer in its body
/// @param laneOtherwise the lane of messages that do not say; without it they become dead letters
/// @param longPoll of a queue: how long a poll waits for messages
/// @param lease of a queue: for how long a message is invisible to others, renewed while its job runs
/// @param longestJob a job that takes longer is cancelled and has failed; a lease is renewed no longer than that
/// @param deadLetters of a queue: name or URL of the queue for dead letters, by default that of its redrive policy
/// @param dropDeadLetters of a queue: without any, delete dead letters with an entry in the log
public record SourceProperties(
        @Nullable String group,
        @DefaultValue("false") boolean shareGroup,
        @Nullable String laneFromAttribute,
        @Nullable String laneFromJson,
        @Nullable String laneOtherwise,
        @DefaultValue("20s") Duration longPoll,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("1h") Duration longestJob,
        @Nullable String deadLetters,
        @DefaultValue("false") boolean dropDeadLetters,
        @DefaultValue Map<String, LaneProperties> lanes) {

    static SourceProperties defaults() {
        return new SourceProperties(
                null,
                false,
                null,
                null,
                null,
                Duration.ofSeconds(20),
                Duration.ofSeconds(30),
                Duration.ofHours(1),
                null,
                false,
                Map.of());
    }
}
