package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.MetadataFacts;

/** A metadata service that is silent. */
final class MetadataUnreachable implements Check {
    private static final About ABOUT = new About(
            "metadata-unreachable",
            "The metadata service does not answer",
            Severity.CRITICAL,
            "The metadata service, asked now for the instance. WARN if it does not answer, CRITICAL"
                    + " if it names another instance.",
            "The keys of the RAM role come from it, and a restart needs it. An address that belongs"
                    + " to another instance must not be used here.",
            "curl http://100.100.100.200/latest/meta-data/instance-id; check routes and firewall"
                    + " rules of 100.100.100.200");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        MetadataFacts metadata = facts.the(MetadataFacts.class);
        if (metadata.trouble().isPresent()) {
            return Outcome.of(
                    Severity.WARN,
                    "the metadata service does not answer",
                    new Evidence("metadata service", metadata.trouble().get(), "metadata"));
        }
        return metadata.instance().equals(metadata.expected())
                ? Outcome.ok("it answers, and this is " + metadata.instance())
                : Outcome.of(
                        Severity.CRITICAL,
                        "the metadata service says that this is another instance",
                        new Evidence(
                                "instance",
                                metadata.instance() + ", and the daemon is of " + metadata.expected(),
                                "metadata"));
    }
}
