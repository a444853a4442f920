package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupCommand.Assignment;
import io.sluice.coordinator.groups.GroupCommand.CommitOffsets;
import io.sluice.coordinator.groups.GroupCommand.Dialect;
import io.sluice.coordinator.groups.GroupCommand.Join;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupCommand.Protocol;
import io.sluice.coordinator.groups.GroupReply.Rejected;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Everything that a client could make grow has a bound.
class GroupBoundsTest extends GroupFixture {
    @Test
    void fullGroupTakesNobodyElseButKeepsItsMembers() {
        settings = Map.of("group.members-max", "2");
        Ticket a = ask(join("g", "a", "range"));
        ask(join("g", "b", "range"));
        assertThat(reply(join("g", "c", "range"))).isEqualTo(new Rejected(Rejection.GROUP_FULL));
        pass(Duration.ofSeconds(1));
        assertThat(joined(a).members()).hasSize(2);
        assertThat(reply(join("g", "c", "range"))).isEqualTo(new Rejected(Rejection.GROUP_FULL));
        List<Protocol> same = List.of(new Protocol("range", Blob.EMPTY));
        assertThat(reply(join("g", joined(a).memberId(), "a", same))).isNull();
    }

    @Test
    void idsGivenOutAreLimitedToo() {
        settings = Map.of("group.members-max", "3");
        for (int i = 0; i < 3; i++) {
            assertThat(reply(withIdFirst("g"))).isInstanceOf(GroupReply.MemberIdRequired.class);
        }
        assertThat(reply(withIdFirst("g"))).isEqualTo(new Rejected(Rejection.GROUP_FULL));
        pass(Duration.ofSeconds(45));
        assertThat(machine().table().find("g")).isNull();
    }

    private Join withIdFirst(String group) {
        Join plain = join(group, "a", "range");
        return new Join(
                group,
                "",
                null,
                plain.client(),
                plain.timeouts(),
                "consumer",
                plain.protocols(),
                new Dialect(true, true),
                plain.fresh(),
                null);
    }

    @Test
    void groupsAreLimited() {
        settings = Map.of("group.groups-max", "2");
        ask(join("g1", "a", "range"));
        ask(commit("g2", NOBODY, T0, 1));
        assertThat(reply(join("g3", "a", "range")))
                .isEqualTo(new Rejected(Rejection.TOO_MANY_GROUPS));
        assertThat(reply(commit("g3", NOBODY, T0, 1)))
                .isEqualTo(new Rejected(Rejection.TOO_MANY_GROUPS));
        assertThat(reply(commit("g2", NOBODY, T0, 2))).isInstanceOf(GroupReply.Committed.class);
    }

    @Test
    void largeSubscriptionsAreTurnedAway() {
        settings = Map.of("group.member-bytes-max", "2KiB", "group.group-bytes-max", "3KiB");
        assertThat(reply(join("g", "", "a", withBytes(2_049))))
                .isEqualTo(new Rejected(Rejection.SUBSCRIPTION_TOO_LARGE));
        assertThat(reply(join("g", "", "a", withBytes(2_048)))).isNull();
        assertThat(reply(join("g", "", "b", withBytes(1_025))))
                .isEqualTo(new Rejected(Rejection.SUBSCRIPTION_TOO_LARGE));
        assertThat(reply(join("g", "", "b", withBytes(1_024)))).isNull();
    }

    private List<Protocol> withBytes(int bytes) {
        return List.of(new Protocol("range", Blob.utf8("x".repeat(bytes))));
    }

    @Test
    void largePlansAreTurnedAwayAndTheGroupWaitsForABetterOne() {
        settings = Map.of("group.group-bytes-max", "2KiB");
        Ticket ticket = ask(join("g", "a", "range"));
        pass(Duration.ofSeconds(1));
        MemberRef ref = new MemberRef(joined(ticket).memberId(), null, 1);
        assertThat(reply(plan(ref, 3_000))).isEqualTo(new Rejected(Rejection.ASSIGNMENT_TOO_LARGE));
        assertThat(reply(plan(ref, 1_000))).isInstanceOf(GroupReply.Synced.class);
    }

    private GroupCommand.Sync plan(MemberRef leader, int bytes) {
        return new GroupCommand.Sync(
                "g",
                leader,
                "consumer",
                "range",
                List.of(new Assignment(leader.memberId(), Blob.utf8("x".repeat(bytes)))));
    }

    @Test
    void namesThatNoRecordCanHoldAreTurnedAway() {
        String endless = "n".repeat(20_000);
        for (Join join :
                List.of(
                        join(endless, "a", "range"),
                        join("g", endless, "range"),
                        join("g", "a", endless))) {
            assertThat(reply(join)).isEqualTo(new Rejected(Rejection.NAME_TOO_LONG));
        }
        assertThat(reply(commit(endless, NOBODY, T0, 1)))
                .isEqualTo(new Rejected(Rejection.NAME_TOO_LONG));
    }

    @Test
    void longOffsetMetadataIsTurnedAwayForItsPartitionOnly() {
        PartitionId t1 = new PartitionId("t", 1);
        GroupReply reply =
                reply(
                        new CommitOffsets(
                                "g",
                                NOBODY,
                                List.of(
                                        new OffsetToCommit(T0, 1, -1, "é".repeat(2_049), null),
                                        new OffsetToCommit(t1, 1, -1, "é".repeat(2_048), null)),
                                -1));
        assertThat(reply)
                .isEqualTo(
                        new GroupReply.Committed(
                                List.of(
                                        new GroupReply.PartitionResult(
                                                T0, Rejection.OFFSET_METADATA_TOO_LARGE),
                                        new GroupReply.PartitionResult(t1, null))));
        assertThat(offsets("g")).containsOnlyKeys(t1);
    }

    @Test
    void emptyGroupIdCanCommitButNotJoin() {
        assertThat(reply(join("", "a", "range")))
                .isEqualTo(new Rejected(Rejection.INVALID_GROUP_ID));
        assertThat(reply(commit("", NOBODY, T0, 1))).isInstanceOf(GroupReply.Committed.class);
    }

    /// Thousands of members, each join answered: the work per join must not grow with the square of the group.
    @Test
    void thousandsOfMembersSettleInOneGeneration() {
        Ticket first = ask(join("g", "first", "range"));
        for (int i = 1; i < 3_000; i++) {
            ask(join("g", "m" + i, "range"));
        }
        pass(Duration.ofSeconds(5));
        assertThat(joined(first).members()).hasSize(3_000);
        assertThat(joined(first).generation()).isEqualTo(1);
    }

    @Test
    void whatClientsCallThemselvesCannotFloodOrForgeTheLog() {
        Join join = join("g", "evil\nINFO all is well" + "x".repeat(5_000), "range");
        Decision<GroupChange, GroupReply> decision =
                machine().decide(join, new Ticket(++tickets), now());
        assertThat(decision.notes()).hasSize(1);
        assertThat(decision.notes().getFirst())
                .doesNotContain("\n")
                .contains("evil?INFO")
                .hasSizeLessThan(1_100);
    }
}
