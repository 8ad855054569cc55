package io.enipam.examples.churnadaptive;

import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceGenerator.Pattern;

class CronWaitPromiseTest extends WaitPromiseContract {
    @Override
    protected Trace trace() {
        return trace(Pattern.CRON);
    }

    @Override
    protected double mostIdle() {
        return 6;
    }
}
