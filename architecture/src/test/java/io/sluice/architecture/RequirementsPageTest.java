package io.sluice.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Keeps the table of requirements in docs/testing.md true: each has a test, and each test that is said to show it names it.
class RequirementsPageTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).resolve("..");
    private static final Pattern ROW = Pattern.compile("^\\| ([QOB]\\d+) \\|.*\\|(.*)\\|$");
    private static final Pattern OPEN = Pattern.compile("(?m)^Open: (.*)$");

    /// An id in a comment or a name, not a part of a word or of a path.
    private static final Pattern NAMED = Pattern.compile("(?<![\\w/.-])[QOB][1-9]\\d?(?![\\w/.-])");

    private static final Pattern TEST_CLASS = Pattern.compile("`(\\w+(?:Test|IT))`");

    @Test
    void everyTestOnThePageNamesItsRequirement() throws IOException {
        Map<String, String> sources = testSources();
        List<String> lies = new ArrayList<>();
        for (Map.Entry<String, List<String>> row : page().entrySet()) {
            Pattern named = Pattern.compile("\\b" + row.getKey() + "\\b");
            for (String test : row.getValue()) {
                if (!named.matcher(sources.getOrDefault(test, "")).find()) {
                    lies.add(test + " does not name " + row.getKey());
                }
            }
        }
        assertThat(lies).isEmpty();
    }

    /// What the requirements are is said in one place, the page itself: those with a test have a row, the others are named as open, and their numbers have no gaps, so that none can be forgotten.
    @Test
    void everyRequirementIsEitherShownOrSaidToBeOpen() throws IOException {
        Set<String> shown = page().keySet();
        Set<String> open = open();
        assertThat(open).as("open and shown").doesNotContainAnyElementsOf(shown);
        for (String kind : List.of("Q", "O", "B")) {
            List<Integer> numbers =
                    Stream.concat(shown.stream(), open.stream())
                            .filter(id -> id.startsWith(kind))
                            .map(id -> Integer.parseInt(id.substring(1)))
                            .sorted()
                            .toList();
            assertThat(numbers)
                    .as(kind)
                    .isNotEmpty()
                    .isEqualTo(IntStream.rangeClosed(1, numbers.getLast()).boxed().toList());
        }
    }

    /// A requirement that a test names, and the page does not, would be shown without anybody knowing.
    @Test
    void everyRequirementThatATestNamesIsOnThePage() throws IOException {
        Set<String> known = new TreeSet<>(page().keySet());
        known.addAll(open());
        List<String> unknown = new ArrayList<>();
        testSources()
                .forEach(
                        (test, source) ->
                                NAMED.matcher(source)
                                        .results()
                                        .map(MatchResult::group)
                                        .filter(id -> !known.contains(id))
                                        .forEach(id -> unknown.add(test + " names " + id)));
        assertThat(unknown).isEmpty();
    }

    private static Set<String> open() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/testing.md"));
        Matcher line = OPEN.matcher(page);
        assertThat(line.find()).as("the page says which requirements are open").isTrue();
        return NAMED.matcher(line.group(1))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyRequirementHasATest() throws IOException {
        assertThat(page())
                .isNotEmpty()
                .allSatisfy((requirement, tests) -> assertThat(tests).as(requirement).isNotEmpty());
    }

    /// The tests of each requirement.
    private static Map<String, List<String>> page() throws IOException {
        Map<String, List<String>> rows = new TreeMap<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/testing.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(
                        row.group(1),
                        TEST_CLASS.matcher(row.group(2)).results().map(m -> m.group(1)).toList());
            }
        }
        return rows;
    }

    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> modules = Files.list(ROOT);
                Stream<Path> examples = Files.list(ROOT.resolve("examples"));
                Stream<Path> benchmarks = Files.list(ROOT.resolve("benchmarks"))) {
            for (Path module :
                    Stream.concat(modules, Stream.concat(examples, benchmarks)).toList()) {
                Path tests = module.resolve("src/test/java");
                if (Files.isDirectory(tests)) {
                    read(tests, sources);
                }
            }
        }
        return sources;
    }

    private static void read(Path tests, Map<String, String> sources) throws IOException {
        try (Stream<Path> files = Files.walk(tests)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String name = String.valueOf(file.getFileName()).replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
    }
}
