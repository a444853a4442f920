package io.sluice.chaos.place.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The first message on a connection to ZooKeeper's election port, in which a member says where it is reached itself. A member with a higher id hangs up and calls back there. So the address must be the one by which the callee calls
/// this member: at the member's own one it would go around the proxy, and no cut would hit it.
///
/// | bytes | (QuorumCnxManager.InitialMessage) |
/// | --- | --- |
/// | 8 | version: -65536 with one address, -65535 with several |
/// | 8 | the member's id |
/// | 4 | length of what follows |
/// | … | `ip:port`, with `\|` between several |
///
/// It is handed on in one piece, since the callee reads the addresses with a single read, and refuses them when that has not brought all. What comes behind it is not touched, nor is anything that does not begin so.
///
/// Owned by the thread that carries the caller's bytes.
final class ElectionHello {
    private static final long ONE_ADDRESS = -65_536;
    private static final long SEVERAL_ADDRESSES = -65_535;
    private static final int LENGTH_AT = 2 * Long.BYTES;
    private static final int HEAD = LENGTH_AT + Integer.BYTES;
    private static final int ADDRESSES_MAX = 2_048;

    private final String host;
    private byte[] begun = {};
    private boolean over;

    /// @param host where the callee calls this member
    ElectionHello(String host) {
        this.host = host;
    }

    /// What is to be handed on now that this has arrived; nothing while the message is not complete.
    ByteBuffer pass(ByteBuffer arrived) {
        if (over) {
            return arrived;
        }
        int before = begun.length;
        begun = Arrays.copyOf(begun, before + arrived.remaining());
        arrived.get(begun, before, arrived.remaining());
        ByteBuffer message = ByteBuffer.wrap(begun);
        if (begun.length >= Long.BYTES && !isVersion(message.getLong(0))) {
            return rest();
        }
        if (begun.length < HEAD) {
            return ByteBuffer.allocate(0);
        }
        int length = message.getInt(LENGTH_AT);
        if (length <= 0 || length > ADDRESSES_MAX) {
            return rest();
        }
        return begun.length < HEAD + length ? ByteBuffer.allocate(0) : rewritten(message, length);
    }

    /// What was kept back of a message that did not become one.
    ByteBuffer rest() {
        over = true;
        ByteBuffer kept = ByteBuffer.wrap(begun);
        begun = new byte[0];
        return kept;
    }

    private ByteBuffer rewritten(ByteBuffer message, int length) {
        byte[] addresses =
                here(new String(begun, HEAD, length, StandardCharsets.UTF_8))
                        .getBytes(StandardCharsets.UTF_8);
        ByteBuffer fresh = ByteBuffer.allocate(begun.length - length + addresses.length);
        fresh.put(message.slice(0, LENGTH_AT)).putInt(addresses.length).put(addresses);
        int behind = HEAD + length;
        fresh.put(message.slice(behind, begun.length - behind)).flip();
        over = true;
        begun = new byte[0];
        return fresh;
    }

    private String here(String addresses) {
        return Stream.of(addresses.split("\\|", -1))
                .map(address -> host + address.substring(Math.max(0, address.lastIndexOf(':'))))
                .collect(Collectors.joining("|"));
    }

    private static boolean isVersion(long first) {
        return first == ONE_ADDRESS || first == SEVERAL_ADDRESSES;
    }
}
