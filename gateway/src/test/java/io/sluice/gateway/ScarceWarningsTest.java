package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.MessageFormatter;

final class ScarceWarningsTest {
    private final List<String> written = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 10;
    private final ScarceWarnings warnings =
            new ScarceWarnings(
                    (pattern, arguments) ->
                            written.add(
                                    MessageFormatter.arrayFormat(pattern, arguments).getMessage()),
                    new Clock() {
                        @Override
                        public long wallMillis() {
                            return 0;
                        }

                        @Override
                        public long monotonicNanos() {
                            return nanos;
                        }
                    });

    @Test
    void aFloodBecomesOneLinePerSecondAndACount() {
        for (int client = 1; client <= 1000; client++) {
            warnings.warn("Closing {}", client);
        }
        nanos += 1_000_000_000; // The clock's origin means nothing: it may wrap.
        warnings.warn("Closing {}", 1001);

        assertThat(written)
                .containsExactly(
                        "Closing 1", "Closing 1001", "(999 more of this kind were not written)");
    }
}
