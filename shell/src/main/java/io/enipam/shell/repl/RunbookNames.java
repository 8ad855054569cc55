package io.enipam.shell.repl;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.repl.CompletionValues.Value;
import io.enipam.shell.runbook.RunbookLibrary;
import io.enipam.shell.runbook.ScriptSource;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runbooks and their parameters to complete a word from. */
final class RunbookNames {
    private RunbookNames() {}

    /** Those of the library, then files. */
    static List<Value> of(String typed) {
        List<Value> values = new ArrayList<>();
        for (String name : RunbookLibrary.names()) {
            if (name.startsWith(typed)) {
                values.add(new Value(
                        name,
                        RunbookLibrary.header(RunbookLibrary.required(name)).description()));
            }
        }
        values.addAll(FileNames.of(typed));
        return values;
    }

    /** The parameters of the runbook that is named before, up to the value. */
    static List<Value> parameters(List<String> before) {
        if (before.isEmpty()) {
            return List.of();
        }
        try {
            String word = before.get(0);
            return RunbookLibrary.header(RunbookLibrary.named(word).orElseGet(() -> ScriptSource.file(Path.of(word))))
                    .parameters()
                    .stream()
                    .map(parameter -> new Value(
                            parameter.name() + "=",
                            parameter.doc()
                                    + parameter
                                            .fallback()
                                            .map(value -> " [" + value + "]")
                                            .orElse(" (required)")))
                    .toList();
        } catch (ShellException | InvalidPathException noSuchRunbook) {
            return List.of(); // a completion that fails is no completion; the command itself will say what is wrong
        }
    }
}
