package io.sluice.controller;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a topic may be called. The rules are Kafka's, since the name becomes part of a folder's name.
public final class TopicNames {
    public static final String OFFSETS = "__consumer_offsets";
    private static final Set<String> INTERNAL = Set.of(OFFSETS, "__transaction_state");
    private static final int LENGTH_MAX = 249;

    private TopicNames() {}

    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    /// A sentence on what is wrong, or null.
    public static @Nullable String flaw(String name) {
        if (name.isEmpty()) {
            return "A topic needs a name.";
        }
        if (name.equals(".") || name.equals("..")) {
            return "A topic cannot be called '" + name + "'.";
        }
        if (name.length() > LENGTH_MAX) {
            return "The topic name has "
                    + name.length()
                    + " characters; at most "
                    + LENGTH_MAX
                    + " are allowed.";
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean allowed =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || c == '.'
                            || c == '_'
                            || c == '-';
            if (!allowed) {
                return "The topic name '"
                        + name
                        + "' has the character '"
                        + c
                        + "'; allowed are letters, digits, '.', '_' and '-'.";
            }
        }
        return null;
    }
}
