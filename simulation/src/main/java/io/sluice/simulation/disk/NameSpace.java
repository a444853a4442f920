package io.sluice.simulation.disk;

import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.simulation.SimEntropy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// All names of the simulated disk, and the changes to them that are not durable yet, in their order.
///
/// Owned by its disk.
final class NameSpace {
    private final SimDirectory root = new SimDirectory();
    private final List<NameChange> pending = new ArrayList<>();

    @Nullable SimNode find(String path) {
        SimNode node = root;
        for (String name : parts(path)) {
            if (!(node instanceof SimDirectory directory)) {
                return null;
            }
            node = directory.current.get(name);
            if (node == null) {
                return null;
            }
        }
        return node;
    }

    @Nullable SimInode findFile(String path) {
        return find(path) instanceof SimInode inode ? inode : null;
    }

    SimDirectory requireDirectory(String path) {
        if (find(path) instanceof SimDirectory directory) {
            return directory;
        }
        throw new DiskException(Kind.NOT_FOUND, path, "There is no directory '" + path + "'.");
    }

    SimInode createFile(String path) {
        SimDirectory directory = requireDirectory(parent(path));
        SimInode inode = new SimInode();
        link(directory, lastPart(path), inode);
        return inode;
    }

    void createDirectory(String path) {
        SimDirectory directory = root;
        for (String name : parts(path)) {
            SimNode node = directory.current.get(name);
            if (node == null) {
                node = new SimDirectory();
                link(directory, name, node);
            }
            if (!(node instanceof SimDirectory next)) {
                throw new DiskException(Kind.IO, path, "'" + name + "' is a file.");
            }
            directory = next;
        }
    }

    private void link(SimDirectory directory, String name, SimNode node) {
        directory.current.put(name, node);
        pending.add(new NameChange.Link(directory, name, node));
    }

    /// Returns the file that was replaced, if any.
    @Nullable SimInode rename(String from, String to) {
        SimDirectory source = requireDirectory(parent(from));
        SimDirectory target = requireDirectory(parent(to));
        SimNode node = source.current.get(lastPart(from));
        if (node == null) {
            throw new DiskException(Kind.NOT_FOUND, from, "There is no '" + from + "'.");
        }
        SimNode replaced = target.current.get(lastPart(to));
        if (replaced != null
                && (node instanceof SimDirectory || replaced instanceof SimDirectory)) {
            throw new DiskException(Kind.IO, to, "'" + to + "' is in the way.");
        }
        source.current.remove(lastPart(from));
        target.current.put(lastPart(to), node);
        pending.add(new NameChange.Move(source, lastPart(from), target, lastPart(to), node));
        return replaced instanceof SimInode inode ? inode : null;
    }

    /// Unlinks a name and, when it is a directory, all below it first; tells of every file.
    void delete(String path, Consumer<SimInode> onFile) {
        if (path.isEmpty()) {
            List.copyOf(root.current.keySet()).forEach(name -> unlink(root, name, onFile));
        } else if (find(parent(path)) instanceof SimDirectory directory) {
            unlink(directory, lastPart(path), onFile);
        }
    }

    private void unlink(SimDirectory directory, String name, Consumer<SimInode> onFile) {
        switch (directory.current.get(name)) {
            case null -> {
                return;
            }
            case SimDirectory below ->
                    List.copyOf(below.current.keySet())
                            .forEach(inner -> unlink(below, inner, onFile));
            case SimInode inode -> onFile.accept(inode);
        }
        directory.current.remove(name);
        pending.add(new NameChange.Unlink(directory, name));
    }

    /// Settles this directory's changes; a move between directories takes what came before it in the other along.
    void sync(SimDirectory directory) {
        Set<SimDirectory> settling = new HashSet<>(List.of(directory));
        for (NameChange change : pending.reversed()) {
            if (change.touches(settling)) {
                settling.addAll(change.directories());
            }
        }
        for (Iterator<NameChange> changes = pending.iterator(); changes.hasNext(); ) {
            NameChange change = changes.next();
            if (change.touches(settling)) {
                change.settle();
                changes.remove();
            }
        }
    }

    /// Keeps some of the pending changes, in each directory a prefix of them, as a journaling file system does.
    void crash(SimEntropy entropy, Consumer<DiskFault> onFault) {
        int keepPercent = entropy.pick(List.of(0, 50, 90, 100));
        Set<SimDirectory> cutOff = new HashSet<>();
        for (NameChange change : pending) {
            if (!change.touches(cutOff) && entropy.chance(keepPercent)) {
                change.settle();
            } else {
                onFault.accept(DiskFault.LOST_NAME);
                cutOff.addAll(change.directories());
            }
        }
        pending.clear();
        forEachDirectory(
                root,
                directory -> {
                    directory.current.clear();
                    directory.current.putAll(directory.durable);
                });
    }

    /// Over the durable names, parents first.
    private static void forEachDirectory(SimDirectory directory, Consumer<SimDirectory> visitor) {
        visitor.accept(directory);
        for (SimNode node : directory.durable.values()) {
            if (node instanceof SimDirectory below) {
                forEachDirectory(below, visitor);
            }
        }
    }

    /// Every file that a program can see, with its path, in the order of the paths.
    void forEachFile(FileVisitor visitor) {
        forEachFile(root, "", visitor);
    }

    private static void forEachFile(SimDirectory directory, String prefix, FileVisitor visitor) {
        directory.current.forEach(
                (name, node) -> {
                    switch (node) {
                        case SimDirectory below -> forEachFile(below, prefix + name + "/", visitor);
                        case SimInode inode -> visitor.visit(prefix + name, inode);
                    }
                });
    }

    private static List<String> parts(String path) {
        if (path.isEmpty()) {
            return List.of();
        }
        List<String> parts = List.of(path.split("/"));
        if (parts.contains("..") || parts.contains("")) {
            throw new IllegalArgumentException("a path that leaves the disk: " + path);
        }
        return parts;
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private static String lastPart(String path) {
        List<String> parts = parts(path);
        return parts.getLast();
    }

    interface FileVisitor {
        void visit(String path, SimInode inode);
    }
}
