package io.sluice.chaos.place;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where the brokers' data is. Closing it removes what it made.
///
/// Owned by the campaign's thread.
public interface Disks extends AutoCloseable {

    /// What they are, for the report.
    String description();

    /// The folder in which a broker keeps everything.
    Path folder(int broker);

    /// What can be done to the disks; absent when they are just folders.
    @Nullable DiskTroubles troubles();

    @Override
    void close();
}
