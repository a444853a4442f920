package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/// Any bytes as the answer of another broker: which API and version was asked, then header and body; what was understood is written and read once more.
///
/// In a normal test run the inputs kept under `ResponseFuzzTestInputs` are replayed. How to search for
/// new ones is in the README of this module.
class ResponseFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void anyBytesAreAResponseOrMalformed(byte[] input) {
        WireReader in = new WireReader(ByteBuffer.wrap(input));
        ApiKey api;
        short version;
        ResponseHeader header;
        ApiResponse response;
        try {
            api = ApiKey.find(in.readShort());
            version = in.readShort();
            if (api == null || !api.knows(version)) {
                return; // Who asks knows what.
            }
            header = ResponseHeader.read(in, api, version);
            response = Messages.readResponse(api, version, in);
        } catch (MalformedRequest | UnsupportedVersion refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return;
        }
        WireWriter out = new WireWriter();
        Frame.writeResponse(out, api, version, header.correlationId(), response);
        WireReader again = new WireReader(ByteBuffer.wrap(Bytes.of(out)));
        assertThat(again.readInt()).isEqualTo(again.remaining());
        assertThat(ResponseHeader.read(again, api, version)).isEqualTo(header);
        assertThat(Messages.readResponse(api, version, again)).isEqualTo(response);
        assertThat(again.remaining()).isZero();
    }
}
