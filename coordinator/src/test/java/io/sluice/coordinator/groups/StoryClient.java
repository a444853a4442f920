package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.Protocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A consumer in a story: what it remembers of the answers it got.
final class StoryClient {
    final String name;
    @Nullable String instanceId;
    String memberId = "";
    int generation = -1;
    List<Protocol> protocols = List.of();

    StoryClient(String name) {
        this.name = name;
    }

    MemberRef ref() {
        return new MemberRef(memberId, instanceId, generation);
    }

    /// As a consumer of version 0 says it: topics, no user data.
    static Blob subscription(Set<String> topics) {
        FieldWriter out = new FieldWriter().int16(0).int32(topics.size());
        for (String topic : new TreeSet<>(topics)) {
            out.string(topic);
        }
        return Blob.copyOf(out.int32(-1).finish());
    }

    static String text(Blob blob) {
        ByteBuffer buffer = blob.buffer();
        Set<String> topics = Subscriptions.topics(blob);
        return topics != null
                ? String.join(",", topics)
                : StandardCharsets.UTF_8.decode(buffer).toString();
    }

    static List<Protocol> protocols(String names, Set<String> topics) {
        List<Protocol> protocols = new ArrayList<>();
        for (String one : names.split(",")) {
            protocols.add(new Protocol(one, subscription(topics)));
        }
        return protocols;
    }
}
