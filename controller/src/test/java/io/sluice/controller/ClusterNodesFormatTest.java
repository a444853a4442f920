package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination.Change;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The texts in `docs/formats/cluster-nodes.md`.
class ClusterNodesFormatTest {
    private static final UUID ID = UUID.fromString("3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1");
    private static final UUID BOOT = UUID.fromString("8d0c6a3e-51f7-4f0b-9c1b-6f2f6f7f0a11");

    @Test
    void aRegistration() {
        Registration registration =
                new Registration(
                        3,
                        "b3.example",
                        9092,
                        "east",
                        ID,
                        new UUID(0, 7),
                        null,
                        4_294_967_301L,
                        BOOT);
        String text =
                """
                sluice-broker 1
                host b3.example
                port 9092
                rack east
                incarnation 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                directory 00000000-0000-0000-0000-000000000007
                clean 4294967301
                boot 8d0c6a3e-51f7-4f0b-9c1b-6f2f6f7f0a11
                """;
        assertThat(Registered.write(registration)).isEqualTo(text);
        assertThat(Registered.read(3, text, 0, 9)).isEqualTo(new Registered(registration, 9, 0));
        assertThat(Registered.read(3, text.replace("rack east\n", ""), 0, 9).view().rack())
                .isNull();
        assertThat(withoutBoot(text)).as("from before it was known").isNotEqualTo(text);
        assertThat(Registered.read(3, withoutBoot(text), 0, 9).registration().boot()).isNull();
        assertThat(Registered.write(Registered.read(3, withoutBoot(text), 0, 9).registration()))
                .isEqualTo(withoutBoot(text));
    }

    private static String withoutBoot(String text) {
        return text.replaceFirst("boot .*\n", "");
    }

    @Test
    void aMember() {
        Member member =
                new Member(
                        3,
                        4_294_967_400L,
                        ID,
                        ID,
                        BOOT,
                        Member.State.DRAINING,
                        1_763_219_000_000L,
                        true,
                        5);
        String text =
                """
                sluice-member 1
                epoch 4294967400
                directory 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                incarnation 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                boot 8d0c6a3e-51f7-4f0b-9c1b-6f2f6f7f0a11
                state draining
                away 1763219000000
                disk full
                """;
        assertThat(member.change()).isEqualTo(new Change.Set("/members/3", text, 5));
        assertThat(Member.read(3, text, 5)).isEqualTo(member);
        String before =
                withoutBoot(text).replaceFirst("incarnation .*\n", "").replace("disk full\n", "");
        assertThat(Member.read(3, before, 5).write()).isEqualTo(before);
        assertThat(Member.read(3, before, 5).diskFull()).isFalse();
        assertThatThrownBy(() -> Member.read(3, "sluice-member 2\n", 0))
                .hasMessageContaining("/members/3")
                .hasMessageContaining("newer");
    }

    @Test
    void deletionsAndWaitingMoves() {
        DeletionNote note =
                DeletionNote.none("orders").and(new Deletion("orders", ID, 12, List.of(1, 3)));
        String text =
                """
                sluice-deletions 1
                topic 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1 partitions 12 brokers 1,3
                """;
        assertThat(note.change()).isEqualTo(new Change.Create("/deletions/orders", text));
        DeletionNote read = DeletionNote.read("orders", text, 4);
        assertThat(read.deletions()).isEqualTo(note.deletions());
        assertThat(read.confirmed(1).confirmed(3).change())
                .isEqualTo(new Change.Delete("/deletions/orders", 4));

        TreeMap<Integer, List<Integer>> targets = new TreeMap<>();
        targets.put(3, List.of(4, 2, 5));
        MoveQueue queue = new MoveQueue("orders", ID, targets, -1);
        String moves =
                """
                sluice-moves 1
                id 3f0d5c1e-9a51-4c3b-8a5d-0d8ff4a0c7d1
                partition 3 replicas 4,2,5
                """;
        assertThat(queue.change()).isEqualTo(new Change.Create("/moves/orders", moves));
        assertThat(MoveQueue.read("orders", moves, -1)).isEqualTo(queue);

        String limit =
                """
                sluice-move-limit 1
                bytes-per-second 52428800
                """;
        assertThat(MoveLimit.NONE.changeTo(52_428_800))
                .isEqualTo(new Change.Create("/move-limit", limit));
        assertThat(MoveLimit.read(limit, 4)).isEqualTo(new MoveLimit(52_428_800, 4));
        assertThat(new MoveLimit(1, 4).changeTo(52_428_800))
                .isEqualTo(new Change.Set("/move-limit", limit, 4));
    }
}
