package io.sluice.settings;

/// A setting that cannot be used, as a sentence: which key, which value, what is allowed.
public final class InvalidSetting extends RuntimeException {
    private final String name;

    public InvalidSetting(String name, String sentence) {
        super(sentence);
        this.name = name;
    }

    public String name() {
        return name;
    }
}
