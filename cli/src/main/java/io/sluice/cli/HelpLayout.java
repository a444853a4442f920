package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// A command's help shows what is special about it first: the commands below it, its own options, and at the end those that
/// every command has.
///
/// Stateless.
final class HelpLayout {
    private HelpLayout() {}

    static void applyTo(CommandLine tree) {
        tree.getCommandSpec().usageMessage().abbreviateSynopsis(true);
        tree.setHelpSectionKeys(commandsFirst(tree.getHelpSectionKeys()));
        tree.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::options);
        tree.getSubcommands().values().forEach(HelpLayout::applyTo);
    }

    private static List<String> commandsFirst(List<String> sections) {
        List<String> commands =
                List.of(
                        UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING,
                        UsageMessageSpec.SECTION_KEY_COMMAND_LIST);
        List<String> ordered = new ArrayList<>(sections);
        ordered.removeAll(commands);
        ordered.addAll(ordered.indexOf(UsageMessageSpec.SECTION_KEY_OPTION_LIST), commands);
        return ordered;
    }

    private static String options(Help help) {
        List<OptionSpec> own = new ArrayList<>();
        List<OptionSpec> global = new ArrayList<>();
        boolean root = help.commandSpec().parent() == null;
        for (OptionSpec option : help.commandSpec().options()) {
            (root || option.inherited() ? global : own).add(option);
        }
        var text = new StringBuilder(help.optionListExcludingGroups(own));
        if (!global.isEmpty()) {
            boolean first = own.isEmpty() && help.commandSpec().subcommands().isEmpty();
            text.append(first ? "" : System.lineSeparator());
            text.append("On every command:").append(System.lineSeparator());
            text.append(help.optionListExcludingGroups(global));
        }
        return text.toString();
    }
}
