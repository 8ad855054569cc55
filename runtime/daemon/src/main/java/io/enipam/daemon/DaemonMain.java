package io.enipam.daemon;

import ch.qos.logback.classic.LoggerContext;
import io.enipam.config.ConfigException;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.ConfigReference;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.config.Schema;
import io.enipam.diagnostics.doctor.Catalogue;
import io.enipam.platform.HeapWatchdog;
import io.enipam.platform.Logging;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.load.LoadingRecord;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.recovery.RecoveryReport;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.SdkVersion;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code enipamd}. Exit codes: 0 after a clean shutdown, 1 if it cannot run here, 2 for wrong usage or a broken
 * configuration.
 */
@Command(
        name = "enipamd",
        mixinStandardHelpOptions = true,
        versionProvider = DaemonMain.ManifestVersion.class,
        description =
                "The ENI IPAM daemon of a Kubernetes node on Alibaba Cloud, or with --role cluster that of a cluster's"
                        + " extensions.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped cleanly; with --recover: done, or nothing to do",
            "1:cannot run here; with --recover: could not be done",
            "2:wrong usage, or the configuration is broken",
        })
public final class DaemonMain implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int BROKEN_CONFIG = 2;
    private static final String COMMON_POOL_SIZE = "java.util.concurrent.ForkJoinPool.common.parallelism";
    private static final int COMMON_POOL = 4;
    private static final Duration PLUGIN_DEADLINE = Duration.ofSeconds(10);

    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @Mixin
    private OfflineDatabaseCommand offline = new OfflineDatabaseCommand();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final DaemonEnvironment surroundings;
    private final EngineAssembly assembly;

    /** A command line with this environment and this engine. */
    public DaemonMain(DaemonEnvironment surroundings, EngineAssembly assembly) {
        this.surroundings = surroundings;
        this.assembly = assembly;
    }

    public static void main(String[] args) {
        widenCommonPool();
        System.exit(new CommandLine(new DaemonMain(DaemonEnvironment.real(), EngineAssembly.builtIn())).execute(args));
    }

    /**
     * Gives the JDK's common pool at least four threads, since plugins and the handshakes of the JDK's HTTP client
     * share it. By default it has one thread less than there are processors. Before JDK 25 futures do not use a pool of
     * one thread at all, and each gets a thread of its own; that is better still.
     */
    private static void widenCommonPool() {
        int processors = Runtime.getRuntime().availableProcessors();
        boolean used = processors > 2 || Runtime.version().feature() >= 25;
        if (used && processors <= COMMON_POOL && System.getProperty(COMMON_POOL_SIZE) == null) {
            System.setProperty(COMMON_POOL_SIZE, Integer.toString(COMMON_POOL));
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        options.mistake().ifPresent(mistake -> {
            throw new CommandLine.ParameterException(spec.commandLine(), mistake);
        });
        if (options.recover && offline.wanted()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--recover cannot be combined with --verify-db or --restore-db");
        }
        if (options.doctorReference) {
            Catalogue.reference().forEach(spec.commandLine().getOut()::println);
            return 0;
        }
        DaemonLayout layout = options.layout();
        if (offline.wanted()) {
            return offline.run(layout, spec.commandLine());
        }
        PluginCatalog catalog = catalog(layout);
        if (options.configReference) {
            ConfigReference.markdown(known(catalog.loadAll()))
                    .forEach(spec.commandLine().getOut()::println);
            tellRejected(catalog);
            return 0;
        }
        DaemonConfig config;
        try {
            config = config(layout, catalog);
            if (config.usesEtcd()) {
                EtcdModule.settings(config);
            }
        } catch (ConfigException e) {
            e.problems().forEach(problem -> say(problem.toString()));
            tellRejected(catalog);
            return BROKEN_CONFIG;
        }
        if (options.checkConfig) {
            tellRejected(catalog.loadAll());
            config.warnings().forEach(warning -> say("warning: " + warning));
            spec.commandLine().getOut().println("the configuration is valid");
            return 0;
        }
        startLogging(config);
        HeapWatchdog.begin();
        if (options.recover) {
            return recover(layout, config, catalog);
        }
        return run(
                new Daemon(layout, config, options.ephemeral, surroundings, assembly, catalog),
                () -> new Daemon(layout, config, options.ephemeral, surroundings, assembly, catalog(layout)));
    }

    /** A recovery reports on standard output; the log has only errors, unless a level is set. */
    private void startLogging(DaemonConfig config) {
        ILoggerFactory logging = LoggerFactory.getILoggerFactory();
        if (logging instanceof LoggerContext context) {
            String level = options.recover && options.logLevel.isEmpty() ? "error" : config.get(Schema.LOG_LEVEL);
            Logging.configure(context, config.logFormat(), level);
        }
    }

    private int recover(DaemonLayout layout, DaemonConfig config, PluginCatalog catalog) {
        try (catalog) {
            RecoveryReport report = options.output
                    .orElse(DaemonOptions.Output.text)
                    .on(spec.commandLine().getOut());
            RecoverCommand.RecoverRequest request = new RecoverCommand.RecoverRequest(
                    options.dryRun, options.patience(), loss -> offline.yes() || agreed(), report);
            new RecoverCommand(layout, config, surroundings, assembly, catalog, request).run();
            return 0;
        } catch (StartupException e) {
            spec.commandLine().getOut().flush();
            say(String.valueOf(e.getMessage()));
            return CANNOT_RUN;
        }
    }

    /** Asks at the terminal, after the loss was displayed; without a terminal the answer is no. */
    private static boolean agreed() {
        Console console = System.console();
        String answer = console == null ? null : console.readLine("Rebuild the database all the same? [y/N] ");
        return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    }

    private PluginCatalog catalog(DaemonLayout layout) {
        for (Path plugin : options.plugins) {
            if (!Files.exists(plugin)) {
                throw new CommandLine.ParameterException(
                        spec.commandLine(), "--plugin " + plugin + ": there is no such file or directory");
            }
        }
        return PluginCatalog.find(
                new PluginSearchPath(
                        Optional.of(layout.plugins()),
                        options.plugins,
                        DaemonMain.class.getClassLoader(),
                        options.examples),
                SdkVersion.current(),
                EngineAssembly.names(),
                PLUGIN_DEADLINE,
                loadingRecord(layout.pluginLoading()));
    }

    private LoadingRecord loadingRecord(Path directory) {
        if (options.ephemeral) {
            return LoadingRecord.none();
        }
        return options.checkConfig || options.configReference || options.dryRun
                ? LoadingRecord.readOnly(directory)
                : LoadingRecord.in(directory);
    }

    private void tellRejected(PluginCatalog catalog) {
        catalog.rejected()
                .forEach(plugin ->
                        say("plugin " + plugin.name() + " (" + plugin.source() + ") is not used: " + plugin.cause()));
    }

    private DaemonConfig config(DaemonLayout layout, PluginCatalog catalog) {
        List<ConfigFile> sources = new ArrayList<>();
        if (options.ofCluster()) {
            sources.add(ConfigFile.usual(layout.clusterJson(), SettingsFile.ENI_JSON));
            sources.add(ConfigFile.usual(layout.clusterYaml(), SettingsFile.ENIPAM_YAML));
        } else {
            sources.add(ConfigFile.usual(layout.eniJson(), SettingsFile.ENI_JSON));
            sources.add(ConfigFile.usual(layout.enipamYaml(), SettingsFile.ENIPAM_YAML));
        }
        options.files.forEach(file -> sources.add(ConfigFile.named(file)));
        Map<String, String> overrides = new TreeMap<>();
        options.role.ifPresent(role -> overrides.put("daemon.role", role));
        options.logFormat.ifPresent(format -> overrides.put("log.format", format));
        options.logLevel.ifPresent(level -> overrides.put("log.level", level));
        return ConfigLoader.load(sources, options.emulate, overrides, known(catalog));
    }

    private KnownPlugins known(PluginCatalog catalog) {
        return PluginHost.knownPlugins(catalog, assembly.builtIns(use -> notOpened(), DaemonMain::notOpened));
    }

    private static ResourceFactory notOpened() {
        throw new IllegalStateException("nothing is opened while the configuration is read");
    }

    /** @param next makes the daemon that continues in the place of the closed one */
    private int run(Daemon first, Supplier<Daemon> next) throws InterruptedException {
        ProcessExit exit = new ProcessExit(first);
        Runtime.getRuntime().addShutdownHook(new Thread(exit::onSignal, "shutdown"));
        Daemon daemon = first;
        while (true) {
            try {
                daemon.start();
            } catch (StartupException e) {
                say(String.valueOf(e.getMessage()));
                return exit.with(CANNOT_RUN);
            } catch (CancellationException e) {
                return exit.with(0);
            }
            if (options.ephemeral && daemon == first) {
                closeAtEndOf(System.in, exit);
            }
            daemon.awaitEnd();
            if (!daemon.restartRequested()) {
                return exit.with(0);
            }
            daemon = next.get();
            exit.continueWith(daemon);
        }
    }

    private static void closeAtEndOf(InputStream input, ProcessExit exit) {
        Thread reader = new Thread(
                () -> {
                    Logger log = LoggerFactory.getLogger(DaemonMain.class);
                    try {
                        while (input.read() >= 0) {
                            // ignore input: only the end of the stream matters
                        }
                        log.info("standard input has ended, and so does this daemon");
                    } catch (IOException e) {
                        log.info("standard input is gone, and so is this daemon: {}", e.toString());
                    }
                    exit.close();
                },
                "stdin");
        reader.setDaemon(true);
        reader.start();
    }

    private void say(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("enipamd: " + line);
        err.flush();
    }

    /** Prints the manifest's version. */
    static final class ManifestVersion implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"enipamd " + Daemon.version()};
        }
    }
}
