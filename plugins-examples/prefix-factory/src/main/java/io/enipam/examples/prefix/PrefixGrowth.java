package io.enipam.examples.prefix;

import io.enipam.examples.prefix.PrefixBook.Nic;
import io.enipam.examples.prefix.PrefixFactory.Limits;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.Eni;
import io.enipam.sdk.cloud.EniRequest;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cloud.VSwitch;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has more prefixes assigned: to the fullest ENI that has room; to a new ENI if none has. One attempt at a time, on the factory's
 * thread.
 *
 * <p>Each refusal takes away one choice, and the next one is tried at once: an ENI that takes no more, whatever the instance type
 * says, is full; a vSwitch without a free block is passed over for ten minutes; a call for several blocks is made for half as many.
 * So a full ENI never keeps a free slot of the instance from being used. Only when no choice is left do the requests fail, with the
 * last refusal. No slot is counted as taken before an ENI is attached: one that cannot be attached is deleted, and that is all.
 */
final class PrefixGrowth {
    private static final Duration PASSED_OVER = Duration.ofMinutes(10);

    /** A call whose outcome is not known yet, to be made again as it was. */
    private record Attempt(String where, int count, RequestToken token) {}

    private final Cloud cloud;
    private final PrefixBook book;
    private final Limits limits;
    private final Clock clock;
    private final OwnThread thread;
    private final Map<String, VSwitch> homes = new HashMap<>();
    private final Map<String, Instant> withoutBlocks = new HashMap<>();
    private @Nullable Attempt open;
    private @Nullable Failed last;
    private boolean working;
    private int most = PrefixBook.MOST_A_CALL;

    PrefixGrowth(Cloud cloud, PrefixBook book, Limits limits, Clock clock, OwnThread thread) {
        this.cloud = cloud;
        this.book = book;
        this.limits = limits;
        this.clock = clock;
        this.thread = thread;
    }

    /** The vSwitches that were described so far, by id. */
    Map<String, VSwitch> homes() {
        return homes;
    }

    boolean atWork() {
        return working;
    }

    /**
     * Has enough prefixes assigned for so many addresses, or some of them; no effect while it is at work.
     *
     * @param grown called when there are more prefixes
     * @param refused called when there are none to be had
     */
    void grow(int addresses, Runnable grown, Consumer<Failed> refused) {
        if (!working) {
            working = true;
            last = null;
            most = PrefixBook.MOST_A_CALL;
            new Step(addresses, grown, refused).next();
        }
    }

    private boolean hasBlocks(String vSwitch) {
        Instant since = withoutBlocks.get(vSwitch);
        return since == null || Duration.between(since, clock.instant()).compareTo(PASSED_OVER) >= 0;
    }

    private Attempt attempt(String where, int count) {
        Attempt before = open;
        if (before != null && before.where.equals(where)) {
            return before;
        }
        Attempt fresh =
                new Attempt(where, count, new RequestToken(UUID.randomUUID().toString()));
        open = fresh;
        return fresh;
    }

    /** One growth, which ends by one of its two calls. */
    private final class Step {
        private final int addresses;
        private final Runnable grown;
        private final Consumer<Failed> refused;

        Step(int addresses, Runnable grown, Consumer<Failed> refused) {
            this.addresses = addresses;
            this.grown = grown;
            this.refused = refused;
        }

        void next() {
            Optional<Nic> room = book.nics().stream()
                    .filter(nic -> !nic.full && nic.prefixes.size() < limits.prefixes() && hasBlocks(nic.home.id()))
                    .max(Comparator.comparingInt(nic -> nic.prefixes.size()));
            if (room.isPresent()) {
                assign(room.get());
            } else if (book.nics().size() < limits.enis()) {
                then(cloud.vSwitches(), this::make);
            } else {
                refuse(Failed.of(
                        ErrorKind.QUOTA_EXHAUSTED,
                        "all " + book.nics().size() + " ENIs have the " + limits.prefixes()
                                + " prefixes that they may have, or get no more"));
            }
        }

