package io.enipam.shell.plugin;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.StreamFollower;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.Tone;
import io.enipam.shell.core.YamlFormat;
import io.enipam.v1.CommandArgument;
import io.enipam.v1.CommandLine;
import io.enipam.v1.DiagnosticRow;
import io.enipam.v1.FollowCommandReply;
import io.enipam.v1.FollowCommandRequest;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.RunCommandReply;
import io.enipam.v1.RunCommandRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Commands that a plugin brings, one class for each impact: the grammar adds operands and options to each object. */
public final class PluginCommandLeaves {
    /** The daemon's own deadline is 30 s. */
    private static final Duration CHANGE = Duration.ofSeconds(40);

    private static final int WIDEST = 60;

    private PluginCommandLeaves() {}

    /** The option that a parameter is typed as. */
    static String option(String parameter) {
        return "--" + parameter.replace('_', '-');
    }

    /** What was typed, for the daemon. */
    private static RunCommandRequest.Builder request(PluginCommand command, CommandSpec spec) {
        RunCommandRequest.Builder request = RunCommandRequest.newBuilder().addAllPath(command.getPathList());
        for (int i = 0; i < command.getOperandsCount(); i++) {
            add(
                    request,
                    command.getOperands(i).getSetting().getName(),
                    spec.positionalParameters().get(i));
        }
        command.getOptionsList().forEach(each -> {
            String name = each.getSetting().getName();
            add(request, name, spec.findOption(option(name)));
        });
        return request;
    }

    private static void add(RunCommandRequest.Builder request, String name, ArgSpec argument) {
        Object value = argument.getValue();
        if (value instanceof List<?> all) {
            CommandArgument.Builder list = request.addArgumentsBuilder().setName(name);
            all.forEach(each -> list.addValues(String.valueOf(each)));
        } else if (value != null && !value.equals(false)) {
            request.addArgumentsBuilder().setName(name).addValues(String.valueOf(value));
        }
    }

    private static TableListing<DiagnosticRow> listing(List<String> headings) {
        TableListing.Builder<DiagnosticRow> listing =
                TableListing.<DiagnosticRow>of("rows", row -> cell(row, 0)).none("no rows", "");
        for (int i = 0; i < headings.size(); i++) {
            int at = i;
            String key = Palette.clean(headings.get(i))
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[\\s,]+", "-");
            listing.shown(
                    key,
                    Palette.clean(headings.get(i)),
                    row -> cell(row, at),
                    (row, look) -> Table.cell(Table.clipped(cell(row, at), WIDEST)));
        }
        return listing.build();
    }

    private static String cell(DiagnosticRow row, int at) {
        return at < row.getCellsCount() ? row.getCells(at) : "";
    }

    /** An answer, its cells cut to what a table shows. */
    public static List<String> lines(RunCommandReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        if (reply.getColumnsCount() > 0) {
            Table table = Table.headed(reply.getColumnsList().toArray(String[]::new));
            reply.getRowsList()
                    .forEach(row -> table.row(row.getCellsList().stream()
                            .map(cell -> Table.clipped(cell, WIDEST))
                            .toArray()));
            lines.addAll(table.lines(look));
        }
        reply.getText().lines().map(Palette::clean).forEach(lines::add);
        lines.addAll(below(reply, look));
        return lines;
    }

    private static List<String> below(RunCommandReply reply, RenderContext look) {
        return reply.getTruncated()
                ? List.of(look.paint(Tone.WAIT, "there is more, which the daemon left out"))
                : List.of();
    }

    /** The values of the first column, where a table names its subjects. */
    private static List<String> names(RunCommandReply reply) {
        return reply.getRowsList().stream().map(row -> cell(row, 0)).toList();
    }

    @Command
    static final class Read extends DaemonCommand {
        private final PluginCommand command;

        @Spec
        CommandSpec model;

        @Mixin
        ListOptions view = new ListOptions();

        Read(PluginCommand command) {
            this.command = command;
        }

        @Override
        public Optional<String> plugin() {
            return Optional.of(command.getPlugin());
        }

        @Override
        public boolean endless() {
            return following() || view.endless();
        }

        @Override
        public Optional<String> interactiveOnlyReason() {
            return following()
                    ? Optional.of(name() + " " + option(command.getFollow()) + " ends only at Ctrl-C")
                    : view.interactiveOnlyReason();
        }

        private boolean following() {
            return !command.getFollow().isEmpty()
                    // null where it was not given
                    && Boolean.TRUE.equals(
                            model.findOption(option(command.getFollow())).<Boolean>getValue());
        }

