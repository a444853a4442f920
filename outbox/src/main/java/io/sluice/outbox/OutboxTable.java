package io.sluice.outbox;

import java.util.regex.Pattern;

/// The name of the event table and of the columns that a writer fills. The defaults are the document's.
///
/// Immutable.
public record OutboxTable(String name, String id, String key, String payload, String headers) {
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    public static final OutboxTable TRANSFER_EVENTS = named("transfer_events");

    public OutboxTable {
        for (String identifier : new String[] {name, id, key, payload, headers}) {
            if (!IDENTIFIER.matcher(identifier).matches()) {
                throw new IllegalArgumentException(
                        "'%s' cannot name a table or column of an outbox: use lower-case letters, digits and _, and select the schema with the connection's search_path"
                                .formatted(identifier));
            }
        }
    }

    /// A table with another name and the document's columns.
    public static OutboxTable named(String name) {
        return new OutboxTable(name, "event_id", "aggregate_id", "payload", "headers");
    }
}
