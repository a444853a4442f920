package io.sluice.spring.awspring;

import io.awspring.cloud.sqs.listener.IdentifiableContainerComponent;
import io.awspring.cloud.sqs.listener.backpressure.BatchAwareBackPressureHandler;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Gives out a slot as soon as it is free, instead of waiting until a whole batch of them is.
///
/// While the queue is empty one poll waits for messages, as with the handler that this one replaces: further ones would find nothing and
/// cost requests.
///
/// Thread-safe: one lock.
final class SlotsBackPressureHandler
        implements BatchAwareBackPressureHandler, IdentifiableContainerComponent {
    private final int slots;
    private final int perPoll;
    private final Duration patience;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int taken;
    private int polls;
    private boolean quiet;
    private String id = "";

    /// @param perPoll the most messages that a poll asks for
    /// @param patience how long a request waits for a slot before it comes back with none
    SlotsBackPressureHandler(int slots, int perPoll, Duration patience) {
        this.slots = slots;
        this.perPoll = perPoll;
        this.patience = patience;
    }

    int taken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int requestBatch() throws InterruptedException {
        return request(perPoll);
    }

    @Override
    public int request(int amount) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (taken >= slots || (quiet && polls > 0)) {
                if (left <= 0) {
                    return 0;
                }
                left = changed.awaitNanos(left);
            }
            int given = Math.min(amount, slots - taken);
            taken += given;
            polls++;
            return given;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void release(int amount, ReleaseReason reason) {
        lock.lock();
        try {
            taken -= amount;
            switch (reason) {
                case NONE_FETCHED -> {
                    polls--;
                    quiet = true;
                }
                case PARTIAL_FETCH -> {
                    polls--;
                    quiet = false;
                }
                case LIMITED, PROCESSED -> {}
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean drain(Duration timeout) {
        long left = timeout.toNanos();
        lock.lock();
        try {
            while (taken > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
            return taken == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setId(String newId) {
        id = newId;
    }

    @Override
    public String getId() {
        return id;
    }
}
