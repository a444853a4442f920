package io.sluice.examples.labelling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.examples.labelling.documents.Documents;
import io.sluice.examples.labelling.local.Generator;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/// The page in a real browser, with its script. Needs a Chromium: `apt-get install chromium`, or its path in the variable `CHROMIUM`.
@Timeout(300)
class PageTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir Path folder;
    @TempDir Path profile;

    @Test
    @DisplayName("B1: the page shows queue, lanes, limits and finished documents")
    void thePageShowsWhatHappens() throws Exception {
        Optional<Path> chromium = chromium();
        assumeTrue(
                chromium.isPresent(),
                "There is no Chromium on the path; install one (apt-get install chromium) or name it in CHROMIUM");
        new Generator(7, 1).generate(folder, 3);
        try (ConfigurableApplicationContext context =
                LabellingApplication.application()
                        .run(
                                "--labelling.folder=" + folder,
                                "--server.port=0",
                                "--labelling.look-every=100ms",
                                "--sluice.listener.sources.documents.long-poll=1s")) {
            Documents documents = context.getBean(Documents.class);
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (documents.finished(10).size() < 3) {
                assertThat(System.nanoTime() - end).as("patience").isNegative();
                Thread.sleep(50);
            }
            String port = context.getEnvironment().getRequiredProperty("local.server.port");

            String page = look(chromium.orElseThrow(), "http://localhost:" + port + "/");

            assertThat(page)
                    .contains("SQS queue http://localhost:")
                    .contains("<b>3</b>LABELLED")
                    .contains("<b>0</b>waiting in the queue")
                    .containsPattern("<h2>Lane label: 0 of \\d+</h2>")
                    .containsPattern("<h2>Lane failed: 0 of \\d+</h2>")
                    .contains("Lane failed has room for")
                    .contains("<td class=\"LABELLED\">LABELLED</td>");
            for (Documents.Row row : documents.finished(10)) {
                assertThat(page).contains("<td>" + row.name() + "</td>");
            }
        }
    }

    private static Optional<Path> chromium() {
        Stream<String> path =
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
        Stream<Path> installed =
                path.flatMap(
                        place ->
                                Stream.of("chromium", "chromium-browser", "google-chrome")
                                        .map(name -> Path.of(place, name)));
        Stream<Path> named = Stream.ofNullable(System.getenv("CHROMIUM")).map(Path::of);
        return Stream.concat(named, installed).filter(Files::isExecutable).findFirst();
    }

    /// @return the page after its script has run for some seconds of its own time
    private String look(Path chromium, String address) throws Exception {
        Process browser =
                new ProcessBuilder(
                                chromium.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--user-data-dir=" + profile,
                                "--virtual-time-budget=5000",
                                "--dump-dom",
                                address)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            return new String(browser.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            browser.destroyForcibly().waitFor();
        }
    }
}
