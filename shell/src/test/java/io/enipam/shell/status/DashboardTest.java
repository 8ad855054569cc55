package io.enipam.shell.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.CannedReplies;
import io.enipam.shell.CannedSamples;
import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.core.LiveScreen;
import io.enipam.shell.core.LiveScreen.Key;
import io.enipam.shell.core.LiveScreen.Next;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames letter by letter: the files in {@code golden/}, rewritten with {@code -Dgolden.write=true}. */
class DashboardTest {
    private final RenderContext plain = new RenderContext(Palette.PLAIN, CannedReplies.NOW, ZoneOffset.UTC, true);

    @ParameterizedTest
    @CsvSource({"BLOCKS,80,24", "BLOCKS,200,50", "ASCII,80,24"})
    void aFrameIsWhatItsGoldenFileHolds(Glyphs glyphs, int width, int height) throws IOException {
        List<String> lines = new Dashboard(glyphs, plain).frame(glance(Optional.empty()), width, height, false);

        assertThat(lines)
                .hasSizeLessThanOrEqualTo(height)
                .allSatisfy(line -> assertThat(Table.width(line)).isLessThanOrEqualTo(width));
        String seen = String.join("\n", lines) + "\n";
        assertThat(seen).isEqualTo(golden("top-" + glyphs.name().toLowerCase() + "-" + width + "x" + height, seen));
    }

    @Test
    void whatIsOnlyAsciiGoesToATerminalThatHasNothingElse() {
        List<String> lines = new Dashboard(Glyphs.ASCII, plain).frame(glance(Optional.empty()), 120, 40, false);

        assertThat(String.join("", lines).chars()).allMatch(c -> c < 128);
    }

    @Test
    void everySizeHasAFrameThatFitsIt() {
        for (int width = 1; width <= 210; width += 7) {
            for (int height = 1; height <= 60; height += 3) {
                int most = width;
                assertThat(new Dashboard(Glyphs.BLOCKS, plain).frame(glance(Optional.empty()), width, height, false))
                        .hasSizeLessThanOrEqualTo(height)
                        .allSatisfy(line -> assertThat(Table.width(line)).isLessThanOrEqualTo(most));
            }
        }
    }

