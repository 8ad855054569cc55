package io.enipam.emulator.cloud;

import static io.enipam.emulator.cloud.EniEvent.ATTACH;
import static io.enipam.emulator.cloud.EniEvent.ATTACHED;
import static io.enipam.emulator.cloud.EniEvent.DELETE;
import static io.enipam.emulator.cloud.EniEvent.DETACH;
import static io.enipam.emulator.cloud.EniEvent.DETACHED;

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

    private static final Map<EniStatus, Map<EniEvent, EniStatus>> TRANSITIONS = Map.of(
            AVAILABLE, Map.of(ATTACH, ATTACHING, DELETE, DELETING),
            ATTACHING, Map.of(ATTACHED, IN_USE),
            IN_USE, Map.of(DETACH, DETACHING),
            DETACHING, Map.of(DETACH, DETACHING, DETACHED, AVAILABLE),
            DELETING, Map.of(DELETE, DELETING));

    private final String wireName;

    EniStatus(String wireName) {
        this.wireName = wireName;
    }

    /** As the API spells it. */
    public String wireName() {
        return wireName;
    }

    /** The status after the event, or empty if the event is not allowed now. */
    public Optional<EniStatus> after(EniEvent event) {
        return Optional.ofNullable(TRANSITIONS.get(this).get(event));
    }

    /** The event that ends this status by itself after a while, or empty if the status lasts. */
    public Optional<EniEvent> ending() {
        return switch (this) {
            case AVAILABLE, IN_USE -> Optional.empty();
            case ATTACHING -> Optional.of(ATTACHED);
            case DETACHING -> Optional.of(DETACHED);
            case DELETING -> Optional.of(EniEvent.DELETED);
        };
    }

    /** Whether addresses may be assigned and unassigned. */
    public boolean isSteady() {
        return ending().isEmpty();
    }
}
