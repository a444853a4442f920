package io.sluice.coordinator.groups;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which topics consumers subscribe to, read out of what they tell each other (`ConsumerProtocolSubscription`). Pure.
///
/// | bytes | field                                             |
/// |-------|---------------------------------------------------|
/// | 2     | version; later ones only append                   |
/// | 4     | number of topics                                  |
/// | 2 + n | each topic's name, with its length                |
/// | …     | user data, owned partitions: not our business     |
final class Subscriptions {
    /// The protocol type of consumers; for any other the bytes mean something else.
    static final String CONSUMER = "consumer";

    private Subscriptions() {}

    /// Null when it is not known, because members are no consumers or say something unreadable.
    static @Nullable Set<String> topics(Generation generation) {
        if (!CONSUMER.equals(generation.protocolType())) {
            return null;
        }
        Set<String> topics = new TreeSet<>();
        for (Generation.GenerationMember member : generation.members()) {
            Set<String> ofMember = topics(member.subscription());
            if (ofMember == null) {
                return null;
            }
            topics.addAll(ofMember);
        }
        return topics;
    }

    static @Nullable Set<String> topics(Blob subscription) {
        ByteBuffer in = subscription.buffer();
        Set<String> topics = new TreeSet<>();
        try {
            in.getShort();
            int count = in.getInt();
            if (count < 0 || count > in.remaining() / 2) {
                return null;
            }
            for (int i = 0; i < count; i++) {
                int length = in.getShort();
                if (length < 0 || length > in.remaining()) {
                    return null;
                }
                byte[] name = new byte[length];
                in.get(name);
                topics.add(new String(name, StandardCharsets.UTF_8));
            }
        } catch (BufferUnderflowException e) {
            return null;
        }
        return topics;
    }
}
