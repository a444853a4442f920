package io.sluice.chaos.place.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// A member's own address becomes the one by which it is called, and nothing else changes.
class ElectionHelloTest {
    private final ElectionHello hello = new ElectionHello("127.1.2.1");

    @Test
    void theAddressIsReplacedAndThePortStays() {
        assertThat(passed(message(-65_536, 1, "127.0.1.1:3888")))
                .isEqualTo(message(-65_536, 1, "127.1.2.1:3888"));
    }

    @Test
    void everyOneOfSeveralAddressesIsReplaced() {
        assertThat(passed(message(-65_535, 1, "127.0.1.1:3888|[0:0:0:0:0:0:0:1]:3889")))
                .isEqualTo(message(-65_535, 1, "127.1.2.1:3888|127.1.2.1:3889"));
    }

    @Test
    void whatComesBehindItIsNotTouched() {
        byte[] behind = message(-65_536, 1, "127.0.1.1:3888");
        assertThat(passed(joined(message(-65_536, 1, "127.0.1.1:3888"), behind)))
                .isEqualTo(joined(message(-65_536, 1, "127.1.2.1:3888"), behind));
        assertThat(passed(behind)).isEqualTo(behind);
    }

    @Test
    void itIsHandedOnInOnePieceHoweverItArrives() {
        byte[] message = message(-65_536, 1, "127.0.1.1:3888");
        for (int i = 0; i < message.length - 1; i++) {
            assertThat(passed(new byte[] {message[i]})).isEmpty();
        }
        assertThat(passed(new byte[] {message[message.length - 1]}))
                .isEqualTo(message(-65_536, 1, "127.1.2.1:3888"));
    }

    @Test
    void whatIsNoHelloIsHandedOnAsItIs() {
        byte[] something = "anything at all that begins otherwise".getBytes(StandardCharsets.UTF_8);
        assertThat(passed(something)).isEqualTo(something);
        assertThat(passed(something)).isEqualTo(something);
    }

    @Test
    void aLengthThatNoMemberWouldTakeIsHandedOnAsItIs() {
        byte[] absurd =
                ByteBuffer.allocate(24).putLong(-65_536).putLong(1).putInt(2_049).putInt(7).array();
        assertThat(passed(absurd)).isEqualTo(absurd);
    }

    @Test
    void whatWasKeptOfAHelloThatEndsTooEarlyIsHandedOn() {
        byte[] begun = {-1, -1, -1};
        assertThat(passed(begun)).isEmpty();
        assertThat(bytes(hello.rest())).isEqualTo(begun);
        assertThat(bytes(hello.rest())).isEmpty();
    }

    private byte[] passed(byte[] arrived) {
        return bytes(hello.pass(ByteBuffer.wrap(arrived)));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    static byte[] message(long version, long member, String addresses) {
        byte[] text = addresses.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(20 + text.length)
                .putLong(version)
                .putLong(member)
                .putInt(text.length)
                .put(text)
                .array();
    }

    private static byte[] joined(byte[] one, byte[] other) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(other);
        return both.toByteArray();
    }
}
