package io.sluice.cli.output;

/// What `-o` can be. Lower case as typed.
///
/// Immutable.
public enum Format {
    /// Aligned columns for people.
    table,
    /// One document.
    json,
    /// One object per line, as soon as it is known.
    jsonl,
    /// One document, for people who edit.
    yaml,
    /// Names alone, one per line.
    name
}
