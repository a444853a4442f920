package io.sluice.cli.output;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Bytes of a message, which mostly are text. Those that are no UTF-8 are shown in hex to people and in base64, under a key
/// of their own, to programs.
///
/// Stateless.
public final class BytesText {
    private static final int HEX_SHOWN = 32;

    private BytesText() {}

    /// The row with these bytes under `field`, or under `field` and `Base64`.
    public static Fields add(Fields row, String field, byte @Nullable [] bytes, boolean forPeople) {
        if (bytes == null) {
            return row.with(field, Value.absent());
        }
        Optional<String> text = text(bytes);
        if (text.isPresent() || forPeople) {
            return row.with(field, shown(bytes));
        }
        return row.with(field + "Base64", Value.text(Base64.getEncoder().encodeToString(bytes)));
    }

    /// As text if they are some, else in hex.
    public static Value shown(byte @Nullable [] bytes) {
        return bytes == null ? Value.absent() : Value.text(text(bytes).orElseGet(() -> hex(bytes)));
    }

    private static Optional<String> text(byte[] bytes) {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return Optional.of(text);
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static String hex(byte[] bytes) {
        int shown = Math.min(bytes.length, HEX_SHOWN);
        String digits = HexFormat.of().formatHex(bytes, 0, shown);
        return shown < bytes.length
                ? "0x%s... (%d bytes)".formatted(digits, bytes.length)
                : "0x" + digits;
    }
}
