package io.sluice.chaos.check;

import static io.sluice.chaos.check.HandwrittenHistory.MEMBER;
import static io.sluice.chaos.check.HandwrittenHistory.OTHER_MEMBER;
import static io.sluice.chaos.check.HandwrittenHistory.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Every check must find what it is there for, and must not cry when all is well.
class ChecksTest {

    private static HandwrittenHistory history() {
        return new HandwrittenHistory();
    }

    /// The checks that complain about a history.
    private static List<String> complaints(HandwrittenHistory history) {
        return Check.all().stream()
                .filter(check -> !check.find(history.history()).isEmpty())
                .map(Check::name)
                .toList();
    }

    /// After a restart a broker knows of an older batch that it is there, and not where; Apache Kafka, too.
    @Test
    void whatIsThereAlreadyAtAnUnknownOffsetIsNoDuplicate() {
        HandwrittenHistory history =
                history().acknowledged(0, 0).acknowledged(1, -1).acknowledged(2, -1);
        assertThat(complaints(history.drained(0, 1, 2))).isEmpty();
    }

    @Test
    void whatIsAcknowledgedAtAnUnknownOffsetMustBeThereAllTheSame() {
        assertThat(complaints(history().acknowledged(0, 0).acknowledged(1, -1).drained(0)))
                .contains("lost");
    }

    @Test
    void nobodyComplainsAboutAnOrderlyHistory() {
        HandwrittenHistory orderly =
                history()
                        .resumed(MEMBER, 0)
                        .acknowledged(0, 0)
                        .unknown(1)
                        .acknowledged(2, 2)
                        .unknown(3)
                        .polled(READER, 0, 0)
                        .polled(READER, 1, 1)
                        .polled(MEMBER, 0, 0)
                        .polled(MEMBER, 1, 1)
                        .committed(MEMBER, 2)
                        .resumed(OTHER_MEMBER, 2)
                        .polled(OTHER_MEMBER, 2, 2)
                        .polled(READER, 2, 2)
                        .drained(0, 1, 2);
        assertThat(complaints(orderly)).isEmpty();
    }

    @Test
    void anAcknowledgedMessageThatIsMissingIsLost() {
        HandwrittenHistory history =
                history().acknowledged(0, 0).acknowledged(1, 1).sent(2).drained(0, 2);
        assertThat(complaints(history)).contains("lost");
        assertThat(new LostWrites().find(history.history()))
                .singleElement()
                .asString()
                .contains("1:0:1", "offset 1");
    }

    @Test
    void anAcknowledgedMessageThatWasOverwrittenIsLostEvenIfSomeoneHadReadIt() {
        HandwrittenHistory history =
                history().acknowledged(0, 0).polled(READER, 0, 0).sent(1).drained(1);
        assertThat(complaints(history)).contains("lost", "inconsistent offset");
    }

    @Test
    void aMessageOfUnknownOutcomeMayBeMissing() {
        assertThat(complaints(history().acknowledged(0, 0).unknown(1).drained(0))).isEmpty();
    }

    @Test
    void anAcknowledgedMessageBehindTheEndIsUnseen() {
        assertThat(complaints(history().acknowledged(0, 0).acknowledged(1, 1).drained(0)))
                .containsExactly("unseen");
    }

    @Test
    void everythingIsUnseenWhenThePartitionCannotBeReadToItsEnd() {
        assertThat(
                        complaints(
                                history()
                                        .acknowledged(0, 0)
                                        .acknowledged(1, 1)
                                        .polled(History.LAST_READER, 0, 0)))
                .containsExactly("unseen");
    }

    @Test
    void whatTheGroupNeverGotIsUnseen() {
        HandwrittenHistory history =
                history()
                        .resumed(MEMBER, 0)
                        .acknowledged(0, 0)
                        .acknowledged(1, 1)
                        .polled(MEMBER, 0, 0)
                        .drained(0, 1);
        assertThat(complaints(history)).containsExactly("unseen");
    }

    @Test
    void whatTheReaderNeverGotIsUnseen() {
        HandwrittenHistory history =
                history().acknowledged(0, 0).acknowledged(1, 1).polled(READER, 0, 0).drained(0, 1);
        assertThat(complaints(history)).containsExactly("unseen");
    }

