package io.sluice.examples.transfer.web;

import io.sluice.examples.transfer.Transfer;
import io.sluice.examples.transfer.Transfers;
import io.sluice.examples.transfer.fds.Alert;
import io.sluice.examples.transfer.fds.FraudDetection;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.operating.Member;
import io.sluice.outbox.operating.Operator;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Transfers in, balances and alerts out.
///
/// Thread-safe.
@RestController
class TransferController {
    private final Transfers transfers;
    private final FraudDetection detection;
    private final DataSource dataSource;

    /// What is asked for.
    record Wanted(String from, String to, long amount) {}

    /// The whole at a glance.
    ///
    /// @param relays how many lanes each relay has
    record State(long transfers, long checked, Map<String, Integer> relays, List<Alert> alerts) {}

    TransferController(Transfers transfers, FraudDetection detection, DataSource dataSource) {
        this.transfers = transfers;
        this.detection = detection;
        this.dataSource = dataSource;
    }

    @PostMapping("/transfers")
    Transfer transfer(@RequestBody Wanted wanted) {
        return transfers.transfer(wanted.from(), wanted.to(), wanted.amount());
    }

    @GetMapping("/accounts")
    Map<String, Long> accounts() {
        return transfers.balances();
    }

    @GetMapping("/alerts")
    List<Alert> alerts() {
        return detection.alerts();
    }

    @GetMapping("/")
    State state() throws SQLException {
        Map<String, Integer> relays = new java.util.TreeMap<>();
        for (Member member :
                Operator.of(dataSource::getConnection, OutboxTable.TRANSFER_EVENTS).members()) {
            relays.put(member.name(), member.lanes().size());
        }
        return new State(transfers.count(), detection.checked(), relays, detection.alerts());
    }

    @ExceptionHandler(IllegalArgumentException.class)
    @ResponseStatus(HttpStatus.UNPROCESSABLE_CONTENT)
    Map<String, String> refused(IllegalArgumentException e) {
        return Map.of("error", String.valueOf(e.getMessage()));
    }
}
