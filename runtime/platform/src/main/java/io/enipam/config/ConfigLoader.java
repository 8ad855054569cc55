package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.SettingsReader.OverlayReader;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.sdk.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the files, validates the result as a whole, and seals it. */
public final class ConfigLoader {
    private static final String COMMAND_LINE = "command line";
    private static final int MOST_GROUPS = 10;

    /** Settings whose unset paths take a default from the daemon's layout. */
    private static final List<Setting<String>> PLACES =
            List.of(Schema.CONTROL_SOCKET, Schema.CNI_SOCKET, Schema.TERWAY_SOCKET, Schema.ADDRESS_DIR);

    private final KnownPlugins known;
    private final SettingValues values;
    private final List<ConfigProblem> problems;
    private final List<String> warnings = new ArrayList<>();

    private ConfigLoader(ConfigLayers layers, List<ConfigProblem> problems) {
        this.known = layers.known();
        this.values = new SettingValues(layers.sandbox());
        this.problems = problems;
    }

    /**
     * Reads files in order; a later file wins over an earlier one of its kind.
     *
     * @param sandbox whether the cloud is emulated, which has its own defaults and needs no credentials
     * @param overrides settings by key, as given on the command line
     * @param known the plugins, whose settings and names the files may use
     * @throws ConfigException with every problem, if there is one
     */
    public static DaemonConfig load(
            List<ConfigFile> files, boolean sandbox, Map<String, String> overrides, KnownPlugins known) {
        List<ConfigProblem> problems = new ArrayList<>();
        ConfigLayers layers = ConfigLayers.read(files, sandbox, overrides, known, problems);
        return new ConfigLoader(layers, problems).assemble(layers, RemoteConfig.none());
    }

    /** The same with the cluster's values, which override the files; the command line overrides both. */
    static DaemonConfig load(ConfigLayers layers, RemoteConfig outside) {
        return new ConfigLoader(layers, new ArrayList<>()).assemble(layers, outside);
    }

    private DaemonConfig assemble(ConfigLayers layers, RemoteConfig outside) {
        PluginSections plugins = new PluginSections(known);
        layers.readInto(values, plugins, problems);
        outside.overlay().ifPresent(overlay -> OverlayReader.read(overlay, values, plugins, problems));
        if (values.isSet(Schema.ROLE)) {
            problem(Schema.ROLE, "daemon.role: a file cannot set it; start the daemon with --role");
        }
        layers.overrides().forEach(this::override);
        ofRole();
        places(layers.places());
        services(outside.serviceCidrs());
        watermarks();
        rateLimits();
        mode();
        offered(Schema.POLICY, values.get(Schema.POLICY), known.policiesFor(values.get(Schema.POLICY)), "a policy");
        offered(
                Schema.FACTORY,
                values.get(Schema.FACTORY),
                known.factoriesFor(values.get(Schema.FACTORY)),
                "a factory");
        values.get(Schema.EXTENSIONS)
                .forEach(name -> offered(Schema.EXTENSIONS, name, known.extensionsFor(name), "an extension"));
        if (!layers.sandbox() && DaemonMode.ofCloud(values.get(Schema.FACTORY))) {
            // a key needs its secret; with neither, the credentials come from a file or the instance's role
            halfAKey(Schema.ACCESS_KEY, Schema.ACCESS_SECRET);
            halfAKey(Schema.ACCESS_SECRET, Schema.ACCESS_KEY);
        }
        if (isOnNodeCidr() && values.get(Schema.CLUSTER_USE).equals("off")) {
            problem(
                    Schema.FACTORY,
                    "pool.factory: '" + DaemonMode.VPC.factory()
                            + "' (daemon.mode VPC) gives addresses of the CIDR that the"
                            + " cluster has given to the node, and kubernetes.use is 'off': set it to 'on', or choose another"
                            + " mode");
        }
        if (values.get(Schema.METADATA).isEmpty()) {
            problem(Schema.METADATA, "cloud.metadata: '' is not allowed; allowed is " + Schema.METADATA.allowed());
        }
        enis();
        ipStack();
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return new DaemonConfig(layers, outside, values, plugins, warnings, List.of());
    }

