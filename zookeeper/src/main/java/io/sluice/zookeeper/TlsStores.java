package io.sluice.zookeeper;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;

/// Where the keys for TLS are: a key store of one's own, a trust store for the others. Immutable.
///
/// @param keyStore PKCS#12 or JKS file; empty when the other side does not ask who we are
/// @param trustStore PKCS#12 or JKS file; empty: no TLS
public record TlsStores(
        String keyStore, Secret keyStorePassword, String trustStore, Secret trustStorePassword) {
    static final TlsStores NONE = new TlsStores("", Secret.NONE, "", Secret.NONE);

    static TlsStores from(Settings settings, String prefix, String whatFor) {
        TlsStores stores =
                new TlsStores(
                        settings.text(
                                prefix + ".key-store",
                                "",
                                "PKCS#12 or JKS file with this broker's own key " + whatFor + "."),
                        Secret.from(
                                settings,
                                prefix + ".key-store-password",
                                "Opens " + prefix + ".key-store."),
                        settings.text(
                                prefix + ".trust-store",
                                "",
                                "PKCS#12 or JKS file with the certificates to trust "
                                        + whatFor
                                        + "; with it the connection uses TLS."),
                        Secret.from(
                                settings,
                                prefix + ".trust-store-password",
                                "Opens " + prefix + ".trust-store."));
        requireFile(prefix + ".key-store", stores.keyStore);
        requireFile(prefix + ".trust-store", stores.trustStore);
        if (stores.trustStore.isEmpty() && !stores.keyStore.isEmpty()) {
            throw new InvalidSetting(
                    prefix + ".trust-store",
                    "'"
                            + prefix
                            + ".key-store' is set and '"
                            + prefix
                            + ".trust-store' is not; TLS takes a trust store to know the other side"
                            + " by.");
        }
        return stores;
    }

    private static void requireFile(String name, String file) {
        if (!file.isEmpty() && !Files.isReadable(Path.of(file))) {
            throw new InvalidSetting(
                    name,
                    "Setting '" + name + "' names " + file + ", which is no file this can read.");
        }
    }

    boolean isOn() {
        return !trustStore.isEmpty();
    }
}
