package io.sluice.cli;

import io.sluice.cli.bench.BenchCommand;
import io.sluice.cli.bench.BenchConsume;
import io.sluice.cli.bench.BenchLatency;
import io.sluice.cli.bench.BenchProduce;
import io.sluice.cli.broker.BrokerCommand;
import io.sluice.cli.broker.BrokerDrain;
import io.sluice.cli.broker.BrokerList;
import io.sluice.cli.broker.BrokerRemove;
import io.sluice.cli.broker.BrokerResume;
import io.sluice.cli.broker.RebalanceCommand;
import io.sluice.cli.cluster.ClusterCommand;
import io.sluice.cli.cluster.ClusterHealth;
import io.sluice.cli.cluster.ClusterInfo;
import io.sluice.cli.cluster.ClusterUp;
import io.sluice.cli.completion.CompletionCommand;
import io.sluice.cli.demo.DemoCommand;
import io.sluice.cli.doctor.DoctorCommand;
import io.sluice.cli.group.GroupCommand;
import io.sluice.cli.group.GroupDelete;
import io.sluice.cli.group.GroupDescribe;
import io.sluice.cli.group.GroupList;
import io.sluice.cli.group.GroupReset;
import io.sluice.cli.log.LogCommand;
import io.sluice.cli.log.LogDump;
import io.sluice.cli.log.LogVerify;
import io.sluice.cli.message.SendCommand;
import io.sluice.cli.message.TailCommand;
import io.sluice.cli.outbox.OutboxCommand;
import io.sluice.cli.outbox.OutboxLanes;
import io.sluice.cli.outbox.OutboxMembers;
import io.sluice.cli.outbox.OutboxMode;
import io.sluice.cli.outbox.OutboxParked;
import io.sluice.cli.outbox.OutboxReplay;
import io.sluice.cli.outbox.OutboxStatus;
import io.sluice.cli.outbox.RelayCommand;
import io.sluice.cli.topic.TopicAlter;
import io.sluice.cli.topic.TopicCommand;
import io.sluice.cli.topic.TopicCreate;
import io.sluice.cli.topic.TopicDelete;
import io.sluice.cli.topic.TopicDescribe;
import io.sluice.cli.topic.TopicList;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/// All commands by their words. Built only as far as the command line needs it: reading the annotations of a command takes
/// a while, and most runs use one.
///
/// Stateless.
public final class CommandTree {
    private static final List<String> FIRST_WORDS =
            List.of(
                    "up",
                    "topic",
                    "send",
                    "tail",
                    "group",
                    "bench",
                    "log",
                    "cluster",
                    "broker",
                    "rebalance",
                    "relay",
                    "outbox",
                    "doctor",
                    "demo",
                    "chaos",
                    "completion",
                    "help");

    private CommandTree() {}

    /// The same as `--help`, for those who type it as a word.
    @CommandLine.Command(name = "help", description = "Show this help, or that of a command.")
    static final class Help {
        @CommandLine.Parameters(
                arity = "0..*",
                paramLabel = "COMMAND",
                description = "Such as: topic create.")
        List<String> words = new ArrayList<>();
    }

    /// The tree with every command.
    public static CommandLine whole() {
        return with(FIRST_WORDS, List.of());
    }

    /// Every word that may stand behind a command, also those that this tree was built without; none behind one that works.
    static List<String> wordsBehind(CommandLine command) {
        CommandLine above = command.getParent();
        if (above == null) {
            return FIRST_WORDS;
        }
        return above.getParent() == null ? verbs(command.getCommandName()) : List.of();
    }

    /// The part of the tree that these arguments can reach. A value that happens to be the name of a command is harmless: that
    /// command is built for nothing.
    static CommandLine forArguments(String... args) {
        List<String> words = List.of(args);
        if (!words.isEmpty() && isUnknown(words.getFirst())) {
            // What comes behind it, whatever it looks like, is not to blame.
            return with(List.of(), List.of());
        }
        List<String> named = new ArrayList<>(FIRST_WORDS);
        named.retainAll(words);
        if (named.isEmpty() || named.contains("help")) {
            return whole();
        }
        return with(named, words);
    }