    /** Each role has settings of its own. The command line alone says the role: the files that are read depend on it. */
    private void ofRole() {
        String role = values.get(Schema.ROLE);
        Schema.ALL.stream()
                .filter(setting ->
                        values.isSetItself(setting) && !setting.isOf(Role.valueOf(role.toUpperCase(Locale.ROOT))))
                .forEach(setting -> problem(
                        setting,
                        setting.key() + ": is no setting of a daemon of role " + role
                                + (role.equals("node")
                                        ? "; it needs --role cluster"
                                        : ", which has no pool, no pods and no ENIs")
                                + "; remove it"));
        if (values.get(Schema.LEADER).equals("etcd")
                && values.get(Schema.ETCD_ENDPOINTS).isEmpty()) {
            problem(Schema.LEADER, "cluster.leader: 'etcd' needs cluster.etcd.endpoints");
        }
        if (values.get(Schema.LEADER).equals("kubernetes")
                && values.get(Schema.CLUSTER_USE).equals("off")) {
            problem(Schema.LEADER, "cluster.leader: 'kubernetes' needs the API server, and kubernetes.use is 'off'");
        }
        bothOrNeither(Schema.ETCD_USER, Schema.ETCD_PASSWORD_FILE);
        bothOrNeither(Schema.ETCD_CERTIFICATE, Schema.ETCD_KEY);
    }

    private void bothOrNeither(Setting<String> one, Setting<String> other) {
        if (values.get(one).isEmpty() != values.get(other).isEmpty()) {
            problem(one, one.key() + ": needs " + other.key() + ", and that needs it; set both, or neither");
        }
    }

    private void problem(Setting<?> setting, String message) {
        problems.add(new ConfigProblem(values.source(setting), message));
    }

    private boolean isOnNodeCidr() {
        return values.get(Schema.FACTORY).equals(DaemonMode.VPC.factory());
    }

    /** Gives unset paths the default of the daemon's layout, so that {@code config show} displays it. */
    private void places(Map<String, String> places) {
        for (Setting<String> setting : PLACES) {
            if (values.get(setting).isEmpty() && places.containsKey(setting.key())) {
                values.set(setting, places.get(setting.key()), SettingValues.DEFAULT);
            }
        }
    }

    /** The cluster's service addresses apply if no file sets them. */
    private void services(List<String> cidrs) {
        if (cidrs.isEmpty() || values.isSet(Schema.SERVICE_CIDR)) {
            return;
        }
        String written = String.join(",", cidrs);
        try {
            values.set(Schema.SERVICE_CIDR, ValueType.subnetsOfServices(written), RemoteConfig.KUBEADM);
        } catch (IllegalArgumentException e) {
            warnings.add(RemoteConfig.KUBEADM + ": serviceSubnet '" + SettingsReader.abbreviated(written)
                    + "' is not a subnet of each family at most; set service_cidr");
        }
    }

    /** The mode determines the factory if no file sets it. */
    private void mode() {
        if (values.isSet(Schema.MODE) && !values.isSet(Schema.FACTORY)) {
            values.set(Schema.FACTORY, DaemonMode.named(values.get(Schema.MODE)).factory(), values.source(Schema.MODE));
        }
    }

    /** Validates what is put on every ENI, as far as possible without asking the cloud. */
    private void enis() {
        int groups = groups(values).size();
        if (groups > MOST_GROUPS) {
            problem(
                    Schema.SECURITY_GROUPS,
                    "security_groups: with security_group there are " + groups + ", and an ENI may have "
                            + MOST_GROUPS);
        }
        Map<String, String> tags = values.get(Schema.ENI_TAGS);
        String cluster = values.get(Schema.CLUSTER_ID);
        EniTags.problems(tags, cluster).forEach(problem -> problem(Schema.ENI_TAGS, "eni_tags: " + problem));
        EniTags.overridden(tags, cluster)
                .forEach(tag -> warnings.add(
                        "eni_tags: the tag '" + tag + "' is enipam's own, by which it knows its ENIs: its value wins"));
    }