        private void assign(Nic nic) {
            int wanted = (addresses + PrefixBook.SIZE - 1) / PrefixBook.SIZE;
            int count = Math.min(Math.min(wanted, most), limits.prefixes() - nic.prefixes.size());
            Attempt attempt = attempt(nic.id, count);
            then(cloud.assignPrefixes(nic.id, attempt.count, attempt.token), outcome -> {
                if (outcome instanceof Outcome.Done<List<String>> done) {
                    open = null;
                    done.value().forEach(prefix -> book.add(nic, prefix, clock.instant()));
                    end(grown);
                    return;
                }
                Outcome.NotDone<List<String>> notDone = (Outcome.NotDone<List<String>>) outcome;
                if (notDone.unknown()) {
                    refuse(notDone.failure());
                    return;
                }
                open = null;
                last = notDone.failure();
                switch (notDone.failure().kind()) {
                    case ADDRESSES_EXHAUSTED -> fewer(nic.home.id(), attempt.count);
                    case QUOTA_EXHAUSTED -> {
                        nic.full = true;
                        next();
                    }
                    case NOT_FOUND -> {
                        book.remove(nic, clock.instant());
                        next();
                    }
                    default -> refuse(notDone.failure());
                }
            });
        }

        /** There were not so many free blocks: fewer may be there, or none. */
        private void fewer(String vSwitch, int asked) {
            if (asked > 1) {
                most = asked / 2;
            } else {
                withoutBlocks.put(vSwitch, clock.instant());
            }
            next();
        }

        private void make(Outcome<List<VSwitch>> outcome) {
            if (outcome instanceof Outcome.NotDone<List<VSwitch>> notDone) {
                refuse(notDone.failure());
                return;
            }
            List<VSwitch> places = ((Outcome.Done<List<VSwitch>>) outcome).value();
            places.forEach(place -> homes.put(place.id(), place));
            // a prefix and the ENI's own address
            Optional<VSwitch> home = places.stream()
                    .filter(place -> hasBlocks(place.id()) && place.available() > PrefixBook.SIZE)
                    .findFirst();
            if (home.isEmpty()) {
                refuse(Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "no vSwitch has a free block of 16 addresses"));
                return;
            }
            String place = home.get().id();
            EniRequest request = new EniRequest(Eni.Kind.SECONDARY, place, List.of(), PrefixFactory.LABEL);
            Attempt attempt = attempt(place, 0);
            then(cloud.create(request, attempt.token), made -> {
                if (made instanceof Outcome.Done<Eni> done) {
                    open = null;
                    attach(done.value(), home.get());
                    return;
                }
                Outcome.NotDone<Eni> notDone = (Outcome.NotDone<Eni>) made;
                if (!notDone.unknown()) {
                    open = null;
                    if (notDone.failure().kind() == ErrorKind.ADDRESSES_EXHAUSTED) {
                        fewer(place, 1);
                        return;
                    }
                }
                refuse(notDone.failure());
            });
        }

        private void attach(Eni made, VSwitch home) {
            then(cloud.attach(made.id()), outcome -> {
                if (outcome instanceof Outcome.Done<Eni> done) {
                    book.add(done.value(), home, clock.instant());
                    next();
                    return;
                }
                Outcome.NotDone<Eni> notDone = (Outcome.NotDone<Eni>) outcome;
                if (notDone.unknown()) {
                    // attached in the end, the next list finds it; if not, the daemon sweeps it
                    refuse(notDone.failure());
                } else {
                    then(cloud.delete(made.id()), gone -> refuse(notDone.failure()));
                }
            });
        }

        private void refuse(Failed failure) {
            Failed cause = failure.kind() == ErrorKind.QUOTA_EXHAUSTED && last != null ? last : failure;
            end(() -> refused.accept(cause));
        }

        private void end(Runnable then) {
            working = false;
            then.run();
        }

        private <T> void then(CompletionStage<T> stage, Consumer<T> next) {
            // once it is closed, the factory has refused all that waited
            thread.then(stage, next, () -> {});
        }
    }
}
