package io.sluice.kafka.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SchemaParserTest {
    private final SchemaParser parser = new SchemaParser();

    @Test
    void aSchemaIsReadWithItsCommentsStructsAndDefaults() {
        Schema schema =
                parser.parse(
                        """
                        // A licence.
                        { "apiKey": 7, "type": "request", "listeners": ["broker"],
                          // Version 1 is new.
                          "name": "LampRequest", "validVersions": "0-1", "flexibleVersions": "1+",
                          "latestVersionUnstable": true,
                          "commonStructs": [
                            { "name": "Colour", "versions": "0+", "fields": [
                              { "name": "Red", "type": "int8", "versions": "0+", "default": -1 }]}],
                          "fields": [
                            { "name": "Lamps", "type": "[]Lamp", "versions": "0+", "fields": [
                              { "name": "Shade", "type": "Colour", "versions": "1+",
                                "nullableVersions": "1+", "default": "null" }]},
                            { "name": "Owner", "type": "string", "versions": "1+",
                              "taggedVersions": "1+", "tag": 0, "ignorable": true,
                              "about": "Who pays." }]
                        }
                        """);

        assertThat(schema.kind()).isEqualTo(Schema.Kind.REQUEST);
        assertThat(schema.apiKey()).isEqualTo(7);
        assertThat(schema.apiName()).isEqualTo("LAMP");
        assertThat(schema.versions()).isEqualTo(new Versions(0, 1));
        assertThat(schema.latestUnstable()).isTrue();
        assertThat(schema.listeners()).containsExactly("BROKER");
        assertThat(schema.structs().keySet()).containsExactly("Colour", "Lamp");
        assertThat(schema.struct("Colour").fields().get(0).defaultText()).isEqualTo("-1");
        Field owner = schema.body().fields().get(1);
        assertThat(owner.tagged()).isEqualTo(Versions.parse("1+"));
        assertThat(owner.inOrder()).isEqualTo(Versions.NONE);
        assertThat(owner.ignorable()).isTrue();
        assertThat(owner.about()).isEqualTo("Who pays.");
    }

    @Test
    void whatIsNotKnownIsRefused() {
        assertRefused(
                "{ 'type': 'data', 'name': 'A', 'validVersions': '0', 'colour': 'red' }", "colour");
        assertRefused(field("'name': 'B', 'type': 'int7', 'versions': '0+'"), "int7");
        assertRefused(field("'name': 'B', 'type': 'int8', 'versions': '0+', 'x': 1"), "'x'");
        assertRefused(field("'name': 'B', 'type': 'Missing', 'versions': '0+'"), "Missing");
    }

    @Test
    void whatContradictsItselfIsRefused() {
        assertRefused(
                field(
                        "'name': 'B', 'type': 'int8', 'versions': '2+', 'taggedVersions': '1+', 'tag': 0"),
                "does not exist");
        assertRefused(field("'name': 'B', 'type': 'int8', 'versions': '0+', 'tag': 0"), "both");
        assertRefused(
                field(
                        "'name': 'B', 'type': 'records', 'versions': '0+', 'taggedVersions': '0+', 'tag': 0"),
                "copied");
        assertRefused("{ 'type': 'data', 'name': 'A' }", "validVersions");
    }

    /// A message could be nested as deeply as its sender likes.
    @Test
    void recursionIsRefused() {
        assertRefused(
                """
                { 'type': 'data', 'name': 'A', 'validVersions': '0',
                  'commonStructs': [ { 'name': 'Box', 'versions': '0+', 'fields': [
                    { 'name': 'Inner', 'type': '[]Box', 'versions': '0+' } ] } ],
                  'fields': [ { 'name': 'Box', 'type': 'Box', 'versions': '0+' } ] }
                """,
                "recursive");
    }

    private static String field(String field) {
        return "{ 'type': 'data', 'name': 'A', 'validVersions': '0-3', 'fields': [{"
                + field
                + "}] }";
    }

    private void assertRefused(String schema, String reason) {
        assertThatThrownBy(() -> parser.parse(schema.replace('\'', '"')))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
