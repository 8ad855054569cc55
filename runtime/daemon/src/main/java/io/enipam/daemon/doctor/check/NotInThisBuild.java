package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;

/** A check of something that this build does not have yet: it has its place, and says why nothing is looked at. */
record NotInThisBuild(About about, String why) implements Check {
    static final String NO_DATAPATH = "no datapath in this build, the kernel is not set up for pods";

    @Override
    public Outcome look(Facts facts) {
        return Outcome.notApplicable(why);
    }
}
