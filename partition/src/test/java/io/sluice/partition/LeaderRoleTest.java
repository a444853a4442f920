package io.sluice.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Q24, Q25: what is acknowledged and what is readable, on one node.
class LeaderRoleTest {
    private final List<String> settled = new ArrayList<>();

    private LeaderRole.AckListener ack(String name) {
        return durable -> settled.add(name + (durable ? " durable" : " lost"));
    }

    @Test
    void whatWasFoundAtStartIsReadable() {
        assertThat(new LeaderRole(10, 10).highWatermark()).isEqualTo(10);
    }

    @Test
    void aBatchThatWaitsForTheDiskIsNotReadableBefore() {
        LeaderRole role = new LeaderRole(0, 0);
        role.appendedAwaitingDurability(5, ack("a"));
        assertThat(role.highWatermark()).isZero();
        assertThat(settled).isEmpty();
        role.flushed(5);
        assertThat(role.highWatermark()).isEqualTo(5);
        assertThat(settled).containsExactly("a durable");
    }

    @Test
    void aBatchThatWaitsForNothingIsReadableAtOnce() {
        LeaderRole role = new LeaderRole(0, 0);
        role.appended(3);
        assertThat(role.highWatermark()).isEqualTo(3);
        assertThat(role.durableOffset()).isZero();
    }

    @Test
    void oneFlushSettlesAllThatItCoversInOrder() {
        LeaderRole role = new LeaderRole(0, 0);
        role.appendedAwaitingDurability(1, ack("a"));
        role.appendedAwaitingDurability(2, ack("b"));
        role.appendedAwaitingDurability(3, ack("c"));
        role.flushed(2);
        assertThat(settled).containsExactly("a durable", "b durable");
        role.flushed(3);
        assertThat(settled).containsExactly("a durable", "b durable", "c durable");
    }

    @Test
    void theWatermarkNeverRetreats() {
        LeaderRole role = new LeaderRole(0, 0);
        role.appended(8);
        role.flushed(4);
        assertThat(role.highWatermark()).isEqualTo(8);
    }

    @Test
    void aBatchSentAgainWaitsForTheSameDurability() {
        LeaderRole role = new LeaderRole(0, 0);
        role.appendedAwaitingDurability(4, ack("first"));
        role.await(4, ack("again"));
        assertThat(settled).isEmpty();
        role.flushed(4);
        assertThat(settled).containsExactly("first durable", "again durable");
        role.await(2, ack("late"));
        assertThat(settled).contains("late durable");
    }

    @Test
    void aFailedDiskTellsEverybodyWhoWaits() {
        LeaderRole role = new LeaderRole(0, 0);
        role.appendedAwaitingDurability(4, ack("a"));
        role.failed();
        assertThat(settled).containsExactly("a lost");
        assertThat(role.highWatermark()).isZero();
    }

    @Test
    void impossibleProgressIsABug() {
        LeaderRole role = new LeaderRole(5, 5);
        assertThatThrownBy(() -> role.appended(4)).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> role.flushed(6)).isInstanceOf(Invariant.Violation.class);
    }
}
