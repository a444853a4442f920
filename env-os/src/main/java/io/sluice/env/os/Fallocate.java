package io.sluice.env.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Reserves room for a file with Linux's `fallocate(2)`, which Java does not offer.
///
/// Group commit on a file that already has its size is two to three times faster than on one that grows. The file is opened a
/// second time by its path for the call: the descriptor behind a `FileChannel` is not public. `posix_fallocate` is
/// avoided because the C library falls back to writing zeros where the file system has no support.
///
/// Thread-safe: the handles are immutable. Linked on first use, so that tools that only read never pay for it.
final class Fallocate {
    private static final int READ_WRITE_CLOSE_ON_EXEC = 2 | 0x80000;
    private static final int EINTR = 4;
    private static final int ENOENT = 2;
    private static final int ENOSPC = 28;
    private static final int ENOSYS = 38;
    private static final int EOPNOTSUPP = 95;
    private static final int EDQUOT = 122;

    private static final @Nullable Fallocate LINKED =
            System.getProperty("os.name").equals("Linux") ? new Fallocate() : null;

    private final MethodHandle open;
    private final MethodHandle fallocate;
    private final MethodHandle close;
    private final MemoryLayout errnoLayout = Linker.Option.captureStateLayout();
    private final VarHandle errno =
            errnoLayout.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    @SuppressWarnings("restricted") // Calling the C library is what this class is for.
    private Fallocate() {
        Linker linker = Linker.nativeLinker();
        Linker.Option captureErrno = Linker.Option.captureCallState("errno");
        open =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("open"),
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
                        captureErrno,
                        Linker.Option.firstVariadicArg(2));
        fallocate =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("fallocate"),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
                        captureErrno);
        close =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("close"),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    /// Makes the existing file at least this long, with its blocks reserved and reading as zeros.
    static Outcome reserve(Path file, long size) {
        return LINKED == null ? Outcome.UNSUPPORTED : LINKED.call(file, size);
    }

    @SuppressWarnings("removal") // Any failure to call is a bug in the signatures above.
    private Outcome call(Path file, long size) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(errnoLayout);
            MemorySegment path = arena.allocateFrom(file.toString());
            int descriptor = (int) open.invokeExact(state, path, READ_WRITE_CLOSE_ON_EXEC);
            if (descriptor < 0) {
                return Outcome.of((int) errno.get(state, 0L));
            }
            try {
                int result;
                do {
                    result = (int) fallocate.invokeExact(state, descriptor, 0, 0L, size);
                } while (result != 0 && (int) errno.get(state, 0L) == EINTR);
                return result == 0 ? Outcome.DONE : Outcome.of((int) errno.get(state, 0L));
            } finally {
                int _ = (int) close.invokeExact(descriptor);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a C call threw a checked exception", e);
        }
    }

    enum Outcome {
        DONE,
        UNSUPPORTED,
        FULL,
        NOT_FOUND,
        FAILED;

        private static Outcome of(int errno) {
            return switch (errno) {
                case ENOSPC, EDQUOT -> FULL;
                case EOPNOTSUPP, ENOSYS -> UNSUPPORTED;
                case ENOENT -> NOT_FOUND;
                default -> FAILED;
            };
        }
    }
}
