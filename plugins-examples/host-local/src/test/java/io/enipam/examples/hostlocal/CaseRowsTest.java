package io.enipam.examples.hostlocal;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That each row of the acceptance table has a test of its name, or says here where it is tested or why it is not. */
class CaseRowsTest {
    private static final List<String> ROWS =
            List.of(("A1 A2 A4 A5 A7 A8 A10 A11 A13 A14 A16 A17 A19 A20 A22 A23 A25 A26"
                            + " B1 B2 B4 B5 B7 B8 B10 B11 B13 B14 B16 B17 B19 B20 B22 B23 B25 B26"
                            + " C1 C2 C4 C5 C7 C8 C10 C11 C13 C14 C16 C17"
                            + " D2 D3 D5 D6 D8 D9 D11 D12"
                            + " E2 E3 E5 E6 E8 E9 E11 E12")
                    .split(" "));

    private static final List<Class<?>> TESTS = List.of(
            CallCasesTest.class,
            RangeCasesTest.class,
            RequestCasesTest.class,
            FileCasesTest.class,
            CallPathCasesTest.class,
            OperatorTest.class);

    /** Rows of ranges and locks by themselves, which the library tests: {@code CLASS.METHOD} of {@code sdk/ranges}. */
    private static final Map<String, String> IN_THE_LIBRARY = Map.of(
            "B20", "RangeSetTest.whatARangeDoesNotSayFollowsFromItsSubnet",
            "B22", "RangeSetTest.anAddressIsOfARangeFromItsStartToItsEnd",
            "B23", "RangeSetTest.onlyTheAddressesOfTwoRangesCanOverlap",
            "D5", "FlockTest.noOtherProcessHasItMeanwhile");

    private static final Map<String, String> NOT_TESTED = Map.of(
            "E9",
            "which file of /etc/cni/net.d is the network is the runtime's choice, and the plugin is called for one");

    private static final Pattern NAME = Pattern.compile("([a-e][0-9]+(?:And[A-E][0-9]+)*)[A-Z].*");

    @Test
    void eachRowHasATestOfItsNameOrAReason() throws IOException {
        TreeSet<String> named = TESTS.stream()
                .flatMap(test -> Arrays.stream(test.getDeclaredMethods()))
                .map(Method::getName)
                .map(NAME::matcher)
                .filter(name -> name.matches())
                .flatMap(name -> Stream.of(name.group(1).split("And")))
                .map(row -> row.toUpperCase(Locale.ROOT))
                .collect(toCollection(TreeSet::new));
        for (Map.Entry<String, String> elsewhere : IN_THE_LIBRARY.entrySet()) {
            String[] test = elsewhere.getValue().split("[.]");
            assertThat(Path.of("../../sdk/ranges/src/test/java/io/enipam/sdk/ranges", test[0] + ".java"))
                    .as(elsewhere.getKey())
                    .content()
                    .contains("void " + test[1] + "(");
            assertThat(named.add(elsewhere.getKey())).as(elsewhere.getKey()).isTrue();
        }
        NOT_TESTED.keySet().forEach(row -> assertThat(named.add(row)).as(row).isTrue());
        assertThat(named).containsExactlyInAnyOrderElementsOf(ROWS);
    }
}
