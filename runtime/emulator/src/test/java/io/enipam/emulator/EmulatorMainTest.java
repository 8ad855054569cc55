package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.emulator.cloud.InstanceType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class EmulatorMainTest {
    private final StringWriter errors = new StringWriter();

    @Test
    void theProgramTellsWhereItListensAndStopsOnSigterm(@TempDir Path directory) throws Exception {
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EmulatorMain.class.getName(),
                        "--listen=127.0.0.1:0",
                        "--metadata-listen=127.0.0.1:0",
                        "--control-listen=127.0.0.1:0",
                        "--throttle=default,DescribeVSwitches=1",
                        "--instance-type=ecs.g7.large",
                        "--instance-type=ecs.g6.large",
                        "--vswitch=vsw-a=10.5.0.0/24",
                        "--vswitch=vsw-b=10.6.0.0/24",
                        "--state=" + directory.resolve("kept"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = program.inputReader()) {
            Matcher told = matcher("enipam-cloud: ECS and VPC on http://127\\.0\\.0\\.1:(\\d+)", out.readLine());
            Set<String> ports = new HashSet<>();
            for (int i = 0; i < 2; i++) {
                ports.add(matcher(
                                "enipam-cloud: instance i-\\w{20}, metadata on http://127\\.0\\.0\\.1:(\\d+)",
                                out.readLine())
                        .group(1));
            }
            assertThat(ports).hasSize(2);
            matcher("enipam-cloud: control on http://127\\.0\\.0\\.1:(\\d+)", out.readLine());
            TestClient client = new TestClient(
                    new InetSocketAddress("127.0.0.1", Integer.parseInt(told.group(1))), InstantSource.system());
            assertThat(client.call("DescribeVSwitches").text())
                    .contains("vsw-a")
                    .contains("10.6.0.0/24");
            // A minute of the clock may end between two calls and open the next window: then the third is the refused
            // one.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> client.call("DescribeVSwitches").error().equals("400 Throttling.User"));

            program.toHandle().destroy();
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).isEqualTo(143);
            assertThat(out.readLine()).isNull();
            assertThat(directory.resolve("kept/cloud.json")).exists();
        } finally {
            program.destroyForcibly();
            await().atMost(Duration.ofSeconds(30)).until(() -> !program.isAlive());
        }
    }

    /** With a limit: usage that is taken for right starts a cloud that nobody stops. */
    @Timeout(60)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--listen=nowhere",
                "--listen=127.0.0.1:99999",
                "--listen=:80",
                "--listen=no.such.host.invalid:80",
                "--latency=slow",
                "--throttle=some",
                "--throttle=Describe=1",
                "--control-listen=0.0.0.0:0",
                "--control-listen=unix:",
                "--role-rotation=now",
                "--role-rotation=10ms",
                "--latency=assign=200",
                "--latency=assigning=200ms",
                "--instances=0",
                "--instances=many",
                "--zone=cn-a --zone=cn-b --instances=2",
                "--quota-group-members=0",
                "--vswitch=vsw-a=10.0.0.0/24,fd00::/48",
                "--metadata-listen=127.0.0.1:65535 --instances=2",
                "--vswitch=vsw-a",
                "--vswitch=vsw-a=10.0.0.0/40",
                "--instance-type=ecs.none",
                "--seed=x",
                "--unknown"
            })
    void wrongUsageIsToldAndEndsWithTwo(String argument) {
        assertThat(run(argument.split(" "))).isEqualTo(2);
        assertThat(errors.toString().lines().findFirst().orElse("")).isNotBlank();
    }

    @Test
    void aTakenPortIsOneLineAndEndsWithOne() throws IOException {
        try (ServerSocket taken =
                new ServerSocket(0, 1, EmulatorConfig.defaults().listen().getAddress())) {
            assertThat(run("--listen=127.0.0.1:" + taken.getLocalPort())).isEqualTo(1);
        }
        assertThat(errors.toString().lines()).singleElement().asString().startsWith("enipam-cloud: cannot listen on");
    }

    @Test
    void theHelpListsTheInstanceTypesAndWhatTheyAllow() {
        String help = new EmulatorMain(Map.of()).commandLine().getUsageMessage();

        assertThat(help).contains("ecs.imagined.ExA");
        InstanceType.all()
                .forEach(type -> assertThat(help.lines())
                        .anyMatch(line -> line.contains(type.id() + " ") && line.contains(type.enis() + " ENIs")));
        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
    }

    private static Matcher matcher(String pattern, String line) {
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        assertThat(matcher.matches()).as(line).isTrue();
        return matcher;
    }

    private int run(String... arguments) {
        CommandLine command = new EmulatorMain(Map.of()).commandLine();
        command.setErr(new PrintWriter(errors, true));
        return command.execute(arguments);
    }
}
