package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each contract finds what breaks it, and has no rule that nothing breaks. */
@Execution(ExecutionMode.CONCURRENT)
class FlawedImplementationsTest {
    private static final Map<Class<?>, Class<?>> CONTRACTS = Map.of(
            FlawedFactories.class, ResourceFactoryContract.class,
            FlawedPolicies.class, PoolPolicyContract.class,
            FlawedJournals.class, JournalContract.class,
            FlawedAllocators.class, AllocatorContract.class,
            FlawedControllers.class, ControllerContract.class,
            FlawedVoters.class, VoterContract.class);

    static Stream<Class<?>> flaws() {
        return CONTRACTS.keySet().stream().flatMap(FlawDetector::in);
    }

    static Stream<Arguments> contracts() {
        return CONTRACTS.entrySet().stream().map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("flaws")
    void eachFlawIsFoundByItsRuleAndNoOther(Class<?> flawed) {
        FlawDetector.assertFound(flawed);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("contracts")
    void thereIsAFlawForEveryRule(Class<?> collection, Class<?> contract) {
        Set<String> broken = FlawDetector.in(collection)
                .map(flaw -> flaw.getAnnotation(Breaks.class).value())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(broken).isEqualTo(ContractResult.rules(contract));
    }
}
