package io.enipam.shell.lab;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "import", description = "Make a trace of a node's logs, or of a cluster's events.")
public final class LabImportCommand extends TraceCommand {
    @Completes(CompletionKind.FILES)
    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Logs of containerd or the kubelet, events as JSON; gzip is unpacked.")
    List<Path> files = new ArrayList<>();

    @Completes(CompletionKind.FILES)
    @Option(names = "--to", paramLabel = "TRACE", description = "A file that is made, or replaced with --yes.")
    @Nullable
    Path to;

    @Option(names = "--names", description = "With the names of pods; else there are hashes in their place.")
    boolean names;

    @Option(names = "--node", paramLabel = "NAME", description = "Of events, only the pods of this node.")
    String node = "";

    @Mixin
    ConfirmationOption consent = new ConfirmationOption();

    @Override
    public boolean writesLocalFile() {
        return to != null;
    }

    @Override
    public void run() {
        List<String> words = new ArrayList<>(List.of("import"));
        if (names) {
            words.add("--names");
        }
        if (!node.isEmpty()) {
            words.add("--node=" + node);
        }
        words.add("--");
        files.forEach(file -> words.add(file.toString()));
        trace(words, to, consent.yes);
    }
}
