package io.enipam.sdk;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Something of a plugin that runs in the host for as long as it is enabled: it is enabled by its name in
 * the list {@code extensions} of {@code enipam.yaml}; one that is not costs nothing.
 *
 * <p>Constant, and thread-safe.
 */
public interface Extension {
    /** The name by which configuration and the shell know it: {@code [a-z][a-z0-9-]*}, at most 63 characters, constant, unique among all plugins. */
    String name();

    /** The hosts on which it can run. */
    default Set<Role> roles() {
        return Set.of(Role.NODE);
    }

    /**
     * The ballot on which what it opens votes, which is then a {@link Voter}: {@code [a-z][a-z0-9-]*}, at most 63 characters,
     * constant; empty if it opens none. It is known before it is opened, so that claims wait for a voter that is enabled and cannot
     * be opened.
     */
    default Optional<String> ballot() {
        return Optional.empty();
    }

    /**
     * Starts it. Must be through after 10 s; the host closes what it returns, and opens it anew, when a setting changes that
     * {@link Part#reconfigure} does not take.
     *
     * @throws FactoryException if it cannot run as configured; the message is shown, and the host tries again with back-off
     */
    Part open(Host host);

    /** An extension of this name. */
    static Extension of(String name, Set<Role> roles, Function<Host, ? extends Part> open) {
        return given(name, roles, Optional.empty(), open);
    }

    /** An extension of this name that opens a {@link Voter} of a ballot. */
    static Extension voter(String name, Set<Role> roles, String ballot, Function<Host, ? extends Part> open) {
        return given(name, roles, Optional.of(ballot), open);
    }

    private static Extension given(
            String name, Set<Role> roles, Optional<String> ballot, Function<Host, ? extends Part> open) {
        record Given(String name, Set<Role> roles, Optional<String> ballot, Function<Host, ? extends Part> opening)
                implements Extension {
            @Override
            public Part open(Host host) {
                return opening.apply(host);
            }
        }
        return new Given(name, Set.copyOf(roles), ballot, open);
    }
}
