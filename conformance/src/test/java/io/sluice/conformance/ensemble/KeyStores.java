package io.sluice.conformance.ensemble;

import io.sluice.conformance.child.ChildProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A key with its certificate for this machine, the store of those who trust it, and the file with the password of both. Immutable.
public record KeyStores(Path keys, Path trust, Path password) {
    private static final String SECRET = "changeit-canary";
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /// Makes new ones.
    public static KeyStores in(Path folder) {
        try {
            Files.createDirectories(folder);
            Path password = Files.writeString(folder.resolve("password"), SECRET + "\n");
            KeyStores stores =
                    new KeyStores(
                            folder.resolve("keys.p12"), folder.resolve("trust.p12"), password);
            String certificate = folder.resolve("certificate.pem").toString();
            String subject = "SAN=dns:localhost,ip:127.0.0.1";
            keytool(
                    stores.keys,
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    subject);
            keytool(stores.keys, "-exportcert", "-rfc", "-file", certificate);
            keytool(stores.trust, "-importcert", "-noprompt", "-file", certificate);
            return stores;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void keytool(Path store, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "ensemble", "-keystore", store.toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", SECRET));
        ChildProgram.of(command).run(LIMIT).requireSuccess();
    }

    String secret() {
        return SECRET;
    }
}
