package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/// The error codes are Kafka's own; the sentences are ours.
class ErrorCodeTest {
    @Test
    void everyCodeOfTheProtocolIsThereUnderItsName() {
        assertThat(ErrorCode.values())
                .extracting(code -> code.id() + " " + code)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Errors.values())
                                .map(error -> error.code() + " " + error)
                                .toList());
    }

    @Test
    void codesAreFoundByNumber() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.find(code.id())).isSameAs(code);
        }
        assertThat(ErrorCode.find(-2)).isNull();
        assertThat(ErrorCode.find(ErrorCode.values().length)).isNull();
    }

    @Test
    void everyCodeHasASentenceOfItsOwn() {
        assertThat(ErrorCode.values())
                .extracting(ErrorCode::sentence)
                .doesNotHaveDuplicates()
                .allMatch(sentence -> sentence.endsWith(".") && !sentence.contains("\n"));
    }
}
