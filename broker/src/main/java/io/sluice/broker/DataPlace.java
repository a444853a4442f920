package io.sluice.broker;

import io.sluice.settings.Settings;
import java.nio.file.Path;

/// Where a broker keeps everything. Immutable.
///
/// @param ephemeral in a temporary folder instead, which is deleted at the end
record DataPlace(Path folder, boolean ephemeral) {
    static DataPlace from(Settings s) {
        return new DataPlace(
                Path.of(
                        s.text(
                                "data",
                                "data",
                                "Folder in which everything is stored; made if it is not there.")),
                s.flag(
                        "ephemeral",
                        false,
                        "Keeps data in a temporary folder and deletes it at the end; as a flag --ephemeral is enough."));
    }
}
