package io.enipam.shell.lab;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command whose trace the lab's program makes. It is printed, or written to a file; the program's notes on it are below. */
public abstract class TraceCommand extends DaemonCommand {
    /** @param replace whether the file may be there */
    final void trace(List<String> words, @Nullable Path to, boolean replace) {
        List<String> notes = new ArrayList<>();
        if (to == null) {
            finished(new LabProgram(session).run(words, out()::println, notes::add));
            out().flush();
            notes.forEach(note -> session.screen().err().println(Palette.clean(note)));
            return;
        }
        AtomicOutputFile saved = AtomicOutputFile.begin(to, replace, "--yes");
        try (saved) {
            finished(waiting(() -> new LabProgram(session).run(words, line -> write(saved, line), notes::add)));
            Struct.Builder done = Struct.newBuilder()
                    .putFields("path", Values.of(to.toString()))
                    .putFields("bytes", Values.of(Long.toString(saved.finish())));
            if (!notes.isEmpty()) {
                ListValue.Builder listed = ListValue.newBuilder();
                notes.forEach(note -> listed.addValues(Values.of(note)));
                done.putFields("notes", Values.of(listed.build()));
            }
            show(done.build(), (made, look) -> said(made, notes), made -> List.of(ListReply.text(made, "path")));
        } catch (IOException e) {
            throw saved.failed(e);
        }
    }

    private static List<String> said(Struct made, List<String> notes) {
        List<String> lines = new ArrayList<>();
        lines.add("wrote " + ListReply.text(made, "path") + ": " + ListReply.text(made, "bytes") + " bytes");
        lines.addAll(notes);
        return lines.stream().map(Palette::clean).toList();
    }

    private static void write(AtomicOutputFile file, String line) {
        try {
            file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw file.failed(e);
        }
    }

    private static void finished(boolean whole) {
        if (!whole) {
            throw ShellException.interrupted();
        }
    }
}
