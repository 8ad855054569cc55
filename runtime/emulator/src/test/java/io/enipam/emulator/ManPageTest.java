package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

/** enipam-cloud(8) is written by hand. */
class ManPageTest {
    private static final Pattern ITEM = Pattern.compile("(?m)^\\.B (-.*)$");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--?[a-zA-Z][a-z-]*");

    @Test
    void theManualPageDescribesEveryOptionAndNoneThatIsNotThere() throws IOException {
        Set<String> there = new TreeSet<>();
        for (OptionSpec option :
                new EmulatorMain(Map.of()).commandLine().getCommandSpec().options()) {
            there.addAll(Set.of(option.names()));
        }
        String page =
                Files.readString(Path.of("src/main/man/man8/enipam-cloud.8")).replace("\\-", "-");

        Set<String> described = new TreeSet<>();
        for (Matcher item = ITEM.matcher(page); item.find(); ) {
            OPTION.matcher(item.group(1)).results().forEach(option -> described.add(option.group()));
        }

        assertThat(described).isEqualTo(there).contains("--listen", "-h");
    }
}
