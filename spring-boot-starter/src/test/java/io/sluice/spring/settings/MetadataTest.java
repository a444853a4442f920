package io.sluice.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What editors show about the properties is all of them, and nothing else.
class MetadataTest {
    @Test
    void everyPropertyIsDescribed() throws Exception {
        Set<String> described = new TreeSet<>();
        try (InputStream file =
                MetadataTest.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            JsonNode all = JsonMapper.shared().readTree(file);
            for (JsonNode property : all.get("properties")) {
                described.add(property.get("name").asString());
                assertThat(property.get("description").asString()).endsWith(".");
            }
        }
        Set<String> known = new TreeSet<>();
        collect("sluice.listener", ListenerProperties.class, known);
        known.add("sluice.sqs-listener.enabled");
        assertThat(described).isEqualTo(known);
    }

    private static void collect(String prefix, Class<?> type, Set<String> names) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + dashed(component.getName());
            if (component.getType().isRecord()) {
                collect(name, component.getType(), names);
            } else {
                names.add(name);
            }
        }
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
    }
}
