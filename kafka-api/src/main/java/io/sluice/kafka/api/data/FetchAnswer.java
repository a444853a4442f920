package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Puts together what a fetch found. In a session only what is news to the client is sent (KIP-227).
final class FetchAnswer {
    private FetchAnswer() {}

    /// @param tellAll the client hears of every partition, whether there is news or not
    static FetchResponse assemble(
            List<FetchSlot> slots, @Nullable FetchSession session, boolean tellAll) {
        List<FetchableTopicResponse> topics = new ArrayList<>();
        List<PartitionData> partitions = new ArrayList<>();
        FetchTarget previous = null;
        for (FetchSlot slot : slots) {
            FetchTarget target = slot.target();
            if (!isNews(slot) && !tellAll) {
                continue;
            }
            if (previous != null && !isSameTopic(previous, target)) {
                topics.add(
                        new FetchableTopicResponse(
                                previous.topic(), previous.topicId(), partitions));
                partitions = new ArrayList<>();
            }
            partitions.add(partitionData(slot));
            previous = target;
            if (session != null && slot.sizeInBytes() > 0) {
                session.moveToEnd(target);
            }
        }
        if (previous != null) {
            topics.add(
                    new FetchableTopicResponse(previous.topic(), previous.topicId(), partitions));
        }
        return FetchResponse.builder()
                .sessionId(session == null ? 0 : session.id())
                .responses(topics)
                .build();
    }

    private static boolean isNews(FetchSlot slot) {
        if (slot.error() != ErrorCode.NONE) {
            slot.target().forgetTold();
            return true;
        }
        boolean changed = slot.target().tell(slot.highWatermark(), slot.startOffset());
        return changed || slot.sizeInBytes() > 0;
    }

    private static PartitionData partitionData(FetchSlot slot) {
        return PartitionData.builder()
                .partitionIndex(slot.target().partition())
                .errorCode(slot.error().id())
                .highWatermark(slot.highWatermark())
                .lastStableOffset(slot.highWatermark())
                .logStartOffset(slot.startOffset())
                .abortedTransactions(null)
                .records(slot.records())
                .build();
    }

    private static boolean isSameTopic(FetchTarget left, FetchTarget right) {
        return left.topic().equals(right.topic()) && left.topicId().equals(right.topicId());
    }
}
