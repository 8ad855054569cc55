package io.enipam.sdk.testkit;

import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Factories that break one rule each, and the test that must find it. */
final class FlawedFactories {
    private FlawedFactories() {}

    /** A contract whose author is less patient, so that flaws that hang are found soon. */
    abstract static class Flawed extends SoundFactoryTest {
        /** How long work is under way where a flaw shows in that; long in the test that must find it, on a machine that stands still. */
        volatile int underWay = 15;

        /** @param finds the test that must find it */
        final void slowly(Runnable finds) {
            underWay = 3_000;
            finds.run();
        }

        @Override
        protected Duration patience() {
            return Duration.ofSeconds(10);
        }

        @Override
        protected int steps() {
            return 20;
        }

        @Override
        protected ResourceFactory open(PluginContext context) {
            return flawed(cloud, context);
        }

        abstract SoundFactory flawed(InMemoryProvider cloud, PluginContext context);
    }

    private static Failed failed(ErrorKind kind) {
        return Failed.of(kind, "flawed");
    }

    private static void sleep(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- Batches

    @Breaks(value = "aBatchHasOneStageForEachItem", saying = "3 stages were returned for 4 items")
    static class ForgetsAStage extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    return super.create(requests.size() == 4 ? requests.subList(0, 3) : requests);
                }
            };
        }
    }

    @Breaks(value = "aBatchHasOneStageForEachItem", saying = "a call with 4 items threw")
    static class ThrowsInsteadOfFailing extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    if (requests.size() == 4) {
                        throw new FactoryException(ErrorKind.UNAVAILABLE, "four is too many");
                    }
                    return super.create(requests);
                }
            };
        }
    }

    @Breaks("createsAreAnsweredInTheOrderOfTheRequests")
    static class AnswersCreatesByWhoIsFirst extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    List<CompletionStage<CreateResult>> stages = super.create(requests);
                    if (requests.size() == 3) {
                        Collections.reverse(stages);
                    }
                    return stages;
                }
            };
        }
    }

    @Breaks("disposalsAreAnsweredInTheOrderOfTheResources")
    static class AnswersDisposalsByWhoIsFirst extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                    List<CompletionStage<DisposeResult>> stages = super.dispose(resources);
                    Collections.reverse(stages);
                    return stages;
                }
            };
        }
    }

    /** Answers the last of a large batch in a way of its own. */
    abstract static class StumblesOverTheLast extends Flawed {
        abstract CompletionStage<CreateResult> last();

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    List<CompletionStage<CreateResult>> stages = super.create(requests);
                    if (requests.size() == InMemoryProvider.CAPACITY - 1) {
                        stages.set(requests.size() - 1, last());
                    }
                    return stages;
                }
            };
        }
    }

    @Breaks(value = "everyStageOfALargeBatchCompletes", saying = "still open after")
    static class NeverAnswersTheLast extends StumblesOverTheLast {
        @Override
        CompletionStage<CreateResult> last() {
            return new CompletableFuture<>();
        }
    }

    @Breaks(value = "everyStageOfALargeBatchCompletes", saying = "completed with null")
    static class AnswersTheLastWithNull extends StumblesOverTheLast {
        @Override
        CompletionStage<CreateResult> last() {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Breaks(value = "everyStageOfALargeBatchCompletes", saying = "completed with the exception")
    static class AnswersTheLastWithAnException extends StumblesOverTheLast {
        @Override
        CompletionStage<CreateResult> last() {
            return CompletableFuture.failedFuture(new FactoryException(ErrorKind.UNAVAILABLE, "flawed"));
        }
    }

    @Breaks("askedForMoreThanItsCapacityItGivesExactlyThatAndFailsTheRest")
    static class AllOrNothing extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    return requests.size() <= InMemoryProvider.CAPACITY
                            ? super.create(requests)
                            : Stream.<CompletionStage<CreateResult>>generate(
                                            () -> CompletableFuture.completedFuture(failed(ErrorKind.QUOTA_EXHAUSTED)))
                                    .limit(requests.size())
                                    .toList();
                }
            };
        }
    }

    @Breaks(value = "askedForMoreThanItsCapacityItGivesExactlyThatAndFailsTheRest", saying = "UNAVAILABLE")
    static class DoesNotSayItIsFull extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    CreateResult result = super.make(request);
                    return result instanceof Failed failed && failed.kind() == ErrorKind.ADDRESSES_EXHAUSTED
                            ? failed(ErrorKind.UNAVAILABLE)
                            : result;
                }
            };
        }
    }

    @Breaks("whatIsGivenBackToAFullFactoryCanBeMadeAgain")
    static class OnceFullAlwaysFull extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private volatile boolean full;

                @Override
                CreateResult make(CreateRequest request) {
                    CreateResult result = full ? failed(ErrorKind.QUOTA_EXHAUSTED) : super.make(request);
                    full |= cloud.all().size() == InMemoryProvider.CAPACITY;
                    return result;
                }
            };
        }
    }

    // ---- Tokens

    @Breaks("theSameTokenGivesTheSameResource")
    static class ForgetsATokenOnceDelivered extends Flawed {
        @Override
        @Test
        void theSameTokenAskedTwiceAtOnceGivesTheSameResource() {
            slowly(super::theSameTokenAskedTwiceAtOnceGivesTheSameResource);
        }

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final Set<RequestToken> delivered = new HashSet<>();
                private final Map<RequestToken, Integer> asked = new HashMap<>();

                @Override
                public synchronized List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    requests.forEach(request -> {
                        if (delivered.contains(request.token())) {
                            cloud.tokens.remove(request.token());
                        }
                        asked.merge(request.token(), 1, Integer::sum);
                    });
                    return super.create(requests);
                }

                // Both of two that are under way together find the token before it is forgotten.
                @Override
                CreateResult make(CreateRequest request) {
                    sleep(underWay);
                    CreateResult result = super.make(request);
                    synchronized (this) {
                        delivered.add(request.token());
                    }
                    return result;
                }
            };
        }
    }

    @Breaks("theSameTokenAskedTwiceAtOnceGivesTheSameResource")
    static class LooksATokenUpTooEarly extends Flawed {
        @Override
        @Test
        void theSameTokenAskedTwiceAtOnceGivesTheSameResource() {
            slowly(super::theSameTokenAskedTwiceAtOnceGivesTheSameResource);
        }

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    boolean known = cloud.find(request.token()).isPresent();
                    sleep(underWay);
                    synchronized (cloud) {
                        if (!known) {
                            cloud.tokens.remove(request.token());
                        }
                        return super.make(request);
                    }
                }
            };
        }
    }

    @Breaks("theSameTokenGivesTheSameResourceAfterAReopening")
    static class KeepsTokensInMemory extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            cloud.tokens.clear();
            return new SoundFactory(cloud, context);
        }
    }

    @Breaks(
            value = "differentTokensGiveDifferentResources",
            orAlso = "threadsThatCreateDisposeAndListLoseNothingAndGetNothingTwice")
    static class GivesTheFourthTheThirds extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final AtomicInteger made = new AtomicInteger();

                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    int before = made.getAndAdd(requests.size());
                    return requests.size() == 1 && before == 3 && cloud.all().size() == 3
                            ? List.of(CompletableFuture.completedFuture(
                                    new Created(cloud.all().get(0))))
                            : super.create(requests);
                }
            };
        }
    }

    // ---- Disposal

    /** Disposes slowly, and knows when it is asked what is gone and what is going. */
    abstract static class MindfulOfDisposals extends Flawed {
        @Override
        @Test
        void twoDisposalsOfOneResourceAtOnceBothSucceed() {
            slowly(super::twoDisposalsOfOneResourceAtOnceBothSucceed);
        }

        @Override
        protected int steps() {
            return 3;
        }

        abstract boolean refuses(boolean going, boolean gone);

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final Set<ResourceId> going = ConcurrentHashMap.newKeySet();
                private final Set<ResourceId> gone = ConcurrentHashMap.newKeySet();

                @Override
                public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                    if (resources.size() > 1) {
                        return super.dispose(resources);
                    }
                    ResourceId id = resources.get(0).id();
                    if (refuses(
                            !going.add(id), gone.contains(id) && !cloud.all().contains(resources.get(0)))) {
                        return List.of(CompletableFuture.completedFuture(failed(ErrorKind.CONFLICT)));
                    }
                    return super.dispose(resources);
                }

                @Override
                DisposeResult unmake(Resource resource) {
                    sleep(underWay);
                    DisposeResult result = super.unmake(resource);
                    gone.add(resource.id());
                    going.remove(resource.id());
                    return result;
                }
            };
        }
    }

    @Breaks("whatIsDisposedOfTwiceIsDisposed")
    static class RefusesWhatIsGone extends MindfulOfDisposals {
        @Override
        boolean refuses(boolean going, boolean gone) {
            return gone && !going;
        }
    }

    @Breaks("twoDisposalsOfOneResourceAtOnceBothSucceed")
    static class RefusesWhatIsGoing extends MindfulOfDisposals {
        @Override
        boolean refuses(boolean going, boolean gone) {
            return going;
        }
    }

    @Breaks(value = "whatNeverExistedCountsAsDisposedAndSpoilsNoOther", saying = "disposing of the unknown")
    static class RefusesTheUnknown extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                DisposeResult unmake(Resource resource) {
                    return resource.id().value().endsWith("never-made")
                            ? failed(ErrorKind.INTERNAL)
                            : super.unmake(resource);
                }
            };
        }
    }

    @Breaks(value = "whatNeverExistedCountsAsDisposedAndSpoilsNoOther", saying = "the known one beside it")
    static class StopsAtTheUnknown extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                    if (resources.get(0).id().value().endsWith("never-made")) {
                        return List.of(
                                CompletableFuture.completedFuture(failed(ErrorKind.NOT_FOUND)),
                                CompletableFuture.completedFuture(failed(ErrorKind.CONFLICT)));
                    }
                    return super.dispose(resources);
                }
            };
        }
    }

    // ---- Listing

    @Breaks("theListTellsExactlyWhatWasMade")
    static class ListsTwice extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                List<Resource> tell() {
                    List<Resource> twice = new ArrayList<>(cloud.all());
                    twice.addAll(cloud.all());
                    return twice;
                }
            };
        }
    }

    @Breaks(value = "theListTellsExactlyWhatWasMade", saying = "and list says")
    static class ListsWithoutTheSubnet extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                List<Resource> tell() {
                    return cloud.all().stream()
                            .map(r -> new Resource(
                                    r.id(),
                                    r.kind(),
                                    List.of(Address.parse(r.addresses().get(0).host())),
                                    r.parent(),
                                    r.attributes()))
                            .toList();
                }
            };
        }
    }

    @Breaks("theListForgetsWhatIsDisposedOf")
    static class ListsTheDead extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final AtomicInteger made = new AtomicInteger();
                private final List<Resource> dead = Collections.synchronizedList(new ArrayList<>());

                @Override
                CreateResult make(CreateRequest request) {
                    made.incrementAndGet();
                    return super.make(request);
                }

                @Override
                DisposeResult unmake(Resource resource) {
                    dead.add(resource);
                    return super.unmake(resource);
                }

                @Override
                List<Resource> tell() {
                    List<Resource> all = new ArrayList<>(cloud.all());
                    if (made.get() == 3 && dead.size() == 1) {
                        all.addAll(dead);
                    }
                    return all;
                }
            };
        }
    }

    @Breaks(
            value = "whatExistsOutlivesAClose",
            orAlso = {
                "aSecondCloseDoesNoHarm",
                "closeAmidWorkReturnsAndWhatWasDeliveredIsThere",
                "theSameTokenGivesTheSameResourceAfterAReopening"
            })
    static class CleansUpAtClose extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public void close() {
                    super.close();
                    synchronized (cloud) {
                        cloud.books.clear();
                    }
                }
            };
        }

        // With nothing left, what is made after the reopening has an old id by right.
        @Override
        void whatExistedBeforeAReopeningCanBeDisposedOfAndIsNotMadeAgain() {}
    }

    @Breaks("whatExistedBeforeAReopeningCanBeDisposedOfAndIsNotMadeAgain")
    static class CountsFromOneAgain extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            boolean again = !cloud.all().isEmpty();
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    synchronized (cloud) {
                        return again && cloud.find(request.token()).isEmpty()
                                ? new Created(cloud.all().get(0))
                                : super.make(request);
                    }
                }
            };
        }
    }

    // ---- What a resource is

    @Breaks("everythingIsOfTheFactorysKind")
    static class NamesAnotherKind extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public ResourceKind kind() {
                    return ResourceKind.ENI_IP;
                }
            };
        }
    }

    @Breaks(value = "everyAddressIsOneThatAPodCanHave", orAlso = "theListTellsExactlyWhatWasMade")
    static class MakesLoopbackAddresses extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    CreateResult result = super.make(request);
                    return result instanceof Created created ? new Created(loopback(created.resource())) : result;
                }

                private Resource loopback(Resource made) {
                    Address address =
                            Address.parse(made.addresses().get(0).toString().replace("10.", "127."));
                    return new Resource(made.id(), made.kind(), List.of(address), made.parent(), made.attributes());
                }
            };
        }
    }

    @Breaks("aResourceHasTheFamiliesAskedForAndNoUndeclaredOne")
    static class AddsAnAddressNobodyAskedFor extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    return super.make(request) instanceof Created created
                            ? new Created(dual(created.resource()))
                            : super.make(request);
                }

                @Override
                List<Resource> tell() {
                    return cloud.all().stream().map(this::dual).toList();
                }

                private Resource dual(Resource r) {
                    Address more =
                            Address.parse("fd00::" + r.addresses().get(0).host().split("\\.")[3] + "/64");
                    return new Resource(
                            r.id(), r.kind(), List.of(r.addresses().get(0), more), r.parent(), r.attributes());
                }
            };
        }
    }

    @Breaks("aFamilyItCannotMakeIsRefused")
    static class IgnoresFamilies extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    return super.make(new CreateRequest(request.token(), Set.of(Family.IPV4), request.deadline()));
                }
            };
        }
    }

    /** Puts one attribute more on what it makes. */
    abstract static class Decorates extends Flawed {
        abstract Map.Entry<String, String> attribute();

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    CreateResult result = super.make(request);
                    if (!(result instanceof Created created)) {
                        return result;
                    }
                    Resource r = created.resource();
                    Map<String, String> more = new HashMap<>(r.attributes());
                    more.put(attribute().getKey(), attribute().getValue());
                    return new Created(new Resource(r.id(), r.kind(), r.addresses(), r.parent(), more));
                }
            };
        }
    }

    @Breaks("attributesAreFewShortAndPrintable")
    static class WritesTwoLinesInAnAttribute extends Decorates {
        @Override
        Map.Entry<String, String> attribute() {
            return Map.entry("note", "one\ntwo");
        }
    }

    @Breaks("attributesAreFewShortAndPrintable")
    static class KeepsABookInAnAttribute extends Decorates {
        @Override
        Map.Entry<String, String> attribute() {
            return Map.entry("note", "a".repeat(1025));
        }
    }

    @Breaks("noSecretIsInWhatItTells")
    static class TellsItsKey extends Decorates {
        @Override
        Map.Entry<String, String> attribute() {
            return Map.entry("key", SECRET);
        }
    }

    @Breaks("capabilitiesAreAsDeclaredAndStay")
    static class TakesCapacityForWhatIsLeft extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public Capabilities capabilities() {
                    int left = InMemoryProvider.CAPACITY - cloud.all().size();
                    return new Capabilities(Set.of(Family.IPV4), left, 4, true);
                }
            };
        }
    }

    // ---- Callers

    /** Gives its callers next to no time. */
    abstract static class Hurried extends Flawed {
        @Override
        protected Duration quick() {
            return Duration.ofMillis(40);
        }

        @Override
        protected int steps() {
            return 2;
        }
    }

    @Breaks(value = "noCallKeepsItsCaller", saying = "create kept its caller")
    static class WorksOnTheCallersThread extends Hurried {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    sleep(60);
                    return super.create(requests);
                }
            };
        }

        // Sleeping would end at once for an interrupted caller, and that is not the flaw meant here.
        @Override
        void anInterruptedCallerDoesNoHarmAndStaysInterrupted() {}
    }

    @Breaks(value = "noCallKeepsItsCaller", saying = "dispose kept its caller")
    static class DisposesOnTheCallersThread extends Hurried {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                    sleep(60);
                    return super.dispose(resources);
                }
            };
        }
    }

    @Breaks(value = "noCallKeepsItsCaller", saying = "list kept its caller")
    static class ListsOnTheCallersThread extends Hurried {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public CompletionStage<List<Resource>> list() {
                    sleep(60);
                    return super.list();
                }
            };
        }
    }

    @Breaks(value = "anInterruptedCallerDoesNoHarmAndStaysInterrupted", saying = "the caller's interrupt was gone")
    static class SwallowsTheInterrupt extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    Thread.interrupted();
                    return super.create(requests);
                }
            };
        }
    }

    @Breaks(value = "anInterruptedCallerDoesNoHarmAndStaysInterrupted", saying = "UNAVAILABLE")
    static class GivesUpForAnInterruptedCaller extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    return Thread.currentThread().isInterrupted()
                            ? List.of(CompletableFuture.completedFuture(failed(ErrorKind.UNAVAILABLE)))
                            : super.create(requests);
                }
            };
        }
    }

    @Breaks(value = "aRequestWhoseDeadlineHasPassedFailsAndLeavesNothing", saying = "a second late gave")
    static class IgnoresTheDeadline extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    return super.make(new CreateRequest(
                            request.token(),
                            request.families(),
                            context.clock().instant().plusSeconds(60)));
                }
            };
        }
    }

    @Breaks(value = "aRequestWhoseDeadlineHasPassedFailsAndLeavesNothing", saying = "it left behind")
    static class LooksAtTheDeadlineTooLate extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    CreateResult result = super.make(request);
                    if (result instanceof Failed failed && failed.kind() == ErrorKind.DEADLINE_EXCEEDED) {
                        cloud.take(request.token());
                    }
                    return result;
                }
            };
        }
    }

    @Breaks(
            value = "threadsThatCreateDisposeAndListLoseNothingAndGetNothingTwice",
            saying = "was delivered twice",
            orAlso = {"theListTellsExactlyWhatWasMade"})
    static class ChecksThenTakes extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    return requests.stream()
                            .<CompletionStage<CreateResult>>map(
                                    request -> CompletableFuture.completedFuture(make(request)))
                            .toList();
                }

                @Override
                CreateResult make(CreateRequest request) {
                    List<Resource> before = cloud.all();
                    CreateResult result = super.make(request);
                    if (!(result instanceof Created created) || before.contains(created.resource())) {
                        return result;
                    }
                    // What was free a moment ago, and is somebody else's now.
                    sleep(1);
                    return cloud.all().stream()
                            .filter(resource -> !before.contains(resource))
                            .findFirst()
                            .<CreateResult>map(Created::new)
                            .orElse(result);
                }
            };
        }
    }

    @Breaks(value = "threadsThatCreateDisposeAndListLoseNothingAndGetNothingTwice", saying = "is not in the list")
    static class ListsNothingWhileBusy extends Flawed {
        @Override
        protected int steps() {
            return 100;
        }

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final AtomicInteger busy = new AtomicInteger();

                @Override
                DisposeResult unmake(Resource resource) {
                    busy.incrementAndGet();
                    try {
                        sleep(2);
                        return super.unmake(resource);
                    } finally {
                        busy.decrementAndGet();
                    }
                }

                @Override
                List<Resource> tell() {
                    return busy.get() > 0 ? List.of() : super.tell();
                }
            };
        }
    }

    @Breaks(value = "threadsThatCreateDisposeAndListLoseNothingAndGetNothingTwice", saying = "too many [")
    static class LeaksNowAndThen extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final AtomicInteger made = new AtomicInteger();

                @Override
                CreateResult make(CreateRequest request) {
                    if (made.incrementAndGet() == InMemoryProvider.CAPACITY + 8) {
                        synchronized (cloud) {
                            cloud.remove(new ResourceId("test/10.0.0.99"));
                            cloud.books.put(InMemoryProvider.resource(99).id(), InMemoryProvider.resource(99));
                        }
                        return failed(ErrorKind.UNAVAILABLE);
                    }
                    return super.make(request);
                }
            };
        }
    }

    // ---- The provider's bad days

    @Breaks(value = "whileTheProviderIsAwayEachItemFailsAndAfterwardsAllIsWell", saying = "INTERNAL")
    static class CallsAnOutageABug extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    return cloud.away() ? failed(ErrorKind.INTERNAL) : super.make(request);
                }
            };
        }
    }

    @Breaks(value = "whileTheProviderIsAwayEachItemFailsAndAfterwardsAllIsWell", saying = "dispose gave Disposed")
    static class BelievesItselfDisposed extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                DisposeResult unmake(Resource resource) {
                    return cloud.away() ? new Disposed(resource.id()) : super.unmake(resource);
                }
            };
        }
    }

    @Breaks(value = "whileTheProviderIsAwayEachItemFailsAndAfterwardsAllIsWell", saying = "too many [")
    static class LeavesHalfOfIt extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult make(CreateRequest request) {
                    if (cloud.away()) {
                        cloud.take(request.token());
                    }
                    return super.make(request);
                }
            };
        }
    }

    @Breaks("whileTheProviderIsAwayTheListFailsAndIsNotGuessed")
    static class ListsFromMemory extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public CompletionStage<List<Resource>> list() {
                    return CompletableFuture.supplyAsync(cloud::all, threads);
                }
            };
        }
    }

    @Breaks("whatTheProviderRefusesLeavesNothingBehind")
    static class ForgetsToUndo extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult refused(CreateRequest request) {
                    cloud.take(request.token());
                    return super.refused(request);
                }
            };
        }
    }

    @Breaks(value = "whatTheProviderRefusesLeavesNothingBehind", saying = "completed with the exception")
    static class LetsARefusalEscape extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                CreateResult refused(CreateRequest request) {
                    throw new FactoryException(ErrorKind.UNAVAILABLE, "flawed");
                }
            };
        }
    }

    // ---- Closing

    @Breaks("closeStopsTheFactorysThreads")
    static class KeepsItsThreads extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public void close() {}
            };
        }
    }

    @Breaks("closeAmidWorkReturnsAndWhatWasDeliveredIsThere")
    static class PromisesAtClose extends Flawed {
        @Override
        @Test
        void closeAmidWorkReturnsAndWhatWasDeliveredIsThere() {
            slowly(super::closeAmidWorkReturnsAndWhatWasDeliveredIsThere);
        }

        @Override
        protected int steps() {
            return 3;
        }

        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                private final Queue<CompletableFuture<CreateResult>> asked = new ConcurrentLinkedQueue<>();

                @Override
                public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    List<CompletionStage<CreateResult>> stages = new ArrayList<>();
                    for (CreateRequest request : requests) {
                        CompletableFuture<CreateResult> stage = new CompletableFuture<>();
                        asked.add(stage);
                        CompletableFuture.delayedExecutor(underWay, TimeUnit.MILLISECONDS, threads)
                                .execute(() -> {
                                    if (!stage.isDone()) {
                                        stage.complete(make(request));
                                    }
                                });
                        stages.add(stage);
                    }
                    return stages;
                }

                @Override
                public void close() {
                    asked.forEach(stage -> stage.complete(new Created(InMemoryProvider.resource(77))));
                    super.close();
                }
            };
        }
    }

    @Breaks(value = "aSecondCloseDoesNoHarm", saying = "the second close threw")
    static class ThrowsAtTheSecondClose extends Flawed {
        @Override
        SoundFactory flawed(InMemoryProvider cloud, PluginContext context) {
            return new SoundFactory(cloud, context) {
                @Override
                public void close() {
                    if (threads.isShutdown()) {
                        throw new IllegalStateException("closed already");
                    }
                    super.close();
                }
            };
        }
    }
}