    private static boolean isUnknown(String word) {
        return !word.startsWith("-") && !FIRST_WORDS.contains(word);
    }

    private static CommandLine with(List<String> names, List<String> words) {
        var tree = new CommandLine(new SluiceCommand());
        for (String name : names) {
            tree.addSubcommand(name, withVerbs(name, words));
        }
        bareScriptCommands(tree);
        return tree;
    }

    /// The script's own commands have none of the options that this tool's have.
    private static void bareScriptCommands(CommandLine command) {
        if (command.getCommand() instanceof ScriptCommand) {
            List.copyOf(command.getCommandSpec().options()).stream()
                    .filter(option -> !option.usageHelp())
                    .forEach(command.getCommandSpec()::remove);
        }
        command.getSubcommands().values().forEach(CommandTree::bareScriptCommands);
    }

    /// A first word with its second words: those that are among the arguments, or all if none is.
    private static CommandLine withVerbs(String name, List<String> words) {
        var command = new CommandLine(command(name));
        List<String> verbs = verbs(name);
        List<String> named = new ArrayList<>(verbs);
        named.retainAll(words);
        for (String verb : named.isEmpty() ? verbs : named) {
            command.addSubcommand(verb, command(name + " " + verb));
        }
        return command;
    }

    private static List<String> verbs(String name) {
        return switch (name) {
            case "topic" -> List.of("list", "describe", "create", "alter", "delete");
            case "group" -> List.of("list", "describe", "reset", "delete");
            case "bench" ->
                    List.of("produce", "consume", "latency", "compare", "outbox", "listener");
            case "log" -> List.of("dump", "verify");
            case "cluster" -> List.of("info", "health", "up");
            case "broker" -> List.of("list", "drain", "resume", "remove");
            case "outbox" -> List.of("status", "members", "lanes", "parked", "replay", "mode");
            default -> List.of();
        };
    }

    private static Object command(String words) {
        return switch (words) {
            case "up" -> new ScriptCommand.Up();
            case "topic" -> new TopicCommand();
            case "topic list" -> new TopicList();
            case "topic describe" -> new TopicDescribe();
            case "topic create" -> new TopicCreate();
            case "topic alter" -> new TopicAlter();
            case "topic delete" -> new TopicDelete();
            case "send" -> new SendCommand();
            case "tail" -> new TailCommand();
            case "group" -> new GroupCommand();
            case "group list" -> new GroupList();
            case "group describe" -> new GroupDescribe();
            case "group reset" -> new GroupReset();
            case "group delete" -> new GroupDelete();
            case "bench" -> new BenchCommand();
            case "bench produce" -> new BenchProduce();
            case "bench consume" -> new BenchConsume();
            case "bench latency" -> new BenchLatency();
            case "bench compare" -> new ScriptCommand.BenchCompare();
            case "bench outbox" -> new ScriptCommand.BenchOutbox();
            case "bench listener" -> new ScriptCommand.BenchListener();
            case "log" -> new LogCommand();
            case "log dump" -> new LogDump();
            case "log verify" -> new LogVerify();
            case "cluster" -> new ClusterCommand();
            case "cluster info" -> new ClusterInfo();
            case "cluster health" -> new ClusterHealth();
            case "cluster up" -> new ClusterUp();
            case "broker" -> new BrokerCommand();
            case "broker list" -> new BrokerList();
            case "broker drain" -> new BrokerDrain();
            case "broker resume" -> new BrokerResume();
            case "broker remove" -> new BrokerRemove();
            case "rebalance" -> new RebalanceCommand();
            case "relay" -> new RelayCommand();
            case "outbox" -> new OutboxCommand();
            case "outbox status" -> new OutboxStatus();
            case "outbox members" -> new OutboxMembers();
            case "outbox lanes" -> new OutboxLanes();
            case "outbox parked" -> new OutboxParked();
            case "outbox replay" -> new OutboxReplay();
            case "outbox mode" -> new OutboxMode();
            case "doctor" -> new DoctorCommand();
            case "demo" -> new DemoCommand();
            case "chaos" -> new ScriptCommand.Chaos();
            case "completion" -> new CompletionCommand();
            case "help" -> new Help();
            default -> throw new IllegalStateException("no command '" + words + "'");
        };
    }
}
