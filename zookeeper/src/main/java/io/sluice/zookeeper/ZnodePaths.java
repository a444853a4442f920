package io.sluice.zookeeper;

import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;

/// Where the nodes of the door are in ZooKeeper.
///
/// ```
///   /epoch           /sluice/epoch
///   /topics/orders   /sluice/topics:/orders
/// ```
/// In ZooKeeper a node is below another, which must be there, must not be deleted before, and must not belong to a session; the door's paths are
/// mere names. So everything above a node is a folder with a colon at the end of its name, which no node has, and which nobody sees through the door.
/// Immutable.
record ZnodePaths(String root) {
    private static final char FOLDER = ':';

    String znode(String path) {
        Invariant.check(
                path.length() > 1 && path.charAt(0) == '/' && !path.endsWith("/"),
                "not a path of the metadata store: " + path);
        Invariant.check(path.indexOf(FOLDER) < 0, "a colon in " + path);
        int name = path.lastIndexOf('/');
        return folderOf(path.substring(0, name)) + path.substring(name);
    }

    /// The folder of what is below this path; of everything for the empty one.
    private String folderOf(String path) {
        return root + (path.isEmpty() ? "" : path.replace("/", FOLDER + "/").substring(1) + FOLDER);
    }

    /// The folders that must be there before the node can be created, outermost first, without the root.
    List<String> foldersAbove(String path) {
        List<String> folders = new ArrayList<>();
        for (int at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
            folders.add(folderOf(path.substring(0, at)));
        }
        return folders;
    }

    /// What the root itself is below of, outermost first.
    List<String> aboveRoot() {
        List<String> above = new ArrayList<>();
        for (int at = root.indexOf('/', 1); at > 0; at = root.indexOf('/', at + 1)) {
            above.add(root.substring(0, at));
        }
        return above;
    }

    boolean isFolder(String znode) {
        return znode.length() <= root.length() || znode.charAt(znode.length() - 1) == FOLDER;
    }

    /// The door's path of a znode that is no folder.
    String path(String znode) {
        return znode.substring(root.length()).replace(FOLDER + "/", "/");
    }
}
