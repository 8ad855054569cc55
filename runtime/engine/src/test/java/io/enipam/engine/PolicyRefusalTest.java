package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Policies that see whose addresses are in use, and let no more pods in. */
class PolicyRefusalTest {
    @Test
    void aRefusedAddFailsWithThePolicysKindAndMessageAndTakesNothing() {
        EngineFixture node = started(5, 2, quota(1));
        node.add("shop/a", "c-a");
        node.pods.put("shop/b");

        CompletableFuture<AddOutcome> add = node.adding("shop/b", "c-b", Duration.ofSeconds(10));

        IpamException refusal = EngineFixture.failure(add);
        assertThat(refusal.code()).isEqualTo(ErrorCode.REFUSED);
        assertThat(refusal).hasMessage("namespace shop has its 1 addresses");
        assertThat(refusal.hint()).isEqualTo("QUOTA_EXHAUSTED: refused by the policy quota");
        assertThat(node.count(ResourceState.IN_USE)).isEqualTo(1);
        assertThat(node.rows()).containsExactly("c-a");
        assertThat(node.events.all())
                .filteredOn(event -> event.type().equals("LeaseRefused"))
                .singleElement()
                .satisfies(event -> assertThat(event.attributes()).containsEntry("code", "REFUSED"));
        assertThat(node.add("other/c", "c-c").resource()).isNotNull();
    }

    @Test
    void aPodThatGoesMakesRoomForAnother() {
        EngineFixture node = started(5, 2, quota(1));
        node.add("shop/a", "c-a");
        node.del("c-a");

        assertThat(node.add("shop/b", "c-b").resource()).isNotNull();
    }

    @Test
    void aSandboxThatIsSetUpAnewIsNotRefusedForTheSakeOfTheFormerOne() {
        EngineFixture node = started(5, 2, quota(1));
        node.add("shop/a", "c-1");

        assertThat(node.add("shop/a", "c-2").resource()).isNotNull();
    }

    @Test
    void aRepeatedAddGetsItsLeaseWhateverThePolicySaysNow() {
        List<PodRef> refused = new ArrayList<>();
        EngineFixture node = started(5, 2, new Asked() {
            @Override
            public Pick pick(PoolSnapshot pool, PodView pod) {
                return refused.contains(pod.ref()) ? Pick.refuse(ErrorKind.CONFLICT, "no") : Pick.longestIdle();
            }
        });
        Lease first = node.add("shop/a", "c-a");
        refused.add(first.pod());

        assertThat(node.add("shop/a", "c-a")).isEqualTo(first);
    }

    @Test
    void podsThatWaitForAnAddressCountAsWell() {
        EngineFixture node = started(0, 0, quota(2));
        List<CompletableFuture<AddOutcome>> adds = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            node.pods.put("shop/p" + i);
            adds.add(node.adding("shop/p" + i, "c-" + i, Duration.ofMinutes(1)));
        }

