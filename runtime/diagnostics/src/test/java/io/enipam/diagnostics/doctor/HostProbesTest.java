package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostProbesTest {
    @TempDir
    private Path directory;

    /** Read as other files are, a sysctl was its first digit: "5 of 2 connections are tracked". */
    @Test
    void aSysctlIsReadToItsEnd() throws IOException {
        // real ones that every kernel has and nobody changes meanwhile, in place of conntrack's
        Files.createSymbolicLink(directory.resolve("nf_conntrack_max"), Path.of("/proc/sys/kernel/pid_max"));
        Files.createSymbolicLink(directory.resolve("nf_conntrack_count"), Path.of("/proc/sys/fs/nr_open"));
        Files.createSymbolicLink(
                directory.resolve("nf_conntrack_udp_timeout"), Path.of("/proc/sys/kernel/ngroups_max"));

        Conntrack read = Conntrack.read(directory);

        assertThat(read.entries()).contains(new Conntrack.Entries(value("fs/nr_open"), value("kernel/pid_max")));
        assertThat(read.entries().orElseThrow().most()).isGreaterThan(300);
        assertThat(read.timeouts())
                .isEqualTo(Map.of("nf_conntrack_udp_timeout", Duration.ofSeconds(value("kernel/ngroups_max"))));
    }

    @Test
    void whatAKernelDoesNotTellOrTellsAsNoNumberIsNotKnown() throws IOException {
        Files.writeString(directory.resolve("nf_conntrack_udp_timeout"), "30\n");
        Files.writeString(directory.resolve("nf_conntrack_icmp_timeout"), "");
        Files.writeString(directory.resolve("nf_conntrack_max"), "many\n");

        Conntrack read = Conntrack.read(directory);

        assertThat(read)
                .isEqualTo(new Conntrack(Map.of("nf_conntrack_udp_timeout", Duration.ofSeconds(30)), Optional.empty()));
    }

    private static long value(String sysctl) throws IOException {
        return Long.parseLong(Files.readAllLines(Path.of("/proc/sys", sysctl)).get(0));
    }
}
