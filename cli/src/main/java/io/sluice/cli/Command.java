package io.sluice.cli;

/// What every leaf of the command tree does once its options are parsed.
public interface Command {
    ExitCode run(Session session) throws Exception;
}
