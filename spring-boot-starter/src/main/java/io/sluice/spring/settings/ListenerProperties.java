package io.sluice.spring.settings;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The properties `sluice.listener.…`.
///
/// Immutable.
///
/// @param enabled whether listeners start with the application
/// @param shutdown how long a stop may take: jobs have four fifths of it to end, the rest is for telling the queue
/// @param phase when listeners start and stop among the other parts of the application: late and early
/// @param sources by the queue's or topic's name
@ConfigurationProperties(ListenerProperties.PREFIX)
public record ListenerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("25s") Duration shutdown,
        @DefaultValue("" + DEFAULT_PHASE) int phase,
        @DefaultValue Sqs sqs,
        @DefaultValue Kafka kafka,
        @DefaultValue Map<String, SourceProperties> sources) {

    public static final String PREFIX = "sluice.listener";

    /// Late enough that everything a listener needs is there, and stopped before the web server, which shows how they stop.
    static final int DEFAULT_PHASE = Integer.MAX_VALUE - 100;

    /// How to reach queues, unless there is an `SqsClient` bean.
    ///
    /// @param endpoint of something else than Amazon
    public record Sqs(
            @Nullable URI endpoint,
            @Nullable String region,
            @Nullable String accessKey,
            @Nullable String secretKey) {}

    /// How to reach topics.
    ///
    /// @param bootstrapServers by default those of `spring.kafka.bootstrap-servers`
    /// @param client further settings of kafka-clients
    public record Kafka(
            @Nullable String bootstrapServers, @DefaultValue Map<String, String> client) {}

    /// The source's properties, or the defaults.
    public SourceProperties source(String name) {
        SourceProperties said = sources.get(name);
        return said == null ? SourceProperties.defaults() : said;
    }

    /// The full name of a property of a source.
    static String name(String source, String property) {
        return PREFIX + ".sources." + source + "." + property;
    }
}
