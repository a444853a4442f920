package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/// Every `sluice …` in the documentation is a command line that works, so that the pages cannot rot.
class DocumentedCommandsTest {
    private static final Path ROOT = Path.of("..");

    /// `sluice` as a word that begins a command: at the start of a line or of a code span, behind a pipe or in `<( )`.
    private static final Pattern COMMAND =
            Pattern.compile("(?:^|[|(`])[ ]*(?:\\./)?sluice ([^`\n]+)", Pattern.MULTILINE);

    /// A command line and where it stands.
    record Documented(Path page, List<String> words) {
        @Override
        public String toString() {
            return ROOT.relativize(page) + ": sluice " + String.join(" ", words);
        }
    }

    static Stream<Documented> commands() throws IOException {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(ROOT)) {
            pages =
                    files.filter(file -> file.toString().endsWith(".md"))
                            .filter(file -> !file.toString().matches(".*/(target|node_modules)/.*"))
                            .toList();
        }
        Set<Documented> found = new LinkedHashSet<>();
        for (Path page : pages) {
            Matcher matcher = COMMAND.matcher(Files.readString(page));
            while (matcher.find()) {
                String line = matcher.group(1);
                found.add(new Documented(page, words(line)));
            }
        }
        return found.stream().filter(command -> !isPlaceholder(command));
    }

    /// `sluice COMMAND --help`: about commands, and none itself.
    private static boolean isPlaceholder(Documented command) {
        return command.words().isEmpty() || command.words().getFirst().matches("[A-Z]+|…");
    }

    /// As a shell cuts a line: quotes, and an end at a comment, a pipe or a bracket.
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher = Pattern.compile("'[^']*'|\"[^\"]*\"|[^\\s'\"]+").matcher(line);
        while (matcher.find()) {
            String word = matcher.group();
            if (word.startsWith("'") || word.startsWith("\"")) {
                words.add(word.substring(1, word.length() - 1));
                continue;
            }
            if (word.startsWith("#") || word.equals("|")) {
                break;
            }
            words.add(word.replaceAll("\\)$", ""));
            if (word.endsWith(")")) {
                break;
            }
        }
        return words;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyDocumentedCommandLineIsUnderstood(Documented documented) {
        List<String> words = documented.words();
        CommandLine tree = CommandTree.whole();
        tree.setCaseInsensitiveEnumValuesAllowed(true);
        if (isMention(tree, words)) {
            return;
        }
        var parsed = tree.parseArgs(words.toArray(String[]::new));
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        CommandLine leaf = parsed.commandSpec().commandLine();
        boolean explains = leaf.getCommand() instanceof CommandTree.Help;
        assertThat(parsed.isUsageHelpRequested() || explains || works(leaf)).isTrue();
    }

    /// Here, or in the script, which alone knows what its own commands take.
    private static boolean works(CommandLine command) {
        return command.getCommand() instanceof Command
                || command.getCommand() instanceof ScriptCommand;
    }

    /// Nothing but the name of a command, as a sentence about it would say.
    private static boolean isMention(CommandLine tree, List<String> words) {
        CommandLine at = tree;
        for (String word : words) {
            CommandLine next = at.getSubcommands().get(word);
            if (next == null) {
                return false;
            }
            at = next;
        }
        return true;
    }

    @Test
    void thePageOfTheCommandShowsEveryCommand() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/cli.md"));
        assertThat(CommandContractTest.all().filter(DocumentedCommandsTest::works))
                .map(CommandContractTest::words)
                .contains("up", "bench compare", "topic list")
                .allSatisfy(words -> assertThat(page).contains("./sluice " + words));
    }

    /// The test above is worth nothing if it finds nothing.
    @Test
    void commandsAreFoundWhereverTheyStand() throws IOException {
        assertThat(commands().map(Documented::words))
                .contains(List.of("send", "greetings", "hello"))
                .contains(List.of("send", "greetings", "안녕하세요"))
                .contains(List.of("completion", "bash"))
                .contains(List.of("send", "orders"))
                .contains(List.of("topic", "alter", "orders", "--set", "retention.ms=86400000"))
                .hasSizeGreaterThan(25);
    }
}
