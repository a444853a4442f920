package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination.Node;
import org.junit.jupiter.api.Test;

class MirrorTest {
    private final ZnodePaths paths = new ZnodePaths("/prod/sluice");
    private final Mirror mirror = new Mirror();

    private static Node node(int version, long created) {
        return new Node("text", version, created);
    }

    @Test
    void foldersHaveAColonAndNodesDoNot() {
        assertThat(paths.znode("/epoch")).isEqualTo("/prod/sluice/epoch");
        assertThat(paths.znode("/topics/a")).isEqualTo("/prod/sluice/topics:/a");
        assertThat(paths.znode("/a/b/c")).isEqualTo("/prod/sluice/a:/b:/c");
        assertThat(paths.path("/prod/sluice/a:/b:/c")).isEqualTo("/a/b/c");
        assertThat(paths.foldersAbove("/a/b/c"))
                .containsExactly("/prod/sluice/a:", "/prod/sluice/a:/b:");
        assertThat(paths.foldersAbove("/epoch")).isEmpty();
        assertThat(paths.aboveRoot()).containsExactly("/prod");
        assertThat(paths.isFolder("/prod/sluice/a:")).isTrue();
        assertThat(paths.isFolder("/prod/sluice")).isTrue();
        assertThat(paths.isFolder("/prod/sluice/a")).isFalse();
    }

    @Test
    void anOlderReadingOfANodeChangesNothing() {
        assertThat(mirror.put("/a", node(2, 10), 20)).isTrue();
        assertThat(mirror.put("/a", node(1, 10), 15)).isFalse();
        assertThat(mirror.put("/a", node(2, 10), 20)).isFalse();
        assertThat(mirror.copyBelow("/a")).containsEntry("/a", node(2, 10));
        assertThat(mirror.put("/a", node(0, 30), 30)).isTrue();
        assertThat(mirror.copyBelow("")).containsEntry("/a", node(0, 30));
    }

    @Test
    void aReadingThatIsOlderSomewhereIsFound() {
        mirror.put("/a", node(2, 10), 20);
        mirror.putFolder("/sluice", 18);
        Mirror stale = new Mirror();
        stale.put("/a", node(1, 10), 15);
        assertThat(stale.findOlderThan(mirror)).isEqualTo("/a");
        Mirror withWhatIsDeleted = new Mirror();
        withWhatIsDeleted.put("/a", node(2, 10), 20);
        withWhatIsDeleted.put("/b", node(0, 12), 12);
        withWhatIsDeleted.putFolder("/sluice", 12);
        assertThat(withWhatIsDeleted.findOlderThan(mirror)).isEqualTo("/sluice");
        Mirror newer = new Mirror();
        newer.put("/b", node(0, 30), 30);
        newer.putFolder("/sluice", 31);
        assertThat(newer.findOlderThan(mirror)).isNull();
    }
}
