package io.sluice.controller;

import io.sluice.settings.Quantities;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// How large the plan of a topic can become: with all replicas on the move and in sync, no two partitions alike, and terms that have been counted for ages. Pure.
///
/// A plan that the store does not take any more stays as it is: its partitions would get no new leaders. So a topic that could come to that is not made.
final class PlanSize {
    /// What a commit takes beside the text: its path, the check of the office, notes of members.
    private static final long AROUND_BYTES = 4_096;

    private static final long KIBIBYTE = 1_024;

    private PlanSize() {}

    /// A sentence on why the store may not take the topic's plan one day; empty where it always will.
    ///
    /// @param widest the id of a broker that takes the most digits
    /// @param limit what the store takes in one commit, in bytes
    static String flaw(
            String topic,
            int partitions,
            int replicas,
            int widest,
            Map<String, String> settings,
            long limit) {
        long fixed = AROUND_BYTES + write(List.of(), settings);
        long each = write(List.of(worst(replicas, widest)), settings) - write(List.of(), settings);
        // The line above is that of partition 0.
        long line = each + String.valueOf(partitions - 1).length() - 1;
        long bytes = fixed + partitions * line;
        if (bytes <= limit) {
            return "";
        }
        return "The plan of topic '"
                + topic
                + "' with "
                + partitions
                + " partitions of "
                + replicas
                + " replica(s) can grow to "
                + Quantities.formatSize(Math.ceilDiv(bytes, KIBIBYTE) * KIBIBYTE)
                + ", more than the "
                + Quantities.formatSize(limit)
                + " that the metadata store takes at once; "
                + Math.max(0, (limit - fixed) / line)
                + " partitions are possible. Use several topics with fewer partitions, or, with a ZooKeeper ensemble of your own, raise jute.maxbuffer on every server and set cluster.zookeeper.jute-maxbuffer to the same.";
    }

    private static long write(List<PartitionPlan> partitions, Map<String, String> settings) {
        return TopicPlanFormat.write(
                        new TopicPlan(
                                "", new UUID(0, 0), partitions, settings, TopicRules.DEFAULT, 0))
                .getBytes(StandardCharsets.UTF_8)
                .length;
    }

    /// As many replicas come as go. Who is in sync is not eligible; that the word may be there counts all the same.
    private static PartitionPlan worst(int replicas, int widest) {
        List<Integer> side = Collections.nCopies(replicas, widest);
        List<Integer> both = Collections.nCopies(2 * replicas, widest);
        return new PartitionPlan(
                both,
                widest,
                Integer.MAX_VALUE,
                both,
                List.of(widest),
                both,
                side,
                side,
                Integer.MAX_VALUE);
    }
}
