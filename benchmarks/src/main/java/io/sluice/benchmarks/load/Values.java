package io.sluice.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;

/// What records carry, the same in each run. Owned by the thread that sends.
public final class Values {
    private static final int EVENTS = 4096;
    private static final int WORDS = 500;
    private static final List<String> STATES = List.of("BOOKED", "PENDING", "REFUSED", "REVERSED");

    private final List<byte[]> values;
    private int next;

    private Values(List<byte[]> values) {
        this.values = values;
    }

    /// One value of this size that nothing can make smaller. Not for clients that compress: within a batch each is the same.
    static Values noise(int bytes) {
        byte[] value = new byte[bytes];
        new Random(17).nextBytes(value);
        return new Values(List.of(value));
    }

    /// Events as JSON, all different and all of this size, so that compression finds what it would find in life: names of fields, states, words; no two accounts.
    public static Values events(int bytes) {
        Random random = new Random(17);
        List<String> words = new ArrayList<>();
        for (int i = 0; i < WORDS; i++) {
            words.add(word(random));
        }
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            values.add(event(random, words, bytes));
        }
        return new Values(values);
    }

    private static String word(Random random) {
        StringBuilder word = new StringBuilder();
        int letters = 3 + random.nextInt(7);
        for (int i = 0; i < letters; i++) {
            word.append((char) ('a' + random.nextInt(26)));
        }
        return word.toString();
    }

    private static byte[] event(Random random, List<String> words, int bytes) {
        StringBuilder event = new StringBuilder(bytes);
        event.append(
                String.format(
                        Locale.ROOT,
                        "{\"id\":\"%s\",\"from\":\"%012d\",\"to\":\"%012d\",\"amount\":%d,\"state\":\"%s\",\"note\":\"",
                        new UUID(random.nextLong(), random.nextLong()),
                        random.nextLong(1_000_000_000_000L),
                        random.nextLong(1_000_000_000_000L),
                        random.nextInt(1_000_000),
                        STATES.get(random.nextInt(STATES.size()))));
        while (event.length() < bytes) {
            event.append(words.get(random.nextInt(words.size()))).append(' ');
        }
        event.setLength(bytes - 2);
        return event.append("\"}").toString().getBytes(UTF_8);
    }

    /// The next one; after the last the first comes again.
    byte[] next() {
        byte[] value = values.get(next);
        next = (next + 1) % values.size();
        return value;
    }
}
