package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/// Any bytes as a request: header, body, and what was understood written and read once more.
///
/// In a normal test run the inputs kept under `RequestFuzzTestInputs` are replayed. How to search for
/// new ones is in the README of this module.
class RequestFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void anyBytesAreARequestOrMalformed(byte[] frame) {
        WireReader in = new WireReader(ByteBuffer.wrap(frame));
        RequestHeader header;
        ApiRequest request;
        try {
            header = RequestHeader.read(in);
            request = Messages.readRequest(header.api(), header.version(), in);
        } catch (MalformedRequest | UnsupportedVersion refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return;
        }
        WireWriter out = new WireWriter();
        Frame.writeRequest(out, header, request);
        WireReader again = new WireReader(ByteBuffer.wrap(Bytes.of(out)));
        assertThat(again.readInt()).isEqualTo(again.remaining());
        assertThat(RequestHeader.read(again)).isEqualTo(header);
        assertThat(Messages.readRequest(header.api(), header.version(), again)).isEqualTo(request);
        assertThat(again.remaining()).isZero();
    }
}
