package io.enipam.examples.swarm.licences;

import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.VoterContract;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rules every voter keeps; the tests are inherited. */
class LicenceVoterContractTest extends VoterContract {
    private static final int LICENCES = 4;

    @Override
    protected Extension extension() {
        return LicenceVoter.extension("swarm");
    }

    @Override
    protected List<Setting<?>> settings() {
        return List.of(LicenceVoter.LICENCES);
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("licences", List.of(Integer.toString(LICENCES)));
    }

    @Override
    protected int room() {
        return LICENCES;
    }

    @Override
    protected Optional<String> violated(List<ClaimId> promised) {
        return promised.size() > LICENCES
                ? Optional.of(promised.size() + " tasks have one of " + LICENCES + " licences")
                : Optional.empty();
    }
}
