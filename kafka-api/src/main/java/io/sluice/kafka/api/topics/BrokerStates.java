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
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What can be asked of brokers as a whole, said in the language of settings, since Kafka's protocol has no other words for it. Thread-safe.
///
/// | setting of the resource BROKER without a name | meaning |
/// | --- | --- |
/// | `cluster.draining` | ids of brokers whose replicas move to the others; what is appended drains, what is subtracted takes part again |
/// | `cluster.rebalance` | set to `now`: replicas and leaders are spread evenly, once; it has no value afterwards |
final class BrokerStates {
    static final String DRAINING = "cluster.draining";
    static final String REBALANCE = "cluster.rebalance";

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

    /// @param wanted the whole list
    Reply<Result> drain(@Nullable String wanted, boolean validateOnly, Mailbox home) {
        Set<Integer> before = draining();
        Set<Integer> after = new TreeSet<>();
        try {
            for (String id : (wanted == null ? "" : wanted).split(",", -1)) {
                if (!id.isBlank()) {
                    after.add(Integer.valueOf(id.trim()));
                }
            }
        } catch (NumberFormatException _) {
            return refuse("'" + DRAINING + "' is a list of broker ids, not '" + wanted + "'.");
        }
        List<BrokerCommand> commands = new ArrayList<>();
        after.stream()
                .filter(id -> !before.contains(id))
                .forEach(id -> commands.add(new BrokerCommand.Drain(id)));
        before.stream()
                .filter(id -> !after.contains(id))
                .forEach(id -> commands.add(new BrokerCommand.Resume(id)));
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
        return controller.rebalance(validateOnly, home).map(_ -> new Result(ErrorCode.NONE, null));
    }

    static Reply<Result> unknown(String name) {
        return refuse(
                "Of all brokers together only '"
                        + DRAINING
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
