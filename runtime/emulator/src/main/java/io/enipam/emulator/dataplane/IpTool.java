package io.enipam.emulator.dataplane;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program {@code ip}. Each call ends within seconds. Thread-safe. */
final class IpTool {
    private static final Logger LOG = LoggerFactory.getLogger(IpTool.class);
    private static final long DEADLINE_SECONDS = 10;
    private static final Pattern LINE = Pattern.compile("Command failed -:(\\d+)");

    /** It said no, or nothing; the message has the command and its answer. */
    static final class IpException extends Exception {
        private static final long serialVersionUID = 1L;

        IpException(String message) {
            super(message);
        }
    }

    void run(String... arguments) throws IpException {
        Result result = result(List.of(arguments), "");
        if (result.status != 0) {
            throw new IpException("ip " + String.join(" ", arguments) + ": " + result.answer());
        }
    }

    /** Runs lines one after the other; the first that fails ends it. The options go before {@code -batch}. */
    void batch(List<String> lines, String... options) throws IpException {
        if (lines.isEmpty()) {
            return;
        }
        Result result = result(batchCommand(options), String.join("\n", lines) + "\n");
        if (result.status != 0) {
            throw new IpException(failed(lines, result.err()) + ": " + result.answer());
        }
    }

    /** Runs all lines, whichever fail; for what may be gone already. */
    void batchAll(List<String> lines, String... options) throws IpException {
        if (!lines.isEmpty()) {
            List<String> command = batchCommand(options);
            command.add(0, "-force");
            Result result = result(command, String.join("\n", lines) + "\n");
            LOG.debug("ip -force: {}", result.answer());
        }
    }

    private static List<String> batchCommand(String... options) {
        List<String> command = new ArrayList<>(List.of(options));
        command.addAll(List.of("-batch", "-"));
        return command;
    }

    private static String failed(List<String> lines, String err) {
        Matcher number = LINE.matcher(err);
        int at = number.find() ? Integer.parseInt(number.group(1)) : 0;
        return "ip " + (at >= 1 && at <= lines.size() ? lines.get(at - 1) : "-batch");
    }

    private record Result(int status, String err) {
        String answer() {
            return err.isBlank()
                    ? "status " + status
                    : LINE.matcher(err).replaceAll("").strip().replaceAll("\\s+", " ");
        }
    }

    private static void write(Process process, String input) {
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException ended) {
            LOG.debug("ip ended before it had read all lines; its status says why: {}", ended.toString());
        }
    }

    private static Result result(List<String> arguments, String input) throws IpException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(arguments);
        Process process = null;
        try {
            process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.to(new File("/dev/null")))
                    .start();
            write(process, input);
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new IpException(String.join(" ", command) + " did not end within " + DEADLINE_SECONDS + " s");
            }
            try (InputStream err = process.getErrorStream()) {
                return new Result(process.exitValue(), new String(err.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new IpException("ip cannot be run: " + e.getMessage() + "; install iproute2");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IpException(String.join(" ", command) + " was broken off");
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
