package io.enipam.examples.churnadaptive;

import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceGenerator.Pattern;

class SteadyWaitPromiseTest extends WaitPromiseContract {
    @Override
    protected Trace trace() {
        return trace(Pattern.STEADY);
    }

    @Override
    protected double mostIdle() {
        return 6;
    }
}
