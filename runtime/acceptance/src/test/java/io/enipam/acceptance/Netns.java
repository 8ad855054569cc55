package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace, by name.
 *
 * @param name as {@code ip netns} has it
 */
record Netns(String name) {
    private static final long PATIENCE_SECONDS = 60;

    /** How a command ended, and what it said. */
    record Said(int status, String text) {}

    /** Skips the test, with a reason, where no namespaces can be made. */
    static void require() {
        Netns trial = new Netns("net" + ProcessHandle.current().pid() + "-trial");
        Said made = say("ip", "netns", "add", trial.name);
        say("ip", "netns", "del", trial.name);
        assumeTrue(made.status() == 0, "no network namespaces can be made here, which takes root: " + made.text());
    }

    static Netns make(String name) {
        ok("ip", "netns", "add", name);
        Netns made = new Netns(name);
        made.ip("link set lo up");
        return made;
    }

    /** Where it can be entered. */
    Path path() {
        return Path.of("/run/netns", name);
    }

    /** It is gone afterwards, whether it was there or not. */
    void remove() {
        say("ip", "netns", "del", name);
    }

    /** What {@code ip} prints in it. */
    String ip(String words) {
        return ok(command("ip", "-n", name, words));
    }

    /** The same, whatever comes of it. */
    Said tryIp(String words) {
        return say(command("ip", "-n", name, words));
    }

    /** The words of a command that runs in it. */
    List<String> inside(String... command) {
        List<String> words = new ArrayList<>(List.of("nsenter", "--net=" + path()));
        words.addAll(List.of(command));
        return words;
    }

    /** Runs a program in it. */
    String run(String... command) {
        return ok(inside(command).toArray(String[]::new));
    }

    /** Starts {@link NetworkProbe} in it. */
    Process probe(String... words) {
        List<String> command = inside(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                NetworkProbe.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath(),
                NetworkProbe.class.getName());
        command.addAll(List.of(words));
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The addresses that do not answer from here, none of so many times. */
    List<String> silent(int times, List<String> addresses) {
        return lines(pinging(times, addresses));
    }

    /** The same, begun; {@link #lines} of it are the answer. */
    Process pinging(int times, List<String> addresses) {
        List<String> words = new ArrayList<>(List.of("ping", Integer.toString(times)));
        words.addAll(addresses);
        return probe(words.toArray(String[]::new));
    }

    /** What a process says until it ends. */
    static List<String> lines(Process process) {
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(said).isZero();
            return said.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    static String ok(String... command) {
        Said said = say(command);
        assertThat(said.status())
                .as(String.join(" ", command) + ": " + said.text())
                .isZero();
        return said.text();
    }

    static Said say(String... command) {
        try {
            Process process = new ProcessBuilder(command).start();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            // ip grumbles of peers whose namespace is just going
            return new Said(status, status == 0 ? out : out + err);
        } catch (IOException e) {
            return new Said(-1, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String[] command(String program, String option, String value, String words) {
        List<String> command = new ArrayList<>(List.of(program, option, value));
        command.addAll(List.of(words.split(" ")));
        return command.toArray(String[]::new);
    }
}
