package io.sluice.chaos.place;

/// What can happen to a broker's own disk.
///
/// Owned by the campaign's thread.
public interface DiskTroubles {

    /// From now on nothing reaches the disk, and what was not synced is gone: what a power cut does. The broker's process still runs and sees errors.
    void cutPower(int broker);

    /// Fills the disk to the last block.
    void fill(int broker);

    /// Lets the device below the file system refuse new blocks, so that an fsync fails after the writes went well.
    void failWrites(int broker);

    /// Makes the disk usable again, as after a repair and a reboot; whatever was not synced when the power went stays gone. The broker must not be running.
    void repair(int broker);
}
