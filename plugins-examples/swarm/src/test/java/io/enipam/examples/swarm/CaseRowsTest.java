package io.enipam.examples.swarm;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That each row of the acceptance table of networks, addresses and ports has a test of its name, or says here why not. */
class CaseRowsTest {
    private static final List<String> ROWS =
            List.of(("A1 A2 A4 A5 A7 A8 A10 A11 A13 A14 A16 A17 A19 A20 A22 A23 A25 A26 A28 A29 A31"
                            + " B1 B3 B4 B6 B7 B9 B10 B12 B13 B15"
                            + " C1 C3 C4 C6 C7 C9 C10 C12 C13 C15 C16 C18 C19 C21 C22 C24 C25 C27")
                    .split(" "));

    private static final List<Class<?>> TESTS =
            List.of(NetworkCasesTest.class, AddressCasesTest.class, PortCasesTest.class);

    private static final String CONTROL = "it is checked before an object is written, not when it is allocated";

    private static final Map<String, String> NOT_TESTED_HERE = Map.of("A26", CONTROL, "A31", CONTROL, "C27", CONTROL);

    private static final Pattern NAME = Pattern.compile("([abc][0-9]+(?:And[ABC][0-9]+)*)[A-Z].*");

    @Test
    void eachRowHasATestOfItsNameOrAReason() {
        TreeSet<String> named = TESTS.stream()
                .flatMap(test -> Arrays.stream(test.getDeclaredMethods()))
                .map(Method::getName)
                .map(NAME::matcher)
                .filter(Matcher::matches)
                .flatMap(name -> Stream.of(name.group(1).split("And")))
                .map(row -> row.toUpperCase(Locale.ROOT))
                .collect(toCollection(TreeSet::new));
        NOT_TESTED_HERE
                .keySet()
                .forEach(row -> assertThat(named.add(row)).as(row).isTrue());
        assertThat(named).containsExactlyInAnyOrderElementsOf(ROWS);
    }
}
