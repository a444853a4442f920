package io.sluice.gateway;

import io.sluice.settings.Settings;
import java.time.Duration;

/// Limits of the listeners. Immutable.
public record GatewayConfig(
        int connectionsMax,
        int connectionsPerAddressMax,
        int requestBytesMax,
        int requestsInFlightMax,
        long bytesInFlightMax,
        Duration idleTimeout) {

    public static GatewayConfig from(Settings settings) {
        return new GatewayConfig(
                settings.integer(
                        "gateway.connections-max",
                        15_000,
                        1,
                        1_000_000,
                        "Open client connections; one more is closed at once."),
                settings.integer(
                        "gateway.connections-per-address-max",
                        15_000,
                        1,
                        1_000_000,
                        "Open connections from one client address."),
                Math.toIntExact(
                        Math.min(
                                Integer.MAX_VALUE,
                                settings.size(
                                        "gateway.request-bytes-max",
                                        "100MiB",
                                        1024,
                                        "Largest request; a larger one closes its connection."))),
                settings.integer(
                        "gateway.requests-in-flight-max",
                        128,
                        1,
                        100_000,
                        "Requests of one connection that may be unanswered; at the limit its socket is not read."),
                settings.size(
                        "gateway.bytes-in-flight-max",
                        "256MiB",
                        1 << 20,
                        "Request bytes held by all connections together; at the limit sockets are not read."),
                settings.duration(
                        "gateway.idle-timeout",
                        "10m",
                        Duration.ofMillis(100),
                        "A connection without a request for this long is closed."));
    }
}
