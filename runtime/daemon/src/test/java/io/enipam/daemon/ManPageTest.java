package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** enipamd(8) is written by hand. */
class ManPageTest {
    private static final Pattern ITEM = Pattern.compile("(?m)^\\.B (-.*)$");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--?[a-zA-Z][a-z-]*");

    private final CommandSpec spec =
            new CommandLine(new DaemonMain(DaemonEnvironment.real(), EngineAssembly.builtIn())).getCommandSpec();
    private final String page;

    ManPageTest() throws IOException {
        page = Files.readString(Path.of("src/main/man/man8/enipamd.8")).replace("\\-", "-");
    }

    @Test
    void theManualPageDescribesEveryOptionAndNoneThatIsNotThere() {
        Set<String> there = new TreeSet<>();
        for (OptionSpec option : spec.options()) {
            there.addAll(List.of(option.names()));
        }

        Set<String> described = new TreeSet<>();
        for (Matcher item = ITEM.matcher(page); item.find(); ) {
            OPTION.matcher(item.group(1)).results().forEach(option -> described.add(option.group()));
        }

        assertThat(described).isEqualTo(there).contains("--root", "-h");
    }

    @Test
    void theManualPageTellsWhatEachExitStatusMeans() {
        assertThat(spec.usageMessage().exitCodeList()).isNotEmpty();
        spec.usageMessage()
                .exitCodeList()
                .forEach((status, meaning) -> assertThat(page).containsIgnoringCase(".B " + status + "\n" + meaning));
    }
}
