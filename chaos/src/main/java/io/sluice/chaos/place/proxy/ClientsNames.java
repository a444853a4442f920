package io.sluice.chaos.place.proxy;

import io.sluice.chaos.place.Cuts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.OptionalInt;
import java.util.stream.Stream;

/// What the brokers' names mean in the harness's process, where the clients are; every other name means what it always does.
///
/// A process with a hosts file of its own is a broker that has been started with the harness's class path: there the file counts.
///
/// Thread-safe: it has no state. Found by the service loader when the process looks its first name up.
public final class ClientsNames extends InetAddressResolverProvider {
    static final String HOSTS_FILE = "jdk.net.hosts.file";

    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver usual = configuration.builtinResolver();
        return System.getProperty(HOSTS_FILE) == null ? new Resolver(usual) : usual;
    }

    @Override
    public String name() {
        return "brokers behind the proxy of sluice chaos";
    }

    private record Resolver(InetAddressResolver usual) implements InetAddressResolver {
        @Override
        public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
                throws UnknownHostException {
            OptionalInt broker = Addresses.broker(host);
            return broker.isPresent()
                    ? Stream.of(Addresses.between(Cuts.CLIENTS, broker.getAsInt()))
                    : usual.lookupByName(host, policy);
        }

        @Override
        public String lookupByAddress(byte[] address) throws UnknownHostException {
            return usual.lookupByAddress(address);
        }
    }
}
