package io.sluice.kafka.generator;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One field of a struct, as its schema describes it. Immutable.
///
/// @param tagged the versions in which it travels as a tagged field, with `tag` in front
/// @param flexible where the field departs from its message in when lengths are compact, else null
/// @param defaultText the default as it stands in the schema, null if it has none
record Field(
        String name,
        FieldType type,
        Versions versions,
        Versions nullable,
        Versions tagged,
        int tag,
        @Nullable Versions flexible,
        @Nullable String defaultText,
        boolean ignorable,
        String about) {

    /// Names of parameters and variables in generated methods, which a local variable may not take.
    private static final Set<String> TAKEN =
            Set.of(
                    "in",
                    "out",
                    "version",
                    "flexible",
                    "tags",
                    "tag",
                    "outer",
                    "count",
                    "items",
                    "item",
                    "i");

    Field {
        if (!versions.covers(tagged)) {
            throw new IllegalArgumentException(
                    name + " is tagged in versions in which it does not exist");
        }
        if (tagged.isEmpty() != (tag < 0)) {
            throw new IllegalArgumentException(
                    name + " needs both or neither of tag and taggedVersions");
        }
        if (!tagged.isEmpty() && type == FieldType.Scalar.RECORDS) {
            throw new IllegalArgumentException(
                    name + ": records in a tagged field would be copied");
        }
    }

    /// `TopicData` in the schema is `topicData` in Java.
    String javaName() {
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    /// The name of a local variable that holds a value of this field.
    String localName() {
        String javaName = javaName();
        return TAKEN.contains(javaName) ? javaName + "Value" : javaName;
    }

    /// How a method of the record refers to its component.
    String memberName() {
        String javaName = javaName();
        return TAKEN.contains(javaName) ? "this." + javaName : javaName;
    }

    /// The type of the record's component.
    String javaType() {
        return isNullable() ? "@Nullable " + type.javaName() : type.javaName();
    }

    /// Whether null is possible in some version, or stands for the field in versions that lack it.
    boolean isNullable() {
        return !nullable.and(versions).isEmpty() || Defaults.isNull(this);
    }

    /// The versions in which the field stands among the others, in order, without a tag.
    Versions inOrder() {
        return versions.without(tagged);
    }
}
