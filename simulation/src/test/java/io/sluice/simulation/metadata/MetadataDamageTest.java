package io.sluice.simulation.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.env.os.LocalCoordination;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.TraceHash;
import io.sluice.simulation.disk.SimDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Every place at which the metadata file can be cut or damaged once.
class MetadataDamageTest {
    private static final String FILE = "meta/tree-00000000000000000000";
    private static final int SMALLEST_FRAME_BYTES = 24;

    private final SimWorld world = new SimWorld(1);
    private final List<Throwable> bugs = new ArrayList<>();
    private final SimMailbox mailbox =
            new SimMailbox(world, new SimProcess("store"), "store", bugs::add);

    @Test
    void everyCutGivesTheStateAfterAWholeCommit() {
        byte[] whole = threeCommits();
        int lastSeen = 0;
        for (int cut = SMALLEST_FRAME_BYTES; cut <= whole.length; cut++) {
            String state = stateOf(Arrays.copyOf(whole, cut));
            int seen = List.of("", "/a=1", "/a=2 /b=1", "/a=3").indexOf(state);
            assertThat(seen).as("state '%s' after a cut at %d", state, cut).isNotNegative();
            assertThat(seen).isGreaterThanOrEqualTo(lastSeen);
            lastSeen = seen;
        }
        assertThat(lastSeen).isEqualTo(3);
    }

    @Test
    void everyFlippedBitIsRepaired() {
        byte[] whole = threeCommits();
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(stateOf(damaged)).as("after bit %d", bit).isEqualTo("/a=3");
        }
    }

    /// The page cache shows the file without what an earlier start has cut, and the disk still has it.
    @Test
    void aCutWhoseForceFailedIsMadeOnceMore() {
        byte[] whole = threeCommits();
        int cut = commits(2).length;
        for (int seed = 0; seed < 20; seed++) {
            SimDisk disk = new SimDisk(new SimEntropy(seed), new TraceHash());
            disk.createDirectory("meta");
            disk.syncDirectory("");
            try (DiskFile file = disk.open(FILE)) {
                file.write(ByteBuffer.wrap(whole), 0);
                file.force();
                disk.syncDirectory("meta");
                file.truncate(cut);
                disk.failedForcePerMille(1_000);
                assertThatThrownBy(file::force).isInstanceOf(DiskException.class);
                disk.failedForcePerMille(0);
            }
            assertThat(openAndRead(disk)).isEqualTo("/a=2 /b=1");
            disk.crash();
            assertThat(openAndRead(disk)).as("on disk %d", seed).isEqualTo("/a=2 /b=1");
        }
    }

    private byte[] threeCommits() {
        return commits(3);
    }

    private byte[] commits(int count) {
        SimDisk disk = emptyDisk();
        LocalCoordination store = LocalCoordination.open(disk, "meta", mailbox);
        commit(store, new Change.Create("/a", "1"));
        commit(store, new Change.Create("/b", "1"), new Change.Set("/a", "2", 0));
        if (count > 2) {
            commit(store, new Change.Delete("/b", 0), new Change.Set("/a", "3", 1));
        }
        store.close();
        try (DiskFile file = disk.openForReading(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return bytes.array();
        }
    }

    private void commit(Coordination store, Change... changes) {
        List<Coordination.Outcome> outcomes = new ArrayList<>();
        store.commit(mailbox, List.of(changes)).then(outcomes::add, bugs::add);
        world.runUntilIdle(100);
        assertThat(outcomes).containsExactly(new Coordination.Outcome.Committed());
    }

    /// What a store finds in such a file, twice: the second time the damage must be gone.
    private String stateOf(byte[] content) {
        SimDisk disk = emptyDisk();
        disk.createDirectory("meta");
        try (DiskFile file = disk.open(FILE)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
        String first = openAndRead(disk);
        assertThat(openAndRead(disk)).isEqualTo(first);
        return first;
    }

    private String openAndRead(SimDisk disk) {
        StringBuilder state = new StringBuilder();
        try (LocalCoordination store = LocalCoordination.open(disk, "meta", mailbox)) {
            store.load(mailbox, "")
                    .then(
                            tree ->
                                    tree.forEach(
                                            (path, node) ->
                                                    state.append(' ')
                                                            .append(path)
                                                            .append('=')
                                                            .append(node.value())),
                            bugs::add);
            world.runUntilIdle(100);
        }
        assertThat(bugs).isEmpty();
        return state.toString().strip();
    }

    private static SimDisk emptyDisk() {
        return new SimDisk(new SimEntropy(1), new TraceHash());
    }
}
