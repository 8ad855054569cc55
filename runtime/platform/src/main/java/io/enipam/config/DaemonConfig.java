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
import io.enipam.emulator.cloud.VSwitch.VSwitchSpec;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.platform.Logging.LogFormat;
import io.enipam.sdk.Family;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
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
            List<String> warnings,
            List<Pending> pending) {
        this.layers = layers;
        this.remote = outside;
        this.values = values;
        this.plugins = plugins;
        this.warnings = List.copyOf(warnings);
        this.pending = List.copyOf(pending);
    }

    /** A setting whose value, {@code ***} for a secret, changes with the next start, and the value's source. */
    public record Pending(String key, String value, String source) {}

    /** The same with other values of the cluster, as a start has it; throws ConfigException with every problem. */
    public DaemonConfig withRemote(RemoteConfig other) {
        return ConfigLoader.load(layers, other);
    }

    public RemoteConfig remote() {
        return remote;
    }

    /** This configuration with all values of the next one that need no restart; {@link #pending} has the others. */
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
                plugins.withLive(next.plugins),
                next.warnings,
                waiting);
    }

    public List<Pending> pending() {
        return pending;
    }

    /** The keys whose values differ between the two, without those that stand for another key. */
    public List<String> differing(DaemonConfig other) {
        Stream<String> own = Schema.ALL.stream()
                .filter(setting ->
                        setting.sameAs().isEmpty() && !values.get(setting).equals(other.values.get(setting)))
                .map(Setting::key);
        return Stream.concat(own, plugins.differing(other.plugins).stream().map(Entry::key))
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
        Entry(String key, String value, String source, String doc) {
            this(key, value, source, doc, Optional.empty());
        }

        private Entry waiting(List<Pending> all) {
            Optional<Pending> change =
                    all.stream().filter(one -> one.key().equals(key)).findFirst();
            return new Entry(key, value, source, doc, change);
        }
    }

    /**
     * The same with default paths for those that are unset.
     *
     * @param places paths by key: {@code sockets.control}, {@code sockets.cni}, {@code sockets.terway},
     *     {@code vpc.address_dir}
     */
    public DaemonConfig withDefaultPaths(Map<String, String> places) {
        return ConfigLoader.load(layers.withDefaultPaths(places), remote);
    }

    public List<Entry> entries() {
        Role role = role();
        Stream<Entry> own = Schema.ALL.stream()
                .filter(s -> s.isOf(role))
                .map(s -> new Entry(s.key(), values.show(s), values.source(s), s.fullDoc()));
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

    /** What the daemon is. */
    public Role role() {
        return Role.valueOf(get(Schema.ROLE).toUpperCase(Locale.ROOT));
    }

    /** Whether the tables of plugins are in etcd. */
    public boolean usesEtcd() {
        return !get(Schema.ETCD_ENDPOINTS).isEmpty();
    }

    /** Whether the cloud is the embedded emulator. */
    public boolean emulated() {
        return layers.sandbox();
    }

    public EngineConfig engine() {
        int capacity = get(Schema.CAPACITY);
        return new EngineConfig(
                new Watermarks(get(Schema.MIN_IDLE), get(Schema.MAX_IDLE), capacity == 0 ? UNBOUNDED : capacity),
                values.isDualStack() ? Set.of(Family.IPV4, Family.IPV6) : Set.of(Family.IPV4),
                get(Schema.COOL_DOWN),
                EngineConfig.defaults().createTimeout(),
                new EngineConfig.Intervals(
                        get(Schema.GC_INTERVAL), get(Schema.CHECK_INTERVAL), get(Schema.SYNC_INTERVAL)),
                new IdleReclaim(
                        get(Schema.RECLAIM_AFTER),
                        get(Schema.RECLAIM_INTERVAL),
                        get(Schema.RECLAIM_BATCH),
                        get(Schema.RECLAIM_JITTER)));
    }

    public AliyunConfig cloud() {
        CredentialsConfig credentials =
                CredentialsConfig.of(get(Schema.ACCESS_KEY), get(Schema.ACCESS_SECRET), get(Schema.CREDENTIAL_PATH));
        URI metadata = get(Schema.METADATA).orElseThrow();
        return new AliyunConfig(credentials, calls(), get(Schema.ENDPOINT), metadata, enis());
    }

    public CallConfig calls() {
        return new CallConfig(get(Schema.RATE_LIMIT), get(Schema.BACKOFF_OVERRIDE));
    }

    /** The same with an emulator's endpoints and account, and with its vSwitches if the files name none. */
    public AliyunConfig cloud(EmulatorConfig emulator, URI endpoint, URI metadata) {
        EmulatorConfig.AccessKey key = emulator.accessKey();
        CredentialsConfig credentials = new CredentialsConfig.Fixed(key.id(), key.secret());
        return new AliyunConfig(credentials, calls(), Optional.of(endpoint), metadata, enis());
    }

    public EniConfig enis() {
        Map<String, List<String>> vswitches = get(Schema.VSWITCHES);
        if (vswitches.isEmpty() && emulated()) {
            vswitches = get(Schema.EMULATED_VSWITCHES).entrySet().stream()
                    .map(entry -> VSwitchSpec.parse(entry.getKey(), entry.getValue()))
                    .collect(Collectors.groupingBy(
                            vswitch -> vswitch.zone().orElse(EMULATED_ZONE),
                            Collectors.mapping(VSwitchSpec::id, Collectors.toList())));
        }
        int most = get(Schema.MAX_ENI);
        // as terway, whose own default is the 0 of an absent key
        double ratio = get(Schema.ENI_CAP_RATIO) == 0 ? 1 : get(Schema.ENI_CAP_RATIO);
        return new EniConfig(
                vswitches,
                VSwitchPolicy.valueOf(get(Schema.VSWITCH_POLICY).toUpperCase(Locale.ROOT)),
                ConfigLoader.groups(values),
                get(Schema.ENI_TAGS),
                get(Schema.CLUSTER_ID),
                new EniBounds(
                        most == 0 ? EniBounds.UNBOUNDED : most, get(Schema.MIN_ENI), ratio, get(Schema.ENI_CAP_SHIFT)),
                values.isDualStack(),
                LostEniPolicy.valueOf(get(Schema.LOST_ENI).toUpperCase(Locale.ROOT)));
    }

    /** @param secret that of the cloud's only account; it never leaves the process */
    public EmulatorConfig emulator(Path stateFile, String secret) {
        return EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        EMULATED_REGION,
                        List.of(EMULATED_ZONE),
                        List.of(get(Schema.EMULATED_TYPE)),
                        get(Schema.EMULATED_VSWITCHES)))
                .withAccessKey("sandbox", secret)
                .withStateFile(stateFile)
                .withLatency(Latency.parse(get(Schema.EMULATED_LATENCY)))
                .withSeed(get(Schema.EMULATOR_SEED));
    }

    /**
     * The values of a plugin's settings.
     *
     * @param schema what the plugin declares
     * @throws IllegalArgumentException if the schema does not allow a value: it is another one than that of the start
     */
    public Settings pluginSettings(String id, List<io.enipam.sdk.Setting<?>> schema) {
        return plugins.settings(id, schema);
    }

    /** Whether a file has settings of this plugin that were not read, since it could not be loaded at the start. */
    public boolean hasUnreadPluginSettings(String id) {
        return plugins.unchecked(id);
    }

    /** The file that set a plugin's setting, or {@code default}. */
    public String pluginSettingSource(String id, String name) {
        return plugins.source(id, name);
    }

    public ClusterConfig cluster() {
        String kubeconfig = get(Schema.KUBECONFIG);
        return new ClusterConfig(
                ClusterConfig.Use.valueOf(get(Schema.CLUSTER_USE).toUpperCase(Locale.ROOT)),
                kubeconfig.isEmpty() ? Optional.empty() : Optional.of(Path.of(kubeconfig)),
                get(Schema.CLUSTER_RATE),
                Set.copyOf(get(Schema.STATEFUL_KINDS)),
                get(Schema.STICK_TIME),
                get(Schema.TRUST_CALLS),
                get(Schema.PATCH_POD_IPS));
    }

    public <T> T get(Setting<T> setting) {
        return values.get(setting);
    }

    /** The file that set a setting, or {@code default}. */
    public String source(Setting<?> setting) {
        return values.source(setting);
    }

    public LogFormat logFormat() {
        return get(Schema.LOG_FORMAT).equals("json") ? LogFormat.JSON : LogFormat.LINE;
    }

    public TraceBounds traces() {
        return new TraceBounds(get(Schema.TRACE_STORIES), (long) get(Schema.TRACE_MEMORY) << 20);
    }

    /** The limit of the audit log on disk, in bytes. */
    public long auditBytes() {
        return (long) get(Schema.AUDIT_SIZE) << 20;
    }

    /** The socket that the CNI plugin calls, the usual one by default; empty if there is none. */
    public Optional<Path> cniSocket(Path usual) {
        return socket(Schema.CNI_SOCKET, usual);
    }

    /** The socket that terway's CNI plugin calls, in the same way. */
    public Optional<Path> terwaySocket(Path usual) {
        return socket(Schema.TERWAY_SOCKET, usual);
    }

    private Optional<Path> socket(Setting<String> setting, Path usual) {
        String path = values.get(setting);
        return switch (path) {
            case "off" -> Optional.empty();
            case "" -> Optional.of(usual);
            default -> Optional.of(Path.of(path));
        };
    }

    /** The directory of the address files of the node's CIDR, the usual one by default. */
    public Path addressFiles(Path usual) {
        String path = get(Schema.ADDRESS_DIR);
        return path.isEmpty() ? usual : Path.of(path);
    }

    /** Whether {@code vpc.address_dir} is set, and does not follow {@code --root}. */
    public boolean addressFilesAreSet() {
        return !values.source(Schema.ADDRESS_DIR).equals(SettingValues.DEFAULT);
    }

    /** Empty: the default path. */
    public Optional<Path> controlSocket() {
        String path = get(Schema.CONTROL_SOCKET);
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
