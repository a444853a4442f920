package io.sluice.kafka.api.topics;

import io.sluice.controller.BrokerCommand;
import io.sluice.controller.BrokerOutcome;
import io.sluice.controller.Controller;
import io.sluice.controller.Member;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.topics.ConfigChange.Result;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.settings.SettingDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What can be asked of brokers as a whole, said in the language of settings, since Kafka's protocol has no other words for it. Thread-safe.
///
/// | setting of the resource BROKER without a name | meaning |
/// | --- | --- |
/// | `cluster.draining` | ids of brokers whose replicas move to the others; what is appended drains, what is subtracted takes part again |
/// | `cluster.move-bytes-per-second` | how fast each broker may copy what moves to it, 0 for no limit; deleted, each broker's own setting counts |
/// | `cluster.rebalance` | set to `now`: replicas and leaders are spread evenly, once; it has no value afterwards |
///
/// Some can only be read: `cluster.full-disks`, the ids of brokers whose disk is full, and `cluster.away`, of those that belong to the cluster and are not there. And what each broker tells of itself: `log.damages`, and `cluster.directed`, whether a
/// controller acts for it.
final class BrokerStates {
    static final String DRAINING = "cluster.draining";
    static final String REBALANCE = "cluster.rebalance";
    static final String MOVE_LIMIT = "cluster.move-bytes-per-second";
    private static final long UNSET = -1;
    private static final String FULL_DISKS = "cluster.full-disks";
    private static final String AWAY = "cluster.away";
    private static final String DIRECTED = "cluster.directed";
    private static final String DAMAGES = "log.damages";

    private final Controller controller;

    BrokerStates(Controller controller) {
        this.controller = controller;
    }

    /// The ids as they are now.
    Set<Integer> draining() {
        Set<Integer> ids = new TreeSet<>();
        for (Member member : controller.view().members().values()) {
            if (member.isDraining()) {
                ids.add(member.id());
            }
        }
        return ids;
    }

    List<SettingDefinition> definitions() {
        return List.of(definition(), moveLimit(), fullDisks(), away());
    }

    private SettingDefinition away() {
        String value =
                controller.view().members().keySet().stream()
                        .filter(id -> !controller.view().isLive(id))
                        .map(String::valueOf)
                        .collect(Collectors.joining(","));
        return new SettingDefinition(
                AWAY,
                SettingDefinition.Kind.LIST,
                "",
                "cannot be set",
                "Brokers that belong to the cluster and are not there.",
                value,
                !value.isEmpty());
    }

    SettingDefinition directed() {
        return new SettingDefinition(
                DIRECTED,
                SettingDefinition.Kind.FLAG,
                "true",
                "cannot be set",
                "Whether this broker reaches the metadata store and its controller answers. If not, nothing can be elected or created for it.",
                String.valueOf(controller.isDirected()),
                false);
    }

    private SettingDefinition fullDisks() {
        String value =
                controller.view().brokers().stream()
                        .filter(broker -> controller.view().isDiskFull(broker.id()))
                        .map(broker -> String.valueOf(broker.id()))
                        .collect(Collectors.joining(","));
        return new SettingDefinition(
                FULL_DISKS,
                SettingDefinition.Kind.LIST,
                "",
                "cannot be set",
                "Brokers whose data disk is full. They lead nothing that another can.",
                value,
                !value.isEmpty());
    }

    private SettingDefinition moveLimit() {
        OptionalLong ordered = controller.view().moveLimit();
        return new SettingDefinition(
                MOVE_LIMIT,
                SettingDefinition.Kind.LONG,
                "",
                "bytes, 0 for no limit",
                "How many bytes per second each broker copies for replicas that move to it, at most. Without a value each broker's own setting counts.",
                ordered.isPresent() ? String.valueOf(ordered.getAsLong()) : "",
                ordered.isPresent());
    }

    SettingDefinition definition() {
        String value = draining().stream().map(String::valueOf).collect(Collectors.joining(","));
        return new SettingDefinition(
                DRAINING,
                SettingDefinition.Kind.LIST,
                "",
                "ids of brokers",
                "Brokers whose replicas move to the others, until they have none.",
                value,
                !value.isEmpty());
    }

