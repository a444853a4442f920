package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;

class CopyTest {
    /// One more must still be a number of attempts, whoever wrote the attribute.
    @ParameterizedTest
    @CsvSource({
        "3, 3",
        "2147483647, 1000000",
        "9999999999, 1000000",
        "-5, 0",
        "99999999999999999999, 0",
        "many, 0"
    })
    void aCountOfFailuresIsBelievedWithinReason(String text, int failures) {
        var count = MessageAttributeValue.builder().dataType("String").stringValue(text).build();
        var received = Message.builder().messageAttributes(Map.of("sluice-failures", count));
        assertThat(Copy.failuresOf(received.build())).isEqualTo(failures);
    }
}
