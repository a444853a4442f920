package io.sluice.chaos.place;

import io.sluice.chaos.place.proxy.ProxyPlace;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/// Skipped where the machine has but one loopback address.
class ProxyPlaceTest extends CutsContract {
    @TempDir private Path folder;

    @Override
    @Nullable String obstacle() {
        return ProxyPlace.obstacle();
    }

    @Override
    Place place(int brokers) {
        return new ProxyPlace(brokers, folder);
    }
}
