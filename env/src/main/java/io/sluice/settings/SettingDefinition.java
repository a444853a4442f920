package io.sluice.settings;

/// What is known about one setting, for reference pages and for clients that ask. Immutable.
///
/// @param kind what kind of value it takes
/// @param defaultValue as a person would write it
/// @param allowed bounds or choices, as a phrase; empty when anything of the type goes
/// @param value what is in force
/// @param isSet whether the value was given, and is not the default
public record SettingDefinition(
        String name,
        Kind kind,
        String defaultValue,
        String allowed,
        String doc,
        String value,
        boolean isSet) {

    public enum Kind {
        FLAG,
        INTEGER,
        LONG,
        DECIMAL,
        TEXT,
        CHOICE,
        LIST,
        SIZE,
        DURATION
    }
}
