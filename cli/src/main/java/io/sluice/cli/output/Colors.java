package io.sluice.cli.output;

/// Terminal colours, or none. Colour never carries meaning alone: the word beside it says the same.
///
/// Immutable.
public enum Colors {
    ON,
    OFF;

    private static final String RESET = "\u001b[0m";

    String heading(String text) {
        return wrap("\u001b[1m", text);
    }

    String value(Value value, String text) {
        return switch (value) {
            case Value.State(_, Value.Mood mood) ->
                    switch (mood) {
                        case GOOD -> wrap("\u001b[32m", text);
                        case DOUBTFUL -> wrap("\u001b[33m", text);
                        case BAD -> wrap("\u001b[31m", text);
                    };
            case Value.Absent() -> wrap("\u001b[2m", text);
            case Value.Scalar _ -> text;
            case Value.Items _ -> text;
            case Fields _ -> text;
        };
    }

    private String wrap(String code, String text) {
        return this == ON && !text.isEmpty() ? code + text + RESET : text;
    }
}
