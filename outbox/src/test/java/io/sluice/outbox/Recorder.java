package io.sluice.outbox;

import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// A broker that does as it is told.
final class Recorder implements Sender {
    final List<Numbered> sent = new ArrayList<>();
    Consumer<List<Numbered>> before = events -> {};
    Function<List<Numbered>, Outcome> answer = events -> new Outcome(events, Optional.empty());
    int diesAt;
    boolean diesEarly;
    private List<Numbered> next = List.of();

    void refuses(String payload, Refusal why) {
        answer =
                events -> {
                    for (int i = 0; i < events.size(); i++) {
                        Numbered event = events.get(i);
                        if (text(event).equals(payload)) {
                            return new Outcome(
                                    events.subList(0, i),
                                    Optional.of(new Outcome.Refused(event, why)));
                        }
                    }
                    return new Outcome(events, Optional.empty());
                };
    }

    /// One connection: what stands behind a refused event has not left.
    @Override
    public Outcome publish(
            List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
        if (next.isEmpty() || !next.equals(events)) {
            callBack();
            take(events);
        }
        next = List.of();
        boolean dies = diesAt > 0 && --diesAt == 0;
        if (dies && diesEarly) {
            throw new ReadAheadTest.Killed();
        }
        List<Numbered> following = behind.get();
        if (!following.isEmpty()) {
            take(following);
            next = following;
        }
        if (dies) {
            throw new ReadAheadTest.Killed();
        }
        Outcome outcome = answer.apply(events);
        if (outcome.refused().isPresent()) {
            callBack();
        }
        return outcome;
    }

    private void take(List<Numbered> events) {
        before.accept(events);
        sent.addAll(events);
    }

    @Override
    public void callBack() {
        for (int i = next.size(); i > 0; i--) {
            sent.removeLast();
        }
        next = List.of();
    }

    boolean hasOneOnItsWay() {
        return !next.isEmpty();
    }

    List<String> payloads() {
        return sent.stream().map(Recorder::text).toList();
    }

    List<String> of(String key) {
        return sent.stream()
                .filter(event -> event.event().key().equals(key))
                .map(Recorder::text)
                .toList();
    }

    /// As a consumer has them who drops what is not above the highest number.
    List<String> firstTime(String key) {
        Map<Integer, Long> last = new HashMap<>();
        List<String> kept = new ArrayList<>();
        for (Numbered event : sent) {
            boolean isNew = event.sequence() > last.getOrDefault(event.event().lane(), 0L);
            if (isNew) {
                last.put(event.event().lane(), event.sequence());
            }
            if (isNew && event.event().key().equals(key)) {
                kept.add(text(event));
            }
        }
        return kept;
    }

    private static String text(Numbered event) {
        byte[] bytes = event.event().payload().bytes();
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public Optional<Refusal> prepare() {
        return Optional.empty();
    }

    @Override
    public void close() {}
}
