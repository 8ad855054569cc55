package io.enipam.store;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What must be true of the records among themselves: each is readable, has the key that its content gives, no key is there
 * twice, no address and no resource is lent twice, no resource has two holds, and nothing is held for longer than
 * {@link #LONGEST_HOLD} from now. A hold beside a lease of the same resource is no fault: rows of holds that
 * have ended go when there is time.
 */
final class RecordRules {
    /** No cool-down takes more than an hour and no policy keeps an address for more than a day; a wrong clock is not excused. */
    static final Duration LONGEST_HOLD = Duration.ofDays(366);

    private final RecordCodec codec = new RecordCodec();
    private final FormerKeys formerKeys = new FormerKeys();
    private final Instant now;
    /** Whether an older program wrote the records, and no one of today has opened the database since. */
    private final boolean former;

    private final List<Problem> problems = new ArrayList<>();
    private final Map<ResourceKey, String> resources = new HashMap<>();
    private final Map<ResourceKey, String> held = new HashMap<>();
    private final Map<InetAddress, String> addresses = new HashMap<>();

    private RecordRules(StoreSnapshot snapshot, Instant now) {
        this.now = now;
        this.former = formerKeys.in(snapshot);
    }

    /** @param newer whether a newer program wrote the record */
    record Problem(String where, String message, boolean newer) {}

    static List<Problem> problems(StoreSnapshot snapshot, Instant now) {
        RecordRules rules = new RecordRules(snapshot, now);
        for (Bucket bucket : Bucket.values()) {
            Optional<String> before = Optional.empty();
            for (Map.Entry<String, byte[]> record : snapshot.of(bucket)) {
                String key = record.getKey();
                String where = bucket.text() + "/" + key;
                if (before.filter(key::equals).isPresent()) {
                    rules.problem(where, "there are two records of this key");
                } else if (before.isPresent() && before.get().compareTo(key) > 0) {
                    rules.problem(where, "it stands behind a later key");
                }
                before = Optional.of(key);
                rules.check(bucket, key, record.getValue(), where);
            }
        }
        return rules.problems;
    }

    private void check(Bucket bucket, String key, byte[] record, String where) {
        try {
            if (bucket == Bucket.META) {
                codec.checkMeta(key, record);
                return;
            }
            Change change = codec.put(bucket, key, record);
            if (!former || formerKeys.today(bucket, key, record).isEmpty()) {
                canonical(where, change);
            }
            if (change instanceof Change.PutLease put) {
                unshared(put.lease().resource(), where);
                kept(put.lease().stick(), where);
            } else if (change instanceof Change.PutHold put) {
                held(where, put.hold());
            } else if (change instanceof Change.PutPod put) {
                kept(put.copy().pod().stick(), where);
            }
        } catch (StoreException e) {
            String message = String.valueOf(e.getMessage());
            problems.add(new Problem(where, message, e.reason() == StoreException.Reason.NEWER));
        }
    }

    private void held(String where, Hold hold) {
        ResourceKey resource = ResourceKey.of(hold.resource());
        Optional.ofNullable(held.putIfAbsent(resource, where))
                .ifPresent(other -> problem(where, "its resource " + resource.id() + " has another hold, " + other));
        if (hold.until().isAfter(now.plus(LONGEST_HOLD))) {
            problem(
                    where,
                    "it holds until " + hold.until() + ", more than " + LONGEST_HOLD.toDays() + " days from now");
        }
    }

    private void problem(String where, String message) {
        problems.add(new Problem(where, message, false));
    }

    private void kept(Duration stick, String where) {
        if (stick.isNegative() || stick.compareTo(LONGEST_HOLD) > 0) {
            problem(
                    where,
                    "its address would be kept for " + stick + ", which is not between none and "
                            + LONGEST_HOLD.toDays() + " days");
        }
    }

    private void canonical(String where, Change change) {
        codec.encode(change).stream()
                .filter(mutation -> mutation.record().isPresent())
                .map(mutation -> mutation.bucket().text() + "/" + mutation.key())
                .filter(place -> !place.equals(where))
                .forEach(place -> problem(where, "its content belongs to " + place));
    }

    private void unshared(Resource resource, String where) {
        Optional.ofNullable(resources.putIfAbsent(ResourceKey.of(resource), where))
                .ifPresent(
                        other -> problem(where, "its resource " + resource.id().value() + " is that of " + other));
        for (Address address : resource.addresses()) {
            Optional.ofNullable(addresses.putIfAbsent(address.ip(), where))
                    .ifPresent(other -> problem(where, "its address " + address.host() + " is that of " + other));
        }
    }
}