    /** Refuses unsupported IP stacks, so that no pod starts without an address that it requires. */
    private void ipStack() {
        if (values.get(Schema.IP_STACK).equals(Schema.IPV6)) {
            problem(
                    Schema.IP_STACK,
                    "ip_stack: 'ipv6' is not done by this daemon: an ENI has an IPv4 address all the same, and so has the pod;"
                            + " set 'dual' for pods with both, or 'ipv4'");
        } else if (values.isDualStack() && isOnNodeCidr()) {
            problem(
                    Schema.IP_STACK,
                    "ip_stack: 'dual' and pool.factory '" + DaemonMode.VPC.factory() + "' (daemon.mode VPC) do not go"
                            + " together: that factory gives addresses of the node's IPv4 CIDR alone; set 'ipv4', or choose"
                            + " another mode");
        }
    }

    /** security_group and security_groups together, each once. */
    static List<String> groups(SettingValues values) {
        return Stream.concat(
                        Stream.of(values.get(Schema.SECURITY_GROUP)).filter(single -> !single.isEmpty()),
                        values.get(Schema.SECURITY_GROUPS).stream())
                .distinct()
                .toList();
    }

    private void override(String key, String text) {
        Schema.find(key)
                .ifPresentOrElse(
                        setting -> put(setting, text),
                        () -> problems.add(new ConfigProblem(COMMAND_LINE, key + ": unknown key")));
    }

    private <T> void put(Setting<T> setting, String text) {
        try {
            values.set(setting, setting.type().read(TextNode.valueOf(text)), COMMAND_LINE);
        } catch (IllegalArgumentException e) {
            // the table's description of allowed values is better than the reader's message
            problems.add(new ConfigProblem(
                    COMMAND_LINE, setting.key() + ": '" + text + "' is not allowed; allowed is " + setting.allowed()));
        }
    }

    /** A name without a provider is an error, unless a plugin that failed to load may provide it. */
    private void offered(Setting<?> setting, String name, Set<String> offered, String what) {
        if (offered.contains(name)) {
            return;
        }
        Set<String> rejected = known.installed().rejected();
        if (rejected.isEmpty()) {
            problem(
                    setting,
                    setting.key() + ": no plugin brings " + what + " '" + name + "'"
                            + NearestName.hint(
                                    name,
                                    offered,
                                    offered.isEmpty()
                                            ? "; none has any"
                                            : "; there is " + String.join(", ", new TreeSet<>(offered))));
        } else {
            warnings.add(setting.key() + ": " + what + " '" + name + "' was not loaded, and plugins were rejected: "
                    + String.join(", ", new TreeSet<>(rejected)));
        }
    }

    /** Terway's rules: a capacity bounds the upper watermark, and the lower watermark raises it. */
    private void watermarks() {
        int capacity = values.get(Schema.CAPACITY);
        if (capacity > 0) {
            cut(Schema.MAX_IDLE, capacity);
            cut(Schema.MIN_IDLE, capacity);
        }
        int min = values.get(Schema.MIN_IDLE);
        int max = values.get(Schema.MAX_IDLE);
        if (min > max) {
            warnings.add(
                    "pool.min_idle " + min + " is above pool.max_idle " + max + ": pool.max_idle is raised to " + min);
            values.set(Schema.MAX_IDLE, min, values.source(Schema.MIN_IDLE));
        }
    }

    private void cut(Setting<Integer> setting, int capacity) {
        int wanted = values.get(setting);
        if (wanted > capacity) {
            if (values.isSet(setting)) {
                warnings.add(setting.key() + " " + wanted + " is above pool.capacity " + capacity + ": " + capacity
                        + " is in force");
            }
            values.set(setting, capacity, values.source(setting));
        }
    }

