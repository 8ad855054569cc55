package io.enipam.acceptance.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.enipam.engine.port.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;

/**
 * Rules for the byte code of all modules: which libraries, clocks and threads they may use, and that no packages form a cycle.
 * {@link PomDependencyTest} has the table of the modules' dependencies on each other, which the compiler then enforces.
 */
@AnalyzeClasses(
        packages = "io.enipam",
        importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDependencyTest.NoTestJars.class})
class ModuleDependencyTest {
    /** The tests of other modules come as jars, which are no directory of tests. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final Set<String> CLOCKS_AND_THREADS = Set.of(
            "now",
            "nanoTime",
            "currentTimeMillis",
            "sleep",
            "newFixedThreadPool",
            "newCachedThreadPool",
            "newScheduledThreadPool",
            "newSingleThreadExecutor",
            "commonPool",
            "supplyAsync",
            "runAsync");

    /** Tags of the constant pool (JVM specification, table 4.4-A). */
    private static final int METHOD = 10;

    private static final int INTERFACE_METHOD = 11;

    @ArchTest
    static final ArchRule theSdkDependsOnTheJdkAndJspecifyAlone = classes()
            .that()
            .resideInAPackage("io.enipam.sdk..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("io.enipam.sdk..", "java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule theEngineDependsOnTheSdkAndTheJdkAlone = classes()
            .that()
            .resideInAPackage("io.enipam.engine..")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("io.enipam.engine..", "io.enipam.sdk..", "java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule theEngineDoesNoIo = noClasses()
            .that()
            .resideInAPackage("io.enipam.engine..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.io..", "java.nio..", "java.net..", "java.sql..")
                    .and(DescribedPredicate.not(JavaClass.Predicates.belongToAnyOf(
                            IOException.class, UncheckedIOException.class, InetAddress.class))));

    @ArchTest
    static final ArchRule theEngineTakesTimeAndThreadsFromOutside = noClasses()
            .that()
            .resideInAPackage("io.enipam.engine..")
            .should()
            .callMethodWhere(new DescribedPredicate<JavaMethodCall>("the system's clock or threads are used") {
                @Override
                public boolean test(JavaMethodCall call) {
                    return call.getTargetOwner().getPackageName().startsWith("java.")
                            && CLOCKS_AND_THREADS.contains(call.getName());
                }
            });

    /** The classes that compare dates, which may jump, and the reason of each. */
    private static final Map<String, String> COMPARE_DATES = Map.of(
            "io.enipam.engine.startup.DatabaseLoader", "holds of the database outlive the process",
            "io.enipam.engine.lease.PodStore", "copies of pods in the database outlive the process",
            "io.enipam.engine.pool.ActiveOverride", "reports when an override ended",
            "io.enipam.engine.pool.PoolCore", "reports how long a request has been without an answer",
            "io.enipam.engine.pool.Provisioner", "detects that the clock was set",
            "io.enipam.kubernetes.api.RequestStats", "compares this clock with the API server's",
            "io.enipam.aliyun.calls.MinuteRateLimiter", "the cloud counts by the minutes of the date");

    @ArchTest
    static final ArchRule elapsedTimeIsMeasuredByTheClockThatNeverJumps = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.enipam.engine..",
                    "io.enipam.etcd..",
                    "io.enipam.kubernetes..",
                    "io.enipam.aliyun..",
                    "io.enipam.node.cluster..")
            .and()
            .resideOutsideOfPackage("io.enipam.engine.testing..")
            .and(new DescribedPredicate<JavaClass>("are not among those that compare dates for a reason") {
                @Override
                public boolean test(JavaClass one) {
                    return !COMPARE_DATES.containsKey(one.getName());
                }
            })
            .should(new ArchCondition<>("compare a date with TimeSource.now(); TimeSource.nanoTime() measures") {
                @Override
                public void check(JavaClass one, ConditionEvents events) {
                    List<JavaMethodCall> compared = one.getMethodCallsFromSelf().stream()
                            .filter(ModuleDependencyTest::comparesDates)
                            .toList();
                    boolean asks = one.getMethodCallsFromSelf().stream()
                            .anyMatch(call -> call.getTargetOwner().isEquivalentTo(TimeSource.class)
                                    && call.getName().equals("now"));
                    compared.forEach(call -> events.add(new SimpleConditionEvent(one, asks, call.getDescription())));
                }
            });

    private static boolean comparesDates(JavaMethodCall call) {
        JavaClass owner = call.getTargetOwner();
        return owner.isEquivalentTo(Instant.class)
                        && Set.of("isBefore", "isAfter").contains(call.getName())
                || owner.isEquivalentTo(Duration.class) && call.getName().equals("between");
    }

