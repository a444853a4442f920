package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Node;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The bytes in docs/formats/metadata.md.
class MetadataFormatTest {
    private static final String GOLDEN =
            ("534c4d32 22574c49 0000003f 000000000000002a 00000002"
                            + "00000004 2f612f62 00000003 0000000000000011 00000005 eab092 2120"
                            + "00000002 2f63 ffffffff 0000000000000000 00000000")
                    .replace(" ", "");

    private static final String FIRST_FORMAT =
            ("534c4d46 7bb70535 0000002f 000000000000002a 00000002"
                            + "00000004 2f612f62 00000003 00000005 eab092 2120"
                            + "00000002 2f63 ffffffff 00000000")
                    .replace(" ", "");

    @Test
    void aFrameOfTheFirstFormatIsRead() {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(FIRST_FORMAT));
        Map<String, @Nullable Node> states = new LinkedHashMap<>();
        states.put("/a/b", new Node("값! ", 3, 0));
        states.put("/c", null);
        assertThat(TreeFrame.at(bytes, 0)).isEqualTo(new TreeFrame(42, states));
    }

    @Test
    void aFrameHasTheDocumentedBytes() {
        Map<String, @Nullable Node> states = new LinkedHashMap<>();
        states.put("/a/b", new Node("값! ", 3, 17));
        states.put("/c", null);
        ByteBuffer bytes = new TreeFrame(42, states).encode();
        byte[] encoded = new byte[bytes.remaining()];
        bytes.get(0, encoded);
        assertThat(HexFormat.of().formatHex(encoded)).isEqualTo(GOLDEN);
        assertThat(TreeFrame.at(bytes, 0)).isEqualTo(new TreeFrame(42, states));
        assertThat(new TreeFrame(42, states).encodeTwice())
                .isEqualTo(
                        ByteBuffer.allocate(2 * bytes.limit())
                                .put(bytes.duplicate())
                                .put(bytes.duplicate())
                                .flip());
    }
}
