package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdvertisedTest {
    private static final int PORT = 9092;

    /// A machine as a test wants it.
    private record Pretended(@Nullable String findName, List<InetAddress> addresses)
            implements Advertised.Machine {
        static Pretended called(String name) {
            return new Pretended(name, List.of());
        }

        static Pretended nameless(String... addresses) {
            return new Pretended(null, Stream.of(addresses).map(InetAddress::ofLiteral).toList());
        }
    }

    /// `localhost` would send every client of another machine to itself.
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "0:0:0:0:0:0:0:0"})
    void whoListensEverywhereAdvertisesTheMachinesName(String everywhere) {
        assertThat(advertised(everywhere, "", Pretended.called("shop-1.example")))
                .isEqualTo(new Address("shop-1.example", PORT));
    }

    @Test
    void whereTheNameLeadsNowhereTheFirstAddressIsAdvertised() {
        Pretended machine = Pretended.nameless("127.0.0.1", "fe80::1", "fd00::7", "10.1.2.3");
        assertThat(advertised("0.0.0.0", "", machine)).isEqualTo(new Address("10.1.2.3", PORT));
        assertThat(advertised("::", "", Pretended.nameless("::1", "fd00::7")).toString())
                .isEqualTo("[fd00:0:0:0:0:0:0:7]:9092");
        Pretended renamed = new Pretended("localhost", List.of(InetAddress.ofLiteral("10.1.2.3")));
        assertThat(advertised("0.0.0.0", "", renamed)).isEqualTo(new Address("10.1.2.3", PORT));
    }

    @Test
    void aMachineWithoutANetworkIsLocalhost() {
        assertThat(advertised("0.0.0.0", "", Pretended.nameless("127.0.0.1")))
                .isEqualTo(new Address("localhost", PORT));
    }

    @Test
    void anAddressListenedOnIsAdvertisedAsItIs() {
        assertThat(advertised("127.0.0.1", "", Pretended.called("shop-1")))
                .isEqualTo(new Address("127.0.0.1", PORT));
    }

    @Test
    void theSettingWins() {
        assertThat(advertised("0.0.0.0", "kafka.example:19092", Pretended.called("shop-1")))
                .isEqualTo(new Address("kafka.example", 19_092));
    }

    @Test
    void thisMachineHasANameOrAnAddress() {
        Advertised.Machine machine = Advertised.thisMachine();
        assertThat(machine.findName() != null || !machine.addresses().isEmpty()).isTrue();
        assertThat(advertised("0.0.0.0", "", machine).host()).isNotEqualTo("0.0.0.0");
    }

    private static Address advertised(String listen, String setting, Advertised.Machine machine) {
        return Advertised.of(new Address(listen, 0), setting, PORT, machine);
    }
}