    private void halfAKey(Setting<String> one, Setting<String> other) {
        if (values.get(one).isEmpty() && !values.get(other).isEmpty()) {
            problem(
                    other,
                    one.key() + ": not set, but " + other.key() + " is; set both, or neither for credential_path or the"
                            + " instance's RAM role");
        }
    }

    /** A limit of an API that the daemon never calls has no effect. */
    private void rateLimits() {
        Set<String> called =
                Arrays.stream(CloudApi.values()).map(CloudApi::wireName).collect(Collectors.toSet());
        values.get(Schema.RATE_LIMIT).keySet().stream()
                .filter(name -> !name.isEmpty() && !called.contains(name))
                .forEach(name -> warnings.add(
                        "rate_limit: this daemon does not call " + name + NearestName.hint(name, called, "")));
    }

    /**
     * The inputs of the configuration, kept so that it can be rebuilt with other values of the cluster: the files as
     * they were read, and the command line. A file that changes on disk takes effect with the next start.
     *
     * @param files a later one wins over an earlier one of its kind
     * @param sandbox whether the cloud is emulated
     * @param overrides settings by key, as given on the command line
     * @param known the plugins, whose settings and names the files may use
     * @param places default paths, by key, for those that neither files nor command line set
     */
    record ConfigLayers(
            List<Layer> files,
            boolean sandbox,
            Map<String, String> overrides,
            KnownPlugins known,
            Map<String, String> places) {
        record Layer(SettingsFile kind, String source, JsonNode root) {}

        static ConfigLayers read(
                List<ConfigFile> files,
                boolean sandbox,
                Map<String, String> overrides,
                KnownPlugins known,
                List<ConfigProblem> problems) {
            List<Layer> layers = new ArrayList<>();
            files.forEach(file -> file.read(problems)
                    .ifPresent(root ->
                            layers.add(new Layer(file.kind(), file.path().toString(), root))));
            return new ConfigLayers(List.copyOf(layers), sandbox, Map.copyOf(overrides), known, Map.of());
        }

        ConfigLayers withDefaultPaths(Map<String, String> paths) {
            return new ConfigLayers(files, sandbox, overrides, known, Map.copyOf(paths));
        }

        void readInto(SettingValues values, PluginSections plugins, List<ConfigProblem> problems) {
            files.forEach(
                    file -> new SettingsReader(file.kind(), file.source(), file.source(), values, plugins, problems)
                            .read(file.root()));
        }
    }

    /** What a pod gets, in terway's terms. */
    enum DaemonMode {
        /** An address of an ENI that pods share. */
        ENI_MULTI_IP("ENIMultiIP", EniUse.ADDRESSES.factory(), true),
        /** An ENI of its own. */
        ENI_ONLY("ENIOnly", EniUse.WHOLE.factory(), true),
        /** An address of the CIDR that the cluster assigned to the node. */
        VPC("VPC", NodeCidrFactory.NAME, false);

        private final String label;
        private final String factory;
        private final boolean ofCloud;

        DaemonMode(String label, String factory, boolean ofCloud) {
            this.label = label;
            this.factory = factory;
            this.ofCloud = ofCloud;
        }

        static String[] names() {
            return Arrays.stream(values()).map(DaemonMode::label).toArray(String[]::new);
        }

        static DaemonMode named(String label) {
            return Arrays.stream(values())
                    .filter(mode -> mode.label.equals(label))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no mode " + label));
        }

        /** Whether this is a factory of the cloud, which needs credentials. */
        static boolean ofCloud(String factory) {
            return Arrays.stream(values()).anyMatch(mode -> mode.ofCloud && mode.factory.equals(factory));
        }

        String label() {
            return label;
        }

        String factory() {
            return factory;
        }
    }
}
