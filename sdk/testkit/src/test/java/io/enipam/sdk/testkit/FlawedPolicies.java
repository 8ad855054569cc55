package io.enipam.sdk.testkit;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Policies that break one rule each, and the test that must find it. */
final class FlawedPolicies {
    private FlawedPolicies() {}

    /** A contract tried on fewer pools: these flaws show on most. */
    abstract static class Flawed extends PoolPolicyContract {
        @Override
        protected int snapshots() {
            return 300;
        }
    }

    /** The defaults under a name. */
    static class Plain implements PoolPolicy {
        @Override
        public String name() {
            return "plain";
        }
    }

    /** Picks by state. */
    private static Pick first(PoolSnapshot pool, ResourceState state) {
        return pool.in(state).stream()
                .findFirst()
                .map(view -> Pick.chosen(view.resource().id()))
                .orElse(Pick.longestIdle());
    }

    private static List<ResourceId> ids(PoolSnapshot pool, ResourceState state) {
        return pool.in(state).stream().map(view -> view.resource().id()).toList();
    }

    @Breaks(
            value = "askedAgainItAnswersTheSame",
            orAlso = {
                "theOrderOfTheQuestionsDoesNotMatter",
                "aSecondOneOpenedAlikeAnswersAlike",
                "threadsThatAskTogetherGetTheSameAnswers",
                "theDateDoesNotMatter"
            })
    static class CountsItsCalls extends Flawed {
        @Override
        protected PoolPolicy policy() {
            AtomicInteger calls = new AtomicInteger();
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return Duration.ofSeconds(calls.incrementAndGet() % 7);
                }
            };
        }
    }

    @Breaks(value = "theOrderOfTheQuestionsDoesNotMatter", orAlso = "threadsThatAskTogetherGetTheSameAnswers")
    static class RemembersTheBusiestPool extends Flawed {
        @Override
        protected PoolPolicy policy() {
            AtomicInteger busiest = new AtomicInteger();
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return Duration.ofSeconds(busiest.accumulateAndGet(pool.count(ResourceState.IN_USE), Math::max));
                }
            };
        }
    }

    @Breaks(value = "aSecondOneOpenedAlikeAnswersAlike", orAlso = "threadsThatAskTogetherGetTheSameAnswers")
    static class DrawsAtRandomWhenOpened extends Flawed {
        private static final AtomicInteger OPENED = new AtomicInteger();

        @Override
        protected PoolPolicy policy() {
            int lot = OPENED.incrementAndGet() % 600;
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return Duration.ofSeconds(lot);
                }
            };
        }
    }

    /** A quota that counts for itself whom it let in. */
    @Breaks(
            value = "askedAgainItAnswersTheSame",
            orAlso = {
                "theOrderOfTheQuestionsDoesNotMatter",
                "threadsThatAskTogetherGetTheSameAnswers",
                "theDateDoesNotMatter"
            })
    static class CountsThePodsItLetIn extends Flawed {
        @Override
        protected PoolPolicy policy() {
            AtomicInteger letIn = new AtomicInteger();
            return new Plain() {
                @Override
                public Pick pick(PoolSnapshot pool, PodView pod) {
                    return letIn.incrementAndGet() > 1_000
                            ? Pick.refuse(ErrorKind.QUOTA_EXHAUSTED, "the quota is used up")
                            : Pick.longestIdle();
                }
            };
        }
    }

    @Breaks("aRefusalSaysWhyInOneLine")
    static class ListsThePodsOfTheNamespace extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Pick pick(PoolSnapshot pool, PodView pod) {
                    List<String> others = pool.resources().stream()
                            .flatMap(view -> view.owner().stream())
                            .map(PodView::ref)
                            .filter(owner -> owner.namespace().equals(pod.ref().namespace()))
                            .map(PodRef::toString)
                            .toList();
                    return others.size() > 3
                            ? Pick.refuse(ErrorKind.QUOTA_EXHAUSTED, "too many:\n" + String.join("\n", others))
                            : Pick.longestIdle();
                }
            };
        }
    }

    @Breaks("threadsThatAskTogetherGetTheSameAnswers")
    static class SharesABuffer extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                private volatile int held;

                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    held = pool.resources().size();
                    LockSupport.parkNanos(1_000);
                    for (int spin = 0; spin < 200; spin++) {
                        Thread.onSpinWait();
                    }
                    return Duration.ofSeconds(held);
                }
            };
        }
    }

    @Breaks("theDateDoesNotMatter")
    static class GoesByTheCalendar extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return Duration.ofSeconds(pool.at().atZone(ZoneOffset.UTC).getYear() % 60);
                }
            };
        }
    }

    @Breaks("noQuestionThrows")
    static class DividesByTheLent extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Target target(PoolSnapshot pool) {
                    int warm = 2 + 10 / pool.count(ResourceState.IN_USE) / 20;
                    return Target.between(warm, warm + 2);
                }
            };
        }
    }

    @Breaks("noAnswerIsNull")
    static class HasNoOpinion extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                // What a plugin compiled without null checks may do.
                @Override
                @SuppressWarnings({"NullAway", "DataFlowIssue"})
                public Pick pick(PoolSnapshot pool, PodRef pod) {
                    return null;
                }
            };
        }
    }

    @Breaks(value = "whatIsPickedIsIdle", saying = "which is IN_USE")
    static class PicksWhatIsLent extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Pick pick(PoolSnapshot pool, PodRef pod) {
                    return first(pool, ResourceState.IN_USE);
                }
            };
        }
    }

    @Breaks(value = "whatIsPickedIsIdle", saying = "not in the snapshot")
    static class PicksWhatItMadeUp extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Pick pick(PoolSnapshot pool, PodRef pod) {
                    return Pick.chosen(new ResourceId("eni-0/192.0.2.1"));
                }
            };
        }
    }

    @Breaks(value = "whatIsReservedOrCoolingIsNotPicked", saying = "RESERVED")
    static class BreaksReservations extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Pick pick(PoolSnapshot pool, PodRef pod) {
                    return first(pool, ResourceState.RESERVED);
                }
            };
        }
    }

    @Breaks(value = "whatIsReservedOrCoolingIsNotPicked", saying = "COOLING")
    static class CutsCoolDownsShort extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Pick pick(PoolSnapshot pool, PodRef pod) {
                    return first(pool, ResourceState.COOLING);
                }
            };
        }
    }

    @Breaks("whatIsShedFirstIsIdle")
    static class ShedsWhatIsLent extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Target target(PoolSnapshot pool) {
                    return new Target(pool.minIdle(), pool.maxIdle(), ids(pool, ResourceState.IN_USE));
                }
            };
        }
    }

    @Breaks("nothingIsShedTwice")
    static class ShedsTwice extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Target target(PoolSnapshot pool) {
                    List<ResourceId> twice = new ArrayList<>(ids(pool, ResourceState.IDLE));
                    twice.addAll(ids(pool, ResourceState.IDLE));
                    return new Target(pool.minIdle(), pool.maxIdle(), twice);
                }
            };
        }
    }

    @Breaks(value = "aCoolDownIsZeroToOneHour", saying = "PT-")
    static class CoolsIntoThePast extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return configured.minusSeconds(60);
                }
            };
        }
    }

    @Breaks(value = "aCoolDownIsZeroToOneHour", saying = "PT1H1M")
    static class CoolsTooLong extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return configured.compareTo(Duration.ofMinutes(30)) > 0 ? configured.plusSeconds(60) : configured;
                }
            };
        }
    }

    @Breaks("aStickTimeIsZeroToOneDay")
    static class SticksTooLong extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration stick(PoolSnapshot pool, Resource released, PodRef pod, Duration wished) {
                    return wished.multipliedBy(2);
                }
            };
        }
    }

    @Breaks(value = "theNameIsConstantAndWellFormed", saying = "the name is")
    static class HasANameNobodyCanType extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return () -> "My Policy";
        }
    }

    @Breaks(value = "theNameIsConstantAndWellFormed", saying = "became")
    static class ChangesItsName extends Flawed {
        @Override
        protected PoolPolicy policy() {
            AtomicInteger calls = new AtomicInteger();
            return () -> "policy-" + calls.incrementAndGet();
        }
    }

    @Breaks("anAnswerIsQuick")
    static class ComparesAllWithAll extends Flawed {
        @Override
        protected Duration answerTime() {
            return Duration.ofMillis(2);
        }

        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    if (pool.resources().size() < 500) {
                        return configured;
                    }
                    long twins = 0;
                    for (ResourceView one : pool.resources()) {
                        for (ResourceView other : pool.resources()) {
                            twins += one.resource()
                                            .id()
                                            .toString()
                                            .equals(other.resource().id() + "x")
                                    ? 1
                                    : 0;
                        }
                    }
                    return configured.plusNanos(twins);
                }
            };
        }
    }

    @Breaks("nobodyStarvesWhileThereIsRoom")
    static class CoolsForAnHour extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                    return Duration.ofHours(1);
                }
            };
        }
    }

    @Breaks("nobodyStarvesWhileThereIsRoom")
    static class ReservesForEverybody extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Duration stick(PoolSnapshot pool, Resource released, PodRef pod, Duration wished) {
                    return Duration.ofMinutes(50);
                }
            };
        }
    }

    @Breaks("withoutLoadThePoolComesToRest")
    static class ChasesItsOwnTail extends Flawed {
        @Override
        protected PoolPolicy policy() {
            return new Plain() {
                @Override
                public Target target(PoolSnapshot pool) {
                    return pool.count(ResourceState.IDLE) >= 4 ? Target.between(0, 1) : Target.between(5, 6);
                }
            };
        }
    }
}
