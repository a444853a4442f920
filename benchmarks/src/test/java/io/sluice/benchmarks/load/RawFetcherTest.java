package io.sluice.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

class RawFetcherTest {
    private static final int ERROR_POSITION = RequestFrame.fetch("t", 0, 0, 1).errorCodePosition();

    @Test
    void itGoesOnAfterTheLastWholeBatchAndStartsOverAtTheEnd() throws IOException {
        List<Long> asked = new CopyOnWriteArrayList<>();
        try (AnsweringSocket broker =
                        new AnsweringSocket(
                                request -> {
                                    long offset = fetchOffset(request);
                                    asked.add(offset);
                                    return answer(request, offset);
                                });
                RawFetcher fetcher = new RawFetcher(broker.address(), "t", 0)) {
            while (asked.size() < 5) {
                Transfer transfer = fetcher.runFor(Duration.ofMillis(1));
                assertThat(transfer.bytes()).isPositive();
            }
        }
        // Each answer has batches of 3 and 4 records and a cut-off one; the partition has 14
        // records.
        assertThat(asked).startsWith(0L, 7L, 0L, 7L, 0L);
    }

    private static long fetchOffset(ByteBuffer request) {
        RequestHeader.parse(request);
        return new FetchRequestData(new ByteBufferAccessor(request), (short) 11)
                .topics()
                .getFirst()
                .partitions()
                .getFirst()
                .fetchOffset();
    }

    private static ByteBuffer answer(ByteBuffer request, long offset) {
        ByteBuffer records = ByteBuffer.allocate(4096);
        records.put(ByteBuffer.wrap(RecordBatch.of(3, 10, 0)).putLong(0, offset));
        records.put(ByteBuffer.wrap(RecordBatch.of(4, 10, 0)).putLong(0, offset + 3));
        records.put(RecordBatch.of(9, 10, 0), 0, 80).flip();
        ByteBuffer answer = ByteBuffer.allocate(ERROR_POSITION + 38 + records.remaining());
        answer.putInt(0, request.getInt(4));
        answer.putLong(ERROR_POSITION + 2, 14);
        answer.putInt(ERROR_POSITION + 26, -1);
        answer.putInt(ERROR_POSITION + 34, records.remaining());
        answer.put(ERROR_POSITION + 38, records, 0, records.remaining());
        return answer;
    }
}
