package io.sluice.chaos.place.proxy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Who is called by which address. The same broker has another one for everybody, so that the address which is called says who calls:
///
/// | address | |
/// | --- | --- |
/// | `127.0.1.j` | broker j listens here |
/// | `127.1.i.j` | broker i calls broker j here, and so do the clients with i = 0 |
///
/// Settings have names only, which are the same for all; what a name means is in each broker's own hosts file, and in the harness's process by [ClientsNames].
///
/// Stateless.
final class Addresses {
    private static final Pattern NAME = Pattern.compile("broker-([1-9][0-9]{0,2})\\.chaos");

    private Addresses() {}

    static String name(int broker) {
        return "broker-" + broker + ".chaos";
    }

    /// Whom a name means; nobody when it is not one of ours.
    static OptionalInt broker(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches()
                ? OptionalInt.of(Integer.parseInt(parts.group(1)))
                : OptionalInt.empty();
    }

    /// Where a broker listens.
    static InetAddress home(int broker) {
        return loopback(0, 1, broker);
    }

    /// Where one calls the other.
    static InetAddress between(int caller, int callee) {
        return loopback(1, caller, callee);
    }

    /// What a broker knows of names. It replaces everything else that its process could ask, so that the machine itself is in it, too.
    static String hostsFile(int broker, int brokers) {
        String others =
                IntStream.rangeClosed(1, brokers)
                        .filter(other -> other != broker)
                        .mapToObj(other -> line(between(broker, other), name(other)))
                        .collect(Collectors.joining());
        return line(loopback(0, 0, 1), "localhost")
                + line(loopback(0, 0, 1), machine())
                + line(home(broker), name(broker))
                + others;
    }

    private static String line(InetAddress address, String name) {
        return address.getHostAddress() + " " + name + "\n";
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException _) {
            return "localhost";
        }
    }

    private static InetAddress loopback(int second, int third, int fourth) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {127, (byte) second, (byte) third, (byte) fourth});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 bytes was refused", e);
        }
    }
}
