package io.enipam.diagnostics.sources;

import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudInspector.CloudState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the cloud says, and what the book said just before it was asked: what is on its way in between is in one of them.
 *
 * @param asked when the cloud was asked
 * @param before the book before that
 * @param lag how far the cloud's descriptions lag behind this node's own changes, as measured
 */
public record CloudWord(CloudState testimony, Instant asked, EniBook before, Duration lag) {
    /** One that is up to date. */
    public CloudWord(CloudState testimony, Instant asked, EniBook before) {
        this(testimony, asked, before, Duration.ZERO);
    }

    public Optional<ObservedEni> eni(String id) {
        return testimony.enis().stream().filter(eni -> eni.id().equals(id)).findFirst();
    }

    /** The ENIs that have an address, as a rule one. */
    public Stream<ObservedEni> holders(String address) {
        return testimony.enis().stream().filter(eni -> eni.addresses().contains(address));
    }

    /** Whether an ENI hangs on this node's instance and can be used. */
    public boolean serves(ObservedEni eni) {
        return eni.status().equals("InUse") && eni.instance().equals(testimony.instance());
    }
}
