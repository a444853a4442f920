package io.sluice.conformance.launcher;

import static io.sluice.conformance.launcher.Installation.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Machines that lack a JDK or Maven, that have several JDKs, or on which the build fails. What runs is the script; Java is not started.
@Tag("launcher")
class MachinesIT {
    private static final String BUILD_FLAGS = "-pl broker,cli -am -DskipTests package";

    @TempDir private Path folder;

    private Installation installed() throws IOException {
        return Installation.hollow(folder.toRealPath(), "sluice", "9.8");
    }

    private Installation checkout() throws IOException {
        return Installation.checkout(folder.toRealPath(), "my checkout");
    }

    private static Shell withoutJava(Installation installation) {
        return installation.shell().without("JAVA_HOME");
    }

    @Test
    void withoutAJdkOneSentenceSaysWhatToInstall() throws IOException {
        Shell.Result result = withoutJava(installed()).run(sluice("up"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .hasLineCount(1)
                .contains("JDK 25 or newer", "apt install", "brew install", "JAVA_HOME");
    }

    @Test
    void anOlderJdkIsAsGoodAsNone() throws IOException {
        Installation installation = installed();
        installation.onThePath(installation.jdk("opt/old", "17.0.15", true));
        Path oldHome = installation.jdk("opt/older", "1.8.0_442", true);
        Shell.Result result =
                withoutJava(installation)
                        .with("JAVA_HOME", oldHome.toString())
                        .run(sluice("--version"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("JDK 25 or newer");
    }

    /// A service manager starts without a home.
    @Test
    void withoutAHomeFolderTheSentenceIsTheSame() throws IOException {
        Shell.Result result = withoutJava(installed()).without("HOME").run(sluice("up"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("JDK 25 or newer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "usr/lib/jvm/temurin-25-jdk-amd64",
                "usr/lib/jvm/java-26-openjdk",
                "opt/java/jdk-25",
                "somebody/.sdkman/candidates/java/25.0.1-tem",
                "somebody/.jdks/openjdk-25"
            })
    void aJdkThatIsInstalledButNotOnThePathIsFound(String place) throws IOException {
        Installation installation = installed();
        installation.onThePath(installation.jdk("opt/old", "17.0.15", true));
        installation.jdk(place, "25.0.77", true);
        assertThat(withoutJava(installation).run(sluice("--version")).out())
                .isEqualTo("sluice 9.8 (Java 25.0.77)\n");
    }

    @Test
    void theJdkThatWasNamedIsPreferred() throws IOException {
        Installation installation = installed();
        installation.onThePath(installation.jdk("opt/other", "25.0.1", true));
        Path named = installation.jdk("opt/named", "26", true);
        assertThat(
                        withoutJava(installation)
                                .with("JAVA_HOME", named.toString())
                                .run(sluice("--version"))
                                .out())
                .isEqualTo("sluice 9.8 (Java 26)\n");
    }

    @Test
    void buildingWithARuntimeOnlySaysSo() throws IOException {
        Installation installation = checkout();
        Path runtime = installation.jdk("opt/runtime", "25", false);
        Shell.Result result =
                installation.shell().with("JAVA_HOME", runtime.toString()).run(sluice("--version"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .hasLineCount(1)
                .contains("only a runtime", runtime.toString(), "Install a JDK 25");
    }

    @Test
    void buildingWithoutMavenSaysSo() throws IOException {
        Shell.Result result = checkout().shell().run(sluice("--version"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("takes Maven", "apt install maven");
    }

    @Test
    void theFirstStartBuildsAndLaterOnesOnlyWhenSourcesHaveChanged() throws IOException {
        Installation installation = checkout();
        installation.maven("true");
        Shell shell = installation.shell();

        Shell.Result first = shell.run(sluice("--version"));
        assertThat(first.exitCode()).isZero();
        assertThat(first.out()).startsWith("sluice 9.9 (Java ");
        assertThat(first.err()).contains("first start");
        assertThat(installation.mavenCalls())
                .singleElement()
                .asString()
                .startsWith(System.getProperty("java.home") + ": ")
                .contains(BUILD_FLAGS);

        assertThat(shell.run(sluice("--version")).err()).isEmpty();
        changed(installation.home().resolve("broker/src/test/java/OneTest.java"));
        assertThat(shell.run(sluice("--version")).err()).as("tests are not in it").isEmpty();
        assertThat(installation.mavenCalls()).hasSize(1);

        changed(installation.home().resolve("broker/src/main/java/One.java"));
        assertThat(shell.run(sluice("--version")).err()).contains("sources have changed");
        assertThat(installation.mavenCalls()).hasSize(2);
    }

    private static void changed(Path file) throws IOException {
        Files.writeString(file, "// changed\n");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
    }

    @Test
    void aFailedBuildShowsItsErrorsAndWhereTheRestIs() throws IOException {
        Installation installation = checkout();
        installation.maven(
                "echo '[INFO] fine'; echo '[ERROR] One.java:[3,7] cannot find symbol'; exit 1");
        Shell.Result result = installation.shell().run(sluice("up"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("One.java:[3,7] cannot find symbol")
                .doesNotContain("fine")
                .endsWith(
                        "The build failed. All of it is in "
                                + installation.home().resolve("target/run/build.log")
                                + ".\n");
        // Nothing is left behind that would hold up or fool the next start.
        installation.maven("true");
        Shell.Result next = installation.shell().run(sluice("--version"));
        assertThat(next.exitCode()).isZero();
        assertThat(next.err()).contains("first start");
    }

    /// Maven's own script fails without any of Maven's marks.
    @Test
    void aBuildThatFailsWithoutAMarkIsShownAsWell() throws IOException {
        Installation installation = checkout();
        installation.maven("echo 'The JAVA_HOME environment variable is wrong.'; exit 1");
        Shell.Result result = installation.shell().run(sluice("up"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains("The JAVA_HOME environment variable is wrong.")
                .contains("The build failed.");
    }

    @Test
    void twoStartsAtOnceBuildOnce() throws IOException {
        Installation installation = checkout();
        installation.maven("sleep 2");
        try (Shell.Running one = installation.shell().start(sluice("--version"));
                Shell.Running two = installation.shell().start(sluice("--version"))) {
            assertThat(one.await().exitCode()).isZero();
            assertThat(two.await().exitCode()).isZero();
            assertThat(one.out()).isEqualTo(two.out()).startsWith("sluice 9.9 ");
        }
        assertThat(installation.mavenCalls()).hasSize(1);
    }

    @Test
    void aBuildThatWasKilledHoldsUpNobody() throws IOException {
        Installation installation = checkout();
        installation.maven("true");
        Path lock = Files.createDirectories(installation.home().resolve("target/run/building"));
        // Beyond what Linux gives to processes.
        Files.writeString(lock.resolve("pid"), "99999999\n");
        assertThat(installation.shell().run(sluice("--version")).exitCode()).isZero();
        assertThat(lock).doesNotExist();
    }

    @Test
    void aBuildThatDiedBeforeItSaidWhoItWasHoldsUpNobody() throws IOException {
        Installation installation = checkout();
        installation.maven("true");
        Path lock = Files.createDirectories(installation.home().resolve("target/run/building"));
        Shell.Result result = installation.shell().run(sluice("--version"));
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).contains("Another ./sluice is building; waiting for it");
        assertThat(lock).doesNotExist();
    }

    @Test
    void nothingBuiltAndTheBuildForbiddenIsSaid() throws IOException {
        Shell.Result result =
                checkout().shell().with("SLUICE_NO_BUILD", "1").run(sluice("--version"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("Nothing is built yet");
    }
}
