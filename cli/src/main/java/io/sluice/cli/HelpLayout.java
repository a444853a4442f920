package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// A command's help shows its own options first and those that every command has below, so that the reader finds what is
/// special about it.
///
/// Stateless.
final class HelpLayout {
    private HelpLayout() {}

    static void applyTo(CommandLine tree) {
        tree.getCommandSpec().usageMessage().abbreviateSynopsis(true);
        tree.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::options);
        tree.getSubcommands().values().forEach(HelpLayout::applyTo);
    }

    private static String options(Help help) {
        List<OptionSpec> own = new ArrayList<>();
        List<OptionSpec> global = new ArrayList<>();
        for (OptionSpec option : help.commandSpec().options()) {
            (option.inherited() ? global : own).add(option);
        }
        var text = new StringBuilder(help.optionListExcludingGroups(own));
        if (!global.isEmpty()) {
            text.append(own.isEmpty() ? "" : System.lineSeparator());
            text.append("On every command:").append(System.lineSeparator());
            text.append(help.optionListExcludingGroups(global));
        }
        return text.toString();
    }
}
