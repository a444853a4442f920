package io.sluice.chaos.place;

import java.util.Arrays;
import java.util.stream.Collectors;

/// Cuts as sets of addresses in the packet filter of each broker's namespace: what arrives from a member of `from`, what goes to a member of `to`, and
/// what runs on the metadata store's ports with a member of `store`, is dropped.
///
/// Owned by the campaign's thread.
final class NftCuts implements Cuts {
    private final NamespacePlace place;

    NftCuts(NamespacePlace place) {
        this.place = place;
    }

    static String table() {
        return """
        table ip chaos {
          set from { type ipv4_addr; }
          set to { type ipv4_addr; }
          set store { type ipv4_addr; }
          set storeports { type inet_service; }
          chain arriving {
            type filter hook input priority 0;
            ip saddr @from drop
            ip saddr @store tcp dport @storeports drop
            ip saddr @store tcp sport @storeports drop
          }
          chain leaving {
            type filter hook output priority 0;
            ip daddr @to drop
            ip daddr @store tcp dport @storeports drop
            ip daddr @store tcp sport @storeports drop
          }
        }
        """;
    }

    @Override
    public void cut(int from, int to) {
        // At a broker's end, because the clients' end has no filter; one end is enough.
        if (to == CLIENTS) {
            place.filter(from, "add element ip chaos to { " + place.host(to) + " }\n");
        } else {
            place.filter(to, "add element ip chaos from { " + place.host(from) + " }\n");
        }
    }

    @Override
    public void cutStore(int one, int other) {
        String ports =
                Arrays.stream(Port.values())
                        .filter(Port::isOfTheStore)
                        .map(port -> Integer.toString(place.port(one, port)))
                        .collect(Collectors.joining(", "));
        place.filter(
                one,
                "add element ip chaos storeports { %s }\nadd element ip chaos store { %s }\n"
                        .formatted(ports, place.host(other)));
    }

    @Override
    public void healAll() {
        for (int broker = 1; broker <= place.brokers(); broker++) {
            place.filter(
                    broker,
                    "flush set ip chaos from\nflush set ip chaos to\nflush set ip chaos store\n");
        }
    }
}
