package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.CredentialFacts;
import io.enipam.kubernetes.api.CredentialStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Credentials of the API server that end. */
final class CertificateExpiring implements Check {
    private static final Duration WEEK = Duration.ofDays(7);
    private static final int TENTH = 10;

    private static final About ABOUT = new About(
            "certificate-expiring",
            "A token or certificate to the API server ends soon",
            Severity.CRITICAL,
            "The token and the certificates of the connection to the API server, read anew. Of a token: WARN in the last tenth of its life, since the kubelet renews it long before. Of a certificate: WARN in its last week. CRITICAL for what has ended, or cannot be read.",
            "Without them the API server refuses every call, or is not believed.",
            "kubectl -n kube-system delete pod -l app.kubernetes.io/name=enipam --field-selector spec.nodeName=NODE, which gets"
                    + " this node's daemon a new token; with a kubeconfig: renew what is in it");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        CredentialFacts held = facts.the(CredentialFacts.class);
        List<Evidence> evidence = new ArrayList<>();
        Severity worst = Severity.OK;
        for (CredentialStatus credential : held.credentials()) {
            Severity severity = severity(credential, facts.now());
            if (severity != Severity.OK) {
                evidence.add(evidence(credential, facts.now()));
                worst = severity.atLeast(worst) ? severity : worst;
            }
        }
        return evidence.isEmpty()
                ? Outcome.ok("what " + held.place() + " holds is good")
                : Outcome.of(
                        worst, evidence.get(0).subject() + " " + evidence.get(0).seen(), evidence);
    }

    private static Severity severity(CredentialStatus credential, Instant now) {
        if (credential.trouble().isPresent()) {
            return Severity.CRITICAL;
        }
        if (credential.until().isEmpty()) {
            return Severity.OK;
        }
        Duration left = Duration.between(now, credential.until().get());
        if (left.isNegative()) {
            return Severity.CRITICAL;
        }
        return left.compareTo(early(credential)) < 0 ? Severity.WARN : Severity.OK;
    }

    /** How long before its end somebody should have renewed it; a week, or a tenth of a shorter life. */
    private static Duration early(CredentialStatus credential) {
        return credential
                .from()
                .flatMap(from -> credential
                        .until()
                        .map(until -> Duration.between(from, until).dividedBy(TENTH)))
                .filter(tenth -> tenth.compareTo(WEEK) < 0)
                .orElse(WEEK);
    }

    private static Evidence evidence(CredentialStatus credential, Instant now) {
        String seen = credential.trouble().orElseGet(() -> {
            Instant until = credential.until().orElse(now);
            Duration left = Duration.between(now, until);
            return (left.isNegative() ? "ended " + Say.span(left) + " ago" : "ends in " + Say.span(left)) + ", at "
                    + until;
        });
        return new Evidence(credential.what(), seen, "daemon");
    }
}
