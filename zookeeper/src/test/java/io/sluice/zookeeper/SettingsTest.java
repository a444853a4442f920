package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Settings;
import io.sluice.zookeeper.EnsembleSettings.Member;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    @Test
    void nothingIsSetOnASingleNode() {
        Settings empty = new Settings(Map.of());
        ZooKeeperSettings settings = ZooKeeperSettings.from(empty);
        assertThat(settings.servers()).isEmpty();
        assertThat(settings.sessionTimeout()).isEqualTo(Duration.ofSeconds(6));
        assertThat(settings.root()).isEqualTo("/sluice");
        assertThat(settings.login().isNobody()).isTrue();
        assertThat(settings.tls().isOn()).isFalse();
        assertThat(EnsembleSettings.from(empty).members()).isEmpty();
        assertThat(empty.definitions())
                .allSatisfy(definition -> assertThat(definition.doc()).isNotBlank());
    }

    @Test
    void anExternalEnsembleMayHaveAPath() {
        ZooKeeperSettings settings = zookeeper("a:2181, [::1]:2182,b.example:2183/prod/sluice");
        assertThat(settings.servers()).containsExactly("a:2181", "[::1]:2182", "b.example:2183");
        assertThat(settings.root()).isEqualTo("/prod/sluice");
        assertThat(settings.where()).isEqualTo("a:2181, [::1]:2182, b.example:2183");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a | is not host:port",
                "a:x | is not host:port",
                "a:2181/x,b:2181 | only stand behind the last server",
                "a:2181/ | not allowed",
                "a:2181/zookeeper | not allowed",
                "a:2181/x//y | not allowed",
                "a:2181/with:colon | not allowed"
            })
    void whatIsNoEnsembleIsRefusedWithAnExample(String given, String complaint) {
        assertThatThrownBy(() -> zookeeper(given))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining(complaint)
                .hasMessageContaining("zk1:2181,zk2:2181,zk3:2181/sluice");
    }

    @Test
    void anEnsembleInsideBrokersIsAListOfMembers() {
        EnsembleSettings settings = ensemble("2@b:2888:3888:2181, 1@a:2888:3888:2181");
        assertThat(settings.members())
                .containsExactly(
                        new Member(1, "a", 2888, 3888, 2181), new Member(2, "b", 2888, 3888, 2181));
        assertThat(settings.find(2)).isEqualTo(new Member(2, "b", 2888, 3888, 2181));
        assertThat(settings.find(3)).isNull();
        ZooKeeperSettings clients =
                settings.clients(ZooKeeperSettings.from(new Settings(Map.of())));
        assertThat(clients.servers()).isEqualTo(List.of("a:2181", "b:2181"));
        assertThat(clients.largestRequest()).isEqualTo(8 << 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1@a:2888:3888 | is not node.id@host",
                "a:2888:3888:2181 | is not node.id@host",
                "0@a:2888:3888:2181 | 1 to 255",
                "300@a:2888:3888:2181 | 1 to 255",
                "1@a:2888:2888:2181 | three different ports",
                "1@a:2888:3888:99999 | three different ports",
                "1@a:1:2:3,1@b:1:2:3 | another member has too"
            })
    void whatIsNoMemberIsRefusedWithAnExample(String given, String complaint) {
        assertThatThrownBy(() -> ensemble(given))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining(complaint)
                .hasMessageContaining("1@host1:2888:3888:2181");
    }

    @Test
    void halfALoginAndHalfOfTlsAreRefused() {
        assertThatThrownBy(() -> from(Map.of("cluster.zookeeper.user", "sluice")))
                .hasMessageContaining("go together");
        assertThatThrownBy(() -> from(Map.of("cluster.zookeeper.password", "canary")))
                .hasMessageContaining("go together")
                .hasMessageNotContaining("canary");
        assertThatThrownBy(() -> from(Map.of("cluster.zookeeper.password-file", "/no/such/file")))
                .hasMessageContaining("/no/such/file");
        assertThatThrownBy(() -> from(Map.of("cluster.zookeeper.tls.trust-store", "/no/such")))
                .hasMessageContaining("/no/such");
        assertThatThrownBy(() -> from(Map.of("cluster.zookeeper.tls.key-store", "pom.xml")))
                .hasMessageContaining("takes a trust store");
    }

    private static ZooKeeperSettings zookeeper(String given) {
        return from(Map.of("cluster.zookeeper", given));
    }

    private static ZooKeeperSettings from(Map<String, String> given) {
        return ZooKeeperSettings.from(new Settings(given));
    }

    private static EnsembleSettings ensemble(String given) {
        return EnsembleSettings.from(new Settings(Map.of("cluster.ensemble", given)));
    }
}
