package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Holding;
import io.enipam.diagnostics.explain.Explanation.NextStep;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A story while it is being told. For one thread. */
final class Telling {
    private String state = "";
    private Optional<Instant> since = Optional.empty();
    private Optional<Instant> until = Optional.empty();
    private final List<String> why = new ArrayList<>();
    private final List<NextStep> next = new ArrayList<>();
    private Optional<PodRef> pod = Optional.empty();
    private Optional<OwnerKey> owner = Optional.empty();
    private Optional<Resource> resource = Optional.empty();
    private String eni = "";
    private int addressLimit;
    private final List<Holding> addresses = new ArrayList<>();

    Telling state(String name, Optional<Instant> begun) {
        state = name;
        since = begun;
        return this;
    }

    Telling until(Optional<Instant> end) {
        until = end;
        return this;
    }

    Telling why(String sentence) {
        why.add(sentence);
        return this;
    }

    Telling next(Optional<Instant> at, String what) {
        next.add(new NextStep(at, what));
        return this;
    }

    Telling pod(Optional<PodRef> of) {
        pod = of;
        return this;
    }

    Telling owner(Optional<OwnerKey> of) {
        owner = of;
        return this;
    }

    Telling resource(Resource of) {
        resource = Optional.of(of);
        return this;
    }

    Telling eni(String id, int limit) {
        eni = id;
        addressLimit = limit;
        return this;
    }

    Telling holding(Holding holding) {
        addresses.add(holding);
        return this;
    }

    Explanation.Story told() {
        next.sort(Comparator.comparing(step -> step.at().orElse(Instant.MAX)));
        return new Explanation.Story(
                state,
                since,
                until,
                List.copyOf(why),
                List.copyOf(next),
                pod,
                owner,
                resource,
                eni,
                addressLimit,
                List.copyOf(addresses));
    }
}
