package io.sluice.conformance.child;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The class path of one of the Maven projects in `conformance/clients`, fetched when a test first asks for it.
///
/// Immutable.
public record ClientLibraries(String name) {
    private static final Duration FETCH_LIMIT = Duration.ofMinutes(10);

    /// The module's own folder, wherever the tests were started from.
    static Path module() {
        return Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
    }

    /// The folder of the project, where its sources are.
    public Path project() {
        return module().resolve("clients").resolve(name);
    }

    /// Where what it needs is put.
    public Path target() {
        return module().resolve("target/clients").resolve(name);
    }

    /// Ready for `java -cp`.
    public synchronized String classPath() {
        Path libraries = target().resolve("lib");
        if (!Files.isDirectory(libraries)) {
            Path pom = project().resolve("pom.xml");
            ChildProgram.Result fetched =
                    ChildProgram.of(List.of(maven(), "-q", "-B", "-f", pom.toString(), "package"))
                            .run(FETCH_LIMIT);
            if (fetched.exitCode() != 0) {
                throw new AssertionError(
                        "Maven could not fetch the libraries of conformance/clients/%s. This says nothing about the broker; try 'mvn -f %s package':\n%s"
                                .formatted(name, pom, fetched.output()));
            }
        }
        return libraries + "/*";
    }

    private static String maven() {
        String home = System.getProperty("maven.home", "");
        return home.isEmpty() ? "mvn" : Path.of(home, "bin", "mvn").toString();
    }
}
