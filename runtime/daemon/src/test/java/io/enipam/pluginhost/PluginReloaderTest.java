package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.ReloadPluginReply;
import io.enipam.v1.ReloadPluginRequest;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.RunDoctorRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon whose plugin's jar is replaced while it runs. */
class PluginReloaderTest {
    private static final String PARTS = """
            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(PoolPolicyProvider.of("%s", context -> () -> "%s"));
            }
            public List<Diagnostic> diagnostics() {
                return List.of(Diagnostic.of("which", "Which jar it is.", List.of(),
                        request -> DiagnosticTable.of("JAR").row("%s")));
            }
            """;
    private static final String FACTORY = """
            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(ResourceFactoryProvider.of("shelf", context -> new ResourceFactory() {
                    private final Map<RequestToken, Resource> out = new ConcurrentHashMap<>();
                    public ResourceKind kind() { return new ResourceKind("board"); }
                    public Capabilities capabilities() { return new Capabilities(Set.of(Family.IPV4), 10, 1, false); }
                    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                        List<CompletionStage<CreateResult>> stages = new ArrayList<>();
                        for (CreateRequest request : requests) {
                            Resource made = out.computeIfAbsent(request.token(), token -> new Resource(
                                    new ResourceId("shelf/" + out.size()), kind(),
                                    List.of(Address.parse("10.8.0." + (2 + out.size()) + "/24")), "", Map.of()));
                            stages.add(CompletableFuture.completedFuture(new Created(made)));
                        }
                        return stages;
                    }
                    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                        List<CompletionStage<DisposeResult>> stages = new ArrayList<>();
                        for (Resource resource : resources) {
                            out.values().remove(resource);
                            stages.add(CompletableFuture.completedFuture(new Disposed(resource.id())));
                        }
                        return stages;
                    }
                    public CompletionStage<List<Resource>> list() {
                        return CompletableFuture.completedFuture(List.copyOf(out.values()));
                    }
                }));
            }
            """;

    @TempDir
    Path root;

    private Path jar;
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws Exception {
        jar = Files.createDirectories(root.resolve("lib/plugins")).resolve("furniture.jar");
        replace("1.0.0", PARTS.formatted("steady", "steady", "one") + FACTORY);
        daemon = LivingDaemon.start(root);
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    /** As an installation does it: a new file takes the name of the old one, which the daemon has open. */
    private void replace(String version, String members) throws Exception {
        Path next = PluginJar.of("furniture")
                .manifest("Plugin-Version", version)
                .plugin(members)
                .writeTo(root.resolve("next.jar"));
        Files.move(next, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aReplacedJarIsLoadedAndItsPolicyStaysInForce() throws Exception {
        daemon.swapPolicy("steady");
        assertThat(which()).isEqualTo("one");
        assertThat(replacedOnDisk()).isEmpty();

        replace("1.0.1", PARTS.formatted("steady", "steady", "two"));
        assertThat(replacedOnDisk()).containsExactly("furniture");
        assertThat(which()).isEqualTo("one");
        ReloadPluginReply reply = reload();

        assertThat(reply.getFrom()).isEqualTo("1.0.0");
        assertThat(reply.getTo()).isEqualTo("1.0.1");
        assertThat(which()).isEqualTo("two");
        assertThat(policy()).isEqualTo("steady");
        assertThat(plugin().getState()).isEqualTo("ACTIVE");
        assertThat(plugin().getVersion()).isEqualTo("1.0.1");
        assertThat(plugin().getFactoriesList()).isEmpty();
        assertThat(replacedOnDisk()).isEmpty();
        long before = plugin().getCalls().getMade();
        add("default/a");
        assertThat(plugin().getCalls().getMade()).as("the new policy is asked").isGreaterThan(before);
    }

    @Test
    void aJarWithoutThePolicyInForceIsRefused() throws Exception {
        daemon.swapPolicy("steady");
        replace("1.0.1", PARTS.formatted("hasty", "hasty", "two"));

        assertThatThrownBy(this::reload)
                .hasMessageContaining("policy steady is in force, and the new one does not bring it");
        assertThat(which()).isEqualTo("one");

        daemon.swapPolicy("watermark");
        assertThat(reload().getTo()).isEqualTo("1.0.1");
        daemon.swapPolicy("hasty");
        assertThat(policy()).isEqualTo("hasty");
    }

    @Test
    void aPolicyThatCannotBeOpenedLeavesTheFormerOne() throws Exception {
        daemon.swapPolicy("steady");
        replace("1.0.1", """
                public List<PoolPolicyProvider> poolPolicies() {
                    return List.of(PoolPolicyProvider.of("steady", context -> {
                        throw new IllegalStateException("not today");
                    }));
                }
                """);

        assertThatThrownBy(this::reload).hasMessageContaining("not today");

        assertThat(policy()).isEqualTo("steady");
        assertThat(which()).isEqualTo("one");
        assertThat(plugin().getState()).isEqualTo("ACTIVE");
        add("default/a");
    }

    @Test
    void aBrokenJarIsRefusedAndAGoodOneAfterItIsNot() throws Exception {
        replace("1.0.1", "public Plugin() { throw new IllegalStateException(\"not today\"); }");
        assertThatThrownBy(this::reload).hasMessageContaining("not today");
        assertThat(which()).isEqualTo("one");

        daemon.close();
        daemon = LivingDaemon.start(root);
        assertThat(plugin().getState()).isEqualTo("FAILED");
        replace("1.0.2", PARTS.formatted("steady", "steady", "three"));

        assertThat(reload().getFrom()).isEmpty();
        assertThat(which()).isEqualTo("three");
        assertThat(plugin().getState()).isEqualTo("LOADED");
    }

    @Test
    void aFactoryInUseIsNotReloaded() throws Exception {
        daemon.swapFactory("shelf");
        add("default/a");
        replace("1.0.1", PARTS.formatted("steady", "steady", "two"));

        assertThatThrownBy(this::reload)
                .hasMessageMatching("(?s).*its factory shelf is in use, with \\d+ resources, 1 of them lent.*");

        assertThat(which()).isEqualTo("one");
        add("default/b");
    }

    @Test
    void anIdThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> reload("absent"))
                .hasMessageContaining("no plugin of this id is where plugins are looked for");
        assertThatThrownBy(() -> reload("../../etc")).hasMessageContaining("no plugin of this id");
    }

    private ReloadPluginReply reload() {
        return reload("furniture");
    }

    private ReloadPluginReply reload(String id) {
        return daemon.client()
                .control()
                .reloadPlugin(ReloadPluginRequest.newBuilder().setId(id).build());
    }

    private String which() {
        return daemon.client()
                .inspect()
                .runDiagnostic(RunDiagnosticRequest.newBuilder()
                        .setPlugin("furniture")
                        .setName("which")
                        .build())
                .getRows(0)
                .getCells(0);
    }

    private List<String> replacedOnDisk() {
        return daemon
                .client()
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

    private String policy() {
        return daemon.client()
                .inspect()
                .getPool(GetPoolRequest.getDefaultInstance())
                .getPool()
                .getPolicy();
    }

    private Plugin plugin() {
        return daemon.client()
                .inspect()
                .getPlugin(GetPluginRequest.newBuilder().setId("furniture").build())
                .getPlugin();
    }

    private void add(String pod) {
        daemon.client().control().cniAdd(CniAddRequest.newBuilder().setPod(pod).build());
    }
}
