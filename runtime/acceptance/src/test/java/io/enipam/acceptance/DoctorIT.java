package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ShellException;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudFault;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.FailCall;
import io.enipam.v1.Lease;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.ResetCloudRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.ThrottleApi;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The doctor of a real daemon on the emulated cloud: it finds each fault that is injected, what it repairs is well again, and a
 * node in good health shows nothing, busy or not. One daemon for all, in this order: what throttling leaves behind lasts.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DoctorIT {
    private static final Duration CALL = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(90);
    /** About the machine that the tests run on, which may be in any state. */
    private static final Set<String> OF_THE_HOST =
            Set.of("memory-low", "disk-nearly-full", "conntrack-full", "clock-jumped");

    @TempDir
    static Path scratch;

    private Path root;
    private DaemonWithShell daemon;
    private DaemonConnection shell;
    private boolean mounted;
    /** Pods whose address and whose ENI the cloud will take. */
    private String victim = "";

    private String victimIp = "";
    private String stranded = "";
    private String strandedEni = "";

    @BeforeAll
    void start() throws Exception {
        root = Files.createDirectory(scratch.resolve("root"));
        mounted = mount();
        daemon = new DaemonWithShell(new ProgramRunner(scratch), root);
        daemon.start("--emulate");
        shell = DaemonConnection.open(daemon.socket());
        patiently().ignoreExceptions().until(() -> severity("not-serving").equals("OK"));
    }

    /** Where the tests have root, the daemon lives on a small file system of its own. */
    private boolean mount() throws Exception {
        return ((Number) Files.getAttribute(root, "unix:uid")).intValue() == 0
                && new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", root.toString())
                                .start()
                                .waitFor()
                        == 0;
    }

    @AfterAll
    void stop() throws Exception {
        shell.close();
        daemon.close();
        if (mounted) {
            new ProcessBuilder("umount", "-l", root.toString()).start().waitFor();
        }
    }

    private RunDoctorReply examined(String... checks) {
        return shell.inspect(
                CALL,
                stub -> stub.runDoctor(RunDoctorRequest.newBuilder()
                        .addAllChecks(List.of(checks))
                        .build()));
    }

    private DoctorFinding finding(String check) {
        return examined(check).getFindings(0);
    }

    private String severity(String check) {
        return finding(check).getSeverity();
    }

    private List<DoctorFinding> bad() {
        return examined().getFindingsList().stream()
                .filter(finding -> Set.of("WARN", "CRITICAL").contains(finding.getSeverity()))
                .filter(finding -> !OF_THE_HOST.contains(finding.getCheck()))
                .toList();
    }

    private void awaitHealth() {
        patiently().untilAsserted(() -> assertThat(bad()).isEmpty());
    }

    private void awaitSeverity(String check, String severity) {
        patiently().untilAsserted(() -> {
            DoctorFinding found = finding(check);
            assertThat(found.getSeverity()).as(found.toString()).isEqualTo(severity);
        });
    }

    private RepairFindingReply repaired(String check, boolean dryRun) {
        return shell.control(
                CALL,
                stub -> stub.repairFinding(RepairFindingRequest.newBuilder()
                        .setName(check)
                        .setDryRun(dryRun)
                        .build()));
    }

    private Lease add(String pod) {
        return shell.control(
                        CALL,
                        stub -> stub.cniAdd(CniAddRequest.newBuilder()
                                .setPod("default/" + pod)
                                .setTimeout(Durations.fromSeconds(30))
                                .build()))
                .getLease();
    }

    private void del(String pod) {
        shell.control(
                CALL,
                stub -> stub.cniDel(
                        CniDelRequest.newBuilder().setPod("default/" + pod).build()));
    }

    private void act(ActOnCloudRequest request) {
        shell.control(CALL, stub -> stub.actOnCloud(request));
    }

    private void fault(CloudFault fault) {
        shell.control(
                CALL,
                stub -> stub.addCloudFault(
                        AddCloudFaultRequest.newBuilder().setFault(fault).build()));
    }

    private void reset() {
        shell.control(CALL, stub -> stub.resetCloud(ResetCloudRequest.getDefaultInstance()));
    }

    @Test
    @Order(1)
    void aNodeInGoodHealthHasNoFindingNorHasABusyOne() throws Exception {
        add("steady");
        awaitHealth();
        AtomicBoolean enough = new AtomicBoolean();
        List<Thread> pods = IntStream.range(0, 3)
                .mapToObj(i -> new Thread(() -> comeAndGo("busy-" + i, enough), "pods-" + i))
                .toList();
        pods.forEach(Thread::start);
        try {
            awaitHealth();
            awaitHealth();
        } finally {
            enough.set(true);
            for (Thread thread : pods) {
                thread.join();
            }
        }
        assertThat(examined().getFindingsList()).hasSizeGreaterThan(50);
    }

    private void comeAndGo(String pod, AtomicBoolean enough) {
        while (!enough.get()) {
            add(pod);
            pause();
            del(pod);
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(300);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Order(2)
    void aPoolAtItsEndIsFoundAndIsWellWhenPodsEnd() {
        Map<String, Lease> all = new LinkedHashMap<>();
        patiently().untilAsserted(() -> {
            while (all.size() < 60 && !severity("pool-exhausted").equals("WARN")) {
                String pod = "many-" + all.size();
                try {
                    all.put(pod, add(pod));
                } catch (ShellException full) {
                    break;
                }
            }
            assertThat(severity("pool-exhausted")).isEqualTo("WARN");
        });
        keepTwo(all);
        all.keySet().forEach(this::del);
        awaitSeverity("pool-exhausted", "OK");
    }

    /** Two pods on two ENIs stay: only what is as it is for ten seconds can be missed, and they pass with the next tests. */
    private void keepTwo(Map<String, Lease> all) {
        // a primary address cannot be taken off its ENI
        victim = first(
                all,
                lease -> lease.getResource().getAttributesOrThrow("primary").equals("false"));
        Lease taken = all.remove(victim);
        victimIp = taken.getResource().getAddresses(0).replaceFirst("/.*", "");
        stranded = first(
                all,
                lease -> !lease.getResource()
                        .getParent()
                        .equals(taken.getResource().getParent()));
        strandedEni = all.remove(stranded).getResource().getParent();
    }

    private static String first(Map<String, Lease> leases, Predicate<Lease> wanted) {
        return leases.entrySet().stream()
                .filter(lease -> wanted.test(lease.getValue()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Order(3)
    void rightsThatAreTooWideAreFoundAndTakenBack() throws IOException {
        Path socket = daemon.socket();
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThat(severity("file-rights")).isEqualTo("CRITICAL");
        assertThat(repaired("file-rights", false).getAfter().getSeverity()).isEqualTo("OK");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-rw----");
    }

    @Test
    @Order(4)
    void aClockThatDiffersFromTheCloudsIsFound() {
        act(ActOnCloudRequest.newBuilder()
                .setSkewClock(Durations.fromMinutes(20))
                .build());
        patiently().untilAsserted(() -> {
            examined("vswitch-low"); // whatever is asked of the cloud brings it to light
            assertThat(severity("clock-skew")).isEqualTo("CRITICAL");
        });
        act(ActOnCloudRequest.newBuilder().setSkewClock(Durations.ZERO).build());
        patiently().untilAsserted(() -> {
            examined("vswitch-low");
            assertThat(severity("clock-skew")).isEqualTo("OK");
        });
    }

    @Test
    @Order(5)
    void aDiskThatFillsUpIsFoundBeforeItIsFull() throws IOException {
        assumeThat(mounted).as("a small file system needs root").isTrue();
        FileStore disk = Files.getFileStore(root);
        assertThat(severity("disk-nearly-full")).isEqualTo("OK");
        Path filler = root.resolve("filler");
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
            byte[] block = new byte[1 << 20];
            while (disk.getUsableSpace() > 3 << 20) {
                file.write(block);
            }
        }
        try {
            assertThat(severity("disk-nearly-full")).isEqualTo("CRITICAL");
        } finally {
            Files.delete(filler);
        }
        assertThat(severity("disk-nearly-full")).isEqualTo("OK");
    }

    @Test
    @Order(6)
    void aSilentMetadataServiceAndACloudThatRefusesAreFound() {
        awaitHealth();
        fault(CloudFault.newBuilder()
                .setApi("metadata")
                .setFail(FailCall.newBuilder().setCode("InternalError").setHttpStatus(500))
                .build());
        fault(CloudFault.newBuilder()
                .setApi("DescribeVSwitches")
                .setFail(FailCall.newBuilder()
                        .setCode("Forbidden.RAM")
                        .setHttpStatus(403)
                        .setMessage("not allowed"))
                .build());

        awaitSeverity("metadata-unreachable", "WARN");
        patiently().untilAsserted(() -> {
            examined("vswitch-low");
            assertThat(severity("cloud-refuses")).isEqualTo("CRITICAL");
        });
        reset();
        awaitSeverity("metadata-unreachable", "OK");
        awaitHealth();
    }

    @Test
    @Order(7)
    void aPodAnAddressAndAnEniThatVanishAtOnceAreAllFoundAndMended() {
        add("gone");
        shell.control(
                CALL,
                stub -> stub.deletePod(
                        DeletePodRequest.newBuilder().setPod("default/gone").build()));
        act(ActOnCloudRequest.newBuilder().setTakeIp(victimIp).build());
        act(ActOnCloudRequest.newBuilder().setDetachEni(strandedEni).build());

        aStaleLeaseIsEndedAndNotByADryRun();
        patiently().untilAsserted(() -> {
            Map<String, DoctorFinding> found = byCheck("address-lost", "eni-lost");
            DoctorFinding lost = found.get("address-lost");
            assertThat(lost.getSeverity()).as(lost.toString()).isEqualTo("CRITICAL");
            assertThat(lost.toString()).contains(victimIp, victim);
            // its pool may have heard of it first: then its addresses are lost
            assertThat(found.get("eni-lost").toString() + lost).containsAnyOf(strandedEni, stranded);
        });
        anAddressOfAPodStaysAFindingUntilThePodEnds();
    }

    private void aStaleLeaseIsEndedAndNotByADryRun() {
        patiently().untilAsserted(() -> {
            RepairFindingReply would = repaired("lease-stale", true);
            assertThat(would.getBefore().getSeverity()).as(would.toString()).isEqualTo("WARN");
            assertThat(would.getBefore().getEvidence(0).getSubject()).isEqualTo("default/gone");
            assertThat(would.getStepsList()).anyMatch(step -> step.startsWith("would end"));
        });

        RepairFindingReply done = repaired("lease-stale", false);
        assertThat(done.getBefore().getSeverity()).isEqualTo("WARN");
        assertThat(done.getStepsList()).anyMatch(step -> step.contains("ended the lease of default/gone"));
        assertThat(done.getAfter().getSeverity()).isEqualTo("OK");
        assertThat(repaired("lease-stale", false).getStepsList()).isEmpty();
    }

    private void anAddressOfAPodStaysAFindingUntilThePodEnds() {
        RepairFindingReply done = repaired("address-lost", false);
        assertThat(done.getStepsCount()).isPositive();
        assertThat(done.getAfter().getSeverity()).as(done.getAfter().toString()).isEqualTo("CRITICAL");

        del(victim);
        del(stranded);
        del("steady");
        patiently()
                .untilAsserted(
                        () -> assertThat(byCheck("address-lost", "eni-lost").values())
                                .extracting(DoctorFinding::getSeverity)
                                .containsOnly("OK"));
    }

    private Map<String, DoctorFinding> byCheck(String... checks) {
        return examined(checks).getFindingsList().stream()
                .collect(Collectors.toMap(DoctorFinding::getCheck, Function.identity()));
    }

    @Test
    @Order(8)
    void throttlingIsFound() {
        fault(CloudFault.newBuilder()
                .setApi("DescribeVSwitches")
                .setThrottle(ThrottleApi.getDefaultInstance())
                .build());

        patiently().untilAsserted(() -> {
            askTheCloud();
            DoctorFinding found = finding("api-throttled");
            assertThat(found.getSeverity()).isEqualTo("WARN");
            assertThat(found.getEvidence(0).getSubject()).isEqualTo("DescribeVSwitches");
        });
        reset();
    }

    /** Has the daemon ask the cloud, and does not wait for the answer: a throttled API is not called before the next minute. */
    private void askTheCloud() {
        try {
            shell.inspect(
                    Duration.ofSeconds(1),
                    stub -> stub.explain(ExplainRequest.newBuilder()
                            .setWhat("192.0.2.1")
                            .setAnew(true)
                            .build()));
        } catch (ShellException late) {
            assertThat(late.code()).isEqualTo("DEADLINE_EXCEEDED");
        }
    }

    @Test
    @Order(9)
    void theShellExitsByWhatIsFound() {
        ProgramRunner.Result bad = daemon.attached("doctor api-throttled -o json");
        ProgramRunner.Result well = daemon.attached("doctor eni-stuck lease-stale");

        assertThat(bad.status()).as(bad.toString()).isEqualTo(1);
        assertThat(bad.out()).contains("\"check\": \"api-throttled\"", "\"severity\": \"WARN\"");
        assertThat(well.status()).as(well.toString()).isZero();
        assertThat(well.out()).startsWith("2 checks fine");
    }

    /** Not more often than people may have the cloud asked. */
    private static ConditionFactory patiently() {
        return await().atMost(LONG).pollDelay(Duration.ZERO).pollInterval(Duration.ofSeconds(2));
    }
}
