package io.sluice.cli;

import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;

/// Where a command runs: its streams, its environment, its clock. Tests bring their own.
///
/// Always UTF-8, whatever the locale says: messages are.
///
/// Immutable.
///
/// @param terminals which of the streams is somebody's screen
public record Terminal(
        InputStream in,
        PrintStream out,
        PrintStream err,
        Map<String, String> environment,
        Screens terminals,
        InstantSource clock,
        ZoneId zone) {

    /// Which streams lead to a screen rather than to a file or pipe.
    public record Screens(boolean in, boolean out, boolean err) {
        public static final Screens NONE = new Screens(false, false, false);
    }

    /// The process's own. The launcher script passes which streams are terminals (`-Dsluice.terminals=012`), because Java
    /// cannot ask for each.
    public static Terminal ofProcess() {
        String passed = System.getProperty("sluice.terminals");
        boolean console =
                passed == null
                        && Optional.ofNullable(System.console())
                                .map(Console::isTerminal)
                                .orElse(false);
        String streams = passed == null ? "" : passed;
        return new Terminal(
                System.in,
                print(new FileOutputStream(FileDescriptor.out), false),
                print(new FileOutputStream(FileDescriptor.err), true),
                System.getenv(),
                new Screens(
                        console || streams.contains("0"),
                        console || streams.contains("1"),
                        console || streams.contains("2")),
                InstantSource.system(),
                ZoneId.systemDefault());
    }

    static PrintStream print(OutputStream to, boolean flushLines) {
        return new PrintStream(
                new BufferedOutputStream(to, 1 << 16), flushLines, StandardCharsets.UTF_8);
    }

    /// Progress and colours are for people; a build server is none, even if it pretends to have a terminal.
    boolean watched() {
        return terminals.err() && !isSet("CI");
    }

    boolean wantsColours() {
        return terminals.out()
                && !isSet("NO_COLOR")
                && !isSet("CI")
                && !"dumb".equals(environment.get("TERM"));
    }

    private boolean isSet(String variable) {
        return !environment.getOrDefault(variable, "").isEmpty();
    }
}
