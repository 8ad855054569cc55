package io.enipam.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.simulation.fuzz.Simulation;
import io.enipam.lab.FuzzCommands.Fuzz;
import io.enipam.lab.FuzzCommands.Replay;
import io.enipam.lab.FuzzCommands.SimulationCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FuzzTest extends LabProgramFixture {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path scratch;

    /** An engine with a kernel that forgets to disconnect pods. */
    private String runForgetful(SimulationCommand command, String... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        command.out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        command.simulation = new Simulation(FuzzTest::forgetful);
        status = new CommandLine(command).execute(words);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static EnginePorts forgetful(EnginePorts ports) {
        Datapath real = ports.datapath();
        Datapath kernel = (Datapath) Proxy.newProxyInstance(
                Datapath.class.getClassLoader(),
                new Class<?>[] {Datapath.class},
                (self, method, words) -> method.getName().equals("tearDown")
                        ? CompletableFuture.completedFuture(null)
                        : method.invoke(real, words));
        return new EnginePorts(ports.context(), ports.pods(), kernel, ports.supplies(), ports.policy());
    }

    private static JsonNode only(String kind, String lines) throws IOException {
        List<JsonNode> found = new ArrayList<>();
        for (String line : lines.lines().toList()) {
            JsonNode json = JSON.readTree(line).get(kind);
            if (json != null) {
                found.add(json);
            }
        }
        assertThat(found).as(lines).hasSize(1);
        return found.get(0);
    }

    @Test
    void theSameSeedsPrintTheSameBytesTwiceAndAnEngineInOrderBreaksNothing() {
        String[] words = {"fuzz", "--first", "1", "--seeds", "20"};
        String once = run(words);
        assertThat(once).isEqualTo("{\"fuzz\":{\"first\":1,\"scripts\":20,\"failed\":0,\"findings\":0}}\n");
        assertThat(status).isZero();
        assertThat(run(words)).isEqualTo(once);
        String[] replay = {"replay", "7"};
        assertThat(run(replay)).isEqualTo(run(replay)).contains("\"step\":\"1 ", "end: faults end");
        assertThat(status).isZero();
    }

    @Test
    void aFaultIsFoundAndItsShortScriptShowsItFromTheSeedAndFromAFile() throws IOException {
        String[] words = {"--first", "1", "--seeds", "30"};
        String found = runForgetful(new Fuzz(), words);
        assertThat(status).isEqualTo(FuzzCommands.FOUND);
        assertThat(runForgetful(new Fuzz(), words)).isEqualTo(found);
        JsonNode finding = only("finding", found);
        assertThat(finding.get("invariant").asText()).isEqualTo("no pod is connected in the end");
        assertThat(finding.get("shrunk").asInt()).isBetween(1, 3);
        assertThat(only("fuzz", found).get("failed").asInt()).isGreaterThan(1);

        String seed = finding.get("seed").asText();
        assertThat(finding.get("replay").asText()).isEqualTo("lab replay " + seed);
        String replayed = runForgetful(new Replay(), seed);
        assertThat(status).isEqualTo(FuzzCommands.FOUND);
        assertThat(only("script", replayed).get("lines")).isEqualTo(finding.get("script"));
        assertThat(only("violation", replayed).get("seen")).isEqualTo(finding.get("seen"));
        assertThat(only("script", runForgetful(new Replay(), seed, "--whole"))
                        .get("steps")
                        .asInt())
                .isGreaterThanOrEqualTo(150);

        List<String> lines = new ArrayList<>();
        finding.get("script").forEach(line -> lines.add(line.asText()));
        Path file = scratch.resolve("script.txt");
        Files.write(file, lines);
        assertThat(runForgetful(new Replay(), file.toString())).isEqualTo(replayed);
        assertThat(run("replay", file.toString())).doesNotContain("violation");
        assertThat(status).isZero();
    }

    @Test
    void whatIsWrongWithTheWordsOrAScriptEndsWithStatus2() throws IOException {
        run("fuzz", "--minutes", "0");
        assertThat(status).isEqualTo(2);
        run("fuzz", "--seeds", "0");
        assertThat(status).isEqualTo(2);
        run("fuzz", "--first", "-1");
        assertThat(status).isEqualTo(2);
        run("replay", scratch.resolve("none").toString());
        assertThat(status).isEqualTo(2);
        Path file = scratch.resolve("script.txt");
        Files.writeString(file, "enipam-lab-script 1\n");
        run("replay", file.toString());
        assertThat(status).isEqualTo(2);
    }
}
