package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/// The judge of the kill loops has to see every kind of loss.
class AcknowledgementBookTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final AcknowledgementBook book = new AcknowledgementBook();

    @Test
    void whatWasPromisedAndIsThereIsRight() {
        book.acknowledged(PARTITION, 0, 10);
        book.acknowledged(PARTITION, 2, 12);

        // Number 11 was written and never acknowledged: that is allowed.
        assertThat(book.discrepancies(PARTITION, read(10, 11, 12))).isEmpty();
        assertThat(book.count()).isEqualTo(2);
    }

    @Test
    void aLostMessageIsNoticed() {
        book.acknowledged(PARTITION, 0, 10);
        book.acknowledged(PARTITION, 1, 11);

        assertThat(book.discrepancies(PARTITION, read(10)))
                .containsExactly("message 11, acknowledged at 1, is lost");
    }

    @Test
    void anotherMessageAtAPromisedOffsetIsNoticed() {
        book.acknowledged(PARTITION, 0, 10);

        assertThat(book.discrepancies(PARTITION, read(11)))
                .containsExactly("offset 0 was promised to message 10 and holds 11");
    }

    @Test
    void aDoubleIsNoticed() {
        book.acknowledged(PARTITION, 0, 10);

        assertThat(book.discrepancies(PARTITION, read(10, 10)))
                .containsExactly("message 10 comes after 10");
    }

    @Test
    void aWrongOrderIsNoticed() {
        assertThat(book.discrepancies(PARTITION, read(11, 10)))
                .containsExactly("message 10 comes after 11");
    }

    @Test
    void aGapIsNoticed() {
        List<ConsumerRecord<String, String>> records = new ArrayList<>(read(10, 11, 12));
        records.remove(1);

        assertThat(book.discrepancies(PARTITION, records)).containsExactly("offset 2 follows 0");
    }

    private static List<ConsumerRecord<String, String>> read(long... numbers) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        for (long number : numbers) {
            records.add(new ConsumerRecord<>("t", 0, records.size(), "", Long.toString(number)));
        }
        return records;
    }
}