    @ArchTest
    static final ArchRule mainCodeUsesNoFakes = noClasses()
            .that()
            .resideOutsideOfPackage("io.enipam.engine.testing..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.enipam.engine.testing.."));

    /** Virtual time is for replays and tests: what serves pods runs in the time of the machine. */
    @ArchTest
    static final ArchRule virtualTimeIsUsedByTheLabAlone = noClasses()
            .that()
            .resideOutsideOfPackages("io.enipam.engine.simulation..", "io.enipam.lab..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.enipam.engine.simulation..", "io.enipam.lab.."));

    @ArchTest
    static final ArchRule theCniPluginDependsOnTheJdkAlone = classes()
            .that()
            .resideInAPackage("io.enipam.cni..")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("io.enipam.cni..", "java..", "javax..", "jdk..", "org.jspecify.."));

    @ArchTest
    static final ArchRule fabric8IsUsedByTheClusterClientAndTheFleetOfTheShellAlone = noClasses()
            .that()
            .resideOutsideOfPackages("io.enipam.kubernetes..", "io.enipam.shell.fleet..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.fabric8.."));

    @ArchTest
    static final ArchRule jetcdIsUsedByTheTablesInEtcdAndTheirBenchmarkAlone = noClasses()
            .that()
            .resideOutsideOfPackages("io.enipam.etcd..", "io.enipam.bench..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.etcd.."));

    /** So that the daemon of a node, which never uses these, loads no class of etcd's. */
    @ArchTest
    static final ArchRule theDaemonNamesEtcdWhereItOpensTheTablesOfRoleClusterAlone = noClasses()
            .that()
            .resideInAPackage("io.enipam.daemon..")
            .and()
            .doNotHaveSimpleName("TablesModule")
            .and()
            .doNotHaveSimpleName("EtcdModule")
            .should()
            .dependOnClassesThat(resideInAPackage("io.enipam.etcd.."));

    @ArchTest
    static final ArchRule theRelayThatStartsForEachConnectionDependsOnTheJdkAlone = classes()
            .that()
            .resideInAPackage("io.enipam.shell.relay..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("io.enipam.shell.relay..", "java..", "org.jspecify.."));

    /** Packages of the whole tree, and so those of each module as well. */
    @ArchTest
    static final ArchRule noPackagesFormACycle = slices().assignedFrom(new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass one) {
                    return SliceIdentifier.of(one.getPackageName());
                }

                @Override
                public String getDescription() {
                    return "packages";
                }
            })
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule librariesPrintNothing = noClasses()
            .that(resideInAnyPackage(
                    "io.enipam.engine..",
                    "io.enipam.store..",
                    "io.enipam.etcd..",
                    "io.enipam.aliyun..",
                    "io.enipam.kubernetes..",
                    "io.enipam.sdk.."))
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");

    /**
     * On two cores the JDK's common pool has a single thread since JDK 25, and any plugin may block all of its threads.
     * {@code orTimeout} and {@code completeOnTimeout} do without it.
     */
    @Test
    void mainCodeAndTestsOfAllModulesRunNothingOnTheCommonPool() throws IOException {
        List<String> users = new ArrayList<>();
        for (Path pom : PomDependencyTest.poms()) {
            for (String[] part : List.of(
                    new String[] {"src/main/java", "target/classes"},
                    new String[] {"src/test/java", "target/test-classes"})) {
                if (Files.exists(pom.resolveSibling(part[0]))) {
                    try (Stream<Path> files = Files.walk(pom.resolveSibling(part[1]))) {
                        for (Path file :
                                files.filter(ModuleDependencyTest::isCode).toList()) {
                            users.addAll(usesOfTheCommonPool(new ClassReader(Files.readAllBytes(file))));
                        }
                    }
                }
            }
        }
        assertThat(users)
                .as("these need an executor of their own")
                .containsExactlyInAnyOrder(
                        // it recognises the pool's threads
                        "io/enipam/sdk/testkit/ThreadLeakDetector calls ForkJoinPool.commonPool",
                        // it blocks them
                        "io/enipam/kubernetes/api/ApiServerClientTest calls ForkJoinPool.commonPool");
    }

    private static boolean isCode(Path file) {
        return file.toString().endsWith(".class");
    }

    /** Every method that a class calls or refers to is in its constant pool. */
    private static List<String> usesOfTheCommonPool(ClassReader type) {
        List<String> uses = new ArrayList<>();
        char[] buffer = new char[type.getMaxStringLength()];
        for (int i = 1; i < type.getItemCount(); i++) {
            int at = type.getItem(i);
            int tag = at == 0 ? 0 : type.readByte(at - 1);
            if (tag == METHOD || tag == INTERFACE_METHOD) {
                String owner = type.readClass(at, buffer);
                int signature = type.getItem(type.readUnsignedShort(at + 2));
                String method = type.readUTF8(signature, buffer);
                if (usesTheCommonPool(owner, method, type.readUTF8(signature + 2, buffer))) {
                    uses.add(type.getClassName() + " calls " + owner.replaceFirst(".*/", "") + "." + method);
                }
            }
        }
        return uses;
    }

    private static boolean usesTheCommonPool(String owner, String method, String descriptor) {
        return switch (owner) {
            case "java/util/concurrent/CompletableFuture", "java/util/concurrent/CompletionStage" ->
                (method.endsWith("Async") || method.equals("delayedExecutor"))
                        && !descriptor.contains("Ljava/util/concurrent/Executor;");
            // stages that depend on its answer run there
            case "java/net/http/HttpClient" -> method.equals("sendAsync");
            case "java/util/Arrays" -> method.startsWith("parallel");
            case "java/util/concurrent/ForkJoinPool" -> method.equals("commonPool");
            default -> owner.startsWith("java/") && (method.equals("parallelStream") || method.equals("parallel"));
        };
    }
}
