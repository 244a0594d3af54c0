package io.forebay.sidecar.os;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One function of the C library, linked when it is first called. All integers and addresses travel as 64-bit words, as the
 * calling conventions of x86_64 and aarch64 allow (the callee ignores the upper half of an int's register): functions with as
 * many arguments then share their machinery, which is what linking costs. Thread-safe.
 */
final class Libc {
    /** The same for all: where a failing call leaves errno. */
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

    private final String name;
    private final FunctionDescriptor shape;

    /** Linked twice by two threads at once: harmless, both are equal. */
    private volatile @Nullable MethodHandle handle;

    private Libc(String name, FunctionDescriptor shape) {
        this.name = name;
        this.shape = shape;
    }

    /** @param words number of arguments, 0 to 6 */
    static Libc words(String name, int words) {
        var layouts = new MemoryLayout[words];
        Arrays.fill(layouts, ValueLayout.JAVA_LONG);
        return new Libc(name, FunctionDescriptor.of(ValueLayout.JAVA_LONG, layouts));
    }

    /** Arguments (descriptor, memory of the caller's, length, offset): the memory cannot be freed while the call runs. */
    static Libc transfer(String name) {
        return new Libc(
                name,
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG));
    }

    String name() {
        return name;
    }

    private MethodHandle handle() {
        var linked = handle;
        if (linked == null) {
            var linker = Linker.nativeLinker();
            var address = linker.defaultLookup()
                    .find(name)
                    .orElseThrow(() -> new IllegalStateException("this system's C library has no function " + name));
            linked = linker.downcallHandle(address, shape, ERRNO);
            handle = linked;
        }
        return linked;
    }

    long call(Scratch s) {
        try {
            return (long) handle().invokeExact(s.errno);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long a) {
        try {
            return (long) handle().invokeExact(s.errno, a);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long a, long b) {
        try {
            return (long) handle().invokeExact(s.errno, a, b);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long a, long b, long c) {
        try {
            return (long) handle().invokeExact(s.errno, a, b, c);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long a, long b, long c, long d) {
        try {
            return (long) handle().invokeExact(s.errno, a, b, c, d);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long a, long b, long c, long d, long e) {
        try {
            return (long) handle().invokeExact(s.errno, a, b, c, d, e);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) handle().invokeExact(s.errno, a, b, c, d, e, f);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    long call(Scratch s, long fd, MemorySegment memory, long length, long offset) {
        try {
            return (long) handle().invokeExact(s.errno, fd, memory, length, offset);
        } catch (Throwable t) {
            throw broken(t);
        }
    }

    /** A method handle of the right type throws nothing by itself but errors and, for closed memory, IllegalStateException. */
    private static RuntimeException broken(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e;
        }
        if (t instanceof Error e) {
            throw e;
        }
        return new IllegalStateException(t);
    }
}
