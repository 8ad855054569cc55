package io.enipam.examples.hostlocal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.sdk.CniService.CniAnswer;
import io.enipam.sdk.CniService.CniCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Calls of the CNI, to Debian's host-local or to this one, on directories of files. */
final class Callers {
    static final Path DEBIANS = Path.of("/usr/lib/cni/host-local");
    static final String MISSING = "Debian's package containernetworking-plugins has the program to compare with";

    private static final ObjectMapper JSON = new ObjectMapper();

    private Callers() {}

    static boolean debiansIsMissing() {
        return !Files.isExecutable(DEBIANS);
    }

    /** Which plugin answers. */
    @FunctionalInterface
    interface Caller {
        CniAnswer call(Map<String, String> environment, String configuration);

        /** A call with all variables. */
        default CniAnswer call(String command, String container, String configuration) {
            return call(command, container, "eth0", "", configuration);
        }

        default CniAnswer call(String command, String container, String ifName, String args, String configuration) {
            return call(
                    Map.of(
                            "CNI_COMMAND", command,
                            "CNI_CONTAINERID", container,
                            "CNI_NETNS", "/var/run/netns/x",
                            "CNI_IFNAME", ifName,
                            "CNI_ARGS", args,
                            "CNI_PATH", "/usr/lib/cni"),
                    configuration);
        }
    }

    record Call(Map<String, String> environment, String configuration) implements CniCall {}

    /** In this process. */
    static Caller ours(Store store) {
        CniCalls calls =
                new CniCalls(new HostLocal(store), Path.of("/var/lib/cni/networks"), new CniCalls.Listener() {});
        return (environment, configuration) -> calls.serve(new Call(environment, configuration));
    }

    static Caller debians() {
        return (environment, configuration) -> {
            try {
                ProcessBuilder builder = new ProcessBuilder(DEBIANS.toString());
                builder.environment().clear();
                builder.environment().putAll(environment);
                Process process = builder.start();
                try (var stdin = process.getOutputStream()) {
                    stdin.write(configuration.getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    // it answers without its input
                }
                String stdout = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                String stderr = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!process.waitFor(60, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("host-local hangs");
                }
                return new CniAnswer(process.exitValue(), stdout, stderr);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        };
    }

    /** One call each in turn. */
    static Caller alternating(Caller one, Caller other) {
        int[] calls = {0};
        return (environment, configuration) -> (calls[0]++ % 2 == 0 ? one : other).call(environment, configuration);
    }

    static JsonNode json(CniAnswer answer) {
        try {
            return JSON.readTree(answer.stdout());
        } catch (IOException e) {
            throw new UncheckedIOException("no JSON: " + answer, e);
        }
    }

    /** Names and contents of all files of a directory. */
    static Map<String, String> files(Path directory) {
        Map<String, String> files = new TreeMap<>();
        if (!Files.isDirectory(directory)) {
            return files;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(directory.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new HashMap<>(files);
    }
}
