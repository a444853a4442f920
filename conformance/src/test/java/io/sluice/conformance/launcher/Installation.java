package io.sluice.conformance.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A folder with the script in it, on a machine that has the usual tools and nothing else.
///
/// ```
/// home/sluice                 the repository's script
/// home/target/run/1/…         what was built, if anything was
/// home/pom.xml, …/src         in a checkout
/// bin/                        everything that is on the PATH
/// ```
///
/// Owned by its test.
public final class Installation {
    private static final Path REPOSITORY =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of("broker", "cli");

    /// What POSIX has, as far as the script needs it.
    private static final List<String> TOOLS =
            List.of(
                    "sh",
                    "cat",
                    "cp",
                    "date",
                    "dirname",
                    "env",
                    "find",
                    "grep",
                    "head",
                    "mkdir",
                    "mv",
                    "nice",
                    "readlink",
                    "rm",
                    "sed",
                    "sleep",
                    "tail",
                    "touch");

    private final Path root;
    private final Path home;
    private final Path bin;

    private Installation(Path root, Path home) throws IOException {
        this.root = root;
        this.home = home;
        bin = Files.createDirectories(root.resolve("bin"));
        for (String tool : TOOLS) {
            executable(bin.resolve(tool), "#!/bin/sh\nexec " + find(tool) + " \"$@\"\n");
        }
        Files.createDirectories(home);
        // JDKs are looked for below the test's own root: what this machine has is none of its
        // business.
        String script = Files.readString(REPOSITORY.resolve("sluice"));
        String moved =
                script.replaceAll("(?<=[ (])(/usr/lib/jvm|/usr/libexec|/opt)/", root + "$1/");
        if (moved.equals(script)) {
            throw new AssertionError("The script looks for JDKs elsewhere; so must this test.");
        }
        executable(home.resolve("sluice"), moved);
    }

    /// With the jars of this build; without sources, so that there is nothing to build.
    public static Installation built(Path root, String name) throws IOException {
        Installation made = hollow(root, name, versionOfThisBuild());
        for (String module : MODULES) {
            Path into = Files.createDirectories(made.staged().resolve(module));
            for (Path jar : jars(REPOSITORY.resolve(module).resolve("target/lib"))) {
                Files.copy(jar, into.resolve(jar.getFileName()));
            }
            Files.copy(jarOf(module), into.resolve("sluice-" + module + ".jar"));
        }
        return made;
    }

    /// As if it were built, but without a jar: for what the script does before it starts Java.
    static Installation hollow(Path root, String name, String version) throws IOException {
        Installation made = new Installation(root, root.resolve(name));
        Files.createDirectories(made.staged());
        Files.writeString(made.staged().resolve("version"), version + "\n");
        Files.writeString(made.home.resolve("target/run/current"), "1\n");
        return made;
    }

    /// A checkout in which nothing was built yet. Its `mvn` is the test's, see [#maven].
    static Installation checkout(Path root, String name) throws IOException {
        Installation made = new Installation(root, root.resolve(name));
        Files.writeString(made.home.resolve("pom.xml"), "<project/>\n");
        for (String module : MODULES) {
            Path folder = Files.createDirectories(made.home.resolve(module));
            Files.writeString(folder.resolve("pom.xml"), "<project/>\n");
            Files.createDirectories(folder.resolve("src/main/java"));
            Files.createDirectories(folder.resolve("src/test/java"));
        }
        return made;
    }

    /// Keeps the script from training its caches in the background, as it does while another training is under way.
    public Installation withoutTraining() throws IOException {
        for (String module : MODULES) {
            Files.createDirectories(staged().resolve(module).resolve("training"));
        }
        return this;
    }

    private static String versionOfThisBuild() throws IOException {
        String jar = String.valueOf(jarOf("cli").getFileName());
        return jar.substring("sluice-cli-".length(), jar.length() - ".jar".length());
    }

    private static Path jarOf(String module) throws IOException {
        return jars(REPOSITORY.resolve(module).resolve("target")).stream()
                .filter(jar -> !jar.toString().matches(".*-(tests|sources)\\.jar"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no jar of " + module + "."));
    }

    private static List<Path> jars(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
            if (jars.isEmpty()) {
                throw new AssertionError(
                        "There are no jars in " + folder + "; 'mvn package' makes them.");
            }
            return jars;
        }
    }

    /// An `mvn` that writes down how it was called, does this, and leaves what a build of version 9.9 would.
    void maven(String script) throws IOException {
        executable(
                bin.resolve("mvn"),
                """
                #!/bin/sh
                echo "$JAVA_HOME: $*" >> '%s'
                %s
                for module in broker cli; do
                  mkdir -p $module/target/lib
                  touch $module/target/lib/other-1.jar $module/target/sluice-$module-9.9.jar
                  touch $module/target/sluice-$module-9.9-tests.jar
                done
                """
                        .formatted(calls(), script));
    }

    /// How `mvn` was called, call by call.
    List<String> mavenCalls() throws IOException {
        return Files.exists(calls()) ? Files.readAllLines(calls()) : List.of();
    }

    private Path calls() {
        return root.resolve("mvn-calls");
    }

    /// What looks like a JDK as far as the script looks.
    Path jdk(String folder, String version, boolean compiler) throws IOException {
        Path jdk = Files.createDirectories(root.resolve(folder));
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(
                jdk.resolve("release"),
                "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"" + version + "\"\n");
        List<String> programs = new ArrayList<>(List.of("java"));
        if (compiler) {
            programs.add("javac");
        }
        for (String program : programs) {
            executable(jdk.resolve("bin").resolve(program), "#!/bin/sh\nexit 77\n");
        }
        return jdk;
    }

    /// The `java` that somebody gets who types it: a link, as Debian makes it.
    void onThePath(Path jdk) throws IOException {
        Files.createSymbolicLink(bin.resolve("java"), jdk.resolve("bin/java"));
    }

    Path home() {
        return home;
    }

    Path staged() {
        return home.resolve("target/run/1");
    }

    /// Typed in the script's own folder, with this JVM's Java.
    public Shell shell() {
        return new Shell(
                home,
                Map.of(
                        "PATH",
                        bin.toString(),
                        "HOME",
                        root.resolve("somebody").toString(),
                        "JAVA_HOME",
                        System.getProperty("java.home")));
    }

    /// `./sluice …`
    public static List<String> sluice(String... words) {
        return words("./sluice", words);
    }

    static List<String> words(String command, String... words) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of(words));
        return all;
    }

    private static Path find(String tool) {
        for (String folder : System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":")) {
            Path found = Path.of(folder, tool);
            if (Files.isExecutable(found)) {
                return found;
            }
        }
        throw new AssertionError("This machine has no '" + tool + "', and the script needs it.");
    }

    private static void executable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
