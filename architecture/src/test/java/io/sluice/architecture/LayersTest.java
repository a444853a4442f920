package io.sluice.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayersTest {
    private static final JavaClasses SLUICE =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.sluice");

    private static final String RECORD = "io.sluice.record..";
    private static final String ENV = "io.sluice.env";
    private static final String SETTINGS = "io.sluice.settings..";
    private static final String WIRE = "io.sluice.kafka.wire..";
    private static final String LOG = "io.sluice.log..";
    private static final String PARTITION = "io.sluice.partition..";
    private static final String CONTROLLER = "io.sluice.controller..";
    private static final String COORDINATOR = "io.sluice.coordinator..";
    private static final String GROUPS = "io.sluice.coordinator.groups..";
    private static final String API = "io.sluice.kafka.api..";
    private static final String REPLICATION = "io.sluice.replication..";
    private static final String NODE = "io.sluice.node..";
    private static final String OS = "io.sluice.env.os..";

    /// A hop of the path sees only what is below it; the deciders see only the ground.
    private static final Map<String, List<String>> MAY_SEE = new LinkedHashMap<>();

    static {
        MAY_SEE.put(RECORD, List.of());
        MAY_SEE.put(ENV, List.of(RECORD));
        MAY_SEE.put(SETTINGS, List.of());
        MAY_SEE.put(WIRE, List.of(RECORD));
        MAY_SEE.put(LOG, List.of(RECORD, ENV, SETTINGS));
        MAY_SEE.put(PARTITION, List.of(RECORD, ENV, LOG));
        MAY_SEE.put(CONTROLLER, List.of(RECORD, ENV, SETTINGS));
        MAY_SEE.put(COORDINATOR, List.of(RECORD, ENV, SETTINGS, LOG, PARTITION));
        // A machine knows what machines are, and nothing of who runs it on which log.
        MAY_SEE.put(GROUPS, List.of(RECORD, SETTINGS, "io.sluice.coordinator"));
        MAY_SEE.put(
                API, List.of(RECORD, ENV, SETTINGS, WIRE, LOG, PARTITION, CONTROLLER, COORDINATOR));
        MAY_SEE.put(REPLICATION, List.of(RECORD, ENV, SETTINGS, WIRE, LOG, PARTITION, CONTROLLER));
        MAY_SEE.put(
                NODE,
                List.of(
                        RECORD,
                        ENV,
                        SETTINGS,
                        WIRE,
                        LOG,
                        PARTITION,
                        CONTROLLER,
                        COORDINATOR,
                        API,
                        REPLICATION));
        MAY_SEE.put("io.sluice.gateway..", List.of(RECORD, ENV, OS, SETTINGS, WIRE, API));
        MAY_SEE.put(OS, List.of(RECORD, ENV));
        MAY_SEE.put("io.sluice.zookeeper..", List.of(RECORD, ENV, SETTINGS));
        MAY_SEE.put("io.sluice.client..", List.of());
        MAY_SEE.put("io.sluice.outbox..", List.of());
        MAY_SEE.put("io.sluice.listener..", List.of());
    }

    /// Code that runs under the simulation: it reaches the world through `env` only.
    private static final String[] WITHOUT_THE_WORLD = {
        RECORD, ENV, SETTINGS, WIRE, LOG, PARTITION, CONTROLLER, COORDINATOR, API, REPLICATION, NODE
    };

    private static final Set<String> AMBIENT =
            Set.of(
                    "java.lang.System.nanoTime",
                    "java.lang.System.currentTimeMillis",
                    "java.time.Instant.now",
                    "java.lang.Math.random",
                    "java.util.UUID.randomUUID",
                    "java.util.concurrent.ThreadLocalRandom.current",
                    "java.lang.Thread.sleep",
                    "java.lang.Thread.currentThread");

    @Test
    void everyHopSeesOnlyWhatIsBelowIt() {
        MAY_SEE.forEach(
                (from, to) -> {
                    List<String> allowed = new ArrayList<>(to);
                    allowed.add(from);
                    ArchRule rule =
                            noClasses()
                                    .that()
                                    .resideInAPackage(from)
                                    .should()
                                    .dependOnClassesThat(
                                            resideInAnyPackage("io.sluice..")
                                                    .and(
                                                            describe(
                                                                    "outside of " + allowed,
                                                                    target ->
                                                                            !resideInAnyPackage(
                                                                                            allowed
                                                                                                    .toArray(
                                                                                                            String
                                                                                                                            []
                                                                                                                    ::new))
                                                                                    .test(
                                                                                            target))));
                    rule.check(SLUICE);
                });
    }

    @Test
    void pureCodeAsksNobodyForTimeRandomnessOrThreads() {
        noClasses()
                .that()
                .resideInAnyPackage(WITHOUT_THE_WORLD)
                .should()
                .accessTargetWhere(
                        describe(
                                "is ambient time, randomness or a thread",
                                (JavaAccess<?> access) ->
                                        AMBIENT.contains(
                                                access.getTargetOwner().getName()
                                                        + "."
                                                        + access.getName())))
                .check(SLUICE);
    }

    @Test
    void pureCodeTouchesNeitherFilesNorSocketsNorExecutors() {
        noClasses()
                .that()
                .resideInAnyPackage(WITHOUT_THE_WORLD)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.net..", "java.nio.channels..", "java.nio.file..", "io.netty..")
                .check(SLUICE);
        noClasses()
                .that()
                .resideInAnyPackage(WITHOUT_THE_WORLD)
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.lang\\.Thread|java\\.util\\.concurrent\\.(Execut.*|CompletableFuture|Fork.*|locks\\..*)")
                .check(SLUICE);
    }

    /// The broker must not clash with the kafka-clients of a user's own test JVM.
    @Test
    void onlyClientsUseKafkasClasses() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.sluice.client..",
                        "io.sluice.outbox..",
                        "io.sluice.cli..",
                        "io.sluice.listener..",
                        "io.sluice.chaos..",
                        "io.sluice.benchmarks..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(SLUICE);
    }

    /// A single node has neither ZooKeeper nor Curator to load.
    @Test
    void onlyOneModuleKnowsZooKeeper() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.sluice.zookeeper..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.zookeeper..", "org.apache.curator..")
                .check(SLUICE);
    }

    @Test
    void nothingDependsOnTheBrokerButItsTests() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.sluice.broker..", "io.sluice.testing..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.sluice.broker..")
                .check(SLUICE);
    }

    /// The outbox's decisions are tested without a database because they cannot reach one.
    @Test
    void theOutboxDecidesApartFromDoing() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.outbox.lanes..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "org.postgresql..", "org.apache.kafka..")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(SLUICE);
    }

    @Test
    void packagesAreConcepts() {
        noClasses()
                .should()
                .resideInAnyPackage(
                        "..util..",
                        "..utils..",
                        "..impl..",
                        "..internal..",
                        "..common..",
                        "..misc..")
                .check(SLUICE);
        classes()
                .that()
                .haveSimpleNameEndingWith("Handler")
                .and()
                .resideInAPackage(API)
                .should()
                .bePublic()
                .check(SLUICE);
    }

    /// A rule over no classes would hold whatever happens.
    @Test
    void theRulesSeeEveryModule() {
        for (String layer : MAY_SEE.keySet()) {
            assertThat(SLUICE.that(resideInAnyPackage(layer))).as(layer).isNotEmpty();
        }
    }
}
