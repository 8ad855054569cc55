package io.enipam.engine.simulation.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScriptTest {
    private static final String HEAD = "enipam-lab-script 1 seed=42 failures=10% latency=3000ms disk=2000us";

    @Test
    void theTextOfEachActionIsReadAsTheStepThatItWas() {
        Set<Action> seen = EnumSet.noneOf(Action.class);
        for (long seed = 0; seed < 20; seed++) {
            Script script = ScriptGenerator.script(seed);
            script.steps().forEach(step -> seen.add(step.action()));
            assertThat(Script.parse(script.lines())).isEqualTo(script);
            assertThat(script.lines()).allMatch(line -> line.length() <= 80);
        }
        assertThat(seen).containsExactlyInAnyOrder(Action.values());
    }

    @Test
    void aStepIsWrittenWithoutWhatIsSimple() {
        List<String> lines = List.of(
                HEAD,
                "3 add container=2 pod=4 created sticky uid twice then=1200ms",
                "4 add container=0",
                "7 disk works",
                "8 disk fails",
                "9 configure",
                "10 configure min=2 above=3 capacity=8",
                "11 lists cloud stale delay=100ms",
                "12 clock back");
        assertThat(Script.parse(lines).lines()).isEqualTo(lines);
        List<String> remarks = new ArrayList<>(lines);
        remarks.add(1, "# as it was seen");
        remarks.add(0, "");
        assertThat(Script.parse(remarks).lines()).isEqualTo(lines);
    }

    @Test
    void whatIsWrongWithALineIsSaidWithItsNumberAndWhatWouldBeRight() {
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "1 sleep")))
                .hasMessageStartingWith("line 2: there is no action 'sleep'; there are add, del, ");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "1 disk broken")))
                .hasMessage("line 2: 'broken' is no value of disk; there are works|fails, then=Nms");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "1 add pod=12")))
                .hasMessage("line 2: 'pod=12': pod is a whole number from 0 to 11");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "1 wait for=40s")))
                .hasMessage("line 2: 'for=40s': for is a whole number from 0 to 39 with s behind it");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "1 add pod=1 pod=2")))
                .hasMessage("line 2: 'pod=2' is said twice");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "add"))).hasMessageStartingWith("line 2: a step is NUMBER");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD, "1 watch", "1 watch")))
                .hasMessage("two steps have the number 1");
        assertThatThrownBy(() -> Script.parse(List.of(HEAD.replace("=10%", "=101%"))))
                .hasMessageContaining("failures is 101%");
        assertThatThrownBy(() -> Script.parse(List.of("1 watch")))
                .hasMessageStartingWith("line 1: a script begins with 'enipam-lab-script 1 seed=1");
        assertThatThrownBy(() -> Script.parse(List.of("# nothing"))).hasMessage("the script is empty");
    }
}
