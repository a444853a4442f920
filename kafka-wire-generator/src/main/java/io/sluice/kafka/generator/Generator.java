package io.sluice.kafka.generator;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// Writes the Java sources of the codec: `Generator <folder>`.
///
/// A file whose content did not change is left alone, so that nothing is compiled again without need; a file that
/// no schema asks for any more is deleted.
public final class Generator {
    private static final String SCHEMAS = "common/message/";

    /// Embedded in requests as bytes, and understood by the broker's tools.
    private static final Set<String> DATA =
            Set.of("ConsumerProtocolSubscription", "ConsumerProtocolAssignment");

    private Generator() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("usage: Generator <folder for the Java sources>");
        }
        Path folder = Path.of(arguments[0]);
        Map<String, String> files = sources(schemas());
        write(folder, files);
        System.out.println("kafka-wire: " + files.size() + " sources in " + folder);
    }

    /// All schemas of the kafka-clients jar on the class path, by file name.
    static Map<String, Schema> schemas() throws IOException {
        URL one = Generator.class.getClassLoader().getResource(SCHEMAS + "RequestHeader.json");
        if (one == null || !(one.openConnection() instanceof JarURLConnection connection)) {
            throw new IllegalStateException("no jar with " + SCHEMAS + " on the class path");
        }
        connection.setUseCaches(false);
        SchemaParser parser = new SchemaParser();
        Map<String, Schema> schemas = new TreeMap<>();
        try (JarFile jar = connection.getJarFile()) {
            for (JarEntry entry : jar.stream().toList()) {
                String name = entry.getName();
                if (name.startsWith(SCHEMAS) && name.endsWith(".json")) {
                    schemas.put(name.substring(SCHEMAS.length()), parse(parser, jar, entry));
                }
            }
        }
        return schemas;
    }

    private static Schema parse(SchemaParser parser, JarFile jar, JarEntry entry)
            throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            return parser.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            throw new IllegalStateException("cannot understand " + entry.getName(), e);
        }
    }

    /// The sources for these schemas, by path below the source folder.
    static Map<String, String> sources(Map<String, Schema> schemas) {
        Map<String, String> files = new TreeMap<>();
        Map<Integer, Schema> requests = new TreeMap<>();
        Map<Integer, Schema> responses = new HashMap<>();
        for (Schema schema : schemas.values()) {
            boolean unwanted = schema.kind() == Schema.Kind.DATA && !DATA.contains(schema.name());
            if (unwanted || schema.versions().isEmpty()) {
                continue;
            }
            files.put(
                    path(MessageSource.PACKAGE, schema.name()), new MessageSource(schema).print());
            if (schema.kind() == Schema.Kind.REQUEST) {
                requests.put(schema.apiKey(), schema);
            } else if (schema.kind() == Schema.Kind.RESPONSE) {
                responses.put(schema.apiKey(), schema);
            }
        }
        List<ApiKeySource.Api> apis = new ArrayList<>();
        for (Schema request : requests.values()) {
            Schema response = responses.get(request.apiKey());
            if (response == null) {
                throw new IllegalStateException(request.name() + " has no response");
            }
            apis.add(new ApiKeySource.Api(request, response));
        }
        ApiKeySource apiKeys = new ApiKeySource(apis);
        files.put(path(ApiKeySource.PACKAGE, "ApiKey"), apiKeys.printApiKey());
        files.put(path(ApiKeySource.PACKAGE, "Messages"), apiKeys.printMessages());
        files.put(path(MessageSource.PACKAGE, "package-info"), packageInfo());
        return files;
    }

    private static String packageInfo() {
        return """
        /// Kafka's messages as records, generated from the schemas; immutable values without behaviour.
        @NullMarked
        package %s;

        import org.jspecify.annotations.NullMarked;
        """
                .formatted(MessageSource.PACKAGE);
    }

    private static String path(String packageName, String type) {
        return packageName.replace('.', '/') + "/" + type + ".java";
    }

    private static void write(Path folder, Map<String, String> files) throws IOException {
        Set<Path> wanted = new HashSet<>();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            wanted.add(path);
            if (!Files.exists(path) || !Files.readString(path).equals(file.getValue())) {
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            }
        }
        List<Path> present;
        try (Stream<Path> walk = Files.walk(folder)) {
            present = walk.filter(Files::isRegularFile).toList();
        }
        for (Path path : present) {
            if (!wanted.contains(path)) {
                Files.delete(path);
            }
        }
    }
}
