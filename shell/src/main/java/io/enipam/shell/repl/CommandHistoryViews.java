package io.enipam.shell.repl;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.core.HistoryEntry;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.StructFields;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** What was typed, as a list. No daemon tells it, so the protocol has no message for it; numbers are text, as its own are. */
final class CommandHistoryViews {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private CommandHistoryViews() {}

    /**
     * The commands, the oldest first; the name of one is its number.
     *
     * @param text what was looked for in them; empty for all
     */
    static TableListing<Struct> holding(String text) {
        return TableListing.<Struct>of("commands", item -> StructFields.text(item, "number"))
                .none(
                        text.isEmpty()
                                ? "no history yet: it is what you type at the prompt"
                                : "no command typed so far holds '" + text + "'",
                        "")
                .by(
                        "number",
                        "NUMBER",
                        item -> Long.parseLong(StructFields.text(item, "number")),
                        (item, look) -> Table.cell(StructFields.text(item, "number")))
                .by("time", "TIME", item -> time(item).toEpochMilli(), CommandHistoryViews::clock)
                .text("command", "COMMAND", item -> lines(item).get(0))
                .under(item -> lines(item).subList(1, lines(item).size()))
                .flowing()
                .build();
    }

    static Struct item(HistoryEntry past) {
        return Struct.newBuilder()
                .putFields("number", Values.of(Integer.toString(past.number())))
                .putFields("time", Values.of(past.time().toString()))
                .putFields("line", Values.of(past.line()))
                .build();
    }

    private static Table.Cell clock(Struct item, RenderContext look) {
        return Table.cell(TIME.format(time(item).atZone(look.zone())));
    }

    private static Instant time(Struct item) {
        return Instant.parse(StructFields.text(item, "time"));
    }

    private static List<String> lines(Struct item) {
        return List.of(StructFields.text(item, "line").split("\n", -1));
    }
}
