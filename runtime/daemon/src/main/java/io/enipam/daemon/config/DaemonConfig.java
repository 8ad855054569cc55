package io.enipam.daemon.config;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.client.CallSettings;
import io.enipam.aliyun.credentials.CredentialChoice;
import io.enipam.aliyun.eni.EniBounds;
import io.enipam.aliyun.eni.VSwitchPolicy;
import io.enipam.daemon.trace.Bounds;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.Latency;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.IdleReclaim;
import io.enipam.sdk.Family;
import io.enipam.sdk.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The configuration, checked as a whole and sealed: it does not change while the daemon runs. Thread-safe. */
public final class DaemonConfig {
    private static final String EMULATED_REGION = "cn-hangzhou";
    private static final String EMULATED_ZONE = "cn-hangzhou-i";
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private final SettingValues values;
    private final PluginSections plugins;
    private final List<String> warnings;
    private final boolean emulated;

    DaemonConfig(SettingValues values, PluginSections plugins, List<String> warnings, boolean emulated) {
        this.values = values;
        this.plugins = plugins;
        this.warnings = List.copyOf(warnings);
        this.emulated = emulated;
    }

    /**
     * One setting as inspection shows it.
     *
     * @param key dotted path
     * @param value the value in force, {@code ***} for a secret
     * @param source the file that set it, or {@code default}
     * @param doc what it means and what is allowed
     */
    public record Entry(String key, String value, String source, String doc) {}

    /** Every setting with the value in force. */
    public List<Entry> entries() {
        Stream<Entry> own =
                Schema.ALL.stream().map(s -> new Entry(s.key(), values.show(s), values.source(s), s.fullDoc()));
        return Stream.concat(own, plugins.entries().stream()).toList();
    }

    /** What was changed to make the whole consistent, one line each. */
    public List<String> warnings() {
        return warnings;
    }

    /** Settings that a file sets and nothing here acts on, as {@code KEY of FILE}. */
    public List<String> unobeyed() {
        return Schema.ALL.stream()
                .filter(s -> !s.obeyed()
                        && !s.key().equals("version")
                        && !values.source(s).equals("default"))
                .map(s -> s.key() + " of " + values.source(s))
                .toList();
    }

    /** Whether the cloud is the embedded emulator. */
    public boolean emulated() {
        return emulated;
    }

    public EngineConfig engine() {
        int capacity = values.get(Schema.CAPACITY);
        EngineConfig watermarks = new EngineConfig(
                values.get(Schema.MIN_IDLE),
                values.get(Schema.MAX_IDLE),
                capacity == 0 ? UNBOUNDED : capacity,
                Set.of(Family.IPV4),
                values.get(Schema.COOL_DOWN),
                values.get(Schema.GC_INTERVAL),
                values.get(Schema.CHECK_INTERVAL),
                values.get(Schema.SYNC_INTERVAL),
                EngineConfig.defaults().createTimeout());
        return watermarks.reclaiming(new IdleReclaim(
                values.get(Schema.RECLAIM_AFTER),
                values.get(Schema.RECLAIM_INTERVAL),
                values.get(Schema.RECLAIM_BATCH),
                values.get(Schema.RECLAIM_JITTER)));
    }

    /** The cloud as the files describe it. */
    public AliyunConfig cloud() {
        return cloud(
                CredentialChoice.of(
                        values.get(Schema.ACCESS_KEY),
                        values.get(Schema.ACCESS_SECRET),
                        values.get(Schema.CREDENTIAL_PATH)),
                values.get(Schema.ENDPOINT),
                values.get(Schema.METADATA).orElseThrow(),
                values.get(Schema.VSWITCHES));
    }

    /** How often the cloud may be asked, and how patiently. */
    public CallSettings calls() {
        return new CallSettings(values.get(Schema.RATE_LIMIT), values.get(Schema.BACKOFF_OVERRIDE));
    }

    /** The cloud as the files describe it, but for an emulator: its addresses, its account, and its vSwitches where the files name none. */
    public AliyunConfig cloud(EmulatorConfig emulator, URI endpoint, URI metadata) {
        Map<String, List<String>> configured = values.get(Schema.VSWITCHES);
        List<String> all = List.copyOf(emulator.vswitches().keySet());
        return cloud(
                new CredentialChoice.Fixed(emulator.accessKeyId(), emulator.accessKeySecret()),
                Optional.of(endpoint),
                metadata,
                configured.isEmpty() ? Map.of(emulator.zone(), all) : configured);
    }

