package io.enipam.lab.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceGenerator;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** Contracts as the author of a policy writes them: one that holds, and one for each way in which a claim is false. */
class LabContractTest {
    private static final Trace JOBS = TraceGenerator.make(new Wishes(Pattern.CRON, 60, Duration.ofMinutes(30), 6, 5));

    /** Keeps as many addresses as its setting says, or, if it is asked to, another number each time. */
    static final class WarmPlugin implements IpamPlugin {
        private static final Setting<Integer> WARM = Setting.wholeNumber("warm", 0, 100, 1);
        private static final AtomicInteger ASKED = new AtomicInteger();

        @Override
        public List<Setting<?>> settings() {
            return List.of(WARM);
        }

        @Override
        public List<PoolPolicyProvider> poolPolicies() {
            return List.of(
                    PoolPolicyProvider.of(
                            "warm", context -> policy("warm", context.settings().get(WARM), false)),
                    PoolPolicyProvider.of("moody", context -> policy("moody", 12, true)));
        }

        private static PoolPolicy policy(String name, int warm, boolean moody) {
            return new PoolPolicy() {
                @Override
                public String name() {
                    return name;
                }

                @Override
                public Target target(PoolSnapshot pool) {
                    int idle = moody ? warm + ASKED.incrementAndGet() % 7 : warm;
                    return Target.between(idle, idle);
                }
            };
        }
    }

    /** All of it holds. */
    static class Sound extends LabContract {
        @Override
        protected PolicyCatalog policies() {
            return PolicyCatalog.of(new WarmPlugin());
        }

        @Override
        protected String policy() {
            return "warm(warm=12)";
        }

        @Override
        protected Trace trace() {
            return JOBS;
        }

        @Override
        protected Duration longestP99() {
            return Duration.ofSeconds(1);
        }

        @Override
        protected double mostWaited() {
            return 0.1;
        }

        @Override
        protected double mostIdle() {
            return 14;
        }
    }

    static final class TooCold extends Sound {
        @Override
        protected String policy() {
            return "warm(warm=0)";
        }

        @Override
        protected double mostWaited() {
            return 1;
        }
    }

    static final class TooManyWait extends Sound {
        @Override
        protected String policy() {
            return "warm(warm=0)";
        }

        @Override
        protected Duration longestP99() {
            return Duration.ofHours(1);
        }
    }

    static final class TooWarm extends Sound {
        @Override
        protected double mostIdle() {
            return 3;
        }
    }

    static final class TooManyCalls extends Sound {
        @Override
        protected long mostCalls() {
            return 3;
        }
    }

    static final class TooFewAddresses extends Sound {
        @Override
        protected String policy() {
            return "warm(warm=2,capacity=2)";
        }

        @Override
        protected Duration longestP99() {
            return Duration.ofHours(1);
        }

        @Override
        protected double mostWaited() {
            return 1;
        }
    }

    static final class Moody extends Sound {
        @Override
        protected String policy() {
            return "moody";
        }

        @Override
        protected double mostIdle() {
            return 100;
        }
    }

    static final class Absent extends Sound {
        @Override
        protected String policy() {
            return "absent";
        }
    }

    @Test
    void aClaimThatHoldsPasses() {
        assertThat(failures(Sound.class)).isEmpty();
    }

    @Test
    void eachClaimThatIsFalseFailsItsTestAloneAndSaysWhatWasFound() {
        assertThat(failures(TooCold.class))
                .containsOnlyKeys("podsWaitNoLongerThanIsClaimed")
                .allSatisfy((test, says) -> assertThat(says)
                        .contains("99 of 100 pods wait 1000 ms at most", "warm(warm=0), seed 1", "warm(warm=0), seed 3")
                        .containsPattern("p50 \\d+ ms, p99 \\d{4,} ms"));
        assertThat(failures(TooManyWait.class))
                .containsOnlyKeys("noMorePodsWaitThanIsClaimed")
                .allSatisfy((test, says) -> assertThat(says)
                        .contains("10.0 % of the pods wait at most")
                        .containsPattern("\\d{2}.\\d\\d % waited"));
        assertThat(failures(TooWarm.class))
                .containsOnlyKeys("noMoreAddressesAreIdleThanIsClaimed")
                .allSatisfy((test, says) -> assertThat(says).containsPattern("\\d\\.\\d idle address-hours"));
        assertThat(failures(TooManyCalls.class))
                .containsOnlyKeys("theCloudIsCalledNoMoreOftenThanIsClaimed")
                .allSatisfy((test, says) -> assertThat(says).contains("AssignPrivateIpAddresses"));
        assertThat(failures(TooFewAddresses.class))
                .containsOnlyKeys("noMoreAddsFailThanIsClaimed")
                .allSatisfy((test, says) -> assertThat(says).contains("POOL_EXHAUSTED"));
        assertThat(failures(Moody.class))
                .containsOnlyKeys("theSameSeedGivesTheSameResult")
                .allSatisfy((test, says) -> assertThat(says).contains("moody decides by what it is given alone"));
    }

    @Test
    void aPolicyThatIsNotThereFailsWithTheNamesOfThoseThatAre() {
        assertThat(failures(Absent.class))
                .containsKey("podsWaitNoLongerThanIsClaimed")
                .allSatisfy((test, says) ->
                        assertThat(says).contains("there is no policy absent; there are watermark, moody, warm"));
    }

    private static Map<String, String> failures(Class<?> contract) {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(contract))
                .execute()
                .testEvents();
        assertThat(tests.started().count()).isEqualTo(6);
        Map<String, String> failed = new TreeMap<>();
        tests.failed().stream()
                .forEach(event -> failed.put(
                        event.getTestDescriptor()
                                .getSource()
                                .map(MethodSource.class::cast)
                                .map(MethodSource::getMethodName)
                                .orElseThrow(),
                        message(event)));
        return failed;
    }

    private static String message(Event event) {
        return event.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .map(String::valueOf)
                .orElse("");
    }
}
