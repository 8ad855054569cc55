package io.enipam.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In a JVM of its own, which ends for real. */
@Timeout(180)
class HeapWatchdogTest {
    @TempDir
    Path directory;

    @TempDir
    Path others;

    private Path output;

    @BeforeEach
    void names() {
        output = others.resolve("output");
    }

    /** Fills its heap and swallows every error, as a pool of threads does that goes on with the next task. */
    static final class Filler {
        public static void main(String[] args) throws InterruptedException {
            begin();
            List<Object> kept = new ArrayList<>();
            while (true) {
                try {
                    kept.add(new byte[10_000]);
                } catch (OutOfMemoryError e) {
                    Thread.sleep(1);
                }
            }
        }
    }

    /** Asks for more than there is, again and again, and keeps nothing. */
    static final class Asker {
        public static void main(String[] args) throws InterruptedException {
            begin();
            int refused = 0;
            for (int i = 0; i < 20; i++) {
                try {
                    System.out.println(new byte[1 << 30].length);
                } catch (OutOfMemoryError e) {
                    refused++;
                }
            }
            System.out.println(refused + " refused");
        }
    }

    /** Returns when it watches: these programs fill their heap faster than anything begins. */
    private static void begin() throws InterruptedException {
        HeapWatchdog.begin();
        while (ManagementFactory.getMemoryPoolMXBeans().stream()
                .noneMatch(
                        pool -> pool.isCollectionUsageThresholdSupported() && pool.getCollectionUsageThreshold() > 0)) {
            Thread.sleep(10);
        }
    }

    private Process start(Class<?> program, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable",
                "-Xmx16m"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private String said(Process process) throws Exception {
        try {
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(ended).as("the program ended; its output: %s", text).isTrue();
            return text;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aHeapThatIsFullAndStaysSoEndsTheProcessWithALineAndTheDumpThatWasAskedFor() throws Exception {
        Process process = start(Filler.class, "-XX:+HeapDumpOnOutOfMemoryError", "-XX:HeapDumpPath=" + directory);

        assertThat(said(process)).containsOnlyOnce("the heap is full and stays so");
        assertThat(process.exitValue()).isEqualTo(HeapWatchdog.STATUS);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.toList())
                    .isNotEmpty()
                    .allMatch(file -> file.toString().endsWith(".hprof"))
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .as("readable by its owner alone")
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void requestsThatAreTooLargeCostThoseWhoMadeThemAndNotTheProcess() throws Exception {
        Process process = start(Asker.class);

        assertThat(said(process)).contains("20 refused");
        assertThat(process.exitValue()).isZero();
    }
}
