package io.sluice.kafka.api.topics;

import org.jspecify.annotations.Nullable;

/// What a configuration request is about, with the protocol's numbers.
enum ConfigResource {
    TOPIC(2),
    BROKER(4),
    BROKER_LOGGER(8),
    CLIENT_METRICS(16),
    GROUP(32);

    private final byte id;

    ConfigResource(int id) {
        this.id = (byte) id;
    }

    static @Nullable ConfigResource find(byte id) {
        for (ConfigResource resource : values()) {
            if (resource.id == id) {
                return resource;
            }
        }
        return null;
    }
}