    private AliyunConfig cloud(
            CredentialChoice credentials, Optional<URI> endpoint, URI metadata, Map<String, List<String>> vswitches) {
        return new AliyunConfig(credentials, calls(), endpoint, metadata, enis(vswitches));
    }

    private EniConfig enis(Map<String, List<String>> vswitches) {
        int most = values.get(Schema.MAX_ENI);
        double ratio = values.get(Schema.ENI_CAP_RATIO);
        return new EniConfig(
                vswitches,
                VSwitchPolicy.valueOf(values.get(Schema.VSWITCH_POLICY).toUpperCase(Locale.ROOT)),
                ConfigLoader.groups(values),
                values.get(Schema.ENI_TAGS),
                values.get(Schema.CLUSTER_ID),
                new EniBounds(
                        most == 0 ? EniBounds.UNBOUNDED : most,
                        values.get(Schema.MIN_ENI),
                        // as terway, whose own default is the 0 of a key that is not there
                        ratio == 0 ? 1 : ratio,
                        values.get(Schema.ENI_CAP_SHIFT)));
    }

    /**
     * The cloud to embed.
     *
     * @param stateFile where it keeps its state over a restart
     * @param secret the secret of its one account, which never leaves the process
     */
    public EmulatorConfig emulator(Path stateFile, String secret) {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new EmulatorConfig(
                anyPort,
                anyPort,
                EMULATED_REGION,
                EMULATED_ZONE,
                List.of(values.get(Schema.EMULATED_TYPE)),
                values.get(Schema.EMULATED_VSWITCHES),
                "sandbox",
                secret,
                Optional.of(stateFile),
                Latency.parse(values.get(Schema.EMULATED_LATENCY)),
                values.get(Schema.EMULATOR_SEED));
    }

    /** The policy that shall be in force. */
    public String policy() {
        return values.get(Schema.POLICY);
    }

    /** The factory that shall make resources. */
    public String factory() {
        return values.get(Schema.FACTORY);
    }

    /** The settings of a plugin. */
    public Settings pluginSettings(String id) {
        return plugins.settings(id);
    }

    /** The file that set a plugin's setting, or {@code default}. */
    public String pluginSettingSource(String id, String name) {
        return plugins.source(id, name);
    }

    public Duration allocationTimeout() {
        return values.get(Schema.ALLOCATION_TIMEOUT);
    }

    public Duration gcInterval() {
        return values.get(Schema.GC_INTERVAL);
    }

    /** The network of a call that names none. */
    public String network() {
        return values.get(Schema.NETWORK);
    }

    /** Whether and how the cluster is asked. */
    public ClusterConfig cluster() {
        String kubeconfig = values.get(Schema.KUBECONFIG);
        return new ClusterConfig(
                ClusterConfig.Use.valueOf(values.get(Schema.CLUSTER_USE).toUpperCase(Locale.ROOT)),
                kubeconfig.isEmpty() ? Optional.empty() : Optional.of(Path.of(kubeconfig)),
                values.get(Schema.CLUSTER_RATE),
                Set.copyOf(values.get(Schema.STATEFUL_KINDS)),
                values.get(Schema.STICK_TIME),
                values.get(Schema.TRUST_CALLS),
                values.get(Schema.PATCH_POD_IPS));
    }

    /** {@code auto}, {@code off}, or the directory of the kubelet's device plugins. */
    public String devicePlugins() {
        return values.get(Schema.DEVICE_PLUGINS);
    }

    /** Empty: that of the environment, or the host's own name. */
    public String nodeName() {
        return values.get(Schema.NODE_NAME);
    }

    public LogFormat logFormat() {
        return values.get(Schema.LOG_FORMAT).equals("json") ? LogFormat.JSON : LogFormat.LINE;
    }

    /** trace, debug, info, warn or error. */
    public String logLevel() {
        return values.get(Schema.LOG_LEVEL);
    }

    /** How much is remembered for {@code trace}. */
    public Bounds traces() {
        return new Bounds(values.get(Schema.TRACE_STORIES), (long) values.get(Schema.TRACE_MEMORY) << 20);
    }

    /** Empty: at its usual place. */
    public Optional<Path> controlSocket() {
        String path = values.get(Schema.CONTROL_SOCKET);
        return path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
    }
}
