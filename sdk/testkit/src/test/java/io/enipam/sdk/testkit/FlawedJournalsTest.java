package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FlawedJournalsTest {
    static Stream<Class<?>> flaws() {
        return FlawDetector.in(FlawedJournals.class);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("flaws")
    void eachFlawIsFoundByItsRuleAndNoOther(Class<?> flawed) {
        FlawDetector.assertFound(flawed);
    }

    @Test
    void thereIsAFlawForEveryRule() {
        Set<String> broken = flaws().map(
                        flaw -> flaw.getAnnotation(Breaks.class).value())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(broken).isEqualTo(ContractResult.rules(JournalContract.class));
    }
}
