package io.enipam.datapath.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the build makes of {@code enipam-netlink.c} with a compiler and without one. */
@Timeout(300)
class NetlinkBuildTest {
    @TempDir
    Path out;

    private String build(Map<String, String> environment) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder("src/main/sh/build-netlink", out.toString()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    @Test
    void itHasNoWarningsAndNeedsNothingOnTheNode() throws Exception {
        String said = build(Map.of("CFLAGS", "-Werror -Wpedantic -Wshadow"));
        assumeTrue(!said.contains("there is no cc"), said);
        assertThat(said).isEqualTo("enipam-netlink: it is in " + out + ", built by cc\n");
        // a program that is linked dynamically names its loader
        assertThat(Files.readString(out.resolve("enipam-netlink"), StandardCharsets.ISO_8859_1))
                .doesNotContain("/lib64/ld-linux", "/lib/ld-linux", "/lib/ld-musl");
    }

    @Test
    void withoutACompilerOneLineSaysSoAndAnOldProgramDoesNotStay() throws Exception {
        Files.createFile(out.resolve("enipam-netlink"));
        assertThat(build(Map.of("CC", "no-such-compiler")))
                .isEqualTo("enipam-netlink: pods are connected by iproute2, since no-such-compiler does not build it:"
                        + " there is no no-such-compiler\n");
        assertThat(out).isEmptyDirectory();
    }
}
