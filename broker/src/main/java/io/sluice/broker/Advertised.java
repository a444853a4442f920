package io.sluice.broker;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The address that clients are told to connect to.
///
/// Clients come a second time with the address that the broker tells them, so it has to mean this machine where *they* are: a
/// broker that listens on every address must not say `localhost`. Stateless.
final class Advertised {
    /// What this machine knows about itself; a door, so that tests can be other machines.
    interface Machine {
        /// Its host name; absent when that name leads to no address.
        @Nullable String findName();

        /// The addresses of its network interfaces that are up.
        List<InetAddress> addresses();
    }

    private Advertised() {}

    /// @param listen where the broker listens
    /// @param advertise `kafka.advertise`; empty when it is not set
    /// @param boundPort the port that it really got
    static Address of(Address listen, String advertise, int boundPort, Machine machine) {
        if (!advertise.isEmpty()) {
            return Address.parse("kafka.advertise", advertise);
        }
        if (!listen.isEverywhere()) {
            return new Address(listen.host(), boundPort);
        }
        return new Address(hostOf(machine), boundPort);
    }

    private static String hostOf(Machine machine) {
        String name = machine.findName();
        if (name != null && !name.equals("localhost")) {
            return name;
        }
        // IPv4 first: where both exist it is what more clients can reach.
        return machine.addresses().stream()
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .min(Comparator.comparing(address -> !(address instanceof Inet4Address)))
                .map(InetAddress::getHostAddress)
                .orElse("localhost");
    }

    static Machine thisMachine() {
        return new Machine() {
            @Override
            public @Nullable String findName() {
                try {
                    return InetAddress.getLocalHost().getHostName();
                } catch (UnknownHostException _) {
                    return null;
                }
            }

            @Override
            public List<InetAddress> addresses() {
                try {
                    return NetworkInterface.networkInterfaces()
                            .filter(Advertised::isUp)
                            .flatMap(NetworkInterface::inetAddresses)
                            .toList();
                } catch (SocketException _) {
                    return List.of();
                }
            }
        };
    }

    private static boolean isUp(NetworkInterface network) {
        try {
            return network.isUp();
        } catch (SocketException _) {
            return false;
        }
    }
}
