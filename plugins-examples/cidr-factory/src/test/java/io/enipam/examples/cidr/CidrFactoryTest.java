package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CidrFactoryTest {
    @TempDir
    Path directory;

    @Test
    void aResourceSaysItsAddressItsSubnetAndItsGateway() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            Resource made = bench.make("t1");
            assertThat(made.addresses()).hasToString("[10.64.0.2/24]");
            assertThat(made.attributes()).containsEntry(Resource.GATEWAY, "10.64.0.1");
            assertThat(made.kind().name()).isEqualTo("host-local");
            assertThat(made.parent()).isEmpty();
        }
    }

    @Test
    void anAddressGivenBackIsTheLastToBeGivenAgain() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            Resource first = bench.make("t1");
            bench.dispose(first);
            List<String> next = new ArrayList<>();
            for (int i = 2; i <= 6; i++) {
                next.add(bench.make("t" + i).id().value());
            }
            assertThat(next).containsExactly("10.64.0.3", "10.64.0.4", "10.64.0.5", "10.64.0.6", "10.64.0.2");
        }
    }

    @Test
    void theOrderGoesOnAfterARestart() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            bench.dispose(bench.make("t1"));
        }
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            assertThat(bench.make("t2").id()).hasToString("10.64.0.3");
        }
    }

    @Test
    void theOrderGoesOnAfterAList() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            bench.dispose(bench.make("t1"));
            assertThat(bench.listed()).isEmpty();
            assertThat(bench.make("t2").id()).hasToString("10.64.0.3");
        }
    }

    @Test
    void lowestFirstUsesTheSameAddressesAgain() {
        Map<String, List<String>> lowest = Map.of("ranges", List.of("10.64.0.0/29"), "order", List.of("lowest"));
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, lowest)) {
            Resource first = bench.make("t1");
            bench.make("t2");
            bench.dispose(first);
            assertThat(bench.make("t3").id()).isEqualTo(first.id());
        }
    }

    @Test
    void aPairIsGivenWholeOrNotAtAll() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24", "fd00::/126")) {
            assertThat(bench.make("t1", CidrFactoryFixture.PAIR).addresses())
                    .hasToString("[10.64.0.2/24, fd00::2/126]");
            bench.make("t2", CidrFactoryFixture.PAIR);
            assertThat(bench.refused("t3", CidrFactoryFixture.PAIR).kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
            assertThat(bench.make("t4").id()).as("IPv4's turn was not used up").hasToString("10.64.0.4");
            assertThat(bench.listed()).containsExactly("10.64.0.2_fd00::2", "10.64.0.3_fd00::3", "10.64.0.4");
        }
    }

    @Test
    void aPairAndASingleAddressNeverMeet() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29", "fd00::/64")) {
            Set<String> addresses = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 5; i++) {
                bench.make("t" + i, i % 2 == 0 ? CidrFactoryFixture.PAIR : CidrFactoryFixture.V4)
                        .addresses()
                        .forEach(a -> assertThat(addresses.add(a.host())).isTrue());
            }
            assertThat(bench.refused("more", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
            assertThat(bench.make("six", CidrFactoryFixture.V6).addresses()).hasSize(1);
        }
    }

    @Test
    void aFamilyWithoutARangeIsAMistakeOfTheConfiguration() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            assertThat(bench.refused("t1", CidrFactoryFixture.V6).kind()).isEqualTo(ErrorKind.MISCONFIGURED);
            assertThat(bench.refused("t2", CidrFactoryFixture.PAIR).kind()).isEqualTo(ErrorKind.MISCONFIGURED);
            assertThat(bench.listed()).isEmpty();
        }
    }

    @Test
    void theSameTokenIsTheSameAddressEvenAfterARestart() {
        ResourceId before;
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            before = bench.make("wish").id();
            assertThat(bench.make("wish").id()).isEqualTo(before);
        }
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            assertThat(bench.make("wish").id()).isEqualTo(before);
            assertThat(bench.listed()).hasSize(1);
        }
    }

    @Test
    void aLateDisposeOfAnEarlierLendingTakesNothingFromTheNextOne() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.9/32")) {
            Resource first = bench.make("t1");
            bench.dispose(first);
            Resource second = bench.make("t2");
            assertThat(second.id()).isEqualTo(first.id());
            assertThat(bench.dispose(first)).isEqualTo(new Disposed(first.id()));
            assertThat(bench.listed()).containsExactly("10.64.0.9");
            bench.dispose(second);
            assertThat(bench.listed()).isEmpty();
        }
    }

    @Test
    void aWishWhoseTimeIsOverMakesNothing() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            CreateRequest late = new CreateRequest(
                    new RequestToken("late"),
                    CidrFactoryFixture.V4,
                    bench.context.clock().instant().minusSeconds(1));
            CreateResult result = CidrFactoryFixture.settled(
                    bench.factory.create(List.of(late)).get(0));
            assertThat(result)
                    .isInstanceOfSatisfying(
                            Failed.class, f -> assertThat(f.kind()).isEqualTo(ErrorKind.DEADLINE_EXCEEDED));
            assertThat(bench.listed()).isEmpty();
        }
    }

    @Test
    void addressesOfARangeThatIsNoLongerConfiguredStayUntilTheyAreDisposedOf() {
        Resource old;
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            old = bench.make("t1");
        }
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.65.0.0/29")) {
            Capabilities with = bench.factory.capabilities();
            assertThat(bench.listed()).containsExactly("10.64.0.2");
            assertThat(with.capacity())
                    .as("five of the new range, and the old one")
                    .isEqualTo(6);
            assertThat(bench.make("t2").id()).hasToString("10.65.0.2");
            Resource listed = CidrFactoryFixture.settled(bench.factory.list()).get(0);
            assertThat(listed.attributes()).isEqualTo(old.attributes());
            bench.dispose(old);
            assertThat(bench.listed()).containsExactly("10.65.0.2");
            assertThat(bench.factory.capabilities().capacity()).isEqualTo(5);
        }
    }

    @Test
    void anAddressThatIsExcludedWhileInUseIsNotGivenAgain() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            bench.make("t1");
        }
        Map<String, List<String>> smaller = Map.of("ranges", List.of("10.64.0.0/30"), "exclude", List.of("10.64.0.2"));
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, smaller)) {
            bench.dispose(CidrFactoryFixture.settled(bench.factory.list()).get(0));
            assertThat(bench.refused("t2", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
            assertThat(bench.factory.capabilities().capacity()).isZero();
        }
    }

    @Test
    void twoFactoriesNeverShareADirectory() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            bench.make("t1");
            assertThatThrownBy(() -> CidrFactoryFixture.open(directory, "10.64.0.0/24"))
                    .isInstanceOfSatisfying(
                            FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT))
                    .hasMessageContaining("another cidr factory");
            assertThat(bench.make("t2").id()).hasToString("10.64.0.3");
        }
        CidrFactoryFixture.open(directory, "10.64.0.0/24").close();
    }

    @Test
    void aWrongConfigurationLeavesTheDirectoryToTheNext() {
        assertThatThrownBy(() -> CidrFactoryFixture.open(directory, "10.64.0.0/24", "10.64.0.128/25"))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED));
        CidrFactoryFixture.open(directory, "10.64.0.0/24").close();
    }

    @Test
    void aClosedFactoryRefusesAndKeepsWhatItHad() {
        CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24");
        Resource made = bench.make("t1");
        bench.close();
        bench.close();
        assertThat(bench.refused("t2", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
        assertThat(bench.dispose(made)).isInstanceOf(Failed.class);
        assertThat(bench.factory.list().toCompletableFuture()).isCompletedExceptionally();
        try (CidrFactoryFixture again = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            assertThat(again.listed()).containsExactly("10.64.0.2");
        }
    }

    @Test
    void whatWasAskedBeforeTheCloseIsDone() {
        List<CompletionStage<CreateResult>> asked = new ArrayList<>();
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            for (int i = 0; i < 20; i++) {
                asked.addAll(bench.factory.create(List.of(bench.wish("t" + i, CidrFactoryFixture.V4))));
            }
        }
        assertThat(asked)
                .allSatisfy(
                        stage -> assertThat(CidrFactoryFixture.settled(stage)).isInstanceOf(Created.class));
    }

    @Test
    void anIPv6Slash64GivesAsEasilyAsASlash24() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "2001:db8::/64")) {
            for (int i = 0; i < 50; i++) {
                bench.make("t" + i, CidrFactoryFixture.V6);
            }
            assertThat(bench.listed()).hasSize(50).contains("2001:db8::2", "2001:db8::33");
            assertThat(bench.factory.capabilities().capacity()).isEqualTo(1 << 20);
        }
    }

    @Test
    void aDiskThatIsFullLeavesNothingHalfDone() throws IOException {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24", "fd00::/64")) {
            bench.make("t1");
            // every write to this device answers ENOSPC
            Files.deleteIfExists(directory.resolve("writing"));
            Files.createSymbolicLink(directory.resolve("writing"), Path.of("/dev/full"));
            Failed failed = bench.refused("t2", CidrFactoryFixture.PAIR);
            assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(failed.message()).contains("No space left");
            assertThat(bench.listed()).containsExactly("10.64.0.2");
            assertThat(bench.make("t2", CidrFactoryFixture.PAIR).id())
                    .as("space again")
                    .hasToString("10.64.0.3_fd00::2");
        }
    }

    @Test
    void aDiskThatIsGoneFailsEveryWishUntilItIsBack() throws IOException {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            Resource made = bench.make("t1");
            Path addresses = directory.resolve("addresses");
            Path away = directory.resolve("away");
            Files.move(addresses, away);
            assertThat(bench.refused("t2", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.UNAVAILABLE);
            assertThat(bench.dispose(made))
                    .isInstanceOfSatisfying(
                            Failed.class, f -> assertThat(f.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
            assertThat(bench.factory.list())
                    .failsWithin(Duration.ofSeconds(60))
                    .withThrowableThat()
                    .withCauseInstanceOf(FactoryException.class);
            Files.move(away, addresses);
            assertThat(bench.listed()).containsExactly("10.64.0.2");
            assertThat(bench.make("t2").id()).hasToString("10.64.0.3");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void eightCallersNeverGetTheSameAddress(long seed) throws Exception {
        int callers = 8;
        Map<String, String> holders = new ConcurrentHashMap<>();
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/27", "fd00::/123")) {
            ExecutorService threads = Executors.newFixedThreadPool(callers);
            List<Future<?>> running = new ArrayList<>();
            for (int caller = 0; caller < callers; caller++) {
                int me = caller;
                running.add(threads.submit(() -> churn(bench, new Random(seed * 100 + me), "c" + me, holders)));
            }
            for (Future<?> each : running) {
                each.get();
            }
            threads.shutdown();
            List<String> listed = new ArrayList<>();
            CidrFactoryFixture.settled(bench.factory.list())
                    .forEach(r -> r.addresses().forEach(a -> listed.add(a.host())));
            assertThat(listed).containsExactlyInAnyOrderElementsOf(holders.keySet());
        }
    }

    private static void churn(CidrFactoryFixture bench, Random random, String me, Map<String, String> holders) {
        List<Resource> mine = new ArrayList<>();
        for (int step = 0; step < 40; step++) {
            if (mine.isEmpty() || random.nextInt(100) < 60) {
                Map<Integer, Set<Family>> families =
                        Map.of(0, CidrFactoryFixture.V4, 1, CidrFactoryFixture.V6, 2, CidrFactoryFixture.PAIR);
                if (bench.ask(me + "-" + step, families.get(random.nextInt(3))) instanceof Created created) {
                    created.resource()
                            .addresses()
                            .forEach(a -> assertThat(holders.putIfAbsent(a.host(), me))
                                    .as("the other holder of " + a)
                                    .isNull());
                    mine.add(created.resource());
                }
            } else {
                Resource back = mine.remove(random.nextInt(mine.size()));
                back.addresses().forEach(a -> holders.remove(a.host()));
                assertThat(bench.dispose(back)).isInstanceOf(Disposed.class);
            }
        }
    }

    @Test
    void oneTokenFromManyThreadsIsOneAddress() throws Exception {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<Future<Resource>> made = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                made.add(threads.submit(() -> bench.make("same")));
            }
            Map<ResourceId, Integer> ids = new HashMap<>();
            for (Future<Resource> each : made) {
                ids.merge(each.get().id(), 1, Integer::sum);
            }
            threads.shutdown();
            assertThat(ids).hasSize(1);
            assertThat(bench.listed()).hasSize(1);
        }
    }

    @Test
    void aCallerThatIsInterruptedInterruptsNoWrite() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/24")) {
            Thread.currentThread().interrupt();
            List<CompletionStage<CreateResult>> stages =
                    bench.factory.create(List.of(bench.wish("t1", CidrFactoryFixture.V4)));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(CidrFactoryFixture.settled(stages.get(0))).isInstanceOf(Created.class);
        }
    }
}
