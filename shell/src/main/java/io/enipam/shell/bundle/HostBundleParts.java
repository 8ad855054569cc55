package io.enipam.shell.bundle;

import io.grpc.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the machine reports: its kernel's tables, its resources, its journal of the daemon. */
public final class HostBundleParts {
    private static final List<List<String>> PROGRAMS = List.of(
            List.of("system/uname.txt", "uname", "-a"),
            List.of("system/df.txt", "df", "-PTh"),
            List.of("system/journal.txt", "journalctl", "-u", "enipamd", "-n", "2000", "--no-pager", "-o", "short-iso"),
            List.of("kernel/addresses.json", "ip", "-j", "addr"),
            List.of("kernel/routes.json", "ip", "-j", "route", "show", "table", "all"),
            List.of("kernel/rules.json", "ip", "-j", "rule"),
            List.of("kernel/links.txt", "ip", "-s", "link"));
    private static final List<String> FILES =
            List.of("meminfo", "loadavg", "cpuinfo", "uptime", "mounts", "net/dev", "net/sockstat");
    private static final List<String> SYSCTLS = List.of(
            "net/ipv4/ip_forward",
            "net/ipv4/conf/all/rp_filter",
            "net/ipv4/conf/default/rp_filter",
            "net/ipv4/neigh/default/gc_thresh1",
            "net/ipv4/neigh/default/gc_thresh2",
            "net/ipv4/neigh/default/gc_thresh3",
            "net/ipv6/conf/all/forwarding",
            "net/netfilter/nf_conntrack_count",
            "net/netfilter/nf_conntrack_max",
            "net/netfilter/nf_conntrack_tcp_timeout_established",
            "net/netfilter/nf_conntrack_tcp_timeout_time_wait",
            "net/netfilter/nf_conntrack_udp_timeout",
            "fs/file-nr",
            "kernel/pid_max");
    /** Variables whose values are of use and cannot be secrets; the bundle has no others. */
    private static final Pattern TOLD =
            Pattern.compile("env (LANG|LC_[A-Z]+|TERM|NO_COLOR|COLUMNS|LINES|PATH|JAVA_HOME|TZ|PWD)");

    private static final int LONGEST_FILE = 1 << 20;

    private HostBundleParts() {}

    public static List<BundlePart> of(Map<String, String> environment) {
        List<BundlePart> parts = new ArrayList<>();
        FILES.forEach(file -> parts.add(file("/proc/" + file, file.replace('/', '-'))));
        parts.add(file("/etc/os-release", "os-release"));
        for (List<String> program : PROGRAMS) {
            List<String> words = program.subList(1, program.size());
            parts.add(new BundlePart(program.get(0), String.join(" ", words), false, out -> program(words, out)));
        }
        parts.add(new BundlePart("kernel/sysctl.txt", "sysctl", false, HostBundleParts::sysctls));
        String shell = "this shell's JVM and environment";
        parts.add(new BundlePart("system/shell.txt", shell, false, out -> shell(environment, out)));
        return parts;
    }

    private static BundlePart file(String path, String name) {
        return new BundlePart("system/" + name + ".txt", path, false, out -> file(Path.of(path), out));
    }

    private static BundlePart.Failure file(Path file, OutputStream out) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            out.write(in.readNBytes(LONGEST_FILE));
            return BundlePart.Failure.NONE;
        } catch (NoSuchFileException e) {
            return BundlePart.Failure.absent("there is no " + file);
        } catch (AccessDeniedException e) {
            return BundlePart.Failure.because("permission denied: " + file);
        }
    }

    private static BundlePart.Failure program(List<String> words, OutputStream out)
            throws IOException, InterruptedException {
        String path = System.getenv().getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        if (Stream.of(path.split(":")).noneMatch(from -> Files.isExecutable(Path.of(from, words.get(0))))) {
            return BundlePart.Failure.absent("there is no program " + words.get(0));
        }
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        // a program that hangs must not outlive the patience for it, and reading from it cannot be interrupted
        Context.current().addListener(over -> process.destroyForcibly(), Runnable::run);
        try {
            process.getOutputStream().close();
            process.getInputStream().transferTo(out);
            int status = process.waitFor();
            return status == 0 ? BundlePart.Failure.NONE : BundlePart.Failure.because("it ended with status " + status);
        } finally {
            process.destroyForcibly();
        }
    }

    private static BundlePart.Failure sysctls(OutputStream out) throws IOException {
        for (String name : SYSCTLS) {
            Path file = Path.of("/proc/sys", name);
            String value;
            try {
                // by lines: the kernel tells what the first read takes, and readString begins with one byte
                value = String.join(" ", Files.readAllLines(file)).strip();
            } catch (NoSuchFileException e) {
                value = "(not there)";
            } catch (IOException | UncheckedIOException e) {
                value = "(cannot be read: " + e.getMessage() + ")";
            }
            out.write((name.replace('/', '.') + " = " + value + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return BundlePart.Failure.NONE;
    }

    private static BundlePart.Failure shell(Map<String, String> environment, OutputStream out) throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        for (String name : List.of("java.version", "java.vendor", "java.home", "os.name", "os.version", "os.arch")) {
            lines.put(name, System.getProperty(name, ""));
        }
        lines.put("user", System.getProperty("user.name", ""));
        new TreeMap<>(environment).forEach((name, value) -> lines.put("env " + name, value));
        lines.keySet()
                .removeIf(name -> name.startsWith("env ") && !TOLD.matcher(name).matches());
        for (Map.Entry<String, String> line : lines.entrySet()) {
            out.write((line.getKey() + " = " + line.getValue() + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return BundlePart.Failure.NONE;
    }
}
