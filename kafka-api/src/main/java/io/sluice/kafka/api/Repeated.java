package io.sluice.kafka.api;

import java.util.HashSet;
import java.util.Set;

/// Finds what a request names more than once. Where that makes no sense it is refused, once for each name and not for each time that it was named. Pure.
public final class Repeated {
    private Repeated() {}

    public static <T> Set<T> among(Iterable<? extends T> named) {
        Set<T> seen = new HashSet<>();
        Set<T> repeated = new HashSet<>();
        for (T one : named) {
            if (!seen.add(one)) {
                repeated.add(one);
            }
        }
        return repeated;
    }
}
