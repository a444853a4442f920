package io.sluice.controller;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A registration as it is in the metadata store. Immutable. See `docs/formats/cluster-nodes.md`.
///
/// @param epoch the node's creation: the broker epoch
/// @param version of the node
record Registered(Registration registration, long epoch, int version) {
    static final String PATH = "/brokers";
    private static final String FORMAT = "sluice-broker 1";

    static String path(int id) {
        return PATH + "/" + id;
    }

    BrokerView view() {
        return new BrokerView(
                registration.id(),
                registration.host(),
                registration.port(),
                registration.rack(),
                epoch);
    }

    static String write(Registration registration) {
        NodeText text =
                NodeText.of(FORMAT)
                        .line("host", registration.host())
                        .line("port", registration.port());
        String rack = registration.rack();
        if (rack != null) {
            text.line("rack", rack);
        }
        text.line("incarnation", registration.incarnation())
                .line("directory", registration.directory())
                .line("clean", registration.cleanEpoch());
        UUID boot = registration.boot();
        if (boot != null) {
            text.line("boot", boot);
        }
        return text.toString();
    }

    static Registered read(int id, String text, int version, long created) {
        NodeText node = NodeText.read(path(id), FORMAT, text);
        @Nullable String rack = node.has("rack") ? node.text("rack") : null;
        return new Registered(
                new Registration(
                        id,
                        node.text("host"),
                        (int) node.number("port"),
                        rack,
                        node.uuid("incarnation"),
                        node.uuid("directory"),
                        null,
                        node.number("clean"),
                        node.has("boot") ? node.uuid("boot") : null),
                created,
                version);
    }
}