    @Test
    void aDaemonThatIsAwaySaysSinceWhenAndShowsWhatItSaidLast() {
        Dashboard.Snapshot.Away away =
                new Dashboard.Snapshot.Away("the daemon went away", CannedReplies.NOW.minusSeconds(12));

        List<String> lines = new Dashboard(Glyphs.ASCII, plain).frame(glance(Optional.of(away)), 80, 24, true);

        assertThat(lines.get(0)).contains("AWAY", "PAUSED");
        assertThat(lines.get(1)).isEqualTo("away for 12s, reconnecting: the daemon went away");
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("in use", " 2 "));
    }

    @Test
    void whatIsInTheDataIsNoCommandToTheTerminal() {
        Event evil = CannedReplies.event(1, "ERROR", "\u001b]0;owned\u0007\u001b[2J");
        GetStatusReply status =
                CannedReplies.status().toBuilder().setNode("n\u001b[31m").build();
        RenderContext colour = new RenderContext(Palette.COLOUR, CannedReplies.NOW, ZoneOffset.UTC, true);
        Dashboard.Snapshot glance = new Dashboard.Snapshot(
                CannedReplies.NOW,
                Optional.empty(),
                status,
                CannedSamples.samples(),
                List.of(),
                List.of(evil),
                "1 2 3");

        String all = String.join("\n", new Dashboard(Glyphs.BLOCKS, colour).frame(glance, 100, 40, false));

        assertThat(Palette.plain(all)).doesNotContain("\u001b").doesNotContain("\u0007");
    }

    @Test
    void aThrottledApiComesFirstAndSaysWhenItMayBeCalledAgain() {
        Dashboard.Snapshot glance = new Dashboard.Snapshot(
                CannedReplies.NOW,
                Optional.empty(),
                CannedReplies.status(),
                CannedSamples.samples(),
                List.of(
                        api("A", 10),
                        api("B", 3).toBuilder()
                                .setInhibitedUntil(CannedReplies.ago(-7))
                                .build()),
                List.of(),
                "");

        List<String> lines = new Dashboard(Glyphs.ASCII, plain).frame(glance, 100, 40, false);

        int head = lines.indexOf("API BUDGET  calls in this minute of those allowed");
        assertThat(lines.get(head + 1)).contains("B ", "throttled, again in 7s");
        assertThat(lines.get(head + 2)).contains("A ", "10/100");
    }

    @Test
    void eventsHaveTheirSubjectAndStayAlignedWhateverTheirSeverity() {
        List<String> lines = new Dashboard(Glyphs.ASCII, plain).frame(glance(Optional.empty()), 120, 40, false);

        List<String> events = lines.subList(lines.indexOf("EVENTS") + 1, lines.size());
        String type = CannedReplies.event(1, "INFO", "x").getType();
        String subject = "default/web-";
        assertThat(events).hasSize(2).allSatisfy(line -> assertThat(line).contains(subject));
        assertThat(events.stream().map(line -> line.indexOf(type)).distinct()).hasSize(1);
        assertThat(events.stream().map(line -> line.indexOf(subject)).distinct())
                .hasSize(1);
    }

    @Test
    void theCursorGoesOverTheRowsThatACommandSaysMoreOfAndEnterRunsThose() {
        LiveTop top = new LiveTop(Glyphs.ASCII, Duration.ofSeconds(1));
        Dashboard.Snapshot glance = glance(Optional.empty());
        assertThat(top.picture(glance, plain.within(100), 40)).noneMatch(line -> line.contains(LiveScreen.REVERSE));
        assertThat(top.commands(glance)).isEmpty();

        top.obey(Key.UP, "", glance);

        assertThat(marked(top, glance)).contains("default/web-2", "waited 2 s");
        assertThat(top.obey(Key.ENTER, "\r", glance)).isEqualTo(Next.OPEN);
        assertThat(top.commands(glance))
                .containsExactly(
                        List.of("events", "--type", "LEASE_GRANTED", "-n", "5"), List.of("explain", "default/web-2"));
        top.obey(Key.TEXT, "k", glance);
        assertThat(marked(top, glance)).contains("default/web-1");
        top.obey(Key.UP, "", glance);
        assertThat(marked(top, glance)).contains("DescribeVSwitches");
        assertThat(top.commands(glance)).containsExactly(List.of("ecs", "budget"));
    }

    @Test
    void theFilterLeavesTheEventsAndTheApisThatHaveItAndItsLettersAreNoKeys() {
        LiveTop top = new LiveTop(Glyphs.ASCII, Duration.ofSeconds(1));
        Dashboard.Snapshot glance = glance(Optional.empty());
        for (String typed : List.of("/", "W", "e", "b", "-", "2", "q")) {
            assertThat(top.obey(Key.TEXT, typed, glance)).isEqualTo(Next.STAY);
        }
        top.obey(Key.BACKSPACE, "", glance);
        assertThat(top.keys()).startsWith("/Web-2_");
        top.obey(Key.ENTER, "\r", glance);

        assertThat(String.join("\n", top.picture(glance, plain.within(100), 40)))
                .contains("default/web-2")
                .doesNotContain("default/web-1", "DescribeVSwitches");
        top.obey(Key.ESCAPE, "\u001b", glance);
        assertThat(String.join("\n", top.picture(glance, plain.within(100), 40)))
                .contains("default/web-1", "DescribeVSwitches");
        assertThat(top.obey(Key.TEXT, "q", glance)).isEqualTo(Next.LEAVE);
    }

    private String marked(LiveTop top, Dashboard.Snapshot glance) {
        return top.picture(glance, plain.within(100), 40).stream()
                .filter(line -> line.startsWith(LiveScreen.REVERSE))
                .findFirst()
                .orElseThrow();
    }

    static Dashboard.Snapshot glance(Optional<Dashboard.Snapshot.Away> away) {
        return new Dashboard.Snapshot(
                CannedReplies.NOW,
                away,
                CannedReplies.status(),
                CannedSamples.samples(),
                List.of(
                        api("AssignPrivateIpAddresses", 37),
                        api("DescribeVSwitches", 2),
                        api("CreateNetworkInterface", 0)),
                List.of(
                        CannedReplies.event(1, "INFO", "10.0.1.3/24 from eni-1"),
                        CannedReplies.event(2, "WARNING", "waited 2 s")),
                "0.52 0.40 0.31");
    }

    private static CloudApiBudget api(String name, int used) {
        return CloudApiBudget.newBuilder()
                .setApi(name)
                .setLimit(100)
                .setAllowed(100)
                .setUsed(used)
                .setLeft(100 - used)
                .build();
    }

    private static String golden(String name, String seen) throws IOException {
        String resource = "/golden/" + name + ".txt";
        if (Boolean.getBoolean("golden.write")) {
            Files.writeString(Path.of("src/test/resources" + resource), seen);
            return seen;
        }
        try (InputStream file = DashboardTest.class.getResourceAsStream(resource)) {
            assertThat(file)
                    .as(resource + " exists; make it with -Dgolden.write=true")
                    .isNotNull();
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
