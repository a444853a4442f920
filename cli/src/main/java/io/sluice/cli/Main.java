package io.sluice.cli;

import java.util.List;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/// The way of a command line: parsed into the tree, run as one [Command] in a [Session], ended with an [ExitCode].
///
/// Owned by the main thread.
public final class Main {
    private final Terminal terminal;

    Main(Terminal terminal) {
        this.terminal = terminal;
    }

    public static void main(String[] args) {
        Terminal terminal = Terminal.ofProcess();
        int code = new Main(terminal).run(args);
        terminal.out().flush();
        terminal.err().flush();
        System.exit(code);
    }

    /// Runs one command line and returns the exit code.
    int run(String... args) {
        if (args.length == 1 && (args[0].equals("--version") || args[0].equals("-V"))) {
            // Not worth building the command tree.
            terminal.out().println(Version.current().line());
            terminal.out().flush();
            return ExitCode.OK.code();
        }
        CommandLine tree = CommandTree.forArguments(args);
        tree.setCaseInsensitiveEnumValuesAllowed(true);
        HelpLayout.applyTo(tree);
        tree.setParameterExceptionHandler(
                (wrong, _) -> usageError(wrong.getCommandLine(), UsageMistake.sentence(wrong)));
        tree.setExecutionStrategy(parsed -> execute(tree, parsed));
        try {
            return tree.execute(args);
        } finally {
            terminal.out().flush();
            terminal.err().flush();
        }
    }

    private int execute(CommandLine tree, ParseResult parsed) {
        SluiceCommand root = tree.getCommand();
        Logging.verbose(root.verbose);
        ParseResult leaf = parsed;
        while (leaf.hasSubcommand()) {
            leaf = leaf.subcommand();
        }
        CommandLine chosen = leaf.commandSpec().commandLine();
        boolean nothingAsked = !parsed.hasSubcommand() && !root.version;
        if (leaf.isUsageHelpRequested() || nothingAsked) {
            chosen.usage(terminal.out(), help(root));
            return ExitCode.OK.code();
        }
        if (chosen.getCommand() instanceof CommandTree.Help asked) {
            return explain(tree, asked.words, help(root));
        }
        if (chosen.getCommand() instanceof ScriptCommand) {
            return usageError(chosen, ScriptCommand.misplaced(chosen));
        }
        if (!(chosen.getCommand() instanceof Command) && !root.version) {
            chosen.usage(terminal.err(), help(root));
            return ExitCode.USAGE.code();
        }
        return inSession(root, chosen.getCommand());
    }

    /// `help topic create` is `topic create --help`.
    private int explain(CommandLine tree, List<String> words, CommandLine.Help.Ansi colours) {
        CommandLine at = tree;
        for (String word : words) {
            CommandLine next = at.getSubcommands().get(word);
            if (next == null) {
                return usageError(at, UsageMistake.unknownWord(at, word));
            }
            at = next;
        }
        at.usage(terminal.out(), colours);
        return ExitCode.OK.code();
    }

    private int inSession(SluiceCommand root, Object chosen) {
        try (var session = new Session(terminal, root)) {
            try {
                if (root.version) {
                    session.printer().print(Version.current().details());
                    return ExitCode.OK.code();
                }
                return ((Command) chosen).run(session).code();
            } catch (Exception e) {
                return report(
                        Failures.of(
                                e,
                                root.bootstrapOr(terminal.environment().get("SLUICE_BOOTSTRAP"))),
                        root);
            }
        }
    }

    private int report(Failure failure, SluiceCommand root) {
        terminal.out().flush();
        terminal.err().println(failure.getMessage());
        if (root.verbose && failure.getCause() != null) {
            LoggerFactory.getLogger(Main.class).warn("Caused by", failure.getCause());
        }
        return failure.exitCode().code();
    }

    private int usageError(CommandLine command, String sentence) {
        terminal.err().println(sentence);
        terminal.err()
                .println(
                        "'%s --help' shows how."
                                .formatted(command.getCommandSpec().qualifiedName()));
        return ExitCode.USAGE.code();
    }

    private CommandLine.Help.Ansi help(SluiceCommand root) {
        return terminal.wantsColours() && !root.noColor
                ? CommandLine.Help.Ansi.ON
                : CommandLine.Help.Ansi.OFF;
    }
}
