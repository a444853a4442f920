package io.sluice.examples.transfer.local;

import io.sluice.examples.transfer.Transfers;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/// People who transfer money; now and then one of them too much, or too often.
///
/// Owned by the thread that starts the application.
@Component
final class People implements ApplicationRunner {
    private static final Logger LOG = LoggerFactory.getLogger(People.class);
    private static final int ACCOUNTS = 50;

    private final Transfers transfers;
    private final int count;

    People(Transfers transfers, @Value("${transfer.generate}") int count) {
        this.transfers = transfers;
        this.count = count;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        Random random = new Random(1);
        int refused = 0;
        for (int i = 0; i < count; i++) {
            boolean hurried = i % 20 < 7;
            String from = "account-" + (hurried ? 7 : random.nextInt(ACCOUNTS));
            String to = "account-" + random.nextInt(ACCOUNTS);
            long amount = i % 50 == 49 ? 12_000_000 : 1_000L * (1 + random.nextInt(300));
            try {
                transfers.transfer(from, to, amount);
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        if (count > 0) {
            LOG.info("{} transfers, {} refused", count - refused, refused);
        }
    }
}
