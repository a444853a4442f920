package io.sluice.controller;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/// A small node of the metadata store: a first line with the format and its version, then `name value` in lines. Owned by whoever writes or reads it.
final class NodeText {
    private final String path;
    private final String format;
    private final Map<String, String> lines = new LinkedHashMap<>();

    private NodeText(String path, String format) {
        this.path = path;
        this.format = format;
    }

    static NodeText of(String format) {
        return new NodeText("", format);
    }

    NodeText line(String name, Object value) {
        lines.put(name, value.toString());
        return this;
    }

    static NodeText read(String path, String format, String text) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(format)) {
            throw new IllegalStateException(
                    path
                            + " in the metadata store begins with '"
                            + lines[0]
                            + "'; this version reads '"
                            + format
                            + "'. It was written by a newer Sluice.");
        }
        NodeText node = new NodeText(path, format);
        for (int i = 1; i < lines.length; i++) {
            int space = lines[i].indexOf(' ');
            if (space > 0) {
                node.lines.put(lines[i].substring(0, space), lines[i].substring(space + 1));
            }
        }
        return node;
    }

    boolean has(String name) {
        return lines.containsKey(name);
    }

    String text(String name) {
        String value = lines.get(name);
        if (value == null) {
            throw new IllegalStateException(
                    path + " in the metadata store has no line '" + name + "'.");
        }
        return value;
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    UUID uuid(String name) {
        return UUID.fromString(text(name));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(format).append('\n');
        lines.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.toString();
    }
}
