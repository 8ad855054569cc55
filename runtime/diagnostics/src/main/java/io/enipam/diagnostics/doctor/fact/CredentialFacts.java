package io.enipam.diagnostics.doctor.fact;

import io.enipam.kubernetes.api.CredentialStatus;
import java.util.List;

/**
 * What the daemon goes by at the API server, without the secrets.
 *
 * @param place where it comes from
 */
public record CredentialFacts(String place, List<CredentialStatus> credentials) {
    public CredentialFacts {
        credentials = List.copyOf(credentials);
    }
}
