package io.enipam.sdk.testkit;

import static io.enipam.sdk.testkit.FactoryUnderTest.created;
import static io.enipam.sdk.testkit.FactoryUnderTest.gone;
import static io.enipam.sdk.testkit.FactoryUnderTest.ids;
import static java.util.stream.Collectors.toSet;

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
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.FactoryUnderTest.Awaited;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of {@link ResourceFactory} as tests. The author of a factory extends it:
 *
 * <pre>{@code
 * class CidrFactoryTest extends ResourceFactoryContract {
 *     protected List<Setting<?>> settings() { return CidrPlugin.SETTINGS; }
 *     protected Map<String, List<String>> values() { return Map.of("ranges", List.of("10.0.0.0/28")); }
 *     protected ResourceFactory open(PluginContext context) { return new CidrFactoryProvider().open(context); }
 *     protected Capabilities declared() { return new Capabilities(Set.of(Family.IPV4), 13, 13, true); }
 * }
 * }</pre>
 *
 * <p>JUnit makes a new object of the class for each test. A provider in memory is therefore a field of it: what one
 * test makes, the next does not see, and a factory that is opened again within a test finds what it had made. The rules
 * are stated in the javadoc of {@link ResourceFactory}; a failure says which one is broken, what was found, and how to
 * repair it. Random choices come from a seed, which a failure names and {@code -Denipam.contract.seed=N} sets.
 */
public abstract class ResourceFactoryContract {
    /**
     * Opens the factory under test. A test may call it again, with the same context, after it closed the one before:
     * that is a restart of the daemon, and the provider behind it lives on.
     */
    protected abstract ResourceFactory open(PluginContext context);

    /** What the factory must say it can do. A small capacity (16 or so) makes for quick tests. */
    protected abstract Capabilities declared();

    /** The plugin's settings: {@link io.enipam.sdk.IpamPlugin#settings()}. */
    protected List<Setting<?>> settings() {
        return List.of();
    }

    /** What {@code enipam.yaml} would say of them. */
    protected Map<String, List<String>> values() {
        return Map.of();
    }

    /** The factories that {@link PluginContext#factory} opens, by name, for a factory that wraps another. */
    protected Map<String, Supplier<ResourceFactory>> factories() {
        return Map.of();
    }

    /** How long a stage may take at most. */
    protected Duration patience() {
        return Duration.ofSeconds(10);
    }

    /** How long a call of {@code create}, {@code dispose} or {@code list} may keep its caller, stages apart. */
    protected Duration quick() {
        return Duration.ofMillis(500);
    }

    /**
     * Makes the provider unreachable until {@link #mendProvider}.
     *
     * @return false if a test cannot do that; the rules about it are then skipped
     */
    protected boolean breakProvider() {
        return false;
    }

    /** Undoes {@link #breakProvider}. */
    protected void mendProvider() {}

    /**
     * Makes the provider refuse the next thing it is asked to make, and only that.
     *
     * @return false if a test cannot do that; the rule about it is then skipped
     */
    protected boolean refuseNext() {
        return false;
    }

    /** A resource that does not exist, in the shape of one that does. */
    protected Resource unknown(Resource like) {
        return new Resource(
                new ResourceId(like.id() + "-never-made"),
                like.kind(),
                like.addresses(),
                like.parent(),
                like.attributes());
    }

    /** How many things each of the six threads does in the test of concurrency. */
    protected int steps() {
        return 100;
    }

    /** A thread that is not the factory's although it was started in its service: one of the test's own provider. */
    protected boolean foreign(Thread thread) {
        return false;
    }

    // ---- What every rule needs

    private static final int LEAST_CAPACITY = 4;
    private static final int MOST_CAPACITY = 256;
    private static final int SEVERAL = 3;

    @TempDir
    Path directory;

    private TestContext context;
    private FactoryUnderTest subject;

    @BeforeEach
    final void openTheFactory() {
        int capacity = declared().capacity();
        if (capacity < LEAST_CAPACITY || capacity > MOST_CAPACITY) {
            throw new IllegalStateException("the factory under test shall be set up for a capacity of " + LEAST_CAPACITY
                    + " to " + MOST_CAPACITY + ", since tests fill it; declared() says " + capacity);
        }
        TestContext.Builder builder =
                TestContext.builder().settings(settings()).values(values()).directory(directory);
        factories().forEach(builder::factory);
        context = builder.build();
        subject = opened();
    }

