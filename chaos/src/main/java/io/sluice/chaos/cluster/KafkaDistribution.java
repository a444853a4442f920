package io.sluice.chaos.cluster;

import io.sluice.chaos.place.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// The Apache Kafka that `bench compare` uses as well: fetched once from its Maven artifacts, by the same project.
///
/// Immutable.
record KafkaDistribution(Path repository) {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    void install() {
        if (!Files.isDirectory(libraries())) {
            Path project = repository.resolve("benchmarks/peers/kafka/pom.xml");
            Command.run(List.of("mvn", "-q", "-B", "-f", project.toString(), "package"), "", LIMIT);
        }
    }

    String version() {
        try (Stream<Path> jars = Files.list(libraries())) {
            return jars.map(jar -> jar.getFileName().toString())
                    .filter(name -> name.startsWith("kafka_2.13-"))
                    .map(name -> name.replaceAll("kafka_2.13-(.*)\\.jar", "Apache Kafka $1"))
                    .findFirst()
                    .orElse("Apache Kafka");
        } catch (IOException absent) {
            return "Apache Kafka";
        }
    }

    String classPath() {
        return libraries() + "/*";
    }

    Path logging() {
        return repository.resolve("benchmarks/peers/kafka/log4j2.yaml");
    }

    private Path libraries() {
        return repository.resolve("benchmarks/target/peers/kafka/lib");
    }
}
