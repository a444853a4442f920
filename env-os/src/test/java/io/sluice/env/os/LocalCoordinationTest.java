package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.CoordinationContract;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LocalCoordinationTest extends CoordinationContract {
    private final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
    private final ThreadMailbox own = new ThreadMailbox("metadata", bugs::add);
    private final ThreadMailbox home = new ThreadMailbox("home", bugs::add);

    @TempDir private Path folder;

    @Override
    protected LocalCoordination emptyStore() {
        return LocalCoordination.open(new OsDisk(folder), "meta", own);
    }

    /// The folder is locked: nobody can take the place of whoever has it open.
    @Test
    void belongsToOneProcess() {
        assertThat(emptyStore().isShared()).isFalse();
    }

    @Override
    protected Coordination reopen(Coordination store) throws Exception {
        close((LocalCoordination) store);
        return emptyStore();
    }

    @Override
    protected <T> List<T> await(List<Function<Mailbox, Reply<T>>> calls) throws Exception {
        List<CompletableFuture<T>> results = new ArrayList<>();
        calls.forEach(_ -> results.add(new CompletableFuture<>()));
        home.post(
                () -> {
                    for (int i = 0; i < results.size(); i++) {
                        CompletableFuture<T> result = results.get(i);
                        calls.get(i)
                                .apply(home)
                                .then(result::complete, result::completeExceptionally);
                    }
                });
        List<T> values = new ArrayList<>();
        for (CompletableFuture<T> result : results) {
            values.add(result.get(60, TimeUnit.SECONDS));
        }
        return values;
    }

    @AfterEach
    void stop() {
        own.close();
        home.close();
        assertThat(bugs).isEmpty();
    }

    private void close(LocalCoordination store) throws Exception {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        own.post(
                () -> {
                    store.close();
                    closed.complete(true);
                });
        closed.get(60, TimeUnit.SECONDS);
    }

    @Test
    void aFrameWithoutASoundCopyIsRefusedWithItsPlace() throws Exception {
        LocalCoordination store = emptyStore();
        commit(store, new Change.Create("/a", "1"));
        int second = (int) Files.size(treeFile());
        commit(store, new Change.Create("/b", "2"));
        int third = (int) Files.size(treeFile());
        commit(store, new Change.Create("/c", "3"));
        close(store);
        byte[] damaged = Files.readAllBytes(treeFile());
        damaged[second + 30] ^= 1;
        damaged[third - 1] ^= 1;
        Files.write(treeFile(), damaged);
        assertThatThrownBy(this::emptyStore)
                .isInstanceOf(DamagedMetadata.class)
                .hasMessageContaining("meta/tree-00000000000000000000 is damaged at byte " + second)
                .hasMessageContaining("neither copy of frame 2");
        assertThat(Files.readAllBytes(treeFile())).isEqualTo(damaged);
    }

    @Test
    void garbageBehindTheLastCommitIsCut() throws Exception {
        LocalCoordination store = emptyStore();
        commit(store, new Change.Create("/a", "1"));
        close(store);
        byte[] whole = Files.readAllBytes(treeFile());
        byte[] torn = Arrays.copyOf(whole, whole.length + 1000);
        Arrays.fill(torn, whole.length, torn.length, (byte) 0x53);
        Files.write(treeFile(), torn);
        LocalCoordination recovered = emptyStore();
        assertThat(state(recovered)).isEqualTo("/a=1");
        commit(recovered, new Change.Create("/b", "2"));
        close(recovered);
        LocalCoordination again = emptyStore();
        assertThat(state(again)).isEqualTo("/a=1 /b=2");
        close(again);
        assertThat(Files.size(treeFile())).isLessThan(whole.length + 200);
    }

    @Test
    void theFileIsReplacedByASnapshotWhenItHasGrown() throws Exception {
        LocalCoordination store = emptyStore();
        String large = "x".repeat(100_000);
        commit(store, new Change.Create("/large", large));
        Path first = treeFile();
        for (int i = 0; i < 30; i++) {
            commit(store, new Change.Set("/large", large + i, i));
        }
        assertThat(treeFile()).isNotEqualTo(first);
        assertThat(first).doesNotExist();
        assertThat(Files.size(treeFile())).isLessThan(1_500_000);
        close(store);
        LocalCoordination recovered = emptyStore();
        assertThat(state(recovered)).isEqualTo("/large=" + large + 29);
        close(recovered);
    }

    @Test
    void leftoversOfAnInterruptedSnapshotAreIgnoredAndRemoved() throws Exception {
        LocalCoordination store = emptyStore();
        commit(store, new Change.Create("/a", "1"));
        close(store);
        Files.writeString(folder.resolve("meta/tree.new"), "half");
        LocalCoordination recovered = emptyStore();
        assertThat(state(recovered)).isEqualTo("/a=1");
        close(recovered);
        assertThat(folder.resolve("meta/tree.new")).doesNotExist();
    }

    @Test
    void aDamagedSnapshotIsRefused() throws Exception {
        LocalCoordination store = emptyStore();
        close(store);
        byte[] whole = Files.readAllBytes(treeFile());
        whole[10] ^= 1;
        whole[40] ^= 1;
        Files.write(treeFile(), whole);
        assertThatThrownBy(this::emptyStore)
                .isInstanceOf(DamagedMetadata.class)
                .hasMessageContaining("snapshot");
    }

    private Path treeFile() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("meta"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("tree-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void commit(Coordination store, Change... changes) throws Exception {
        assertThat(
                        this.<Coordination.Outcome>await(
                                List.of(home -> store.commit(home, List.of(changes)))))
                .containsExactly(new Coordination.Outcome.Committed());
    }

    private String state(Coordination store) throws Exception {
        StringBuilder state = new StringBuilder();
        this.<SortedMap<String, Coordination.Node>>await(List.of(home -> store.load(home, "")))
                .getFirst()
                .forEach(
                        (path, node) ->
                                state.append(' ').append(path).append('=').append(node.value()));
        return state.toString().strip();
    }
}
