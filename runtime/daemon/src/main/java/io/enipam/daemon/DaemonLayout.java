package io.enipam.daemon;

import io.enipam.config.IoReason;
import io.enipam.kubernetes.device.KubeletDevicePlugin;
import io.enipam.store.LockFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths of the daemon's files. With a root everything is below it, and nothing outside is changed.
 *
 * @param root the directory given with {@code --root}; empty for the system's directories
 * @param etc directory of the configuration
 * @param lib files that must survive a restart
 * @param run files that end with the daemon
 */
public record DaemonLayout(Optional<Path> root, Path etc, Path lib, Path run) {
    /** Where terway's plugin makes host-local keep the addresses of the node's CIDR. */
    static final Path HOST_LOCAL_FILES = Path.of("/var/lib/cni/networks");

    private static final Logger LOG = LoggerFactory.getLogger(DaemonLayout.class);
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** The system's directories: {@code /etc}, {@code /var/lib/enipam}, {@code /var/run/enipam}. */
    public static DaemonLayout ofSystem() {
        return new DaemonLayout(
                Optional.empty(), Path.of("/etc"), Path.of("/var/lib/enipam"), Path.of("/var/run/enipam"));
    }

    /** Those of a daemon of role CLUSTER, which may run beside that of a node. */
    static DaemonLayout ofClusterSystem() {
        return new DaemonLayout(
                Optional.empty(),
                Path.of("/etc"),
                Path.of("/var/lib/enipam-cluster"),
                Path.of("/var/run/enipam-cluster"));
    }

    /** Everything below one directory. */
    public static DaemonLayout below(Path root) {
        Path absolute = root.toAbsolutePath().normalize();
        return new DaemonLayout(
                Optional.of(absolute), absolute.resolve("etc"), absolute.resolve("lib"), absolute.resolve("run"));
    }

    /** The daemon's name in messages: its root, or {@code /}. */
    public Path displayPath() {
        return root.orElse(Path.of("/"));
    }

    public Path eniJson() {
        return etc.resolve("eni").resolve("eni.json");
    }

    public Path enipamYaml() {
        return etc.resolve("enipam").resolve("enipam.yaml");
    }

    /** The configuration of role CLUSTER. */
    public Path clusterYaml() {
        return etc.resolve("enipam").resolve("cluster.yaml");
    }

    /** Terway's names of settings, of role CLUSTER: the credentials of the cloud and the limits of its calls. */
    public Path clusterJson() {
        return etc.resolve("enipam").resolve("cluster.json");
    }

    public Path database() {
        return lib.resolve("db");
    }

    /** Who had which address, beside the database: a restore does not take it back. */
    public Path leaseHistory() {
        return lib.resolve("history");
    }

    public Path auditLog() {
        return lib.resolve("audit.log");
    }

    /** The node's CIDR from the cluster's last answer. */
    public Path nodeCidr() {
        return lib.resolve("node-cidr");
    }

    /** The address files of the node's CIDR, unless configured otherwise. */
    public Path addressFiles() {
        return root.map(below -> below.resolve("cni").resolve("networks")).orElse(HOST_LOCAL_FILES);
    }

    /** The configurable paths, by their keys. */
    public Map<String, String> defaultPaths() {
        return Map.of(
                "sockets.control", controlSocket().toString(),
                "sockets.cni", cniSocket().toString(),
                "sockets.terway", terwaySocket().toString(),
                "vpc.address_dir", addressFiles().toString());
    }

    /** The times of the last starts. */
    public Path starts() {
        return lib.resolve("starts");
    }

    public Path sandboxPods() {
        return lib.resolve("sandbox-pods.json");
    }

    /** The plugins: a directory or a jar for each. */
    public Path plugins() {
        return lib.resolve("plugins");
    }

    /** Which plugin is being loaded: a file for each. */
    public Path pluginLoading() {
        return lib.resolve("plugin-loading");
    }

    /** The plugins' own data. */
    public Path pluginData() {
        return lib.resolve("plugin-data");
    }

    /** The selected policy and factories. */
    public Path selection() {
        return lib.resolve("selection.json");
    }

    /** The capacity override. */
    public Path standingOrder() {
        return lib.resolve("pool-order.json");
    }

    /** The last ConfigMap that was in force. */
    public Path lastGoodConfig() {
        return lib.resolve("config-map.json");
    }

