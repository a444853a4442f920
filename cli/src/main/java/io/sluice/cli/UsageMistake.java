package io.sluice.cli;

import io.sluice.settings.Nearest;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// What is said about a command line that makes no sense: which word is to blame, and which one was probably meant.
///
/// Stateless.
final class UsageMistake {
    private static final String LONG = "--";

    private UsageMistake() {}

    static String sentence(ParameterException wrong) {
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            return first.startsWith("-") && first.length() > 1
                    ? unknownOption(wrong.getCommandLine(), first)
                    : unknownWord(wrong.getCommandLine(), first);
        }
        @Nullable String message = wrong.getMessage();
        String text = message == null ? "The command line makes no sense." : message;
        return text.endsWith(".") || text.endsWith("?") ? text : text + ".";
    }

    /// A word behind a command that does not have it.
    static String unknownWord(CommandLine command, String word) {
        String path = command.getCommandSpec().qualifiedName();
        List<String> known = CommandTree.wordsBehind(command);
        return known.isEmpty()
                ? "'%s' does not take '%s'.".formatted(path, word)
                : "Unknown command '%s %s'%s".formatted(path, word, hint(path + " ", word, known));
    }

    private static String unknownOption(CommandLine command, String typed) {
        int equals = typed.indexOf('=');
        String option = equals < 0 ? typed : typed.substring(0, equals);
        List<String> known =
                command.getCommandSpec().optionsMap().keySet().stream()
                        .filter(name -> name.startsWith(LONG))
                        .map(name -> name.substring(LONG.length()))
                        .toList();
        return "Unknown option '%s'%s"
                .formatted(option, hint(LONG, option.replaceFirst("^-+", ""), known));
    }

    private static String hint(String before, String wanted, Collection<String> known) {
        String meant = Nearest.to(wanted, known);
        return meant == null ? "." : "; did you mean '%s%s'?".formatted(before, meant);
    }
}
