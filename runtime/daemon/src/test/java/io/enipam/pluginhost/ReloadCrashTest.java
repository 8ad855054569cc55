package io.enipam.pluginhost;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.daemon.DaemonLayout;
import io.enipam.daemon.testing.DaemonProgram;
import io.enipam.daemon.testing.LivingDaemonProgram;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPluginEffectsRequest;
import io.enipam.v1.ListPluginGrantsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.ReloadPluginRequest;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.SwapFactoryRequest;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A daemon as a process of its own, which is killed (kill -9) at each stage of a reload of one plugin: its factory is in use, with a lease
 * and a hold, and its extension has granted an address and has not performed the effect of that. Nothing is lost or doubled, and
 * the next start is on the jar that is there.
 */
class ReloadCrashTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** Stops the thread that comes to a stage for ever, if the file {@code stop-at} names it, and says so. */
    private static final String STAGE = """
            package plugins.furniture;
            import java.io.*;
            import java.nio.file.*;

            class Stage {
                private static final Path ROOT = Path.of("%s");
                static void at(String name) {
                    try {
                        Path stop = ROOT.resolve("stop-at");
                        if (Files.exists(stop) && Files.readString(stop).equals(name)) {
                            Files.writeString(ROOT.resolve("reached"), name);
                            Thread.sleep(Long.MAX_VALUE);
                        }
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
            """;

    private static final String PARTS = """
            static final Table<String> DESKS = new Table<>("desks", 1, Codec.text());

            public Plugin() { Stage.at("load"); }

            public List<Diagnostic> diagnostics() {
                return List.of(Diagnostic.of("which", "Which jar it is.", List.of(),
                        request -> DiagnosticTable.of("JAR").row("%s")));
            }

            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(ResourceFactoryProvider.of("shelf", context -> new Shelf(context.directory())));
            }

            public List<Extension> extensions() {
                return List.of(Extension.of("desk", Set.of(Role.NODE), host -> {
                    Stage.at("part");
                    host.journal().open(DESKS);
                    return new Allocator() {
                        public Decision allocate(Claim claim, Transaction tx) {
                            for (int i = 2; i < 10; i++) {
                                String address = "10.77.0." + i + "/24";
                                if (tx.get(DESKS, address).isEmpty()) {
                                    tx.put(DESKS, address, claim.id().text());
                                    tx.effect("announce", address, claim.id().text());
                                    return Grant.of(claim.id(), Prefix.of(address));
                                }
                            }
                            return Decision.refuse(ErrorKind.ADDRESSES_EXHAUSTED, "no desk is free");
                        }
                        public void release(Grant grant, Transaction tx) {
                            tx.delete(DESKS, grant.prefixes().get(0).toString());
                        }
                        public CompletionStage<List<Grant>> observe() { return CompletableFuture.completedStage(List.of()); }
                        public boolean observes() { return false; }
                        public CompletionStage<EffectResult> perform(Effect effect) {
                            return CompletableFuture.completedStage(Shelf.announce(effect.token() + " " + effect.arguments()));
                        }
                    };
                }));
            }
            """;

    /** An instance has a lock of the file system, which the process's death ends. */
    private static final String SHELF = """
            package plugins.furniture;
            import io.enipam.sdk.*;
            import java.io.*;
            import java.nio.channels.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;

            class Shelf extends Board {
                private static final Path ROOT = Path.of("%s");
                private final FileChannel lock;
                Shelf(Path directory) {
                    super(directory.resolve("out"));
                    Stage.at("open");
                    try {
                        this.lock = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        if (lock.tryLock() == null) throw new IOException("another process has it");
                    } catch (IOException | OverlappingFileLockException e) {
                        throw new FactoryException(ErrorKind.INTERNAL, "another one is open: " + e);
                    }
                }
                static EffectResult announce(String line) {
                    try {
                        if (Files.exists(ROOT.resolve("deaf"))) return Failed.of(ErrorKind.UNAVAILABLE, "the other side is deaf");
                        Files.writeString(ROOT.resolve("announced"), line + "\\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                        return EffectResult.performed();
                    } catch (IOException e) {
                        return Failed.of(ErrorKind.UNAVAILABLE, e.toString());
                    }
                }
                public CompletionStage<List<Resource>> list() {
                    Stage.at("list");
                    return super.list();
                }
                public void close() {
                    Stage.at("close");
                    try {
                        lock.close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
            """;

    @TempDir
    Path root;

    private Path jar;
    private Optional<Process> process = Optional.empty();
    private Optional<SocketClient> connection = Optional.empty();

    @BeforeEach
    void prepare() throws Exception {
        jar = Files.createDirectories(root.resolve("lib/plugins")).resolve("furniture.jar");
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                "{extensions: [desk], pool: {cool_down: 1h}}");
        replace("1.0.0");
        Files.createFile(root.resolve("deaf"));
        start();
    }

    @AfterEach
    void kill() throws InterruptedException {
        connection.ifPresent(SocketClient::close);
        if (process.isPresent()) {
            process.get().destroyForcibly().waitFor();
        }
    }

    /** As an installation does it: a new file takes the name of the old one, which the daemon has open. */
    private void replace(String version) throws Exception {
        Path next = PluginJar.of("furniture")
                .manifest("Plugin-Version", version)
                .plugin(PARTS.formatted(version))
                .source(STAGE.formatted(root))
                .source(BoardSource.BOARD)
                .source(SHELF.formatted(root))
                .writeTo(root.resolve("next.jar"));
        Files.move(next, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private void start() throws IOException {
        List<String> command = DaemonProgram.java(LivingDaemonProgram.class);
        command.add(root.toString());
        Path out = Files.createTempFile(root, "out", "");
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        process = Optional.of(started);
        await().atMost(PATIENCE)
                .until(() -> !started.isAlive() || Files.readString(out).contains("READY"));
        assertThat(started.isAlive()).as(() -> text(out)).isTrue();
        connection = Optional.of(new SocketClient(DaemonLayout.below(root).controlSocket()));
        await("the extension runs")
                .atMost(PATIENCE)
                .until(() -> plugin().getExtensionsList().stream()
                        .anyMatch(extension -> extension.getState().equals("RUNNING")));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private SocketClient daemon() {
        return connection.orElseThrow();
    }

    @Test
    @Timeout(600)
    void aKillAtAnyStageOfAReloadLosesNothingAndDoublesNothing() throws Exception {
        daemon().control()
                .swapFactory(SwapFactoryRequest.newBuilder().setName("shelf").build());
        daemon().control()
                .cniAdd(CniAddRequest.newBuilder().setPod("default/stays").build());
        daemon().control()
                .cniAdd(CniAddRequest.newBuilder().setPod("default/gone").build());
        daemon().control()
                .cniDel(CniDelRequest.newBuilder().setPod("default/gone").build());
        thread(this::claim);
        await("the grant is made").atMost(PATIENCE).until(() -> !grants().isEmpty());
        Map<String, List<String>> before = state();
        assertThat(before.get("leases")).hasSize(1);
        assertThat(before.get("holds")).hasSize(1);
        assertThat(before.get("grants")).containsExactly("lan/c1/eth0 [10.77.0.2/24] EFFECTS 1");
        assertThat(before.get("effects")).hasSize(1);

        int version = 0;
        for (String stage : List.of("load", "close", "open", "list", "part", "behind it")) {
            String next = "1.0." + ++version;
            replace(next);
            assertThat(which()).as("before %s", stage).isNotEqualTo(next);
            assertThat(replacedOnDisk()).containsExactly("furniture");
            reloadUntil(stage);
            process.orElseThrow().destroyForcibly().waitFor();
            daemon().close();
            Files.deleteIfExists(root.resolve("stop-at"));
            Files.deleteIfExists(root.resolve("reached"));

            start();

            // effects are read a moment after the extension runs
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(state()).as("killed at %s", stage).isEqualTo(before));
            assertThat(which()).as("killed at %s", stage).isEqualTo(next);
            assertThat(plugin().getVersion()).isEqualTo(next);
            assertThat(plugin().getState()).isEqualTo("ACTIVE");
            assertThat(replacedOnDisk()).as("killed at %s", stage).isEmpty();
        }

        Files.delete(root.resolve("deaf"));
        await("the effect is performed")
                .atMost(PATIENCE)
                .until(() -> state().get("effects").isEmpty());
        assertThat(root.resolve("announced")).hasContent("10.77.0.2/24 lan/c1/eth0");
        assertThat(grants()).containsExactly("lan/c1/eth0 [10.77.0.2/24] GRANTED 0");
        daemon().control()
                .cniAdd(CniAddRequest.newBuilder().setPod("default/later").build());
        assertThat(state().get("leases")).hasSize(2).doesNotHaveDuplicates();
    }

    private void reloadUntil(String stage) throws IOException {
        Files.writeString(root.resolve("stop-at"), stage);
        Thread reload = thread(() -> daemon().control()
                .reloadPlugin(
                        ReloadPluginRequest.newBuilder().setId("furniture").build()));
        await("the reload is at " + stage)
                .pollInterval(Duration.ofMillis(20))
                .atMost(PATIENCE)
                .until(() -> Files.exists(root.resolve("reached")) || (stage.equals("behind it") && !reload.isAlive()));
    }

    /** What it does may fail: the process is killed meanwhile. */
    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, error) -> {});
        thread.start();
        return thread;
    }

    /** A container's call, which waits for the effect. */
    private void claim() {
        Map<String, String> variables = Map.of(
                "CNI_COMMAND",
                "ADD",
                "CNI_CONTAINERID",
                "c1",
                "CNI_NETNS",
                "/var/run/netns/none",
                "CNI_IFNAME",
                "eth0",
                "CNI_PATH",
                "/opt/cni/bin");
        String network = "{\"cniVersion\":\"1.0.0\",\"name\":\"lan\",\"type\":\"enipam-cni\","
                + "\"ipam\":{\"type\":\"enipam-cni\",\"allocator\":\"desk\"}}";
        try (SocketChannel channel = SocketChannel.open(
                UnixDomainSocketAddress.of(DaemonLayout.below(root).cniSocket()))) {
            FrameCodec.write(
                    new CniRequest(variables, network.getBytes(UTF_8)),
                    new DataOutputStream(Channels.newOutputStream(channel)));
            FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(channel)));
        } catch (IOException e) {
            // the daemon was killed
        }
    }

    // ---- what there is

    /** All that must outlive the kill. */
    private Map<String, List<String>> state() {
        Map<String, List<String>> state = new TreeMap<>();
        List<String> leases = new ArrayList<>();
        daemon().inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(part -> part.getLeasesList()
                        .forEach(lease -> leases.add(
                                lease.getPod() + " " + lease.getResource().getAddressesList())));
        state.put("leases", leases);
        List<String> holds = new ArrayList<>();
        daemon().inspect()
                .dumpDb(DumpDbRequest.newBuilder().setBucket("quarantine").build())
                .forEachRemaining(part -> part.getRecordsList().forEach(row -> holds.add(row.getKey())));
        state.put("holds", holds);
        state.put("grants", grants());
        state.put(
                "effects",
                daemon()
                        .inspect()
                        .listPluginEffects(ListPluginEffectsRequest.newBuilder()
                                .setPlugin("furniture")
                                .build())
                        .getEffectsList()
                        .stream()
                        .map(effect -> effect.getId() + " " + effect.getHandler() + " " + effect.getClaim())
                        .toList());
        return state;
    }

    private List<String> grants() {
        List<String> grants = new ArrayList<>();
        daemon().inspect()
                .listPluginGrants(ListPluginGrantsRequest.getDefaultInstance())
                .forEachRemaining(part -> part.getGrantsList()
                        .forEach(grant -> grants.add(grant.getClaim() + " " + grant.getAddressesList() + " "
                                + grant.getState() + " " + grant.getEffects())));
        return grants;
    }

    private String which() {
        return daemon().inspect()
                .runDiagnostic(RunDiagnosticRequest.newBuilder()
                        .setPlugin("furniture")
                        .setName("which")
                        .build())
                .getRows(0)
                .getCells(0);
    }

    private List<String> replacedOnDisk() {
        return daemon()
                .inspect()
                .runDoctor(RunDoctorRequest.newBuilder()
                        .addChecks("plugin-replaced")
                        .build())
                .getFindingsList()
                .stream()
                .map(DoctorFinding::getEvidenceList)
                .flatMap(List::stream)
                .map(evidence -> evidence.getSubject())
                .toList();
    }

    private Plugin plugin() {
        return daemon().inspect()
                .getPlugin(GetPluginRequest.newBuilder().setId("furniture").build())
                .getPlugin();
    }
}