    public Path lock() {
        return run.resolve("enipamd.lock");
    }

    /** Files that libraries unpack; emptied at each start. */
    public Path unpacked() {
        return run.resolve("unpacked");
    }

    /** The simulated sandboxes, which outlive the daemon. */
    public Path simulatedKernel() {
        return run.resolve("simulated-kernel");
    }

    /** The attachment records of this daemon: they end with the machine, as links do. */
    public Path attachments() {
        return run.resolve("attachments");
    }

    /** The sandboxes that their callers connect with an address of this daemon. */
    public Path callersAttachments() {
        return run.resolve("callers-attachments");
    }

    /** The socket for the CNI plugin, unless configured otherwise. */
    public Path cniSocket() {
        return run.resolve("cni.sock");
    }

    /** The socket for terway's CNI plugin, unless configured otherwise. */
    public Path terwaySocket() {
        return root.isPresent() ? run.resolve("eni.socket") : Path.of("/var/run/eni/eni.socket");
    }

    /** Sandboxes for which terway's CNI plugin itself takes an address from the node's CIDR. */
    public Path terwaySandboxes() {
        return run.resolve("terway-sandboxes");
    }

    /** Files sent to the daemon; emptied at each start. */
    public Path received() {
        return lib.resolve("received");
    }

    /** The kubelet's device plugins, unless configured otherwise. */
    public Path devicePlugins() {
        return root.map(below -> below.resolve("kubelet").resolve("device-plugins"))
                .orElse(KubeletDevicePlugin.DIRECTORY);
    }

    public Path controlSocket() {
        return run.resolve("enipam.sock");
    }

    /** State of the embedded emulator. Beside {@code lib}, since it represents state outside the node. */
    public Path emulatorState() {
        return root.orElse(lib).resolve("cloud").resolve("state.json");
    }

    /**
     * Creates the directories.
     *
     * @throws StartupException if one cannot be created or written
     */
    void prepare() {
        makeOwn(lib);
        makeOwn(run);
    }

    /**
     * Creates a directory in which only this user can create files, whatever the umask is, and restricts an existing
     * one: a user who can create a file there could prevent the daemon's start.
     */
    static void makeOwn(Path directory) {
        makeWritable(directory);
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(directory);
            if (rights.removeAll(OTHERS_WRITE)) {
                Files.setPosixFilePermissions(directory, rights);
            }
        } catch (UnsupportedOperationException e) {
            LOG.debug("{} is on a file system without rights", directory, e);
        } catch (IOException e) {
            LOG.warn("{} is another user's, and its rights stay as they are: {}", directory, IoReason.of(e));
        }
    }

    /**
     * Takes the lock, which ensures one daemon for each directory.
     *
     * @throws StartupException if another daemon has it
     */
    LockFile takeLock() {
        try {
            return LockFile.take(lock());
        } catch (LockFile.InUseException e) {
            throw new StartupException(
                    root.orElse(run) + " is in use by enipamd with " + e.holder()
                            + "; stop it, or choose another --root",
                    e);
        } catch (IOException e) {
            throw new StartupException(lock() + " cannot be locked: " + IoReason.of(e) + "; choose another --root", e);
        }
    }

    /** Empties the directory of unpacked files: a killed daemon leaves its files there. */
    void prepareUnpacked() throws IOException {
        empty(unpacked());
    }

    /** The same for files sent to the daemon. */
    Path prepareReceived() throws IOException {
        empty(received());
        return received();
    }

    private static void empty(Path directory) throws IOException {
        makeOwn(directory);
        try (Stream<Path> old = Files.walk(directory)) {
            for (Path file : old.skip(1).sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    static void makeWritable(Path directory) {
        String advice = "; choose another --root, or run as a user who may write there";
        try {
            Files.createDirectories(directory);
            if (!Files.isWritable(directory)) {
                throw new StartupException(directory + " cannot be written: permission denied" + advice);
            }
        } catch (AccessDeniedException e) {
            throw new StartupException(directory + " cannot be made: permission denied at " + e.getFile() + advice, e);
        } catch (FileAlreadyExistsException e) {
            throw new StartupException(
                    directory + " cannot be made: " + e.getFile() + " is not a directory" + advice, e);
        } catch (IOException e) {
            throw new StartupException(directory + " cannot be made: " + IoReason.of(e) + advice, e);
        }
    }
}
