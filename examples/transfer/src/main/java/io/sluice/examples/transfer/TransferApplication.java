package io.sluice.examples.transfer;

import io.sluice.examples.transfer.local.LocalServices;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/// The whole system in one process: service, database, broker, three relays, fraud detection.
@SpringBootApplication
public class TransferApplication {
    public static void main(String[] args) {
        application().run(args);
    }

    static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(TransferApplication.class)
                .initializers(new LocalServices());
    }
}
