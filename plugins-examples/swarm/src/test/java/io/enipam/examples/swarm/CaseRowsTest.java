package io.enipam.examples.swarm;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.state.ControlTest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That each row of the acceptance table of swarmkit's allocator has a test of its name. */
class CaseRowsTest {
    private static final List<String> ROWS =
            List.of(("A1 A2 A4 A5 A7 A8 A10 A11 A13 A14 A16 A17 A19 A20 A22 A23 A25 A26 A28 A29 A31"
                            + " B1 B3 B4 B6 B7 B9 B10 B12 B13 B15"
                            + " C1 C3 C4 C6 C7 C9 C10 C12 C13 C15 C16 C18 C19 C21 C22 C24 C25 C27"
                            + " D1 D3 D4 D6 D7 D9 D10 D12 D13 D15 D16 D18 D19 D21 D22 D24 D25 D27 D28 D30 D31 D33 D34"
                            + " E1 E2 E4 E5")
                    .split(" "));

    private static final List<Class<?>> TESTS = List.of(
            NetworkCasesTest.class,
            AddressCasesTest.class,
            PortCasesTest.class,
            AllocatorCasesTest.class,
            ControlTest.class);

    private static final Pattern NAME = Pattern.compile("([a-e][0-9]+)[A-Z].*|([A-E][0-9]+) .*");

    @Test
    void eachRowHasATestOfItsName() {
        TreeSet<String> named = TESTS.stream()
                .flatMap(test -> Arrays.stream(test.getDeclaredMethods()))
                .filter(test -> !test.isSynthetic())
                .map(CaseRowsTest::name)
                .map(NAME::matcher)
                .filter(Matcher::matches)
                .map(name -> Optional.ofNullable(name.group(1)).orElseGet(() -> name.group(2)))
                .map(row -> row.toUpperCase(Locale.ROOT))
                .collect(toCollection(TreeSet::new));
        assertThat(named).containsExactlyInAnyOrderElementsOf(ROWS);
    }

    private static String name(Method test) {
        return Optional.ofNullable(test.getAnnotation(DisplayName.class))
                .map(DisplayName::value)
                .orElseGet(test::getName);
    }
}
