package io.sluice.chaos.place;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Shuts an ext4 file system down as a power cut would: with `EXT4_IOC_SHUTDOWN` and the flag that not even the journal is flushed.
///
/// Thread-safe: it has no state.
final class PowerSwitch {
    private static final long EXT4_IOC_SHUTDOWN = 0x8004587DL;
    private static final int NO_LOG_FLUSH = 2;
    private static final int READ_ONLY = 0;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    // Both are declared with variable arguments from the third on.
    private static final Linker.Option VARIADIC = Linker.Option.firstVariadicArg(2);
    private static final MethodHandle OPEN =
            function(
                    "open",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle IOCTL =
            function(
                    "ioctl",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS));
    private static final MethodHandle CLOSE =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private PowerSwitch() {}

    @SuppressWarnings("restricted") // the three calls are what this class is for
    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        MemorySegment address = LINKER.defaultLookup().findOrThrow(name);
        return name.equals("ioctl")
                ? LINKER.downcallHandle(address, descriptor, ERRNO, VARIADIC)
                : LINKER.downcallHandle(address, descriptor, ERRNO);
    }

    /// Cuts the power of the file system that is mounted at this folder.
    static void cut(Path folder) {
        requireLoopMount(folder);
        MemoryLayout stateLayout = Linker.Option.captureStateLayout();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(stateLayout);
            MemorySegment name = arena.allocateFrom(folder.toString());
            int file = (int) OPEN.invokeExact(state, name, READ_ONLY);
            if (file < 0) {
                throw new CommandFailed("Cannot open " + folder + ": error " + errno(state));
            }
            try {
                MemorySegment flags = arena.allocateFrom(ValueLayout.JAVA_INT, NO_LOG_FLUSH);
                int answer = (int) IOCTL.invokeExact(state, file, EXT4_IOC_SHUTDOWN, flags);
                if (answer < 0) {
                    throw new CommandFailed(
                            "EXT4_IOC_SHUTDOWN of " + folder + ": error " + errno(state));
                }
            } finally {
                int _ = (int) CLOSE.invokeExact(state, file);
            }
        } catch (RuntimeException | Error known) {
            throw known;
        } catch (Throwable unexpected) {
            throw new IllegalStateException("A call into the C library failed", unexpected);
        }
    }

    /// The same call on a plain folder would take the machine's own disk away.
    private static void requireLoopMount(Path folder) {
        try (Stream<String> mounts = Files.lines(Path.of("/proc/self/mounts"))) {
            String real = folder.toRealPath().toString();
            if (mounts.map(line -> line.split(" "))
                    .noneMatch(
                            fields ->
                                    fields[0].startsWith("/dev/loop") && fields[1].equals(real))) {
                throw new IllegalStateException(
                        folder + " is no loop mount: its power stays on, it may be the machine's");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot see what is mounted", failure);
        }
    }

    private static int errno(MemorySegment state) {
        return state.get(ValueLayout.JAVA_INT, 0);
    }
}
