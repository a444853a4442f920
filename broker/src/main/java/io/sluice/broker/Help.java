package io.sluice.broker;

import io.sluice.settings.SettingDefinition;
import java.util.Map;

/// `sluice up --help`: every setting with its default and its sentence.
final class Help {
    private Help() {}

    static void print() {
        System.out.println(
                """
                Usage: sluice up [--config FILE] [--ephemeral] [--SETTING=VALUE …]

                Starts one broker and keeps it running until Ctrl-C or SIGTERM.

                  --config FILE    read settings from a file of NAME=VALUE lines (or $SLUICE_CONFIG)

                A setting has one name: NAME=VALUE in the file, SLUICE_NAME in the environment with _ for
                . and -, --NAME=VALUE as a flag. Flags win over the environment, the environment over the file.
                """);
        for (SettingDefinition setting : BrokerSettings.read(Map.of()).definitions()) {
            System.out.printf("  --%s=%s%n", setting.name(), setting.defaultValue());
            System.out.printf("        %s%n", setting.doc());
        }
    }
}
