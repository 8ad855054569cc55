package io.enipam.datapath.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Runs a line of shell. */
public final class Sh {
    private Sh() {}

    /** What it says; fails the test if the status is not 0. */
    public static String run(String line) {
        Said said = tried(line);
        if (said.status() != 0) {
            throw new AssertionError(line + ": status " + said.status() + ": " + said.text());
        }
        return said.text();
    }

    /** Its status and what it says, with its errors if it failed. */
    public static Said tried(String line) {
        try {
            Process process = new ProcessBuilder("sh", "-c", line).start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(line + " does not end");
            }
            // ip complains of each namespace of the machine that goes while it looks, and is content
            int status = process.exitValue();
            return new Said(status, status == 0 ? text : text + errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** A status and a text. */
    public record Said(int status, String text) {}
}
