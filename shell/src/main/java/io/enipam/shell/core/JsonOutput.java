package io.enipam.shell.core;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.io.PrintStream;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** The protobuf JSON of replies, with all fields without presence and sorted maps: the same reply is the same text. */
public final class JsonOutput {
    private static final JsonFormat.Printer PRINTER =
            JsonFormat.printer().alwaysPrintFieldsWithNoPresence().sortingMapKeys();

    private JsonOutput() {}

    public static String document(MessageOrBuilder message) {
        return print(PRINTER, message);
    }

    public static String line(MessageOrBuilder message) {
        return print(PRINTER.omittingInsignificantWhitespace(), message);
    }

    /** Prints a list in parts as {@code {"field": [...]}}, each item as it arrives, like {@link #document}. */
    public static void stream(
            String field, Iterator<? extends List<? extends MessageOrBuilder>> parts, PrintStream out) {
        String before = "{\n  \"" + field + "\": [";
        while (parts.hasNext()) {
            for (MessageOrBuilder item : parts.next()) {
                out.print(before);
                out.print(document(item).replace("\n", "\n  "));
                before = ", ";
            }
            out.flush();
        }
        out.print(before.equals(", ") ? "" : before);
        out.println("]\n}");
    }

    private static String print(JsonFormat.Printer printer, MessageOrBuilder message) {
        try {
            return harmless(printer.print(message));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(
                    "only a message with an Any of unknown type has no JSON, and there is none", e);
        }
    }

    /** The same document with what a terminal might obey as escapes, which can only be within strings. */
    public static String harmless(String json) {
        if (json.codePoints().noneMatch(JsonOutput::mightBeObeyed)) {
            return json;
        }
        StringBuilder text = new StringBuilder(json.length() + 32);
        json.codePoints().forEach(c -> {
            if (mightBeObeyed(c)) {
                text.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                text.appendCodePoint(c);
            }
        });
        return text.toString();
    }

    private static boolean mightBeObeyed(int c) {
        return c != '\n' && Palette.harmful(c);
    }
}
