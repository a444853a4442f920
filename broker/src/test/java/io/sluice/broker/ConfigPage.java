package io.sluice.broker;

import io.sluice.settings.SettingDefinition;
import java.util.Locale;
import java.util.Map;

/// `docs/config.md`, made from the settings themselves.
final class ConfigPage {
    private ConfigPage() {}

    static String text() {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Settings

                        Made from the code; `ConfigPageTest` fails when the two differ, and `mvn -pl broker -am test -Dtest=ConfigPageTest -Dsluice.rewrite=true -Dsurefire.failIfNoSpecifiedTests=false` writes the page again.

                        A setting has one name: `kafka.listen` is `kafka.listen=…` in the file given with `--config`, `SLUICE_KAFKA_LISTEN` in the environment, `--kafka.listen=…` as a flag. Flags win over the environment,
                        the environment over the file. Unknown names refuse the start, in each of the three. The environment may also hold what the `sluice` command reads: `SLUICE_BROKER_OPTS`, `SLUICE_CLI_OPTS`, `SLUICE_NO_BUILD`, `SLUICE_BOOTSTRAP`.
                        The file itself is named by `--config` or `SLUICE_CONFIG`.

                        Names that begin with `topic.` are defaults for all topics; a topic sets them for itself under the name without `topic.` (`sluice topic alter orders --set retention.ms=86400000`, or any Kafka tool). `topic.min.insync.replicas`, `topic.flush` and `topic.unclean.leader.election.enable` count when a topic is made, and are then noted with it: [more](operations.md#other-defaults-for-topics).

                        | name | default | allowed | meaning |
                        | --- | --- | --- | --- |
                        """);
        for (SettingDefinition setting : BrokerSettings.read(Map.of()).definitions()) {
            String defaultValue =
                    setting.name().equals("broker.shards")
                            ? "half of the cores"
                            : "`" + setting.defaultValue() + "`";
            String allowed =
                    setting.allowed().isEmpty()
                            ? setting.kind().name().toLowerCase(Locale.ROOT)
                            : setting.allowed();
            page.append("| `").append(setting.name()).append("` | ");
            page.append(defaultValue.equals("``") ? "" : defaultValue).append(" | ");
            page.append(allowed).append(" | ").append(setting.doc()).append(" |\n");
        }
        return page.toString();
    }
}
