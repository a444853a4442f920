package io.sluice.env;

import io.sluice.record.Records;
import java.nio.ByteBuffer;

/// Record batches that lie in a file: `[position, position + sizeInBytes)`.
///
/// Holds a use of the file (see [DiskFile#retain]) until released, so that retention may delete the file meanwhile.
public record FileSlice(DiskFile file, long position, int sizeInBytes) implements Records.Stored {
    @Override
    public void release() {
        file.close();
    }

    /// The bytes, copied to the heap. For small ranges and for tests.
    public ByteBuffer read() {
        ByteBuffer bytes = ByteBuffer.allocate(sizeInBytes);
        file.read(bytes, position);
        return bytes.flip();
    }
}
