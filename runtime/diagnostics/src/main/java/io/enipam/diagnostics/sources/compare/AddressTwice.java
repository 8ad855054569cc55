package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.Account;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An address is in one place: within one source no two leases, resources, ENIs or sandboxes have it. DESIGN's first invariant. A
 * source that joins later is held to it as well, without a word here.
 */
final class AddressTwice implements Comparison {
    private static final Set<Saying.Topic> ONE_PLACE = EnumSet.of(
            Saying.Topic.LEASE, Saying.Topic.RESOURCE, Saying.Topic.ENI, Saying.Topic.SANDBOX, Saying.Topic.POD);

    @Override
    public List<Difference> differences(Snapshot snapshot) {
        List<Difference> found = new ArrayList<>();
        snapshot.accounts().forEach(account -> within(account, found));
        return found;
    }

    private static void within(Account<?> account, List<Difference> found) {
        Map<String, Saying> first = new HashMap<>();
        for (Saying saying : account.sayings()) {
            if (!ONE_PLACE.contains(saying.topic()) || saying.state().equals("FINISHED")) {
                continue;
            }
            for (String address : saying.addresses()) {
                Saying other = first.putIfAbsent(saying.topic() + " " + address, saying);
                if (other != null && !samePlace(other, saying)) {
                    found.add(new Difference(
                            Kind.ADDRESS_TWICE,
                            account.source() + " " + address,
                            Set.of(address),
                            saying.eni(),
                            saying.owner(),
                            saying.pod().or(other::pod),
                            "address " + address + " is in two places at once",
                            Facts.says(account.source(), other.words() + ", and also " + saying.words())));
                }
            }
        }
    }

    /** A kernel may tell of one sandbox twice. */
    private static boolean samePlace(Saying one, Saying other) {
        return one.topic() == Saying.Topic.SANDBOX
                && one.owner().equals(other.owner())
                && one.owner().isPresent();
    }
}