    @Test
    void whatAReaderHasSeenMustStay() {
        HandwrittenHistory history =
                history()
                        .acknowledged(0, 0)
                        .unknown(1)
                        .polled(READER, 0, 0)
                        .polled(READER, 1, 1)
                        .drained(0);
        assertThat(complaints(history)).containsExactly("vanished");
    }

    @Test
    void oneMessageAtTwoOffsetsIsADuplicate() {
        assertThat(complaints(history().acknowledged(0, 0).drained(0, 0)))
                .containsExactly("duplicated");
    }

    @Test
    void oneOffsetWithTwoMessagesIsInconsistent() {
        HandwrittenHistory history =
                history().sent(0).sent(1).polled(READER, 0, 0).polled(MEMBER, 0, 1).drained(0);
        assertThat(complaints(history)).contains("inconsistent offset");
    }

    @Test
    void messagesOfOneProducerStayInOrder() {
        assertThat(complaints(history().acknowledged(0, 1).acknowledged(1, 0).drained(1, 0)))
                .containsExactly("reordered");
    }

    @Test
    void aReaderIsNotTakenBack() {
        HandwrittenHistory history =
                history()
                        .acknowledged(0, 0)
                        .acknowledged(1, 1)
                        .polled(READER, 0, 0)
                        .polled(READER, 1, 1)
                        .polled(READER, 0, 0)
                        .drained(0, 1);
        assertThat(complaints(history)).containsExactly("non-monotonic poll");
    }

    @Test
    void aMemberThatBeginsAgainMayGoBack() {
        HandwrittenHistory history =
                history()
                        .resumed(MEMBER, 0)
                        .acknowledged(0, 0)
                        .polled(MEMBER, 0, 0)
                        .resumed(MEMBER, 0)
                        .polled(MEMBER, 0, 0)
                        .drained(0);
        assertThat(complaints(history)).isEmpty();
    }

    @Test
    void aReaderIsNotLedPastMessages() {
        HandwrittenHistory history =
                history()
                        .acknowledged(0, 0)
                        .acknowledged(1, 1)
                        .acknowledged(2, 2)
                        .polled(READER, 0, 0)
                        .polled(READER, 2, 2)
                        .drained(0, 1, 2);
        assertThat(complaints(history)).containsExactly("unseen", "poll skip");
    }

    @Test
    void whatNobodySentIsAPhantom() {
        assertThat(complaints(history().acknowledged(0, 0).drained(0, 7)))
                .containsExactly("phantom");
    }

    @Test
    void whatCertainlyFailedIsAPhantom() {
        assertThat(complaints(history().failed(0).drained(0))).containsExactly("phantom");
    }

    @Test
    void aCommittedPositionIsKept() {
        HandwrittenHistory history =
                history()
                        .resumed(MEMBER, 0)
                        .acknowledged(0, 0)
                        .polled(MEMBER, 0, 0)
                        .committed(MEMBER, 1)
                        .resumed(OTHER_MEMBER, 0)
                        .polled(OTHER_MEMBER, 0, 0)
                        .drained(0);
        assertThat(complaints(history)).containsExactly("forgotten commit");
    }

    @Test
    void aPositionThatWasReachedExists() {
        assertThat(complaints(history().acknowledged(0, 0).outOfRange(READER, 1).drained(0)))
                .containsExactly("out of range");
    }

    @Test
    void aViolationSaysWhereAndWhen() {
        HandwrittenHistory history = history().acknowledged(0, 0).acknowledged(1, 1).drained(0);
        Event.Acknowledged missing =
                history.history()
                        .of(Event.Acknowledged.class)
                        .filter(event -> event.offset() == 1)
                        .findFirst()
                        .orElseThrow();
        assertThat(new UnseenWrites().find(history.history()))
                .singleElement()
                .satisfies(
                        violation -> {
                            assertThat(violation.partition()).isZero();
                            assertThat(violation.atNanos()).isEqualTo(missing.atNanos());
                        });
    }
}
