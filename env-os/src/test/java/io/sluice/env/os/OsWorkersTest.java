package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Reply;
import io.sluice.env.Workers.Kind;
import io.sluice.record.Invariant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OsWorkersTest {
    private final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
    private final ThreadMailbox home = new ThreadMailbox("home", bugs::add);
    private OsWorkers workers = new OsWorkers(new OsWorkers.Sizes(2, 1, 1, 3), bugs::add);

    @AfterEach
    void close() {
        workers.close();
        home.close();
    }

    @Test
    void workRunsElsewhereAndTheReplyComesHome() throws Exception {
        String names =
                call(Kind.FLUSH, () -> Thread.currentThread().getName())
                        .thenApply(worker -> worker + " " + Thread.currentThread().getName())
                        .get(30, TimeUnit.SECONDS);
        assertThat(names).matches("sluice-flush-\\d home");
    }

    @Test
    void anExceptionFailsTheReplyAndIsNoBug() {
        IOException failure = new IOException("disk");
        assertThatThrownBy(
                        () ->
                                call(
                                                Kind.READ,
                                                () -> {
                                                    throw failure;
                                                })
                                        .get(30, TimeUnit.SECONDS))
                .hasCause(failure);
        assertThat(bugs).isEmpty();
    }

    @Test
    void anErrorFailsTheReplyAndIsReported() {
        Invariant.Violation bug = new Invariant.Violation("bug");
        assertThatThrownBy(
                        () ->
                                call(
                                                Kind.READ,
                                                () -> {
                                                    throw bug;
                                                })
                                        .get(30, TimeUnit.SECONDS))
                .hasCause(bug);
        assertThat(bugs).containsExactly(bug);
    }

    @Test
    void aSlowKindDoesNotDelayAnother() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        CompletableFuture<String> slow =
                call(
                        Kind.HOUSEKEEPING,
                        () -> {
                            hold.await();
                            return "slow";
                        });
        assertThat(call(Kind.FLUSH, () -> "fast").get(30, TimeUnit.SECONDS)).isEqualTo("fast");
        assertThat(slow.isDone()).isFalse();
        hold.countDown();
        assertThat(slow.get(30, TimeUnit.SECONDS)).isEqualTo("slow");
    }

    @Test
    void workBeyondTheBoundIsRejectedWithASentence() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        List<CompletableFuture<String>> accepted = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            accepted.add(
                    call(
                            Kind.READ,
                            () -> {
                                hold.await();
                                return "done";
                            }));
        }
        home.post(() -> {});
        assertThatThrownBy(() -> call(Kind.READ, () -> "too much").get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(OsWorkers.RejectedWork.class)
                .hasMessageContaining("3 pieces of READ work are waiting");
        assertThat(workers.waiting(Kind.READ)).isEqualTo(3);
        hold.countDown();
        for (CompletableFuture<String> one : accepted) {
            assertThat(one.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        }
    }

    @Test
    void closingRunsWhatWasAcceptedAndTakesNothingNew() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Integer>> accepted = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            accepted.add(call(Kind.HOUSEKEEPING, ran::incrementAndGet));
        }
        settle();
        workers.close();
        assertThat(ran.get()).isEqualTo(3);
        for (CompletableFuture<Integer> one : accepted) {
            assertThat(one.get(30, TimeUnit.SECONDS)).isPositive();
        }
        assertThatThrownBy(() -> call(Kind.FLUSH, () -> 1).get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(OsWorkers.RejectedWork.class)
                .hasMessageContaining("stopped");
    }

    @Test
    void theOutcomeOfWorkWhoseOwnerHasStoppedIsReported() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        CompletableFuture<String> orphan =
                call(
                        Kind.READ,
                        () -> {
                            hold.await();
                            return "orphan";
                        });
        settle();
        home.close();
        hold.countDown();
        workers.close();
        assertThat(bugs).hasSize(1);
        assertThat(orphan).isNotDone();
    }

    @Test
    void startingWorkFromAForeignThreadIsABug() {
        assertThatThrownBy(() -> workers.call(Kind.READ, home, () -> 1))
                .isInstanceOf(Invariant.Violation.class);
    }

    private void settle() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        home.post(done::countDown);
        done.await();
    }

    private <T> CompletableFuture<T> call(Kind kind, Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        home.post(
                () -> {
                    Reply<T> reply = workers.call(kind, home, work);
                    reply.then(result::complete, result::completeExceptionally);
                });
        return result;
    }
}