    static SettingDefinition damages(long now) {
        return new SettingDefinition(
                DAMAGES,
                SettingDefinition.Kind.LONG,
                "0",
                "cannot be set",
                "Places on this broker's disk that are known to be damaged and are not mended. They are refused to readers.",
                String.valueOf(now),
                false);
    }

    /// How a list of brokers is meant.
    enum Change {
        /// Exactly these are emptied.
        SET,
        /// These as well.
        APPEND,
        /// These not any more.
        SUBTRACT
    }

    Reply<Result> drain(Change change, String brokers, boolean validateOnly, Mailbox home) {
        Set<Integer> given = new TreeSet<>();
        try {
            for (String id : brokers.split(",", -1)) {
                if (!id.isBlank()) {
                    given.add(Integer.valueOf(id.trim()));
                }
            }
        } catch (NumberFormatException _) {
            return refuse("'" + DRAINING + "' is a list of broker ids, not '" + brokers + "'.");
        }
        List<BrokerCommand> commands = new ArrayList<>();
        if (change == Change.SUBTRACT) {
            given.forEach(id -> commands.add(new BrokerCommand.Resume(id)));
        } else {
            given.forEach(id -> commands.add(new BrokerCommand.Drain(id)));
        }
        if (change == Change.SET) {
            draining().stream()
                    .filter(id -> !given.contains(id))
                    .forEach(id -> commands.add(new BrokerCommand.Resume(id)));
        }
        if (validateOnly) {
            return Reply.of(new Result(ErrorCode.NONE, null));
        }
        List<Reply<Result>> results = new ArrayList<>();
        for (BrokerCommand command : commands) {
            results.add(controller.execute(command, home).map(BrokerStates::meaning));
        }
        return Reply.all(results)
                .map(
                        all ->
                                all.stream()
                                        .filter(one -> one.code() != ErrorCode.NONE)
                                        .findFirst()
                                        .orElse(new Result(ErrorCode.NONE, null)));
    }

    Reply<Result> rebalance(@Nullable String when, boolean validateOnly, Mailbox home) {
        if (!"now".equals(when)) {
            return refuse("'" + REBALANCE + "' can only be set to 'now'.");
        }
        Reply<Result> result = new Reply<>();
        controller
                .rebalance(validateOnly, home)
                .then(
                        _ -> result.complete(new Result(ErrorCode.NONE, null)),
                        // Its office has ended meanwhile.
                        failure ->
                                result.complete(
                                        Result.refused(
                                                ErrorCode.NOT_CONTROLLER,
                                                String.valueOf(failure.getMessage()))));
        return result;
    }

    /// @param wanted null for what each broker's own settings say
    Reply<Result> limitMoves(@Nullable String wanted, boolean validateOnly, Mailbox home) {
        long limit = UNSET;
        try {
            if (wanted != null && !wanted.isBlank()) {
                limit = Long.parseLong(wanted.trim());
            }
        } catch (NumberFormatException _) {
            limit = Long.MIN_VALUE;
        }
        if (limit < UNSET) {
            return refuse(
                    "'"
                            + MOVE_LIMIT
                            + "' is a number of bytes, 0 for no limit, not '"
                            + wanted
                            + "'.");
        }
        return validateOnly
                ? Reply.of(new Result(ErrorCode.NONE, null))
                : controller.limitMoves(limit, home).map(BrokerStates::meaning);
    }

    static Reply<Result> unknown(String name) {
        return refuse(
                "Of all brokers together only '"
                        + DRAINING
                        + "', '"
                        + MOVE_LIMIT
                        + "' and '"
                        + REBALANCE
                        + "' can be set, not '"
                        + name
                        + "'. A broker's own settings are in its configuration file, environment or flags.");
    }

    private static Reply<Result> refuse(String sentence) {
        return Reply.of(Result.refused(ErrorCode.INVALID_CONFIG, sentence));
    }

    static Result meaning(BrokerOutcome outcome) {
        return switch (outcome) {
            case BrokerOutcome.Done() -> new Result(ErrorCode.NONE, null);
            case BrokerOutcome.Refused(var reason, String sentence) ->
                    Result.refused(TopicErrors.codeOf(reason), sentence);
        };
    }
}
