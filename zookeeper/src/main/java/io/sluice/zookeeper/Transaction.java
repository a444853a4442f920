package io.sluice.zookeeper;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/// A commit as one `multi` of ZooKeeper. Immutable.
record Transaction(List<Change> changes, List<Op> operations, int bytes) {
    /// What ZooKeeper's own fields of an operation take at most, beside its path, text and access list.
    private static final int OVERHEAD_BYTES = 160;

    static Transaction of(List<Change> changes, ZnodePaths paths, List<ACL> access) {
        List<Op> operations = new ArrayList<>(changes.size());
        long bytes = 0;
        for (Change change : changes) {
            String znode = paths.znode(change.path());
            byte[] text = text(change);
            bytes += OVERHEAD_BYTES + (long) text.length + znode.length();
            operations.add(
                    switch (change) {
                        case Change.Create(String _, String _, Life life) ->
                                Op.create(znode, text, access, mode(life));
                        case Change.Set set -> Op.setData(znode, text, set.version());
                        case Change.Delete delete -> Op.delete(znode, delete.version());
                        case Change.Check check -> Op.check(znode, check.version());
                    });
        }
        return new Transaction(
                List.copyOf(changes), operations, (int) Math.min(bytes, Integer.MAX_VALUE));
    }

    private static byte[] text(Change change) {
        return switch (change) {
            case Change.Create create -> create.value().getBytes(StandardCharsets.UTF_8);
            case Change.Set set -> set.value().getBytes(StandardCharsets.UTF_8);
            case Change.Delete _, Change.Check _ -> new byte[0];
        };
    }

    private static CreateMode mode(Life life) {
        return switch (life) {
            case LASTING -> CreateMode.PERSISTENT;
            case SESSION -> CreateMode.EPHEMERAL;
        };
    }

    /// What must be there before nodes can be created, outer folders before inner ones.
    SequencedSet<String> foldersAbove(ZnodePaths paths) {
        SequencedSet<String> folders = new LinkedHashSet<>();
        for (Change change : changes) {
            if (change instanceof Change.Create create) {
                folders.addAll(paths.foldersAbove(create.path()));
            }
        }
        return folders;
    }

    /// What ZooKeeper's answer means; null when it is none of the outcomes that a commit has.
    ///
    /// @param results one for each operation; null when the answer never came
    @Nullable Outcome outcome(Code code, @Nullable List<OpResult> results) {
        return switch (code) {
            case OK -> new Outcome.Committed();
            case NODEEXISTS, BADVERSION, NONODE ->
                    new Outcome.Conflict(changes.get(firstFailed(results)).path());
            case CONNECTIONLOSS, OPERATIONTIMEOUT, REQUESTTIMEOUT, SESSIONEXPIRED, SESSIONMOVED ->
                    new Outcome.Unknown(
                            "The connection to ZooKeeper broke before it answered ("
                                    + code
                                    + "); the commit of "
                                    + changes.size()
                                    + " changes, first of "
                                    + changes.getFirst().path()
                                    + ", may or may not have been made.");
            default -> null;
        };
    }

    /// All before it are reported as fine, all behind it as not tried.
    private static int firstFailed(@Nullable List<OpResult> results) {
        if (results != null) {
            for (int i = 0; i < results.size(); i++) {
                if (results.get(i) instanceof OpResult.ErrorResult error
                        && error.getErr() != Code.OK.intValue()
                        && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
                    return i;
                }
            }
        }
        return 0;
    }
}
