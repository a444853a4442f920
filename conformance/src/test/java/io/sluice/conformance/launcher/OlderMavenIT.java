package io.sluice.conformance.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Plain `mvn` on a machine whose `java` is an older one: the real Maven on the project's own build files, and one module's sources.
@Tag("launcher")
class OlderMavenIT {
    private static final Path REPOSITORY =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final Path JDKS = Path.of("/usr/lib/jvm");
    private static final int NEEDED = 25;
    private static final int MAVENS_OWN = 17;
    private static final int CLASS_FILE_VERSION = 44 + NEEDED;
    private static final Set<String> NOT_LOOKED_INTO =
            Set.of("target", "src", ".git", "node_modules");

    @TempDir private Path folder;
    private Path olderJava;

    @BeforeEach
    void takeBuildFiles() throws IOException {
        Optional<Path> older =
                installed().stream()
                        .filter(home -> feature(home) >= MAVENS_OWN && feature(home) < NEEDED)
                        .findFirst();
        assumeTrue(
                older.isPresent(),
                "No Java between 17 and 24 in /usr/lib/jvm: apt install openjdk-17-jre-headless");
        olderJava = older.orElseThrow();
        copy(REPOSITORY, file -> file.endsWith("pom.xml"));
        copy(REPOSITORY.resolve(".mvn"), _ -> true);
        copy(REPOSITORY.resolve("record/src/main"), _ -> true);
    }

    @Test
    void mavenOnAnOlderJavaFindsTheJdkByItself() throws IOException {
        Shell.Result result =
                shell().run(List.of("mvn", "-B", "-ntp", "-q", "-pl", "record", "compile"));
        assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
        Path compiled = folder.resolve("record/target/classes/io/sluice/record/RecordBatch.class");
        try (InputStream bytes = Files.newInputStream(compiled)) {
            byte[] head = bytes.readNBytes(8);
            assertThat(head[7]).isEqualTo((byte) CLASS_FILE_VERSION);
        }
    }

    @Test
    void withoutAJdkThatIsNewEnoughOneSentenceSaysWhatToInstall() throws IOException {
        assumeTrue(
                shell().run(List.of("unshare", "-m", "true")).exitCode() == 0,
                "JDKs can only be hidden from Maven by root, with unshare of util-linux.");
        assumeTrue(
                !Files.exists(Path.of(System.getProperty("user.home"), ".m2/toolchains.xml")),
                "This machine's toolchains.xml may name a JDK.");
        List<String> hiding = new ArrayList<>();
        for (Path home : installed()) {
            if (feature(home) >= NEEDED) {
                hiding.add("mount -t tmpfs none '" + home.toRealPath() + "'");
            }
        }
        hiding.add("exec mvn -B -ntp -N validate");
        Shell.Result result =
                shell().run(List.of("unshare", "-m", "sh", "-c", String.join(" && ", hiding)));
        assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(1);
        assertThat(result.out())
                .contains("Building Sluice takes a JDK 25 or newer")
                .contains("apt install", "brew install", "JAVA_HOME");
    }

    private Shell shell() {
        return new Shell(
                folder,
                Map.of(
                        "PATH",
                        System.getenv("PATH"),
                        "HOME",
                        System.getProperty("user.home"),
                        "JAVA_HOME",
                        olderJava.toString()));
    }

    private static List<Path> installed() throws IOException {
        if (!Files.isDirectory(JDKS)) {
            return List.of();
        }
        try (Stream<Path> homes = Files.list(JDKS)) {
            return homes.filter(home -> Files.isRegularFile(home.resolve("release"))).toList();
        }
    }

    private static int feature(Path home) {
        Properties release = new Properties();
        try (InputStream in = Files.newInputStream(home.resolve("release"))) {
            release.load(in);
        } catch (IOException unreadable) {
            return 0;
        }
        String version = release.getProperty("JAVA_VERSION", "0").replace("\"", "");
        return Integer.parseInt(version.split("[^0-9]", 2)[0]);
    }

    private void copy(Path from, Predicate<Path> wanted) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path visited, BasicFileAttributes attributes) {
                        return NOT_LOOKED_INTO.contains(String.valueOf(visited.getFileName()))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (!wanted.test(file)) {
                            return FileVisitResult.CONTINUE;
                        }
                        Path into = folder.resolve(REPOSITORY.relativize(file).toString());
                        Files.createDirectories(into.getParent());
                        Files.copy(file, into);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
