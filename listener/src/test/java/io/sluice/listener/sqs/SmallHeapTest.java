package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.SmallHeap;
import io.sluice.listener.sqs.Queues.Queue;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A process with a heap of 48 MB works through a queue that holds more than it, in documents that are nearly as large as SQS takes.
@ExtendWith(Queues.class)
@Timeout(180)
class SmallHeapTest {
    private static final int DOCUMENTS = 72;
    private static final int LENGTH = 900_000;

    @Test
    @DisplayName(
            "B3, B4: what has no slot is not in memory: neither before its job, nor after it, nor on the way to the dead letters")
    void aQueueLargerThanTheHeapIsReadToTheEnd(Queues queues) throws Exception {
        Queue queue = queues.create(false, 5);
        for (int i = 0; i < DOCUMENTS; i++) {
            String begin = (i % 3 == 0 ? SmallHeap.HOPELESS : "fine ") + i + " ";
            queues.send(queue, List.of(begin + "x".repeat(LENGTH - begin.length())), null);
        }
        String said =
                SmallHeap.run(
                        "48m",
                        SmallHeapWorker.class,
                        Integer.toString(queues.port()),
                        queue.url(),
                        Integer.toString(DOCUMENTS));
        assertThat(said).contains("read " + (long) DOCUMENTS * LENGTH + " ");
        until("nothing left", () -> queues.left(queue.url()) == 0);
        assertThat(queues.left(queue.deadLetters())).isEqualTo(DOCUMENTS / 3);
    }
}
