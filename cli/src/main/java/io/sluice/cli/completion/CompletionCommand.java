package io.sluice.cli.completion;

import io.sluice.cli.Command;
import io.sluice.cli.CommandTree;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Format;
import io.sluice.cli.output.Value;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;

/// `sluice completion`
@CommandLine.Command(
        name = "completion",
        description = {
            "Print a completion script for a shell.",
            "For bash:  source <(sluice completion bash)",
            "For zsh:  source <(sluice completion zsh)"
        })
public final class CompletionCommand implements Command {
    /// What `completion` can be asked for, as typed.
    public enum Shell {
        bash,
        zsh
    }

    @CommandLine.Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    Shell shell = Shell.bash;

    @Override
    public ExitCode run(Session session) {
        String script = script();
        if (session.printer().format() == Format.table) {
            session.terminal().out().print(script);
            return ExitCode.OK;
        }
        session.printer()
                .print(
                        Details.of(
                                shell.name(),
                                List.of(Column.of("shell", "Shell")),
                                Fields.of("shell", Value.text(shell.name()))
                                        .with("script", Value.text(script))));
        return ExitCode.OK;
    }

    /// The bash script works in zsh too, once zsh has been told to understand bash completions.
    private String script() {
        String bash = AutoComplete.bash("sluice", CommandTree.whole());
        return switch (shell) {
            case bash -> bash;
            case zsh ->
                    """
                    autoload -U +X compinit && compinit -u
                    autoload -U +X bashcompinit && bashcompinit
                    """
                            + bash;
        };
    }
}
