package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What the tests of the contracts share: finding the flawed implementations, and judging whether they were found out. */
final class FlawDetector {
    private FlawDetector() {}

    static Stream<Class<?>> in(Class<?> collection) {
        return Stream.<Class<?>>of(collection.getDeclaredClasses())
                .filter(type -> type.isAnnotationPresent(Breaks.class))
                .sorted(Comparator.comparing(Class::getSimpleName));
    }

    static void assertFound(Class<?> flawed) {
        Breaks breaks = flawed.getAnnotation(Breaks.class);
        ContractResult verdict = ContractResult.on(flawed);
        assertThat(verdict.failed()).as("what found the flaw").containsKey(breaks.value());
        assertThat(verdict.failed().get(breaks.value())).contains(breaks.saying());
        Set<String> others = new TreeSet<>(verdict.failed().keySet());
        others.remove(breaks.value());
        assertThat(others).as(() -> "others that failed: " + verdict.failed()).isSubsetOf(breaks.orAlso());
        assertThat(verdict.passed()).as("what passed").isNotEmpty();
    }
}
