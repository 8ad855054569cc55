package io.enipam.lab;

import io.enipam.lab.LabMain.LabCommand;
import io.enipam.lab.logs.LogImport;
import io.enipam.lab.logs.LogImport.Imported;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the trace of logs and events; what is not in it is told on stderr, a line for each reason. */
@Command(
        name = "import",
        description = "Make a trace of logs of containerd or the kubelet, or of events, and print it.")
final class ImportCommand extends LabCommand {
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
        print(imported.traces());
        imported.problems().forEach(problem -> spec.commandLine().getErr().println("enipam-lab: note: " + problem));
        return 0;
    }
}
