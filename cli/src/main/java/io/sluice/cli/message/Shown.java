package io.sluice.cli.message;

import io.sluice.cli.Session;
import io.sluice.cli.output.Format;
import io.sluice.cli.output.RowStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The messages that `tail` has printed so far, and whether it wants more.
///
/// Owned by the main thread.
final class Shown {
    private final RowStream rows;
    private final Filter filter;
    private final PrintStream out;
    private final boolean forPeople;
    private final boolean valuesOnly;
    private final long most;
    private long seen;
    private long total;
    private boolean readerGone;

    Shown(Session session, RowStream rows, Filter filter, boolean valuesOnly, long most) {
        this.rows = rows;
        this.filter = filter;
        this.out = session.terminal().out();
        this.forPeople = session.printer().format() == Format.table;
        this.valuesOnly = valuesOnly;
        this.most = most;
    }

    /// Prints the message if the filter lets it through.
    void show(ConsumerRecord<byte[], byte[]> record) {
        seen++;
        if (full() || !filter.shows(record)) {
            return;
        }
        total++;
        if (valuesOnly) {
            printValue(record.value());
        } else {
            rows.row(ReceivedText.row(record, forPeople));
        }
    }

    private void printValue(byte[] value) {
        try {
            if (value != null) {
                out.write(value);
            }
            out.write('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Brings everything to the reader; notices when he has gone.
    void flush() {
        readerGone |= !rows.flush();
    }

    boolean full() {
        return total >= most || readerGone;
    }

    long seen() {
        return seen;
    }

    long total() {
        return total;
    }
}
