package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each page that the shell writes, in Chromium without a network, on a telephone and on a desk: it fits the width, its style is let in by its own
 * policy, and its charts have lines. {@code -Denipam.pages.browser=chromium} names the program; the nightly build does.
 */
@EnabledIfSystemProperty(
        named = "enipam.pages.browser",
        matches = ".+",
        disabledReason = "a browser takes seconds: -Denipam.pages.browser=chromium runs it, and -Pnightly does")
class PagesInABrowserTest extends AttachedShell {
    private static final Pattern SEEN = Pattern.compile("data-seen=\"(\\d+) (\\d+) (\\d+) ([^\"]*)\"");
    private static final int HEIGHT = 900;

    @BeforeEach
    void recordHistory() {
        withHistory();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 1280})
    void thePagesOfThePoolsHistory(int width) throws Exception {
        Path page = directory.resolve("pool-" + width + ".html");
        assertThat(program("pool", "history", "--html", page.toString()).status())
                .isZero();

        assertReadable(page, width);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 1280})
    void theReportOfTheSupportBundle(int width) throws Exception {
        Path archive = directory.resolve("bundle-" + width + ".tgz");
        program("support-bundle", archive.toString());
        Path unpacked = Files.createDirectories(directory.resolve("unpacked-" + width));
        assertThat(output("tar", "-xzf", archive.toString(), "--strip-components=1", "-C", unpacked.toString()))
                .isEmpty();

        assertReadable(unpacked.resolve("report.html"), width);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 1280})
    void theReportOfTheLab(int width) throws Exception {
        LabTest.sweeps(directory);
        Path page = directory.resolve("lab-" + width + ".html");
        assertThat(program("lab", "sweep", "day.jsonl", "--html", page.toString())
                        .status())
                .isZero();

        assertReadable(page, width);
    }

    private static void assertReadable(Path page, int width) throws Exception {
        Path frame = Files.writeString(
                page.resolveSibling("frame-" + page.getFileName()),
                "<!DOCTYPE html><body><iframe id=\"page\" src=\"" + page.getFileName() + "\" style=\"border:0;width:"
                        + width
                        + "px;height:" + HEIGHT + "px\"></iframe><script>page.onload = () => {"
                        + "const root = page.contentDocument.documentElement, lines = root.querySelectorAll('path.line');"
                        + "document.body.dataset.seen = [root.scrollWidth, root.clientWidth, lines.length,"
                        + " getComputedStyle(lines[0]).stroke].join(' ')}</script>");
        String dom = output(
                System.getProperty("enipam.pages.browser"),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--allow-file-access-from-files",
                "--proxy-server=http://127.0.0.1:9",
                "--user-data-dir=" + page.resolveSibling("profile"),
                "--window-size=" + (width + 100) + "," + HEIGHT,
                "--virtual-time-budget=5000",
                "--dump-dom",
                frame.toUri().toString());
        Matcher seen = SEEN.matcher(dom);
        assertThat(seen.find()).as(dom).isTrue();
        assertThat(Integer.parseInt(seen.group(1)))
                .as("what the page takes of " + width)
                .isLessThanOrEqualTo(Integer.parseInt(seen.group(2)));
        assertThat(Integer.parseInt(seen.group(3))).as("lines").isPositive();
        assertThat(seen.group(4)).as("the colour of a line").startsWith("rgb");
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return said;
    }
}
