package io.sluice.kafka.wire;

import java.util.AbstractList;
import java.util.RandomAccess;

/// The list that a decoded array becomes: one object around an array of exactly the right length.
///
/// Immutable. Exists because the JDK's immutable lists copy the array they are made of, and its wrappers cost
/// two more objects; a fetch request has one list per topic.
public final class WireList<E> extends AbstractList<E> implements RandomAccess {
    private final E[] items;

    private WireList(E[] items) {
        this.items = items;
    }

    /// Takes the array over; the caller must not touch it again.
    @SafeVarargs
    @SuppressWarnings("varargs") // Keeps the array on purpose, that is what it is for.
    public static <E> WireList<E> of(E... items) {
        return new WireList<>(items);
    }

    @Override
    public E get(int index) {
        return items[index];
    }

    @Override
    public int size() {
        return items.length;
    }
}
