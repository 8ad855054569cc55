package ${package};

import io.enipam.lab.contract.LabContract;
import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.nio.file.Path;
import java.time.Duration;

/** What this policy does on a day, replayed with the shipped engine in virtual time; the tests are inherited. */
class ${className}DayTest extends LabContract {
    @Override
    protected PolicyCatalog policies() {
        return PolicyCatalog.of(new ${className}Plugin());
    }

    @Override
    protected String policy() {
        return "${artifactId}(headroom=25,min=5,max=10)";
    }

    /** A made one; 'lab record' or 'lab import' makes a file of a day that a node of yours had. */
    @Override
    protected Trace trace() throws TraceException {
        return TraceFile.read(Path.of("src/test/resources/day.jsonl"));
    }

    @Override
    protected Duration longestP99() {
        return Duration.ofSeconds(1);
    }

    @Override
    protected double mostIdle() {
        return 12;
    }
}
