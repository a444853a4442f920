package io.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What editors show about the properties is all of them, and nothing else.
class MetadataTest {
    private static final Pattern PROPERTY =
            Pattern.compile(
                    "\"name\": \"(app\\.outbox\\.[a-z.-]+)\",\\s+\"type\": \"[^\"]+\",\\s+\"description\": \"[^\"]+\\.\"");

    @Test
    void everyPropertyIsDescribed() throws Exception {
        Set<String> described = new TreeSet<>();
        try (InputStream file =
                MetadataTest.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            Matcher found =
                    PROPERTY.matcher(new String(file.readAllBytes(), StandardCharsets.UTF_8));
            while (found.find()) {
                described.add(found.group(1));
            }
        }
        Set<String> known = new TreeSet<>();
        collect("app.outbox", OutboxProperties.class, known);
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
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
