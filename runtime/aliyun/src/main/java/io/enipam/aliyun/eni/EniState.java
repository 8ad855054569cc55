package io.enipam.aliyun.eni;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Where an ENI stands in the factory's registry. An ENI leaves the registry from any state, once the cloud has it no
 * more.
 */
public enum EniState {
    /** The call that makes it is on its way. */
    CREATING("Creating"),
    /** Made, and on its way to the instance. */
    ATTACHING("Attaching"),
    /** Attached: addresses can be assigned and lent. */
    IN_USE("InUse"),
    /** On its way off the instance, unless the cloud never received the call. It keeps its slot. */
    DETACHING("Detaching"),
    /** Off the instance, on its way out of the cloud. It keeps its slot until it is absent. */
    DELETING("Deleting"),
    /**
     * Taken off the instance by another actor while addresses of it are in use. It is attached again, or kept until the
     * engine has given those addresses back.
     */
    LOST("Lost"),
    /** Too long on its way: looked at now and then, asked again, still holding its slot. */
    STUCK("Stuck");

    private static final Map<EniState, Set<EniState>> NEXT = Map.of(
            CREATING, EnumSet.of(ATTACHING, DELETING),
            ATTACHING, EnumSet.of(IN_USE, DETACHING, DELETING, STUCK),
            IN_USE, EnumSet.of(DETACHING, DELETING, LOST),
            LOST, EnumSet.of(IN_USE, DELETING),
            DETACHING, EnumSet.of(IN_USE, DELETING, STUCK),
            DELETING, EnumSet.of(DETACHING, STUCK),
            STUCK, EnumSet.of(IN_USE, DETACHING, DELETING));

    private final String label;

    EniState(String label) {
        this.label = label;
    }

    /** For display: the API's spelling where it has one. */
    public String label() {
        return label;
    }

    public boolean mayBecome(EniState next) {
        return NEXT.getOrDefault(this, Set.of()).contains(next);
    }
}
