package io.sluice.spring.settings;

import io.sluice.listener.guard.Guards;
import io.sluice.spring.ListenerConfigurationException;
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
/// @param guards when adaptive limits go down because the machine is at its end
/// @param sources by the queue's or topic's name
@ConfigurationProperties(ListenerProperties.PREFIX)
public record ListenerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("25s") Duration shutdown,
        @DefaultValue("" + DEFAULT_PHASE) int phase,
        @DefaultValue Sqs sqs,
        @DefaultValue Kafka kafka,
        @DefaultValue GuardProperties guards,
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

    /// Shares, above which adaptive limits go down.
    ///
    /// @param heap of the heap that is taken even after a collection
    /// @param container of the container's memory
    /// @param memoryStall of the last ten seconds in which tasks waited for memory
    /// @param cpuStall of the last ten seconds in which tasks waited for CPU
    public record GuardProperties(
            @DefaultValue("0.85") double heap,
            @DefaultValue("0.92") double container,
            @DefaultValue("0.2") double memoryStall,
            @DefaultValue("0.95") double cpuStall) {

        public Guards guards() {
            try {
                return Guards.ofThisProcess(heap, container, memoryStall, cpuStall);
            } catch (IllegalArgumentException e) {
                throw new ListenerConfigurationException(
                        "%s.guards: %s".formatted(PREFIX, e.getMessage()),
                        "Correct it, or leave it away: the defaults are 0.85, 0.92, 0.2 and 0.95.");
            }
        }
    }

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
