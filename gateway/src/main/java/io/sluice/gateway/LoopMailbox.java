package io.sluice.gateway;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// An event loop as the owner of state. Thread-safe.
final class LoopMailbox implements Mailbox {
    private final EventLoop loop;
    private final Consumer<Throwable> onBug;

    LoopMailbox(EventLoop loop, Consumer<Throwable> onBug) {
        this.loop = loop;
        this.onBug = onBug;
    }

    EventLoop loop() {
        return loop;
    }

    @Override
    public void post(Runnable work) {
        loop.execute(() -> guard(work));
    }

    @Override
    public boolean isCurrent() {
        return loop.inEventLoop();
    }

    @Override
    public Timer schedule(Duration delay, Runnable work) {
        Future<?> future = loop.schedule(() -> guard(work), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private void guard(Runnable work) {
        try {
            work.run();
        } catch (Throwable bug) {
            onBug.accept(bug);
        }
    }
}
