package io.enipam.lab;

import io.enipam.lab.LabMain.LabCommand;
import io.enipam.lab.logs.LogImport;
import io.enipam.lab.logs.LogImport.Imported;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceFile.TraceException;
import io.enipam.lab.trace.TraceGenerator;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Where traces come from: formulas, or the logs of a node. */
final class TraceCommands {
    private TraceCommands() {}

    private static void printTraces(PrintStream out, List<Trace> nodes) throws IOException {
        Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        TraceFile.write(nodes, writer);
        writer.flush();
    }

    @Command(name = "generate", description = "Make a trace by formulas, and print it.")
    static final class Generate extends LabCommand {
        @Option(names = "--pattern", required = true, description = "One of ${COMPLETION-CANDIDATES}.")
        Pattern pattern = Pattern.DEPLOY;

        @Option(names = "--pods", description = "How many come in all. By default ${DEFAULT-VALUE}.")
        int pods = 1000;

        @Option(names = "--hours", description = "How long it is. By default ${DEFAULT-VALUE}.")
        double hours = 24;

        @Option(names = "--running", description = "How many run at one time, on average. By default ${DEFAULT-VALUE}.")
        int running = 20;

        @Option(names = "--seed", description = "Another one gives another trace. By default ${DEFAULT-VALUE}.")
        long seed = 1;

        @Option(
                names = "--nodes",
                description = "So many nodes, each with pods of its own. By default ${DEFAULT-VALUE}.")
        int nodes = 1;

        @Override
        public Integer call() throws IOException {
            if (!(hours > 0 && hours <= 31 * 24)) {
                throw new IllegalArgumentException("--hours is " + hours + ", and may be up to 744");
            }
            Duration length = Duration.ofMillis(Math.round(hours * 3_600_000));
            printTraces(out, TraceGenerator.fleet(new Wishes(pattern, pods, length, running, seed), nodes));
            return 0;
        }
    }

    /** Prints the trace of logs and events; what is not in it is reported on stderr, a line for each reason. */
    @Command(
            name = "import",
            description = "Make a trace of logs of containerd or the kubelet, or of events, and print it.")
    static final class Import extends LabCommand {
        @Parameters(arity = "1..*", paramLabel = "FILE", description = "Logs of one node, or events; gzip is unpacked.")
        List<Path> files = new ArrayList<>();

        @Option(names = "--names", description = "With the names of pods; else there are hashes in their place.")
        boolean names;

        @Option(names = "--node", paramLabel = "NAME", description = "Of events, only the pods of this node.")
        Optional<String> node = Optional.empty();

        @Spec
        CommandSpec spec = CommandSpec.create();

        @Override
        public Integer call() throws TraceException, IOException {
            Imported imported = LogImport.read(files, names, node);
            printTraces(out, imported.traces());
            imported.problems().forEach(problem -> spec.commandLine().getErr().println("enipam-lab: note: " + problem));
            return 0;
        }
    }
}
