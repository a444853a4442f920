package io.sluice.listener.lane;

import io.sluice.listener.Listener;
import io.sluice.listener.QueueInMemory;
import io.sluice.listener.failure.Backoff;
import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.limit.PlateauLimit;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A process with little memory: heavy jobs take all of it, again and again, light ones want their turn. Prints what became of both.
final class RunawayWorker {
    private static final int LIGHT = 100;
    private static final int HEAVY = 3;

    private RunawayWorker() {}

    public static void main(String[] args) throws InterruptedException {
        var queue = new QueueInMemory();
        for (int i = 0; i < LIGHT; i++) {
            queue.add("light" + i);
            if (i < HEAVY) {
                queue.add("heavy" + i);
            }
        }
        LaneSettings heavy =
                LaneSettings.lane(
                                "heavy",
                                new PlateauLimit(PlateauLimit.Settings.cpu(2, 4)),
                                job -> hoard())
                        .onFailure(again(3));
        LaneSettings light =
                LaneSettings.lane("light", new FixedLimit(2), job -> Thread.sleep(10))
                        .onFailure(again(1_000));
        Set<String> done = ConcurrentHashMap.newKeySet();
        Set<String> dead = ConcurrentHashMap.newKeySet();
        Set<String> causes = ConcurrentHashMap.newKeySet();
        Listener listener =
                Listener.of(queue)
                        .lane(heavy)
                        .lane(light)
                        .classify(message -> message.id().substring(0, 5))
                        .observe(
                                new LaneObserver() {
                                    @Override
                                    public void landed(
                                            String lane,
                                            Message message,
                                            Settlement verdict,
                                            Duration inProcess,
                                            Duration job) {
                                        if (verdict instanceof Settlement.DeadLetter letter) {
                                            dead.add(message.id());
                                            causes.add(letter.cause().getClass().getSimpleName());
                                        } else if (verdict instanceof Settlement.Done) {
                                            done.add(message.id());
                                        }
                                    }
                                })
                        .start();
        while (done.size() < LIGHT || dead.size() < HEAVY) {
            Thread.sleep(10);
        }
        listener.close();
        System.out.println(done.size() + " light ones done");
        System.out.println(dead.size() + " heavy ones dead: " + String.join(", ", causes));
    }

    private static FailurePolicy again(int attempts) {
        return FailurePolicy.standard()
                .otherwise(Backoff.constant(Duration.ofMillis(10), attempts));
    }

    private static void hoard() {
        List<byte[]> all = new ArrayList<>();
        while (all.size() < Integer.MAX_VALUE) {
            all.add(new byte[1 << 20]);
        }
    }
}
