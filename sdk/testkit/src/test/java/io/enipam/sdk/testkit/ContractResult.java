package io.enipam.sdk.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/**
 * What a contract found.
 *
 * @param failed the tests that failed, and what they said
 * @param passed how many passed
 */
record ContractResult(Map<String, String> failed, Set<String> passed) {
    static ContractResult on(Class<?> contract) {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.conditions.deactivate", "org.junit.*DisabledCondition")
                .selectors(selectClass(contract))
                .execute()
                .testEvents();
        Map<String, String> failed = new TreeMap<>();
        tests.failed().stream().forEach(event -> failed.put(name(event), message(event)));
        Set<String> passed =
                tests.succeeded().stream().map(ContractResult::name).collect(Collectors.toCollection(TreeSet::new));
        return new ContractResult(failed, passed);
    }

    private static String name(Event event) {
        return event.getTestDescriptor()
                .getSource()
                .map(MethodSource.class::cast)
                .map(MethodSource::getMethodName)
                .orElseThrow();
    }

    private static String message(Event event) {
        return event.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .map(String::valueOf)
                .orElse("");
    }

    /** The names of a contract's tests. */
    static Set<String> rules(Class<?> contract) {
        return Stream.of(contract.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(java.lang.reflect.Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
