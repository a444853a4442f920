package io.sluice.kafka.generator;

import java.util.List;
import java.util.stream.Collectors;

/// Prints the enum of all APIs and the switch from an API to its messages.
final class ApiKeySource {
    static final String PACKAGE = "io.sluice.kafka.wire";

    private static final String MEMBERS =
            """

                private static final @Nullable ApiKey[] BY_ID = byId();

                private final short id;
                private final short lowestVersion;
                private final short highestKnownVersion;
                private final boolean latestVersionUnstable;
                private final int flexibleSince;
                private final Set<ApiListener> listeners;

                ApiKey(int id, int lowestVersion, int highestKnownVersion, boolean latestVersionUnstable, int flexibleSince, Set<ApiListener> listeners) {
                this.id = (short) id;
                this.lowestVersion = (short) lowestVersion;
                this.highestKnownVersion = (short) highestKnownVersion;
                this.latestVersionUnstable = latestVersionUnstable;
                this.flexibleSince = flexibleSince;
                this.listeners = listeners;
                }

                /// The API with that number, or null if there is none.
                public static @Nullable ApiKey find(int id) {
                return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
                }

                /// The number that stands for this API on the wire.
                public short id() {
                return id;
                }

                public short lowestVersion() {
                return lowestVersion;
                }

                /// The highest version that is stable; the only ones to offer to clients.
                public short highestVersion() {
                return latestVersionUnstable ? (short) (highestKnownVersion - 1) : highestKnownVersion;
                }

                /// The highest version that can be read and written, stable or not.
                public short highestKnownVersion() {
                return highestKnownVersion;
                }

                /// Whether the highest known version may still change.
                public boolean latestVersionUnstable() {
                return latestVersionUnstable;
                }

                /// Whether that version can be read and written.
                public boolean knows(short version) {
                return version >= lowestVersion && version <= highestKnownVersion;
                }

                /// Whether that version has tagged fields and compact lengths (KIP-482).
                public boolean flexible(short version) {
                return version >= flexibleSince;
                }

                /// The version of the header in front of a request of that version.
                public short requestHeaderVersion(short version) {
                return (short) (flexible(version) ? 2 : 1);
                }

                /// The version of the header in front of a response of that version. Always 0 for ApiVersions: a client
                /// that asks for a version unknown here must be able to read the answer all the same (KIP-511).
                public short responseHeaderVersion(short version) {
                return (short) (flexible(version) && this != API_VERSIONS ? 1 : 0);
                }

                /// The kinds of listener that the schema offers this API on.
                public Set<ApiListener> listeners() {
                return listeners;
                }

                private static @Nullable ApiKey[] byId() {
                @Nullable ApiKey[] byId = new ApiKey[values()[values().length - 1].id + 1];
                for (ApiKey api : values()) {
                byId[api.id] = api;
                }
                return byId;
                }
                """;

    private final List<Api> apis;

    ApiKeySource(List<Api> apis) {
        this.apis = List.copyOf(apis);
    }

    String printApiKey() {
        SourceText source = new SourceText();
        source.line("// Generated from the schemas of kafka-clients; edit the generator instead.");
        source.line("package " + PACKAGE + ";");
        source.line("");
        source.line("import java.util.Set;");
        source.line("import org.jspecify.annotations.Nullable;");
        source.line("");
        source.line(
                "/// Every API of the Kafka protocol that has at least one version left. Immutable.");
        source.line("public enum ApiKey {");
        for (int i = 0; i < apis.size(); i++) {
            Schema request = apis.get(i).request();
            source.line(
                    "%s(%d, %d, %d, %b, %d, Set.of(%s))%s"
                            .formatted(
                                    request.apiName(),
                                    request.apiKey(),
                                    request.versions().lowest(),
                                    request.versions().highest(),
                                    request.latestUnstable(),
                                    request.flexible().isEmpty()
                                            ? Short.MAX_VALUE + 1
                                            : request.flexible().lowest(),
                                    request.listeners().stream()
                                            .map(listener -> "ApiListener." + listener)
                                            .collect(Collectors.joining(", ")),
                                    i == apis.size() - 1 ? ";" : ","));
        }
        printMembers(source);
        source.line("}");
        return source.toString();
    }

    private void printMembers(SourceText source) {
        MEMBERS.lines().forEach(source::line);
    }

    String printMessages() {
        SourceText source = new SourceText();
        source.line("// Generated from the schemas of kafka-clients; edit the generator instead.");
        source.line("package " + PACKAGE + ";");
        source.line("");
        for (Api api : apis) {
            source.line("import %s.%s;".formatted(MessageSource.PACKAGE, api.request().name()));
            source.line("import %s.%s;".formatted(MessageSource.PACKAGE, api.response().name()));
        }
        source.line("");
        source.line("/// From an API and a version to the message that follows the header.");
        source.line("public final class Messages {");
        source.line("private Messages() {}");
        printSwitch(source, "Request");
        printSwitch(source, "Response");
        source.line("}");
        return source.toString();
    }

    private void printSwitch(SourceText source, String kind) {
        source.line("");
        source.line(
                "public static Api%s read%s(ApiKey api, short version, WireReader in) {"
                        .formatted(kind, kind));
        source.line("return switch (api) {");
        for (Api api : apis) {
            Schema schema = kind.equals("Request") ? api.request() : api.response();
            source.line(
                    "case %s -> %s.read(in, version);"
                            .formatted(api.request().apiName(), schema.name()));
        }
        source.line("};");
        source.line("}");
    }

    /// The two messages of one API.
    record Api(Schema request, Schema response) {
        Api {
            boolean alike =
                    request.versions().equals(response.versions())
                            && request.flexible().equals(response.flexible());
            if (!alike) {
                throw new IllegalArgumentException(
                        request.name() + " and its response differ in their versions");
            }
        }
    }
}
