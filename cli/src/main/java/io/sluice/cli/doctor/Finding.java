package io.sluice.cli.doctor;

import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import org.jspecify.annotations.Nullable;

/// One thing that was looked at.
///
/// Immutable.
///
/// @param fix what to do; null when nothing is to be done
record Finding(String check, Verdict verdict, String detail, @Nullable String fix) {
    enum Verdict {
        OK("ok", Value.Mood.GOOD),
        /// Works, but will not for long, or not for everybody.
        WARNING("warning", Value.Mood.DOUBTFUL),
        PROBLEM("problem", Value.Mood.BAD),
        SKIPPED("skipped", Value.Mood.DOUBTFUL);

        private final String word;
        private final Value.Mood mood;

        Verdict(String word, Value.Mood mood) {
            this.word = word;
            this.mood = mood;
        }
    }

    static Finding ok(String check, String detail) {
        return new Finding(check, Verdict.OK, detail, null);
    }

    static Finding warning(String check, String detail, String fix) {
        return new Finding(check, Verdict.WARNING, detail, fix);
    }

    static Finding problem(String check, String detail, String fix) {
        return new Finding(check, Verdict.PROBLEM, detail, fix);
    }

    static Finding skipped(String check, String detail, String fix) {
        return new Finding(check, Verdict.SKIPPED, detail, fix);
    }

    Fields fields() {
        return Fields.of("check", Value.text(check))
                .with("verdict", Value.state(verdict.word, verdict.mood))
                .with("detail", Value.text(detail))
                .with("fix", Value.text(fix));
    }
}
