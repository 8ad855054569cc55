package io.enipam.emulator.cloud;

import java.util.Map;
import java.util.Optional;

/**
 * What an ENI is doing. An ENI that is gone has no status: it is absent from the cloud.
 *
 * <p>A second Detach of an ENI that is already Detaching, and a second Delete of one that is Deleting, are accepted and
 * change nothing: clients re-issue both when a state sticks.
 */
public enum EniStatus {
    AVAILABLE("Available"),
    ATTACHING("Attaching"),
    IN_USE("InUse"),
    DETACHING("Detaching"),
    DELETING("Deleting");

    /** What happens to an ENI: calls by a client, and ends of what the calls began. */
    public enum EniEvent {
        ATTACH,
        ATTACHED,
        DETACH,
        DETACHED,
        DELETE,
        DELETED
    }

    private static final Map<EniStatus, Map<EniEvent, EniStatus>> TRANSITIONS = Map.of(
            AVAILABLE, Map.of(EniEvent.ATTACH, ATTACHING, EniEvent.DELETE, DELETING),
            ATTACHING, Map.of(EniEvent.ATTACHED, IN_USE),
            IN_USE, Map.of(EniEvent.DETACH, DETACHING),
            DETACHING, Map.of(EniEvent.DETACH, DETACHING, EniEvent.DETACHED, AVAILABLE),
            DELETING, Map.of(EniEvent.DELETE, DELETING));

    private static final Map<EniStatus, EniEvent> ENDINGS =
            Map.of(ATTACHING, EniEvent.ATTACHED, DETACHING, EniEvent.DETACHED, DELETING, EniEvent.DELETED);

    private final String wireName;

    EniStatus(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }

    /** The status after the event, or empty if the event is not allowed now. */
    public Optional<EniStatus> after(EniEvent event) {
        return Optional.ofNullable(TRANSITIONS.get(this).get(event));
    }

    /** The event that ends this status by itself after a while, or empty if the status lasts. */
    public Optional<EniEvent> ending() {
        return Optional.ofNullable(ENDINGS.get(this));
    }

    /** Whether addresses may be assigned and unassigned. */
    public boolean isSteady() {
        return ending().isEmpty();
    }
}
