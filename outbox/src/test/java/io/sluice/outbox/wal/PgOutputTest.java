package io.sluice.outbox.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Messages as PostgreSQL's documentation lays them out ("Logical Replication Message Formats").
class PgOutputTest {
    private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");
    private static final int RELATION = 16_384;

    private final PgOutput output = new PgOutput(OutboxTable.TRANSFER_EVENTS);

    @Test
    void anInsertedRowIsAnEvent() {
        relation("event_id", "status", "payload", "aggregate_id", "headers", "tx", "ord");
        Change.Row row =
                insert("17", "LOG", "{\"amount\": 5}", "account-1", "{\"a\": \"b\"}", "901", "42");
        assertThat(row.xid()).isEqualTo(901);
        Event event = row.event();
        assertThat(event.ord()).isEqualTo(42);
        assertThat(event.id()).isEqualTo("17");
        assertThat(event.key()).isEqualTo("account-1");
        assertThat(event.lane()).isEqualTo(LaneHash.lane("account-1"));
        assertThat(event.headers()).isEqualTo(Map.of("a", "b"));
        assertThat(text(event)).isEqualTo("{\"amount\": 5}");
    }

    @Test
    void bytesComeAsDigitsAndNothingAsNothing() {
        relation(17, "payload", "ord", "tx", "headers");
        assertThat(text(insert("\\x68656a", "1", "2", null).event())).isEqualTo("hej");
        relation("payload", "ord", "tx", "headers");
        assertThat(text(insert("\\x68656a", "1", "2", null).event()))
                .as("a text")
                .isEqualTo("\\x68656a");
        Event empty = insert(null, "1", "2", null).event();
        assertThat(empty.payload().isAbsent()).isTrue();
        assertThat(empty.isKeyless()).isTrue();
        assertThat(empty.headers()).isEmpty();
    }

    @Test
    void bytesInAnotherFormAreNotTakenForDigits() {
        relation(17, "payload", "ord", "tx", "headers");
        assertThatThrownBy(() -> insert("00deadbeef", "1", "2", null))
                .hasMessageContaining("bytea_output");
    }

    /// The layout is of the relation that came last under this number: a column may have been added meanwhile.
    @Test
    void aRelationThatComesAgainIsReadAnew() {
        relation("ord", "tx", "aggregate_id");
        assertThat(insert("1", "2", "a").event().key()).isEqualTo("a");
        relation("ord", "amount", "tx", "aggregate_id");
        Change.Row row = insert("3", "999", "4", "b");
        assertThat(row.event().key()).isEqualTo("b");
        assertThat(row.xid()).isEqualTo(4);
    }

    @Test
    void theAgeOfAnEventIsCountedFromCommit() {
        relation("ord", "tx");
        begin(Instant.now().minusSeconds(3_600));
        long hourAgo = insert("1", "2").event().ageMicros();
        begin(Instant.now().plusSeconds(3_600));
        assertThat(hourAgo).isGreaterThanOrEqualTo(Duration.ofHours(1).toNanos() / 1_000);
        assertThat(insert("1", "2").event().ageMicros()).as("the clock went back").isZero();
    }

    @Test
    void aRowOfAnUnknownRelationIsNamed() {
        assertThatThrownBy(() -> insert("1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("16384");
    }

    @Test
    void theEndOfATransactionIsBehindItsCommit() {
        ByteBuffer commit = ByteBuffer.allocate(26);
        commit.put((byte) 'C').put((byte) 0).putLong(100).putLong(108).putLong(0);
        assertThat(output.read(commit.flip())).contains(new Change.End(108));
    }

    @Test
    void onlyOurOwnMessagesAreMarks() {
        assertThat(output.read(message(PgOutput.MARK, "10:20:")))
                .contains(new Change.Mark("10:20:"));
        assertThat(output.read(message("somebody", "10:20:"))).isEmpty();
    }

    private void begin(Instant at) {
        ByteBuffer begin = ByteBuffer.allocate(21);
        long micros = Duration.between(EPOCH, at).toNanos() / 1_000;
        begin.put((byte) 'B').putLong(100).putLong(micros).putInt(7);
        assertThat(output.read(begin.flip())).isEmpty();
    }

    private void relation(String... columns) {
        relation(25, columns);
    }

    private void relation(int type, String... columns) {
        ByteBuffer relation = ByteBuffer.allocate(1_000);
        relation.put((byte) 'R').putInt(RELATION);
        string(relation, "public");
        string(relation, "transfer_events");
        relation.put((byte) 'd').putShort((short) columns.length);
        for (String column : columns) {
            relation.put((byte) 0);
            string(relation, column);
            relation.putInt(type).putInt(-1);
        }
        assertThat(output.read(relation.flip())).isEmpty();
    }

    private Change.Row insert(@Nullable String... values) {
        ByteBuffer insert = ByteBuffer.allocate(1_000);
        insert.put((byte) 'I').putInt(RELATION).put((byte) 'N').putShort((short) values.length);
        for (@Nullable String value : values) {
            if (value == null) {
                insert.put((byte) 'n');
            } else {
                byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
                insert.put((byte) 't').putInt(bytes.length).put(bytes);
            }
        }
        return (Change.Row) output.read(insert.flip()).orElseThrow();
    }

    private static ByteBuffer message(String prefix, String content) {
        ByteBuffer message = ByteBuffer.allocate(1_000);
        message.put((byte) 'M').put((byte) 1).putLong(100);
        string(message, prefix);
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        return message.putInt(bytes.length).put(bytes).flip();
    }

    private static void string(ByteBuffer buffer, String text) {
        buffer.put(text.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
    }

    private static String text(Event event) {
        return new String(Objects.requireNonNull(event.payload().bytes()), StandardCharsets.UTF_8);
    }
}
