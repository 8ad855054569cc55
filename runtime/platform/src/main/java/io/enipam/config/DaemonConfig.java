package io.enipam.config;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.EniConfig.EniBounds;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.config.ConfigLoader.ConfigLayers;
import io.enipam.config.Setting.ReloadScope;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.Latency;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.platform.Logging.LogFormat;
import io.enipam.sdk.Family;
import io.enipam.sdk.Settings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The configuration, validated as a whole and immutable. When the cluster's values change, a new instance replaces it
 * ({@link #withRemote}, {@link #applyLiveChanges}). Thread-safe.
 */
public final class DaemonConfig {
    private static final String EMULATED_REGION = "cn-hangzhou";
    private static final String EMULATED_ZONE = "cn-hangzhou-i";
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private final SettingValues values;
    private final PluginSections plugins;
    private final List<String> warnings;
    private final ConfigLayers layers;
    private final RemoteConfig remote;
    private final List<Pending> pending;

    DaemonConfig(
            ConfigLayers layers,
            RemoteConfig outside,
            SettingValues values,
            PluginSections plugins,
            List<String> warnings) {
        this(layers, outside, values, plugins, warnings, List.of());
    }

    private DaemonConfig(
            ConfigLayers layers,
            RemoteConfig outside,
            SettingValues values,
            PluginSections plugins,
            List<String> warnings,
            List<Pending> pending) {
        this.layers = layers;
        this.remote = outside;
        this.values = values;
        this.plugins = plugins;
        this.warnings = List.copyOf(warnings);
        this.pending = List.copyOf(pending);
    }

    /**
     * A setting whose value changes with the next start.
     *
     * @param value the new value, {@code ***} for a secret
     * @param source where the new value comes from
     */
    public record Pending(String key, String value, String source) {}

    /**
     * The same files and command line with other values of the cluster, as a start would have it.
     *
     * @throws ConfigException with every problem, if there is one
     */
    public DaemonConfig withRemote(RemoteConfig other) {
        return ConfigLoader.assemble(layers, other, new ArrayList<>());
    }

    /** The cluster's values. */
    public RemoteConfig remote() {
        return remote;
    }

    /**
     * The configuration of a running daemon with all values of the next one that need no restart; {@link #pending}
     * lists the others.
     */
    public DaemonConfig applyLiveChanges(DaemonConfig next) {
        List<Pending> waiting = new ArrayList<>();
        Schema.ALL.stream()
                .filter(setting -> setting.scope() != ReloadScope.LIVE
                        && !values.get(setting).equals(next.values.get(setting)))
                .forEach(setting -> waiting.add(
                        new Pending(setting.key(), next.values.show(setting), next.values.source(setting))));
        waiting.addAll(plugins.pending(next.plugins));
        return new DaemonConfig(
                layers,
                next.remote,
                values.with(next.values, setting -> setting.scope() == ReloadScope.LIVE),
                plugins,
                next.warnings,
                waiting);
    }

    /** Changes that need a restart. */
    public List<Pending> pending() {
        return pending;
    }

    /** The keys whose values differ between the two, without those that stand for another key. */
    public List<String> differing(DaemonConfig other) {
        return Schema.ALL.stream()
                .filter(setting ->
                        setting.sameAs().isEmpty() && !values.get(setting).equals(other.values.get(setting)))
                .<String>map(Setting::key)
                .toList();
    }

    /**
     * One setting as inspection shows it.
     *
     * @param key dotted path
     * @param value the value in force, {@code ***} for a secret
     * @param source the file that set it, or {@code default}
     * @param doc what it means and what is allowed
     * @param pending the value after a restart, if it differs
     */
    public record Entry(String key, String value, String source, String doc, Optional<Pending> pending) {
        /** A setting without a pending change. */
        Entry(String key, String value, String source, String doc) {
            this(key, value, source, doc, Optional.empty());
        }

        private Entry waiting(List<Pending> all) {
            return new Entry(
                    key,
                    value,
                    source,
                    doc,
                    all.stream().filter(one -> one.key().equals(key)).findFirst());
        }
    }

    /**
     * The same with default paths for those that are unset.
     *
     * @param places paths by key: {@code sockets.control}, {@code sockets.cni}, {@code sockets.terway},
     *     {@code vpc.address_dir}
     */
    public DaemonConfig withDefaultPaths(Map<String, String> places) {
        return ConfigLoader.assemble(layers.withDefaultPaths(places), remote, new ArrayList<>());
    }

    /** Every setting with the value in force. */
    public List<Entry> entries() {
        Stream<Entry> own =
                Schema.ALL.stream().map(s -> new Entry(s.key(), values.show(s), values.source(s), s.fullDoc()));
        return Stream.concat(own, plugins.entries().stream())
                .map(entry -> entry.waiting(pending))
                .toList();
    }

    /** What the validation adjusted for consistency, one line each. */
    public List<String> warnings() {
        return warnings;
    }

    /** Settings that a file sets and the daemon ignores, as {@code KEY of FILE}. */
    public List<String> ignoredSettings() {
        return Schema.ALL.stream()
                .filter(s -> !s.obeyed() && !values.source(s).equals("default") && !Schema.asItIsDone(s, values))
                .map(s -> s.key() + " of " + values.source(s))
                .toList();
    }

    /** Whether the cloud is the embedded emulator. */
    public boolean emulated() {
        return layers.sandbox();
    }

    public EngineConfig engine() {
        int capacity = values.get(Schema.CAPACITY);
        EngineConfig watermarks = new EngineConfig(
                new Watermarks(
                        values.get(Schema.MIN_IDLE), values.get(Schema.MAX_IDLE), capacity == 0 ? UNBOUNDED : capacity),
                values.isDualStack() ? Set.of(Family.IPV4, Family.IPV6) : Set.of(Family.IPV4),
                values.get(Schema.COOL_DOWN),
                EngineConfig.defaults().createTimeout(),
                new EngineConfig.Intervals(
                        values.get(Schema.GC_INTERVAL),
                        values.get(Schema.CHECK_INTERVAL),
                        values.get(Schema.SYNC_INTERVAL)));
        return watermarks.reclaiming(new IdleReclaim(
                values.get(Schema.RECLAIM_AFTER),
                values.get(Schema.RECLAIM_INTERVAL),
                values.get(Schema.RECLAIM_BATCH),
                values.get(Schema.RECLAIM_JITTER)));
    }

    /** The cloud's settings in the files. */
    public AliyunConfig cloud() {
        return cloud(
                CredentialsConfig.of(
                        values.get(Schema.ACCESS_KEY),
                        values.get(Schema.ACCESS_SECRET),
                        values.get(Schema.CREDENTIAL_PATH)),
                values.get(Schema.ENDPOINT),
                values.get(Schema.METADATA).orElseThrow());
    }

    /** Rate limits and retries of cloud calls. */
    public CallConfig calls() {
        return new CallConfig(values.get(Schema.RATE_LIMIT), values.get(Schema.BACKOFF_OVERRIDE));
    }

    /**
     * The cloud's settings in the files, with an emulator's endpoints and account, and with its vSwitches if the files
     * name none.
     */
    public AliyunConfig cloud(EmulatorConfig emulator, URI endpoint, URI metadata) {
        return cloud(
                new CredentialsConfig.Fixed(
                        emulator.accessKey().id(), emulator.accessKey().secret()),
                Optional.of(endpoint),
                metadata);
    }

    private AliyunConfig cloud(CredentialsConfig credentials, Optional<URI> endpoint, URI metadata) {
        return new AliyunConfig(credentials, calls(), endpoint, metadata, enis());
    }

    /** Settings of the ENIs that this node creates. */
    public EniConfig enis() {
        Map<String, List<String>> vswitches = values.get(Schema.VSWITCHES);
        if (vswitches.isEmpty() && emulated()) {
            vswitches = Map.of(
                    EMULATED_ZONE,
                    List.copyOf(values.get(Schema.EMULATED_VSWITCHES).keySet()));
        }
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
                        // as terway, whose own default is the 0 of an absent key
                        ratio == 0 ? 1 : ratio,
                        values.get(Schema.ENI_CAP_SHIFT)),
                values.isDualStack(),
                LostEniPolicy.valueOf(values.get(Schema.LOST_ENI).toUpperCase(Locale.ROOT)));
    }

    /**
     * The cloud to embed.
     *
     * @param stateFile where it keeps its state across restarts
     * @param secret the secret of its only account; it never leaves the process
     */
    public EmulatorConfig emulator(Path stateFile, String secret) {
        return EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        EMULATED_REGION,
                        List.of(EMULATED_ZONE),
                        List.of(values.get(Schema.EMULATED_TYPE)),
                        values.get(Schema.EMULATED_VSWITCHES)))
                .withAccessKey("sandbox", secret)
                .withStateFile(stateFile)
                .withLatency(Latency.parse(values.get(Schema.EMULATED_LATENCY)))
                .withSeed(values.get(Schema.EMULATOR_SEED));
    }

    public String policy() {
        return values.get(Schema.POLICY);
    }

    public String factory() {
        return values.get(Schema.FACTORY);
    }

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

    /** Whether and how the daemon asks the cluster. */
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

    /** The addresses of the cluster's services, one subnet for each family; empty if no source gives them. */
    public List<String> serviceCidrs() {
        return values.get(Schema.SERVICE_CIDR);
    }

    /** Where they come from, or {@code default}. */
    public String serviceCidrSource() {
        return values.source(Schema.SERVICE_CIDR);
    }

    /** How many addresses the first start makes idle; 0 for none. */
    public int warmUp() {
        return values.get(Schema.WARM_UP);
    }

    /** Empty: the daemon's own namespace, or {@code kube-system}. */
    public String configNamespace() {
        return values.get(Schema.CONFIG_NAMESPACE);
    }

    /** Time between two requests for the cluster's values. */
    public Duration configInterval() {
        return values.get(Schema.CONFIG_INTERVAL);
    }

    /** Empty: the name from the environment, or the host's name. */
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

    /** How much {@code trace} keeps. */
    public TraceBounds traces() {
        return new TraceBounds(values.get(Schema.TRACE_STORIES), (long) values.get(Schema.TRACE_MEMORY) << 20);
    }

    /** The limit of the audit log on disk, in bytes. */
    public long auditBytes() {
        return (long) values.get(Schema.AUDIT_SIZE) << 20;
    }

    /** Where metrics and health are served; empty if they are not. */
    public Optional<ListenAddress> metrics() {
        return values.get(Schema.METRICS_LISTEN);
    }

    /**
     * The socket that the CNI plugin calls.
     *
     * @param usual the default path
     * @return empty if there is no such socket
     */
    public Optional<Path> cniSocket(Path usual) {
        return socket(Schema.CNI_SOCKET, usual);
    }

    /** The socket that terway's CNI plugin calls, in the same way. */
    public Optional<Path> terwaySocket(Path usual) {
        return socket(Schema.TERWAY_SOCKET, usual);
    }

    /** The prefix of the links that terway's CNI plugin leaves on the node. */
    public String terwayVethPrefix() {
        return values.get(Schema.TERWAY_VETH_PREFIX);
    }

    private Optional<Path> socket(Setting<String> setting, Path usual) {
        String path = values.get(setting);
        return switch (path) {
            case "off" -> Optional.empty();
            case "" -> Optional.of(usual);
            default -> Optional.of(Path.of(path));
        };
    }

    /**
     * The directory of the address files of the node's CIDR.
     *
     * @param usual the default directory
     */
    public Path addressFiles(Path usual) {
        String path = values.get(Schema.ADDRESS_DIR);
        return path.isEmpty() ? usual : Path.of(path);
    }

    /** Whether {@code vpc.address_dir} is set, and does not follow {@code --root}. */
    public boolean addressFilesAreSet() {
        return !values.source(Schema.ADDRESS_DIR).equals(SettingValues.DEFAULT);
    }

    /** {@code auto}, {@code on} or {@code off}: whether the daemon connects pods in the kernel. */
    public String datapath() {
        return values.get(Schema.DATAPATH_USE);
    }

    /** Empty: the default path. */
    public Optional<Path> controlSocket() {
        String path = values.get(Schema.CONTROL_SOCKET);
        return path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
    }

    /**
     * How much {@code trace} keeps.
     *
     * @param stories traces of each sort: operations of sandboxes, histories of addresses, calls of the cloud; 0 for
     *     none at all
     * @param bytes of all sorts together, approximately
     */
    public record TraceBounds(int stories, long bytes) {
        /** The most that one pod or one API may have of a sort, so that a burst of one does not displace the others. */
        public static final int SHARE = 16;

        public int ofOne() {
            return Math.max(1, stories / SHARE);
        }
    }
}
