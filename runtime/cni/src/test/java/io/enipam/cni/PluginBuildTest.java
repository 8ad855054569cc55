package io.enipam.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.cni.BuiltPlugin.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the build makes with a compiler, without one, and with one that fails. */
@Timeout(300)
class PluginBuildTest {
    @TempDir
    Path out;

    /**
     * Another process makes the program: a process that another test starts just then would inherit a descriptor that this one writes to, and
     * the kernel runs no file that is open for writing (ETXTBSY).
     */
    private static String compiler(Path directory, String body) throws Exception {
        Path script = Files.writeString(directory.resolve("odd-cc.sh"), "#!/bin/sh\n" + body + "\n");
        String program = directory.resolve("odd-cc").toString();
        Ran installed = Ran.of(List.of("install", "-m", "755", script.toString(), program), Map.of(), new byte[0]);
        assertThat(installed.status()).as(installed.err()).isZero();
        return program;
    }

    @Test
    void theCFrontHasAtMost300LinesNoWarningsAndNeedsNothingOnTheNode() throws Exception {
        assertThat(Files.readAllLines(BuiltPlugin.MODULE.resolve("src/main/c/enipam-cni.c")))
                .hasSizeLessThanOrEqualTo(300);

        Ran built = BuiltPlugin.build(out, Map.of("CFLAGS", "-Werror -Wpedantic -Wshadow -Wconversion"));

        assumeTrue(!built.out().contains("the Java front"), "there is no C compiler here that links statically");
        assertThat(built.out())
                .startsWith("enipam-cni: the C front is in " + out + ", built by ")
                .matches("(?s).*by (musl-g)?cc\n");
        assertThat(built.err()).isEmpty();
        assertThat(out.resolve("enipam-cni.jar")).doesNotExist();
        // a program that is linked dynamically names its loader
        assertThat(new String(
                        Files.readAllBytes(out.resolve("enipam-cni")), java.nio.charset.StandardCharsets.ISO_8859_1))
                .doesNotContain("/lib64/ld-linux", "/lib/ld-linux", "/lib/ld-musl");
    }

    @Test
    void withoutACompilerTheJavaFrontIsBuiltAndOneLineSaysSo() throws Exception {
        Ran built = BuiltPlugin.build(out, Map.of("CC", "no-such-compiler"));

        assertThat(built.status()).isZero();
        assertThat(built.err()).isEmpty();
        assertThat(built.out())
                .isEqualTo("enipam-cni: the Java front is in " + out
                        + ", since no-such-compiler does not build the C front: there is no no-such-compiler\n");
        assertThat(out.resolve("enipam-cni")).isExecutable();
        assertThat(out.resolve("enipam-cni.jar")).isRegularFile();
    }

    @Test
    void aCompilerThatCannotLinkStaticallyIsNoneAndItsFirstWordIsTold() throws Exception {
        String cc = compiler(out, "echo 'ld: cannot find -lc' >&2; exit 1");

        Ran built = BuiltPlugin.build(out.resolve("bin"), Map.of("CC", cc));

        assertThat(built.status()).isZero();
        assertThat(built.out()).endsWith(", since " + cc + " does not build the C front: ld: cannot find -lc\n");
        assertThat(out.resolve("bin/enipam-cni.jar")).isRegularFile();
    }

    @Test
    void aBuildWithACompilerTakesTheJavaFrontAwayAgain() throws Exception {
        BuiltPlugin.build(out, Map.of("CC", "no-such-compiler"));
        Files.createDirectories(out.resolve("cc"));
        String cc = compiler(out.resolve("cc"), "while [ $# -gt 0 ]; do [ \"$1\" != -o ] || : >\"$2\"; shift; done");

        Ran built = BuiltPlugin.build(out, Map.of("CC", cc));

        assertThat(built.out()).contains("the C front is in " + out);
        assertThat(out.resolve("enipam-cni.jar")).doesNotExist();
        try (var files = Files.list(out)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("cc", "enipam-cni", "enipam-ipam");
        }
    }

    @Test
    void theJavaFrontSaysInCniSWordsThatThereIsNoJava() throws Exception {
        BuiltPlugin.build(out, Map.of("CC", "no-such-compiler"));
        Path front = out.resolve("enipam-cni");
        Files.delete(out.resolve("enipam-cni.jar"));

        Ran ran = Ran.of(List.of(front.toString()), Map.of("PATH", "/usr/bin:/bin", "CNI_COMMAND", "ADD"), new byte[0]);

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out())
                .startsWith(
                        "{\"cniVersion\":\"1.1.0\",\"code\":999,\"msg\":\"the front in Java cannot start: there is no "
                                + front + ".jar\"")
                .hasLineCount(1);
    }

    @Test
    void aRuntimeSOptionsForItsOwnJvmsDoNotReachStandardOutput() throws Exception {
        BuiltPlugin java = BuiltPlugin.inJava(out);

        Ran ran = java.call(
                out.resolve("none"),
                "VERSION",
                new byte[0],
                "JAVA_TOOL_OPTIONS=-Xlog:all=info:stdout -XX:+PrintFlagsFinal",
                "_JAVA_OPTIONS=-XshowSettings");

        assertThat(ran.out())
                .startsWith("{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[")
                .hasLineCount(1);
        assertThat(ran.err()).isEmpty();
    }
}
