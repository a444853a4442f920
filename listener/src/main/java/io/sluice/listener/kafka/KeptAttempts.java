package io.sluice.listener.kafka;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which records that are not done have failed before, as the metadata of a commit: so whoever reads on there goes on counting, after a restart as after a rebalance.
///
/// ```
///  sluice-attempts 0=3 17=2      the record at the committed offset is at its third attempt, the one 17 behind it at its second
/// ```
/// Only the first ones when there are many: a broker takes 4,096 bytes of metadata, and refuses the commit when there are more.
///
/// Pure.
final class KeptAttempts {
    private static final String PREFIX = "sluice-attempts";
    private static final int LONGEST = 2_000;
    private static final Pattern ENTRY = Pattern.compile(" (\\d{1,18})=(\\d{1,9})");

    private KeptAttempts() {}

    /// @param attempts by offset, none below the committed one
    static String text(long committed, SortedMap<Long, Integer> attempts) {
        if (attempts.isEmpty()) {
            return "";
        }
        var text = new StringBuilder(PREFIX);
        for (Map.Entry<Long, Integer> entry : attempts.entrySet()) {
            String next = " " + (entry.getKey() - committed) + "=" + entry.getValue();
            if (text.length() + next.length() > LONGEST) {
                break;
            }
            text.append(next);
        }
        return text.toString();
    }

    /// What somebody else has written there says nothing.
    static SortedMap<Long, Integer> read(long committed, @Nullable String metadata) {
        SortedMap<Long, Integer> attempts = new TreeMap<>();
        if (metadata == null || !metadata.startsWith(PREFIX)) {
            return attempts;
        }
        Matcher entry = ENTRY.matcher(metadata);
        while (entry.find()) {
            attempts.put(
                    committed + Long.parseLong(entry.group(1)), Integer.parseInt(entry.group(2)));
        }
        return attempts;
    }
}
