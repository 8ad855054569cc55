package io.enipam.emulator;

import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.api.RoleCredentials.RoleSettings;
import io.enipam.emulator.cloud.CloudState.Quotas;
import io.enipam.emulator.cloud.DurationFormat;
import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.dataplane.Dataplane;
import io.enipam.emulator.dataplane.Dataplane.DataplaneSpec;
import io.enipam.emulator.fault.ThrottleLimits;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The program {@code enipam-cloud}: the emulator by itself, until a signal stops it; options.properties has its help. */
@Command(
        name = "enipam-cloud",
        mixinStandardHelpOptions = true,
        versionProvider = EmulatorMain.Version.class,
        description = "Emulates ECS, VPC and the metadata service of Alibaba Cloud over HTTP.",
        resourceBundle = "io.enipam.emulator.options",
        sortOptions = false,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:help shown", "1:cannot start", "2:wrong usage", "130,143:stopped by a signal"})
public final class EmulatorMain implements Callable<Integer> {
    /** Each has a port and threads of its own. */
    private static final int MOST_INSTANCES = 100;

    private static final String LISTEN = "127.0.0.1:8090";
    private static final String METADATA_LISTEN = "127.0.0.1:8091";
    /** In the block of the real cloud's services, which no vSwitch has. */
    private static final String DATAPLANE_LISTEN = "100.100.100.201:80";
    /** Where instances of the real cloud find it. */
    private static final String DATAPLANE_METADATA = "100.100.100.200:80";

    private static final String STATE_FILE = "cloud.json";
    private static final String UNIX = "unix:";
    /** Set by the launcher to the prefix of the namespaces, after it has made that of the VPC. */
    private static final String LAUNCHED = "enipam.cloud.namespaces";

    private static final String SECRET_VARIABLE = "ENIPAM_CLOUD_ACCESS_KEY_SECRET";

    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = LISTEN)
    private InetSocketAddress listen;

    @Option(names = "--metadata-listen", paramLabel = "HOST:PORT", defaultValue = METADATA_LISTEN)
    private InetSocketAddress metadataListen;

    @Option(names = "--region", paramLabel = "ID", defaultValue = "cn-hangzhou")
    private String region;

    @Option(names = "--zone", paramLabel = "ID", defaultValue = "cn-hangzhou-i")
    private List<String> zones;

    @Option(names = "--instance-type", paramLabel = "TYPE", defaultValue = "ecs.g7.xlarge")
    private List<String> instanceTypes;

    @Option(names = "--instances", paramLabel = "N")
    private Integer instances;

    @Option(names = "--vswitch", paramLabel = "ID[@ZONE]=CIDR[,IPV6CIDR]", defaultValue = "vsw-enipam0=10.0.0.0/24")
    private LinkedHashMap<String, String> vswitches;

    @Option(names = "--state", paramLabel = "DIR")
    private Path state;

    @Option(names = "--latency", paramLabel = "real|none|SPEC", defaultValue = "none")
    private Latency latency;

    @Option(names = "--quota-enis", paramLabel = "N", defaultValue = "50000")
    private int quotaEnis;

    @Option(names = "--quota-group-members", paramLabel = "N", defaultValue = "2000")
    private int quotaGroupMembers;

    @Option(names = "--quota-private-ips", paramLabel = "N", defaultValue = "60000")
    private int quotaPrivateIps;

    @Option(names = "--throttle", paramLabel = "SPEC", defaultValue = "off")
    private ThrottleLimits throttle;

    @Option(names = "--control-listen", paramLabel = "HOST:PORT|unix:PATH")
    private Optional<SocketAddress> controlListen;

    @Option(names = "--dataplane")
    private boolean dataplane;

    @Option(names = "--namespaces", paramLabel = "PREFIX", defaultValue = "enipam")
    private String namespaces;

    @Option(names = "--route", paramLabel = "CIDR=INSTANCE")
    private Map<String, String> routes = new LinkedHashMap<>();

    @Option(names = "--metadata-token")
    private boolean metadataToken;

    @Option(names = "--role-rotation", paramLabel = "TIME", defaultValue = "3h")
    private Duration roleRotation;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1")
    private long seed;

    @Option(names = "--access-key-id", paramLabel = "ID", defaultValue = "testid")
    private String accessKeyId;

    private final Map<String, String> environment;
    private volatile Optional<CloudEmulator> running = Optional.empty();

    EmulatorMain(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] args) {
        EmulatorMain program = new EmulatorMain(System.getenv());
        Runtime.getRuntime().addShutdownHook(new Thread(program::end, "cloud-stop"));
        System.exit(program.commandLine().execute(args));
    }

    /** However the program ends: the emulator takes its network with it, and so does a start that has failed. */
    private void end() {
        running.ifPresentOrElse(
                CloudEmulator::close,
                () -> Optional.ofNullable(System.getProperty(LAUNCHED)).ifPresent(Dataplane::abandon));
    }

    CommandLine commandLine() {
        CommandLine command = new CommandLine(this);
        command.getCommandSpec()
                .usageMessage()
                .footerHeading("Instance types:%n")
                .footer(instanceTypeTable());
        return command.registerConverter(InetSocketAddress.class, EmulatorMain::hostAndPort)
                .registerConverter(SocketAddress.class, EmulatorMain::controlAddress)
                .registerConverter(Latency.class, text -> read(text, Latency::parse))
                .registerConverter(ThrottleLimits.class, text -> read(text, ThrottleLimits::parse))
                .registerConverter(Duration.class, text -> read(text, DurationFormat::parse))
                .setExecutionExceptionHandler((failure, failed, parsed) -> {
                    if (failure instanceof EmulatorException) {
                        failed.getErr().println("enipam-cloud: " + failure.getMessage());
                        return 1;
                    }
                    throw failure;
                });
    }

    private static String[] instanceTypeTable() {
        Stream<String> known = InstanceType.all().stream()
                .map(type -> String.format(
                        Locale.ROOT,
                        "  %-24s%d ENIs with %d IPv4 and %d IPv6 addresses each",
                        type.id(),
                        type.enis(),
                        type.ipv4PerEni(),
                        type.ipv6PerEni()));
        String imagined = "  ecs.imagined.ExA        E ENIs with A addresses each, as in ecs.imagined.4x10";
        return Stream.concat(known, Stream.of(imagined)).toArray(String[]::new);
    }

    private static SocketAddress controlAddress(String text) {
        if (!text.startsWith(UNIX)) {
            return hostAndPort(text);
        }
        if (text.equals(UNIX)) {
            throw new TypeConversionException("'" + text + "' is not unix:PATH");
        }
        try {
            return UnixDomainSocketAddress.of(text.substring(UNIX.length()));
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException("'" + text + "' is not unix:PATH: " + wrong.getMessage());
        }
    }

    /** {@code HOST:PORT}, {@code [IPV6]:PORT}. */
    private static InetSocketAddress hostAndPort(String text) {
        int colon = text.lastIndexOf(':');
        String port = text.substring(colon + 1);
        if (colon <= 0 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new TypeConversionException("'" + text + "' is not HOST:PORT");
        }
        InetSocketAddress address =
                new InetSocketAddress(text.substring(0, colon).replaceAll("^\\[|]$", ""), Integer.parseInt(port));
        if (address.isUnresolved()) {
            throw new TypeConversionException("the host of '" + text + "' is not known");
        }
        return address;
    }

    private static <T> T read(String text, Function<String, T> reader) {
        try {
            return reader.apply(text);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(wrong.getMessage());
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        try (CloudEmulator emulator = CloudEmulator.start(checked(this::config), checked(this::options))) {
            running = Optional.of(emulator);
            PrintWriter out = spec.commandLine().getOut();
            out.println("enipam-cloud: ECS and VPC on http://" + text(emulator.address()));
            for (String instance : emulator.instanceIds()) {
                out.println("enipam-cloud: instance " + instance + ", metadata on http://"
                        + text(emulator.metadataAddress(instance)));
            }
            emulator.controlAddress()
                    .ifPresent(at -> out.println("enipam-cloud: control on " + control(at, emulator.vpcNamespace())));
            printNodes(emulator, out);
            out.flush();
            stopped.await();
        }
        return 0;
    }

    /** A loopback address is of no use without the namespace that it is in. */
    private static String control(SocketAddress at, Optional<String> namespace) {
        if (at instanceof UnixDomainSocketAddress unix) {
            return UNIX + unix.getPath() + ": curl --unix-socket " + unix.getPath() + " http://localhost/faults";
        }
        String url = "http://" + text((InetSocketAddress) at);
        return namespace
                .map(name -> url + " in the network namespace " + name + ": ip netns exec " + name + " curl " + url
                        + "/faults")
                .orElse(url);
    }

    private static void printNodes(CloudEmulator emulator, PrintWriter out) {
        if (emulator.vpcNamespace().isEmpty()) {
            return;
        }
        String home = System.getProperty("enipam.home");
        String daemon = (home == null ? "" : home + "/") + "runtime/bin/enipamd --root DIR";
        out.println("enipam-cloud: in each daemon's DIR/etc/enipam/enipam.yaml: cloud: {endpoint: \"http://"
                + text(emulator.address()) + "\", metadata: \"http://" + text(emulator.metadataAddress()) + "\"}");
        for (String instance : emulator.instanceIds()) {
            emulator.namespace(instance)
                    .ifPresent(name -> out.println(
                            "enipam-cloud: a daemon on " + instance + ": ip netns exec " + name + " " + daemon));
        }
    }

    /** The address given, or with a data plane its own default. */
    private InetSocketAddress listening(String option, InetSocketAddress asked, String onDataplane) {
        boolean isDefault = !spec.commandLine().getParseResult().hasMatchedOption(option);
        return dataplane && isDefault ? hostAndPort(onDataplane) : asked;
    }

    private EmulatorConfig config() {
        return new EmulatorConfig(
                listening("--listen", listen, DATAPLANE_LISTEN),
                listening("--metadata-listen", metadataListen, DATAPLANE_METADATA),
                new EmulatorConfig.Site(region, zones, types(), vswitches),
                new EmulatorConfig.AccessKey(accessKeyId, environment.getOrDefault(SECRET_VARIABLE, "testsecret")),
                Optional.ofNullable(state).map(directory -> directory.resolve(STATE_FILE)),
                latency,
                seed,
                new Quotas(quotaEnis, quotaGroupMembers, quotaPrivateIps));
    }

    private EmulatorOptions options() {
        return new EmulatorOptions(
                throttle,
                new MetadataSettings(metadataToken, RoleSettings.every(roleRotation)),
                controlListen,
                dataplane());
    }

    private <T> T checked(Supplier<T> values) {
        try {
            return values.get();
        } catch (IllegalArgumentException wrong) {
            throw new CommandLine.ParameterException(spec.commandLine(), wrong.getMessage(), wrong);
        }
    }

    private Optional<DataplaneSpec> dataplane() {
        if (!dataplane && !routes.isEmpty()) {
            throw new IllegalArgumentException("--route needs --dataplane: without it there is nothing to route");
        }
        return dataplane ? Optional.of(new DataplaneSpec(namespaces, routes)) : Optional.empty();
    }

    private List<String> types() {
        int count = instances == null ? instanceTypes.size() : instances;
        if (count < instanceTypes.size() || count > MOST_INSTANCES) {
            throw new IllegalArgumentException("--instances " + count + " is not possible: with "
                    + instanceTypes.size() + " --instance-type it is " + instanceTypes.size() + " to "
                    + MOST_INSTANCES);
        }
        return IntStream.range(0, count)
                .mapToObj(number -> instanceTypes.get(number % instanceTypes.size()))
                .toList();
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** From the manifest, which only a packaged program has. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {
                "enipam-cloud "
                        + Optional.ofNullable(EmulatorMain.class.getPackage().getImplementationVersion())
                                .orElse("(not packaged)")
            };
        }
    }
}
