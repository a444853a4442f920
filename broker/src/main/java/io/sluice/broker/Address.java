package io.sluice.broker;

import io.sluice.settings.InvalidSetting;
import java.net.InetSocketAddress;

/// `host:port`, as written in a setting. Immutable.
public record Address(String host, int port) {
    static Address parse(String setting, String text) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, colon);
            int port = Integer.parseInt(text.substring(colon + 1));
            if (host.isEmpty() || port < 0 || port > 65_535) {
                throw new IllegalArgumentException(text);
            }
            return new Address(
                    host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new InvalidSetting(
                    setting,
                    "Setting '"
                            + setting
                            + "' has the value '"
                            + text
                            + "'; write it as host:port, for example localhost:9092.");
        }
    }

    InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