    @AfterEach
    final void closeTheFactory() {
        if (subject != null) {
            subject.close();
        }
    }

    /** Opens the factory and, as the engine does before anything else, asks it for its list. */
    private FactoryUnderTest opened() {
        FactoryUnderTest opened =
                new FactoryUnderTest(open(context), declared().families(), patience(), context.clock());
        opened.list();
        return opened;
    }

    private void reopen() {
        subject.close();
        subject = opened();
    }

    private int capacity() {
        return declared().capacity();
    }

    /** One that may go while its siblings stay. */
    private static Resource ordinary(List<Resource> resources) {
        return resources.stream().filter(r -> !r.primary()).findFirst().orElseGet(() -> resources.get(0));
    }

    // ---- Batches

    @Test
    void aBatchHasOneStageForEachItem() {
        for (int size = 1; size <= LEAST_CAPACITY; size++) {
            List<Resource> made = created(subject.create(subject.requests(size)));
            subject.dispose(lastThingsLast(made));
        }
    }

    @Test
    void createsAreAnsweredInTheOrderOfTheRequests() {
        ContractRule rule = new ContractRule(
                "the stages of create stand in the order of the requests",
                "Build the list of stages by going through the requests, and complete each by its request, not by which came"
                        + " first.");
        List<CreateRequest> requests = new ArrayList<>(subject.requests(SEVERAL - 1));
        requests.add(0, subject.lateRequest());
        List<CreateResult> results = subject.create(requests);
        List<Integer> failed = IntStream.range(0, results.size())
                .filter(i -> results.get(i) instanceof Failed)
                .boxed()
                .toList();
        rule.check(
                failed.isEmpty() || failed.equals(List.of(0)),
                () -> "request 0 of 0.." + (SEVERAL - 1) + " was too late, but those that failed are " + failed);
    }

    @Test
    void disposalsAreAnsweredInTheOrderOfTheResources() {
        ContractRule rule = new ContractRule(
                "the stages of dispose stand in the order of the resources, and Disposed names the resource it is about",
                "Build the list of stages by going through the resources, and give Disposed the id of the one given back.");
        List<Resource> leaving = lastThingsLast(subject.make(SEVERAL));
        List<DisposeResult> results = subject.dispose(leaving);
        for (int i = 0; i < leaving.size(); i++) {
            ResourceId expected = leaving.get(i).id();
            DisposeResult result = results.get(i);
            rule.check(
                    !(result instanceof Disposed disposed) || disposed.id().equals(expected),
                    () -> "the answer about " + expected + " was " + result);
        }
    }

    @Test
    void everyStageOfALargeBatchCompletes() {
        int size = Math.max(1, capacity() - 1);
        List<Resource> made = created(subject.create(subject.requests(size)));
        subject.dispose(lastThingsLast(made));
    }

    @Test
    void askedForMoreThanItsCapacityItGivesExactlyThatAndFailsTheRest() {
        ContractRule rule = new ContractRule(
                "asked for more than its capacity, a factory makes as many as its capacity, and answers the rest with Failed"
                        + " QUOTA_EXHAUSTED or ADDRESSES_EXHAUSTED",
                "Let each item of a batch have its own outcome: one that finds no room must not spoil the others.");
        List<CreateResult> results = subject.create(subject.requests(capacity() + SEVERAL));
        long created = results.stream().filter(Created.class::isInstance).count();
        List<CreateResult> refused =
                results.stream().filter(r -> !(r instanceof Created)).toList();
        rule.check(
                created == capacity(),
                () -> created + " of " + results.size() + " were made with a capacity of " + capacity() + "; others: "
                        + refused);
        rule.check(
                refused.stream().allMatch(r -> exhausted((Failed) r)), () -> "the rest was answered with " + refused);
    }

    private static boolean exhausted(Failed failed) {
        return failed.kind() == ErrorKind.QUOTA_EXHAUSTED || failed.kind() == ErrorKind.ADDRESSES_EXHAUSTED;
    }

