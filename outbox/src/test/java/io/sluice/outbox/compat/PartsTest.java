package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.Database;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Who takes which parts where instances disagree on their total, step by step.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class PartsTest {
    /// An instance in a session of its own, which is there as soon as it is made, and looks when it is told to.
    private record Instance(Connection session, Parts parts) implements AutoCloseable {
        static Instance announced(Database database, int id, int total) throws SQLException {
            Connection session = database.open();
            var parts =
                    new Parts(
                            OutboxTable.TRANSFER_EVENTS,
                            CompatSettings.of(
                                    Map.of(
                                            CompatSettings.INSTANCE_ID,
                                            Integer.toString(id),
                                            CompatSettings.TOTAL_INSTANCES,
                                            Integer.toString(total)),
                                    Map.of()));
            parts.begin(session, System.nanoTime());
            return new Instance(session, parts);
        }

        /// @return what is wrong
        String looks() throws SQLException {
            return parts.sit(session).orElse("nothing");
        }

        @Override
        public void close() throws SQLException {
            leaves();
        }

        /// The database may notice the end of a session some moments later: its locks go before.
        private void leaves() throws SQLException {
            if (!session.isClosed()) {
                try (session;
                        Statement statement = session.createStatement()) {
                    statement.execute("SELECT pg_advisory_unlock_all()");
                }
            }
        }
    }

    @Test
    @DisplayName("O5: of two who start together and disagree nobody claims, whoever looks first")
    void twoWhoStartTogetherBothWait(Database database) throws SQLException {
        try (var three = Instance.announced(database, 0, 3);
                var five = Instance.announced(database, 1, 5)) {
            for (int round = 0; round < 2; round++) {
                assertThat(three.looks())
                        .contains(
                                "RELAY_TOTAL_INSTANCES is [3, 5]",
                                "(instance 0 says 3, instance 1 says 5); nothing is claimed until all have the same value");
                assertThat(five.looks()).contains("nothing is claimed until");
                assertThat(three.parts().held()).isEmpty();
                assertThat(five.parts().held()).isEmpty();
            }
            assertThat(three.parts().uncovered()).isEqualTo(3);
            three.leaves();
            assertThat(five.looks()).isEqualTo("nothing");
            assertThat(five.parts().held()).containsExactly(1);
        }
    }

    @Test
    @DisplayName("O5: one that only waits for its own part is a standby; a disagreement is a fault")
    void aStandbyIsNoFault(Database database) throws SQLException {
        try (var first = Instance.announced(database, 0, 1);
                var second = Instance.announced(database, 0, 1)) {
            first.looks();
            assertThat(first.parts().isStandby()).isFalse();
            assertThat(second.looks()).contains("is worked on by another instance");
            assertThat(second.parts().isStandby()).isTrue();
            try (var wrong = Instance.announced(database, 1, 2)) {
                wrong.looks();
                second.looks();
                assertThat(wrong.parts().isStandby()).isFalse();
                assertThat(second.parts().isStandby()).isFalse();
            }
            second.looks();
            assertThat(second.parts().isStandby()).isTrue();
            first.leaves();
            assertThat(second.looks()).isEqualTo("nothing");
            assertThat(second.parts().isStandby()).isFalse();
        }
    }

    @Test
    @DisplayName("O5: whoever works goes on; one with another total waits until the last has gone")
    void whoeverWorksGoesOn(Database database) throws SQLException {
        try (var zero = Instance.announced(database, 0, 2);
                var one = Instance.announced(database, 1, 2)) {
            zero.looks();
            one.looks();
            try (var newcomer = Instance.announced(database, 1, 3)) {
                assertThat(newcomer.looks())
                        .contains("those with 2 go on, this one claims nothing until");
                assertThat(zero.looks())
                        .contains(
                                "instance 0 says 2, instance 1 says 2, instance 1 says 3",
                                "those with 2 go on, this one too; the others claim nothing until");
                assertThat(zero.parts().held()).containsExactly(0);
                assertThat(newcomer.parts().held()).isEmpty();
                assertThat(newcomer.parts().uncovered()).isZero();
                one.leaves();
                assertThat(newcomer.looks()).contains("those with 2 go on");
                assertThat(newcomer.parts().uncovered()).isEqualTo(1);
                zero.leaves();
                assertThat(newcomer.looks()).isEqualTo("nothing");
                assertThat(newcomer.parts().held()).containsExactly(1);
            }
        }
    }

    /// Or a restart of those who are right, one by one, would end with nobody who works.
    @Test
    @DisplayName("O5: one with the total of those who work gets its part, wrong ones or not")
    void whoHasTheTotalOfThoseWhoWorkJoins(Database database) throws SQLException {
        try (var one = Instance.announced(database, 1, 2);
                var _ = Instance.announced(database, 0, 3)) {
            assertThat(one.looks()).contains("nothing is claimed");
        }
        try (var one = Instance.announced(database, 1, 2)) {
            while (one.parts().held().size() < 2) { // The other part is free for 5 s first.
                assertThat(one.looks()).isEqualTo("nothing");
            }
            try (var wrong = Instance.announced(database, 0, 3)) {
                wrong.looks();
                one.looks();
                assertThat(one.parts().held()).as("not for another's 0").containsExactly(0, 1);
                try (var zero = Instance.announced(database, 0, 2)) {
                    assertThat(zero.looks()).contains("those with 2 go on, this one too");
                    assertThat(zero.parts().held()).as("it is not free yet").isEmpty();
                    one.looks();
                    assertThat(one.parts().held()).containsExactly(1);
                    zero.looks();
                    assertThat(zero.parts().held()).containsExactly(0);
                    one.leaves();
                    zero.looks();
                    assertThat(wrong.looks()).contains("those with 2 go on");
                    assertThat(zero.parts().held()).containsExactly(0);
                    assertThat(wrong.parts().held()).isEmpty();
                }
            }
        }
    }
}
