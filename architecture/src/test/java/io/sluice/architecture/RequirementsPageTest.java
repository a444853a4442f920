package io.sluice.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Keeps the table of requirements in docs/testing.md true: each has a test, and each test that is said to show it names it.
class RequirementsPageTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).resolve("..");
    private static final Pattern ROW = Pattern.compile("^\\| ([QOB]\\d+) \\|.*\\|(.*)\\|$");
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
