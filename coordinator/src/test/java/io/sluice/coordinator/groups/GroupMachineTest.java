package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupChange.OffsetForgotten;
import io.sluice.coordinator.groups.GroupCommand.Join;
import io.sluice.coordinator.groups.GroupCommand.Leaver;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.Protocol;
import io.sluice.coordinator.groups.GroupReply.Joined;
import io.sluice.coordinator.groups.GroupReply.Rejected;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// Commands in, decisions out: what the stories do not tell.
class GroupMachineTest extends GroupFixture {
    @Nested
    class Voting {
        @Test
        void protocolThatAllSupportAndMostPreferWins() {
            Ticket a = ask(join("g", "a", "sticky", "range", "only-a"));
            ask(join("g", "b", "range", "sticky"));
            ask(join("g", "c", "only-c", "range", "sticky"));
            pass(Duration.ofSeconds(1));
            assertThat(joined(a).protocol()).isEqualTo("range");
        }

        @Test
        void ofEqualsTheFirstVotedForWins() {
            Ticket a = ask(join("g", "a", "sticky", "range"));
            ask(join("g", "b", "range", "sticky"));
            pass(Duration.ofSeconds(1));
            assertThat(joined(a).protocol()).isEqualTo("sticky");
        }

        @Test
        void repeatedNamesCountOnce() {
            Ticket a = ask(join("g", "a", "x", "x", "range"));
            ask(join("g", "b", "range"));
            pass(Duration.ofSeconds(1));
            assertThat(joined(a).protocol()).isEqualTo("range");
        }

        @Test
        void memberMayChangeItsProtocolsIfTheOthersAgree() {
            Joined a = settled("g");
            List<Protocol> other = List.of(new Protocol("sticky", Blob.EMPTY));
            Ticket again = ask(join("g", a.memberId(), "a", other));
            assertThat(joined(again).protocol()).isEqualTo("sticky");
            assertThat(joined(again).generation()).isEqualTo(2);
        }

        @Test
        void withoutProtocolsOrTypeNobodyJoins() {
            assertThat(reply(join("g", "a")))
                    .isEqualTo(new Rejected(Rejection.INCONSISTENT_PROTOCOL));
        }
    }

    @Nested
    class LeavingTogether {
        @Test
        void batchOfLeaversIsAnsweredOneByOneAndMakesOneRebalance() {
            Joined a = settled("g");
            GroupReply reply =
                    reply(
                            new GroupCommand.Leave(
                                    "g",
                                    List.of(
                                            new Leaver(a.memberId(), null, null),
                                            new Leaver("stranger", null, null),
                                            new Leaver("", "no-such-instance", null))));
            assertThat(reply)
                    .isEqualTo(
                            new GroupReply.Left(
                                    List.of(
                                            new GroupReply.LeftMember(a.memberId(), null, null),
                                            new GroupReply.LeftMember(
                                                    "stranger", null, Rejection.UNKNOWN_MEMBER),
                                            new GroupReply.LeftMember(
                                                    "",
                                                    "no-such-instance",
                                                    Rejection.UNKNOWN_MEMBER))));
            assertThat(machine().table().group("g").generation().number()).isEqualTo(2);
        }

        @Test
        void nobodyIsLeftBehindInAGroupNobodyKnows() {
            reply(new GroupCommand.Leave("g", List.of(new Leaver("a", null, null))));
            assertThat(machine().table().find("g")).isNull();
        }
    }

    @Nested
    class Asking {
        @Test
        void groupsAreListedByPhase() {
            settled("stable");
            ask(commit("empty", NOBODY, T0, 1));
            ask(join("preparing", "a", "range"));
            assertThat(names(Set.of())).containsExactly("empty", "preparing", "stable");
            assertThat(names(Set.of("stable", "empty"))).containsExactly("empty", "stable");
            assertThat(names(Set.of("dead"))).isEmpty();
        }

        private List<String> names(Set<String> phases) {
            GroupReply reply = Objects.requireNonNull(reply(new GroupCommand.ListGroups(phases)));
            return ((GroupReply.Listing) reply)
                    .groups().stream().map(GroupReply.ListedGroup::group).toList();
        }

        @Test
        void unreadableSubscriptionMightBeToAnything() {
            ask(commit("g", NOBODY, T0, 1));
            Ticket ticket =
                    ask(join("g", "", "a", List.of(new Protocol("range", Blob.utf8("??")))));
            pass(Duration.ofSeconds(1));
            joined(ticket);
            assertThat(reply(new GroupCommand.DeleteOffsets("g", List.of(T0))))
                    .isEqualTo(
                            new GroupReply.OffsetsDeleted(
                                    List.of(
                                            new GroupReply.PartitionResult(
                                                    T0, Rejection.TOPIC_IN_USE))));
        }

        @Test
        void offsetsOfAGroupOfOtherMembersAreNotDeleted() {
            ask(commit("g", NOBODY, T0, 1));
            Join plain = join("g", "a", "range");
            ask(
                    new Join(
                            "g",
                            "",
                            null,
                            plain.client(),
                            plain.timeouts(),
                            "connect",
                            plain.protocols(),
                            plain.dialect(),
                            plain.fresh(),
                            null));
            assertThat(reply(new GroupCommand.DeleteOffsets("g", List.of(T0))))
                    .isEqualTo(new Rejected(Rejection.GROUP_NOT_EMPTY));
        }

        @Test
        void decisionsChangeNothingByThemselves() {
            Joined member = settled("g");
            MemberRef ref = new MemberRef(member.memberId(), null, 1);
            Group before = machine().table().group("g");
            for (GroupCommand<?> command :
                    List.of(
                            join("g", "b", "range"),
                            new GroupCommand.Leave(
                                    "g", List.of(new Leaver(ref.memberId(), null, null))),
                            new GroupCommand.Heartbeat("g", ref),
                            commit("g", ref, T0, 9),
                            new GroupCommand.ForgetTopic("t", new UUID(1, 1)))) {
                machine().decide(command, new Ticket(++tickets), now());
            }
            machine().wake(new Moment(0, Long.MAX_VALUE - 1, true));
            assertThat(machine().table().group("g")).isEqualTo(before);
            assertThat(offsets("g")).isEmpty();
        }

        @Test
        void tombstoneIsWrittenOnlyForWhatThereIs() {
            ask(commit("g", NOBODY, T0, 1));
            Decision<GroupChange, GroupReply> decision =
                    machine()
                            .decide(
                                    new GroupCommand.DeleteOffsets(
                                            "g", List.of(T0, new PartitionId("t", 1))),
                                    new Ticket(++tickets),
                                    now());
            assertThat(decision.changes()).containsExactly(new OffsetForgotten("g", T0));
        }
    }
}
