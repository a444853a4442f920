package io.sluice.listener.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.Classifier;
import io.sluice.listener.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JsonFieldClassifierTest {
    private static Message message(String body) {
        return new Message(
                "m1", body.getBytes(StandardCharsets.UTF_8), Map.of(), null, "q", 1, "receipt");
    }

    @Test
    @DisplayName("B6: a field of the body names the lane")
    void theFieldNamesTheLane() {
        Classifier classifier = new JsonFieldClassifier("/job/type", "light");
        assertThat(
                        classifier.laneOf(
                                message(
                                        "{\"type\":\"no\",\"text\":[{\"type\":\"no\"}],\"job\":{\"n\":1,\"type\":\"heavy\"},\"x\":")))
                .as("what stands behind it is not even read")
                .isEqualTo("heavy");
        assertThat(classifier.laneOf(message("{\"job\":{\"type\":7}}"))).isEqualTo("7");
    }

    @Test
    void withoutTheFieldThereIsAnotherLaneOrNone() {
        Message none = message("{\"job\":{\"type\":{}}}");
        assertThat(new JsonFieldClassifier("/job/type", "light").laneOf(none)).isEqualTo("light");
        assertThat(new JsonFieldClassifier("/job/type", "light").laneOf(message("")))
                .isEqualTo("light");
        assertThatThrownBy(() -> new JsonFieldClassifier("/job/type", null).laneOf(none))
                .isInstanceOf(UnprocessableException.class)
                .hasMessageContaining("m1 has nothing at /job/type");
    }

    @Test
    void whatIsNoJsonHasNoLane() {
        assertThatThrownBy(
                        () -> new JsonFieldClassifier("/type", "light").laneOf(message("%PDF-1.7")))
                .isInstanceOf(UnprocessableException.class)
                .hasMessageContaining("m1 is no JSON");
    }
}