        private void follow() {
            view.refuse(this, name() + " " + option(command.getFollow()), "Leave out one of them");
            FollowCommandRequest.Builder request =
                    FollowCommandRequest.newBuilder().setCommand(request(command, model));
            new StreamFollower<FollowCommandReply>(
                            session, name(), false, stub -> stub.followCommand(request.build()), reply -> {
                                for (CommandLine line : reply.getLinesList()) {
                                    out().println(shown(line));
                                    request.setAfter(line.getPlace());
                                }
                                out().flush();
                                return !out().checkError();
                            })
                    .follow();
        }

        private String shown(CommandLine line) {
            return switch (format()) {
                case JSON -> JsonOutput.harmless(json(line).toString());
                case YAML -> "---\n" + YamlFormat.document(json(line));
                case NAME -> Palette.clean(line.getPlace());
                case TABLE, WIDE, VERTICAL, CSV -> Palette.clean(line.getText());
            };
        }

        private static JsonElement json(CommandLine line) {
            JsonObject text = new JsonObject();
            text.addProperty("text", line.getText());
            try {
                JsonElement said = JsonParser.parseString(line.getJson());
                return said.isJsonObject() ? said : text;
            } catch (JsonParseException e) {
                return text; // the plugin's own: it is shown as what it is
            }
        }

        @Override
        protected void run() {
            if (following()) {
                follow();
                return;
            }
            RunCommandReply first = ask();
            Optional<Path> file = file();
            if (file.isPresent()) {
                write(first, file.get());
                return;
            }
            if (first.getColumnsCount() == 0) {
                view.refuse(this, name(), "Leave it out: it answers with text");
                show(first, PluginCommandLeaves::lines, PluginCommandLeaves::names);
                return;
            }
            TableListing<DiagnosticRow> listing = listing(first.getColumnsList());
            view.check(listing);
            Supplier<ListReply<DiagnosticRow>> ask = new Supplier<>() {
                private Optional<RunCommandReply> next = Optional.of(first);

                @Override
                public ListReply<DiagnosticRow> get() {
                    RunCommandReply reply = next.orElseGet(Read.this::ask);
                    next = Optional.empty();
                    return ListReply.of(reply, reply.getRowsList());
                }
            };
            new ListPrinter<>(this, view, new Listed<>(listing, ask).with((rows, look) -> below(first, look))).run();
        }

        private Optional<Path> file() {
            return Optional.of(command.getFile())
                    .filter(name -> !name.isEmpty())
                    .map(name -> model.findOption(option(name)).<String>getValue())
                    .filter(name -> !name.isEmpty())
                    .map(Path::of);
        }

        /** One that is there is replaced, as by a redirection. */
        private void write(RunCommandReply reply, Path file) {
            view.refuse(this, name() + " to a file", "Leave it out");
            long bytes = AtomicOutputFile.write(file, true, "", () -> reply.getText() + "\n");
            Struct written = Struct.newBuilder()
                    .putFields("path", Values.of(file.toString()))
                    .putFields("bytes", Values.of(Long.toString(bytes)))
                    .build();
            show(
                    written,
                    (done, look) -> Stream.concat(
                                    Stream.of("written to " + Palette.clean(file.toString())),
                                    below(reply, look).stream())
                            .toList(),
                    done -> List.of(file.toString()));
        }

        private RunCommandReply ask() {
            return inspect(stub -> stub.runCommand(request(command, model).build()));
        }
    }

    @Command
    static final class Change extends ControlCommand {
        private final PluginCommand command;

        @Spec
        CommandSpec model;

        @Option(names = "--dry-run", description = "Only say what would be done.")
        boolean dryRun;

        Change(PluginCommand command) {
            this.command = command;
        }

        @Override
        public Optional<String> plugin() {
            return Optional.of(command.getPlugin());
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        protected void run() {
            RunCommandRequest request =
                    request(command, model).setDryRun(dryRun).build();
            show(
                    control(CHANGE, stub -> stub.changeByCommand(request)),
                    PluginCommandLeaves::lines,
                    PluginCommandLeaves::names);
        }
    }

    @Command
    static final class Destroy extends PreviewedCommand<RunCommandReply> {
        private final PluginCommand command;

        @Spec
        CommandSpec model;

        Destroy(PluginCommand command) {
            this.command = command;
        }

        @Override
        public Optional<String> plugin() {
            return Optional.of(command.getPlugin());
        }

        @Override
        protected RunCommandReply ask(boolean dry) {
            RunCommandRequest request = request(command, model).setDryRun(dry).build();
            return control(CHANGE, stub -> stub.changeByCommand(request));
        }

        /** What would be done stands above the question, and not among the answers. */
        @Override
        protected Optional<String> question(RunCommandReply preview) {
            lines(preview, session.renderContext()).forEach(session.screen().err()::println);
            return Optional.of(name() + ": do it?");
        }

        @Override
        protected void show(RunCommandReply reply) {
            show(reply, PluginCommandLeaves::lines, PluginCommandLeaves::names);
        }
    }
}
