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
        FLAG("true or false"),
        INTEGER("a whole number"),
        LONG("a whole number"),
        DECIMAL("a number"),
        TEXT("a text"),
        CHOICE("a choice"),
        LIST("a list"),
        SIZE("a size such as 64MiB"),
        DURATION("a time span such as 500ms, 30s or 7d");

        private final String phrase;

        Kind(String phrase) {
            this.phrase = phrase;
        }

        /// What to call a value of this kind in a sentence.
        String phrase() {
            return phrase;
        }
    }
}
