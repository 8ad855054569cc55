package io.enipam.cni;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How a front was called.
 *
 * @param variables those that begin with CNI_, as the frame has them: their bytes as they are, each with a NUL behind
 *     it
 * @param stdinClosed whether there is no standard input at all
 */
record PluginInvocation(
        String command, byte[] variables, long timeoutMillis, Map<String, String> environment, boolean stdinClosed) {
    /** Terway's, for a call. */
    private static final long TIMEOUT_MILLIS = 120_000;

    /** VERSION is asked when a configuration is loaded: a daemon that hangs must not stop that. */
    private static final long VERSION_MILLIS = 5_000;

    private static final byte[] PREFIX = "CNI_".getBytes(StandardCharsets.US_ASCII);
    private static final String USUAL_SOCKET = "/var/run/enipam/cni.sock";

    static PluginInvocation ofThisProcess() throws IOException {
        Map<String, String> environment = System.getenv();
        String command = environment.getOrDefault("CNI_COMMAND", "");
        return new PluginInvocation(
                command,
                variablesOfThisProcess(),
                timeout(command, environment.getOrDefault("ENIPAM_CNI_TIMEOUT_MS", "")),
                environment,
                System.getProperty("enipam.stdin", "").equals("closed"));
    }

    boolean asksVersion() {
        return command.equals("VERSION");
    }

    private static long timeout(String command, String shorter) {
        long most = command.equals("VERSION") ? VERSION_MILLIS : TIMEOUT_MILLIS;
        if (!shorter.matches("[0-9]{1,9}")) {
            return most;
        }
        long millis = Long.parseLong(shorter);
        return millis > 0 && millis < most ? millis : most;
    }

    /** Where the daemon listens: as the environment says, else the file beside the executable, else the usual place. */
    Path socket() throws CallFailedException {
        String named = environment.getOrDefault("ENIPAM_CNI_SOCKET", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        Path beside = Path.of(System.getProperty("enipam.self", "/opt/cni/bin/enipam-cni") + ".socket");
        try {
            return Path.of(Files.readString(beside).lines().findFirst().orElse(""));
        } catch (NoSuchFileException none) {
            return Path.of(USUAL_SOCKET);
        } catch (IOException e) {
            throw new CallFailedException(
                    CallFailedException.UNANSWERED,
                    beside + " cannot be read: " + e.getMessage(),
                    "it says where enipamd listens; enipam-cni-install --socket PATH writes it");
        }
    }

    /** The variables of this process that begin with CNI_, byte by byte: the JDK's own map of them loses what is no text. */
    private static byte[] variablesOfThisProcess() throws IOException {
        byte[] all;
        try {
            all = Files.readAllBytes(Path.of("/proc/self/environ"));
        } catch (NoSuchFileException noProc) {
            all = System.getenv().entrySet().stream()
                    .map(variable -> variable.getKey() + "=" + variable.getValue() + "\0")
                    .collect(Collectors.joining())
                    .getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream some = new ByteArrayOutputStream();
        int from = 0;
        for (int at = 0; at < all.length; at++) {
            if (all[at] == 0) {
                int end = Math.min(from + PREFIX.length, all.length);
                if (Arrays.equals(all, from, end, PREFIX, 0, PREFIX.length)) {
                    some.write(all, from, at + 1 - from);
                }
                from = at + 1;
            }
        }
        return some.toByteArray();
    }
}
