package io.enipam.emulator.metadata;

import io.enipam.emulator.auth.RoleSettings;

/**
 * How the metadata service works. Immutable.
 *
 * @param tokenRequired whether each request needs a token (the security-hardened mode); otherwise only one that is sent
 *     must be good
 * @param role how the credentials of the role come and go
 */
public record MetadataSettings(boolean tokenRequired, RoleSettings role) {
    /** No token needed, credentials every three hours. */
    public static final MetadataSettings USUAL = new MetadataSettings(false, RoleSettings.USUAL);

    /** The same, asking for tokens. */
    public MetadataSettings withTokenRequired() {
        return new MetadataSettings(true, role);
    }

    /** The same with other role credentials. */
    public MetadataSettings withRole(RoleSettings other) {
        return new MetadataSettings(tokenRequired, other);
    }
}