    @Test
    void whatIsGivenBackToAFullFactoryCanBeMadeAgain() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "a full factory makes again as many as were disposed of",
                "Give the address back to the free ones when its disposal completes, not before and not never.");
        List<Resource> all = subject.make(capacity());
        subject.unmake(ordinary(all));
        long end = System.nanoTime() + patience().toNanos();
        CreateResult result = subject.create(subject.requests(1)).get(0);
        while (result instanceof Failed failed && failed.kind().transientFailure() && System.nanoTime() < end) {
            Thread.sleep(20);
            result = subject.create(subject.requests(1)).get(0);
        }
        CreateResult last = result;
        rule.check(last instanceof Created, () -> "after one of " + capacity() + " was gone, a create gave " + last);
    }

    // ---- Tokens

    @Test
    void theSameTokenGivesTheSameResource() {
        assumeReplay();
        RequestToken token = subject.request().token();
        List<CreateResult> both = new ArrayList<>(subject.create(List.of(subject.request(token))));
        both.addAll(subject.create(List.of(subject.request(token))));
        sameResource(both);
    }

    @Test
    void theSameTokenAskedTwiceAtOnceGivesTheSameResource() {
        assumeReplay();
        RequestToken token = subject.request().token();
        List<Awaited<CreateResult>> asked = new ArrayList<>(subject.ask(List.of(subject.request(token))));
        asked.addAll(subject.ask(List.of(subject.request(token))));
        sameResource(asked.stream().map(subject::answer).toList());
    }

    @Test
    void theSameTokenGivesTheSameResourceAfterAReopening() {
        assumeReplay();
        RequestToken token = subject.request().token();
        List<CreateResult> both = new ArrayList<>(subject.create(List.of(subject.request(token))));
        reopen();
        both.addAll(subject.create(List.of(subject.request(token))));
        sameResource(both);
    }

    private void assumeReplay() {
        Assumptions.assumeTrue(declared().replaysTokens(), "the factory does not declare that it replays tokens");
    }

    private void sameResource(List<CreateResult> both) {
        ContractRule rule = new ContractRule(
                "a factory that replays tokens makes one resource for one token, also while the first is under way and after"
                        + " it was opened again",
                "Keep the token with the resource where the resource is kept (the provider, or a file in directory()), and"
                        + " look it up before making; or declare replaysTokens false.");
        List<Resource> resources = created(both);
        rule.check(
                resources.get(0).equals(resources.get(1)),
                () -> "one token gave " + resources.get(0).id() + " and "
                        + resources.get(1).id());
        rule.check(
                subject.listed().equals(ids(resources)),
                () -> "after one token was asked for twice, the list is " + subject.listed());
    }

    @Test
    void differentTokensGiveDifferentResources() {
        ContractRule rule = new ContractRule(
                "each request makes a resource of its own: no id and no address is given twice",
                "Mark an address as taken in the same step that finds it free.");
        List<Resource> made = new ArrayList<>(subject.make(SEVERAL));
        made.addAll(subject.make(1));
        rule.check(ids(made).size() == made.size(), () -> "ids were given twice: " + made);
        List<String> hosts = made.stream()
                .flatMap(r -> r.addresses().stream())
                .map(Address::host)
                .toList();
        rule.check(new HashSet<>(hosts).size() == hosts.size(), () -> "addresses were given twice: " + hosts);
    }

    // ---- Disposal

    @Test
    void whatIsDisposedOfTwiceIsDisposed() {
        ContractRule rule = new ContractRule(
                "a resource that is gone already counts as Disposed (or Failed NOT_FOUND, which means the same)",
                "Answer Disposed when the provider says there is no such thing: the engine asks again after a lost answer.");
        Resource resource = ordinary(subject.make(SEVERAL));
        subject.unmake(resource);
        DisposeResult second = subject.dispose(List.of(resource)).get(0);
        rule.check(gone(second), () -> "the second disposal of " + resource.id() + " gave " + second);
    }

    @Test
    void twoDisposalsOfOneResourceAtOnceBothSucceed() {
        ContractRule rule = new ContractRule(
                "a resource that is on its way out when it is disposed of again counts as Disposed in the end",
                "Let the second disposal wait for the first, or ask the provider again.");
        Resource resource = ordinary(subject.make(SEVERAL));
        List<Awaited<DisposeResult>> both = new ArrayList<>(subject.askToDispose(List.of(resource)));
        both.addAll(subject.askToDispose(List.of(resource)));
        List<DisposeResult> results = both.stream().map(subject::answer).toList();
        rule.check(results.stream().allMatch(FactoryUnderTest::gone), () -> "the two disposals gave " + results);
    }

    @Test
    void whatNeverExistedCountsAsDisposedAndSpoilsNoOther() {
        ContractRule rule = new ContractRule(
                "an unknown resource counts as Disposed (or Failed NOT_FOUND), and the others of its batch go their way",
                "Decide item by item; answer Disposed for an id the provider does not know.");
        Resource known = ordinary(subject.make(SEVERAL));
        Resource unknown = unknown(known);
        List<DisposeResult> results = subject.dispose(List.of(unknown, known));
        rule.check(gone(results.get(0)), () -> "disposing of the unknown " + unknown.id() + " gave " + results.get(0));
        rule.check(gone(results.get(1)), () -> "the known one beside it gave " + results.get(1));
    }

    // ---- Listing

    @Test
    void theListTellsExactlyWhatWasMade() {
        ContractRule rule = new ContractRule(
                "list tells everything that exists and is fit for use, and nothing else, with all that describes it",
                "List what the provider has; leave out what is half made or half unmade, and other people's.");
        List<Resource> made = subject.make(SEVERAL);
        List<Resource> listed = subject.list();
        String entries = "; the list has " + listed.size() + " entries";
        rule.same(ids(made), ids(listed), entries);
        rule.check(listed.size() == made.size(), () -> listed.size() + " for " + made.size() + entries);
        for (Resource resource : made) {
            Resource told = listed.get(listed.indexOf(resource));
            rule.check(
                    description(told).equals(description(resource)),
                    () -> "create said " + description(resource) + ", and list says " + description(told));
        }
    }

    private static String description(Resource resource) {
        return resource.id() + " " + resource.kind() + " " + resource.addresses() + " on '" + resource.parent() + "'";
    }

    @Test
    void theListForgetsWhatIsDisposedOf() {
        ContractRule rule = new ContractRule(
                "what was disposed of is not in a list that is asked for afterwards",
                "Complete the stage when the provider has it no more, not when the request was sent.");
        List<Resource> made = subject.make(SEVERAL);
        Resource gone = ordinary(made);
        subject.unmake(gone);
        rule.check(!subject.listed().contains(gone.id()), () -> gone.id() + " is still listed");
    }

    @Test
    void whatExistsOutlivesAClose() {
        ContractRule rule = new ContractRule(
                "close leaves the resources alone: opened again, the factory lists what there was",
                "Keep nothing but what can be read again: list must come from the provider or from directory(), not from"
                        + " memory; and close must not clean up.");
        List<Resource> made = subject.make(SEVERAL);
        reopen();
        rule.same(ids(made), subject.listed(), "");
    }

    @Test
    void whatExistedBeforeAReopeningCanBeDisposedOfAndIsNotMadeAgain() {
        ContractRule rule = new ContractRule(
                "a factory that was opened again knows what exists: it gives none of it twice, and disposes of it",
                "Read what is taken when the factory is opened, or at the first list, before the first create is answered.");
        List<Resource> before = subject.make(SEVERAL);
        reopen();
        List<Resource> after = subject.make(1);
        rule.check(!ids(before).contains(after.get(0).id()), () -> after.get(0).id() + " existed, and was made again");
        Resource gone = ordinary(before);
        subject.unmake(gone);
        rule.check(!subject.listed().contains(gone.id()), () -> gone.id() + " is still listed");
    }

    // ---- What a resource is

    @Test
    void everythingIsOfTheFactorysKind() {
        ContractRule rule = new ContractRule(
                "kind() is constant, and the kind of everything the factory makes and lists", "Use one constant.");
        ResourceKind kind = subject.factory().kind();
        List<Resource> all = new ArrayList<>(subject.make(SEVERAL));
        all.addAll(subject.list());
        all.forEach(resource -> rule.check(
                resource.kind().equals(kind),
                () -> resource.id() + " is of kind " + resource.kind() + ", not " + kind));
        rule.check(
                subject.factory().kind().equals(kind),
                () -> "kind() changed to " + subject.factory().kind());
    }

    @Test
    void aResourceHasTheFamiliesAskedForAndNoUndeclaredOne() {
        ContractRule rule = new ContractRule(
                "a resource has the families its request asks for, and none the capabilities do not have",
                "Fill the addresses from request.families().");
        List<Resource> made = subject.make(SEVERAL);
        for (Resource resource : made) {
            Set<Family> has = resource.addresses().stream().map(Address::family).collect(toSet());
            rule.check(
                    has.equals(declared().families()),
                    () -> resource.id() + " has " + has + ", asked for were "
                            + declared().families());
        }
    }

    @Test
    void everyAddressIsOneThatAPodCanHave() {
        ContractRule rule = new ContractRule(
                "no address is unspecified, loopback, multicast, or that of its subnet itself or its broadcast: the daemon uses"
                        + " none of these, and counts it as a failure",
                "Leave out the first and the last address of a range, and check Address.isAssignable().");
        List<Resource> all = new ArrayList<>(subject.make(declared().capacity()));
        all.addAll(subject.list());
        all.forEach(resource -> resource.addresses()
                .forEach(address ->
                        rule.check(address.isAssignable(), () -> resource.id() + " has the address " + address)));
    }

    @Test
    void aFamilyItCannotMakeIsRefused() {
        ContractRule rule = new ContractRule(
                "a request for a family that the capabilities do not have is Failed(MISCONFIGURED), and makes nothing",
                "Compare request.families() with what the factory can make before anything else.");
        Optional<Family> foreign = Stream.of(Family.values())
                .filter(family -> !declared().families().contains(family))
                .findFirst();
        Assumptions.assumeTrue(foreign.isPresent(), "the factory makes every family");
        CreateRequest request = subject.request();
        CreateResult result = subject.create(
                        List.of(new CreateRequest(request.token(), Set.of(foreign.orElseThrow()), request.deadline())))
                .get(0);
        rule.check(
                result instanceof Failed failed && failed.kind() == ErrorKind.MISCONFIGURED,
                () -> "a request for " + foreign.orElseThrow() + " gave " + result);
        rule.check(subject.list().isEmpty(), () -> "it left behind " + subject.listed());
    }

    @Test
    void attributesAreFewShortAndPrintable() {
        ContractRule rule = new ContractRule(
                "a resource has at most 32 attributes; keys have 1 to 64 characters, values at most 1,024, all printable",
                "Attributes are for the datapath, and are stored and shown; keep the rest in the factory.");
        for (Resource resource : subject.make(SEVERAL)) {
            rule.check(
                    resource.attributes().size() <= 32,
                    () -> resource.id() + " has " + resource.attributes().size());
            resource.attributes().forEach((key, value) -> {
                rule.check(printable(key, 1, 64), () -> resource.id() + " has the key '" + key + "'");
                rule.check(
                        printable(value, 0, 1024),
                        () -> resource.id() + ": '" + key + "' has " + value.length() + " characters: " + value);
            });
        }
    }

    private static boolean printable(String text, int least, int most) {
        return text.length() >= least && text.length() <= most && text.chars().noneMatch(Character::isISOControl);
    }

    @Test
    void noSecretIsInWhatItTells() {
        ContractRule rule = new ContractRule(
                "the value of a secret setting is in no resource and in no message",
                "Attributes are stored and shown, and messages are logged: name the setting, never its value.");
        List<String> secrets = settings().stream()
                .filter(Setting::isSecret)
                .flatMap(setting -> values().getOrDefault(setting.name(), List.of()).stream())
                .filter(secret -> !secret.isEmpty())
                .toList();
        Assumptions.assumeFalse(secrets.isEmpty(), "values() sets no secret");
        String told = subject.create(subject.requests(capacity() + 1)) + " " + subject.list();
        secrets.forEach(secret -> rule.check(!told.contains(secret), () -> "a secret of values() is told"));
    }

    @Test
    void capabilitiesAreAsDeclaredAndStay() {
        ContractRule rule = new ContractRule(
                "capabilities() says what the factory can do, the same whether it is empty or full",
                "Capacity is how many can exist together, not how many are left.");
        check(rule, "after opening");
        subject.make(SEVERAL);
        check(rule, "with " + SEVERAL + " made");
        subject.list();
        check(rule, "after a list");
    }

    private void check(ContractRule rule, String when) {
        Capabilities told = subject.factory().capabilities();
        rule.check(declared().equals(told), () -> when + " it says " + told + ", and the test declares " + declared());
    }

    // ---- Callers

    @Test
    void noCallKeepsItsCaller() {
        ContractRule rule = new ContractRule(
                "create, dispose and list return at once: slow work is on the factory's own threads",
                "Hand the work to an executor of the factory's and return the stages; the daemon gives up on a call after two"
                        + " seconds.");
        Duration create = quickest(() -> subject.ask(subject.requests(1)));
        rule.check(create.compareTo(quick()) <= 0, () -> "create kept its caller for " + create);
        List<Resource> leaving = new ArrayList<>(lastThingsLast(subject.list()));
        Duration dispose = quickest(() -> subject.askToDispose(List.of(leaving.remove(0))));
        rule.check(dispose.compareTo(quick()) <= 0, () -> "dispose kept its caller for " + dispose);
        Duration list = quickest(() -> List.of(subject.askForList()));
        rule.check(list.compareTo(quick()) <= 0, () -> "list kept its caller for " + list);
    }

    /** The shortest of three calls, stages apart: a busy machine may slow one down, slow work slows all of them. */
    private <T> Duration quickest(Supplier<List<Awaited<T>>> call) {
        return Stream.generate(() -> {
                    long start = System.nanoTime();
                    List<Awaited<T>> stages = call.get();
                    Duration took = Duration.ofNanos(System.nanoTime() - start);
                    stages.forEach(subject::answer);
                    return took;
                })
                .limit(SEVERAL)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    private static List<Resource> lastThingsLast(List<Resource> resources) {
        return resources.stream()
                .sorted(Comparator.comparing(Resource::primary))
                .toList();
    }

    @Test
    void anInterruptedCallerDoesNoHarmAndStaysInterrupted() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "a caller that is interrupted gets its stages like any other, and is still interrupted afterwards",
                "Do not wait on the caller's thread; where InterruptedException is caught, set the flag again.");
        AtomicBoolean kept = new AtomicBoolean();
        CompletableFuture<List<Awaited<CreateResult>>> asked = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            Thread.currentThread().interrupt();
            try {
                asked.complete(subject.ask(subject.requests(1)));
            } catch (AssertionError e) {
                asked.completeExceptionally(e);
            }
            kept.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        caller.join();
        CreateResult result;
        try {
            result = subject.answer(asked.join().get(0));
        } catch (RuntimeException e) {
            throw rule.broken("an interrupted caller of create got " + e.getCause(), e);
        }
        rule.check(result instanceof Created, () -> "an interrupted caller of create got " + result);
        rule.check(kept.get(), () -> "the caller's interrupt was gone after create");
    }

    @Test
    void aRequestWhoseDeadlineHasPassedFailsAndLeavesNothing() {
        ContractRule rule = new ContractRule(
                "a request whose deadline has passed is Failed(DEADLINE_EXCEEDED) and makes nothing",
                "Compare request.deadline() with context.clock().instant() before the work is begun.");
        CreateResult result = subject.create(List.of(subject.lateRequest())).get(0);
        rule.check(
                result instanceof Failed failed && failed.kind() == ErrorKind.DEADLINE_EXCEEDED,
                () -> "a request that came a second late gave " + result);
        rule.check(subject.list().isEmpty(), () -> "it left behind " + subject.listed());
    }

    @Test
    void threadsThatCreateDisposeAndListLoseNothingAndGetNothingTwice() throws InterruptedException {
        Seed.telling(seed -> new ConcurrencyStress(subject, 6, steps(), seed).run());
    }

    // ---- The provider's bad days

    @Test
    void whileTheProviderIsAwayEachItemFailsAndAfterwardsAllIsWell() {
        List<Resource> before = subject.make(SEVERAL);
        Assumptions.assumeTrue(breakProvider(), "the test cannot break the provider: see breakProvider()");
        ContractRule create = new ContractRule(
                "while the provider is away, each request is Failed with a kind that tells so",
                "Translate the provider's exception to THROTTLED, UNAVAILABLE or DEADLINE_EXCEEDED; INTERNAL is for bugs.");
        List<CreateResult> results = subject.create(subject.requests(2));
        create.check(results.stream().allMatch(ResourceFactoryContract::passing), () -> "create gave " + results);
        ContractRule dispose = new ContractRule(
                "while the provider is away, nothing is known to be gone: a disposal is Failed",
                "Answer Disposed only when the provider has said so.");
        DisposeResult kept = subject.dispose(List.of(ordinary(before))).get(0);
        dispose.check(passing(kept), () -> "dispose gave " + kept);
        mendProvider();
        ContractRule after = new ContractRule(
                "when the provider is back, the list is what it was, and creates work again",
                "Undo what a failed create had begun, and do not remember the failure.");
        after.same(ids(before), subject.listed(), "");
        subject.make(1);
    }

    @Test
    void whatTheProviderRefusesLeavesNothingBehind() {
        ContractRule rule = new ContractRule(
                "where the provider refuses one of several, each request has its own outcome, and what exists afterwards is"
                        + " what was delivered",
                "Undo what was begun for the one that was refused, and let the others go their way; a factory may also try"
                        + " again by itself.");
        Assumptions.assumeTrue(refuseNext(), "the test cannot have one refused: see refuseNext()");
        List<CreateResult> results = subject.create(subject.requests(SEVERAL));
        List<Resource> delivered =
                created(results.stream().filter(Created.class::isInstance).toList());
        rule.same(ids(delivered), subject.listed(), "; the answers were " + results);
    }

    private static boolean passing(Object result) {
        return result instanceof Failed failed && failed.kind().transientFailure();
    }

    @Test
    void whileTheProviderIsAwayTheListFailsAndIsNotGuessed() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "a list that the provider could not be asked for completes with FactoryException",
                "Fail the stage: an empty list or one from memory makes the engine forget or keep what it must not.");
        subject.make(SEVERAL);
        Assumptions.assumeTrue(breakProvider(), "the test cannot break the provider: see breakProvider()");
        try {
            List<Resource> listed = subject.askForList().get(patience().toNanos(), TimeUnit.NANOSECONDS);
            throw rule.broken("the list is " + listed);
        } catch (TimeoutException e) {
            throw rule.broken("the stage was still open after " + patience(), e);
        } catch (ExecutionException e) {
            rule.check(e.getCause() instanceof FactoryException, () -> "the stage failed with " + e.getCause());
        } finally {
            mendProvider();
        }
    }

    // ---- Closing

    @Test
    void closeStopsTheFactorysThreads() throws InterruptedException {
        ContractRule rule = new ContractRule(
                "close stops every thread the factory started, in this opening and through what it wraps",
                "Shut executors and clients down in close, and close a wrapped factory: a swap would leak them each time.");
        ThreadLeakDetector census = new ThreadLeakDetector(this::foreign);
        census.of(() -> {
            reopen();
            subject.unmake(ordinary(subject.make(SEVERAL)));
            subject.close();
        });
        List<Thread> left = census.leftAfter(patience());
        rule.check(left.isEmpty(), () -> "after close there still run " + left);
    }

    @Test
    void closeAmidWorkReturnsAndWhatWasDeliveredIsThere() {
        ContractRule rule = new ContractRule(
                "close may come while creates are under way; whatever a stage delivered exists afterwards",
                "Let close stop new work; either finish what is under way or undo it, and complete Created only for what"
                        + " stays.");
        List<Awaited<CreateResult>> asked = subject.ask(subject.requests(SEVERAL));
        subject.close();
        // What is delivered later than this may be later than the list, too.
        List<Resource> delivered = asked.stream()
                .map(stage -> stage.getNow(null))
                .filter(Created.class::isInstance)
                .map(result -> ((Created) result).resource())
                .toList();
        subject = opened();
        Set<ResourceId> listed = subject.listed();
        rule.check(
                listed.containsAll(ids(delivered)),
                () -> ids(delivered) + " were delivered, and the list is " + listed);
    }

    @Test
    void aSecondCloseDoesNoHarm() {
        ContractRule rule = new ContractRule("a second close does nothing", "Remember that the factory is closed.");
        List<Resource> made = subject.make(SEVERAL);
        subject.close();
        try {
            subject.factory().close();
        } catch (RuntimeException e) {
            throw rule.broken("the second close threw " + e, e);
        }
        subject = opened();
        rule.same(ids(made), subject.listed(), "");
    }
}