        assertThat(adds.get(0)).isNotDone();
        assertThat(adds.get(1)).isNotDone();
        assertThat(EngineFixture.code(adds.get(2))).isEqualTo(ErrorCode.REFUSED);
        assertThat(EngineFixture.code(adds.get(3))).isEqualTo(ErrorCode.REFUSED);
        assertThat(node.engine.snapshot().waiters())
                .extracting(waiter -> waiter.ref().toString())
                .containsExactly("shop/p0", "shop/p1");
    }

    @Test
    void aPolicySeesTheLabelsOfTheAskingPodAndOfTheOwners() {
        List<Map<String, String>> seen = new ArrayList<>();
        EngineFixture node = started(5, 2, new Asked() {
            @Override
            public Pick pick(PoolSnapshot pool, PodView pod) {
                seen.add(pod.labels());
                pool.resources().stream()
                        .flatMap(view -> view.owner().stream())
                        .forEach(owner -> seen.add(owner.annotations()));
                return Pick.longestIdle();
            }
        });
        node.pods.put(pod("shop/a", Map.of("app", "web"), Map.of("team", "red")));
        node.pods.watch();
        node.adding("shop/a", "c-a", Duration.ofSeconds(10)).join();
        node.add("shop/b", "c-b");

        assertThat(seen).containsExactly(Map.of("app", "web"), Map.of(), Map.of("team", "red"));
        int questions = node.pods.questions();
        node.engine.snapshot().resources().forEach(view -> view.owner().ifPresent(PodView::labels));
        assertThat(node.pods.questions()).as("no request is made for labels").isEqualTo(questions);
    }

    @Test
    void whatTheDiskKeepsOfAPodHasNoLabels() {
        EngineFixture node = started(5, 2, quota(9));
        node.pods.put(pod("shop/a", Map.of("app", "web"), Map.of("team", "red")));
        node.adding("shop/a", "c-a", Duration.ofSeconds(10)).join();

        assertThat(node.db.contents().pods())
                .singleElement()
                .satisfies(copy -> assertThat(copy.pod().metadata()).isEqualTo(Metadata.NONE));
    }

    @Test
    void ofAReservedAddressTheOwnerIsThePodItIsKeptFor() {
        EngineFixture node = started(5, 2, quota(9));
        node.pods.put("shop/web-0", "uid-0", false, Duration.ofMinutes(5));
        node.adding("shop/web-0", "c-0", Duration.ofSeconds(10)).join();
        node.del("c-0");

        assertThat(node.engine.snapshot().in(ResourceState.RESERVED))
                .singleElement()
                .satisfies(view -> assertThat(view.owner().orElseThrow().ref()).hasToString("shop/web-0"));
    }

    @Test
    void aMessageOfManyLinesIsOneAndIsCutAndOneWithoutWordsHasSome() {
        List<String> messages = new ArrayList<>(List.of("first\nsecond\u2028third", "x".repeat(2_000), " \n "));
        EngineFixture node = started(5, 2, new Asked() {
            @Override
            public Pick pick(PoolSnapshot pool, PodView pod) {
                return Pick.refuse(ErrorKind.MISCONFIGURED, messages.remove(0));
            }
        });
        List<String> told = IntStream.range(0, 3)
                .mapToObj(i -> {
                    node.pods.put("shop/p" + i);
                    return EngineFixture.failure(node.adding("shop/p" + i, "c-" + i, Duration.ofSeconds(10)))
                            .getMessage();
                })
                .toList();

        assertThat(told.get(0)).isEqualTo("first second third");
        assertThat(told.get(1)).hasSize(500).endsWith("...");
        assertThat(told.get(2)).isEqualTo("the policy asked refused the pod and gave no reason");
    }

    private static Pod pod(String name, Map<String, String> labels, Map<String, String> annotations) {
        return new Pod(
                PodRef.parse(name),
                "uid-of-" + name,
                false,
                Duration.ZERO,
                List.of(),
                PodNetworkSpec.NONE,
                new Metadata(labels, annotations));
    }

    private static EngineFixture started(int capacity, int idle, PoolPolicy policy) {
        EngineFixture node =
                new EngineFixture(capacity, EngineFixture.config(idle, Math.max(idle, 4), Duration.ZERO), policy);
        node.start();
        return node;
    }

    private abstract static class Asked implements PoolPolicy {
        @Override
        public String name() {
            return "asked";
        }
    }

    /** So many addresses for each namespace. */
    static PoolPolicy quota(int most) {
        return new PoolPolicy() {
            @Override
            public String name() {
                return "quota";
            }

            @Override
            public Pick pick(PoolSnapshot pool, PodView pod) {
                Stream<PodView> owners = pool.in(ResourceState.IN_USE).stream().flatMap(view -> view.owner().stream());
                long others = Stream.concat(owners, pool.waiters().stream())
                        .filter(other ->
                                other.ref().namespace().equals(pod.ref().namespace()))
                        .filter(other -> !other.ref().equals(pod.ref()))
                        .count();
                return others < most
                        ? Pick.longestIdle()
                        : Pick.refuse(
                                ErrorKind.QUOTA_EXHAUSTED,
                                "namespace " + pod.ref().namespace() + " has its " + most + " addresses");
            }
        };
    }
}
