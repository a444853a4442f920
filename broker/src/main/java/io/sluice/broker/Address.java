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

    /// Throws a sentence for people when this machine does not know the host.
    InetSocketAddress resolve(String setting) {
        InetSocketAddress resolved = new InetSocketAddress(host, port);
        if (resolved.isUnresolved()) {
            throw new InvalidSetting(
                    setting,
                    "Setting '"
                            + setting
                            + "' has the value '"
                            + this
                            + "', but this machine knows no host '"
                            + host
                            + "'; write a name or an address that it has, such as localhost.");
        }
        return resolved;
    }

    /// Whether listening here means listening on every address that the machine has.
    boolean isEverywhere() {
        InetSocketAddress resolved = new InetSocketAddress(host, port);
        return !resolved.isUnresolved() && resolved.getAddress().isAnyLocalAddress();
    }

    /// Where someone on this machine reaches what listens here on `boundPort`.
    Address fromHere(int boundPort) {
        return new Address(isEverywhere() ? "localhost" : host, boundPort);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
