package io.sluice.cli.output;

import java.util.List;

/// Rows of one kind. Columns say what the table shows; programs get every field of every row.
///
/// @param nameKey the field that `-o name` prints
///
/// Immutable.
public record Listing(String nameKey, List<Column> columns, List<Fields> rows) {
    public Listing {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }

    /// A listing whose first column is the name.
    public static Listing of(List<Column> columns, List<Fields> rows) {
        return new Listing(columns.getFirst().key(), columns, rows);
    }
}
