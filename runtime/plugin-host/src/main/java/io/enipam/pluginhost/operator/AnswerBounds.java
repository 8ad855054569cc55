package io.enipam.pluginhost.operator;

import io.enipam.pluginhost.guard.PluginText;
import io.enipam.sdk.Answer;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Feed;
import io.enipam.sdk.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Cuts what a plugin answers to what fits into one reply. Runs the plugin's code, so it is called on the plugin's thread. */
public final class AnswerBounds {
    private static final int MOST_ROWS = 10_000;
    private static final int LONGEST_CELL = 1_000;
    private static final int LONGEST_LINE = 64 << 10;
    private static final Pattern PLACE = Pattern.compile("[A-Za-z0-9._:-]{0,128}");
    /** Up to three bytes each: with headings, well below the four megabytes of one reply. */
    private static final int MOST_CHARACTERS = 1_000_000;

    private AnswerBounds() {}

    /** @param truncated whether something was left out */
    public record Bounded<A extends Answer>(A answer, boolean truncated) {}

    static Bounded<?> of(@Nullable Answer answer) {
        if (answer instanceof Answer.Rows rows) {
            return table(rows.table());
        }
        if (answer instanceof Answer.Prose prose) {
            String text = prose.text();
            boolean longer = text.length() > MOST_CHARACTERS;
            return new Bounded<>(new Answer.Prose(longer ? text.substring(0, MOST_CHARACTERS) : text), longer);
        }
        if (answer instanceof Answer.Refusal refusal && refusal.kind() != null) {
            return new Bounded<>(new Answer.Refusal(refusal.kind(), PluginText.line(refusal.why())), false);
        }
        throw new IllegalStateException("it answered null");
    }

    /** The first 10,000 rows, and a million characters; a cell has a thousand. */
    public static Bounded<Answer.Rows> table(@Nullable DiagnosticTable table) {
        if (table == null) {
            throw new IllegalStateException("it answered null");
        }
        List<List<String>> rows = new ArrayList<>();
        int characters = 0;
        for (List<String> row : table.rows()) {
            List<String> shown = row.stream().map(AnswerBounds::cut).toList();
            characters += shown.stream().mapToInt(String::length).sum();
            if (rows.size() == MOST_ROWS || characters > MOST_CHARACTERS) {
                break;
            }
            rows.add(shown);
        }
        List<String> columns = table.columns().stream().map(AnswerBounds::cut).toList();
        return new Bounded<>(
                new Answer.Rows(new DiagnosticTable(columns, rows)),
                rows.size() < table.rows().size());
    }

    /** Lines of which none is longer than 64 Ki characters; one that is ends the feed. */
    static Feed<Line> lines(@Nullable Feed<Line> feed) {
        if (feed == null) {
            throw new IllegalStateException("it answered null");
        }
        return new Feed<>() {
            @Override
            public List<Line> take(int most) {
                List<Line> lines = feed.take(most);
                lines.forEach(AnswerBounds::check);
                return lines;
            }

            @Override
            public boolean ended() {
                return feed.ended();
            }

            @Override
            public void close() {
                feed.close();
            }
        };
    }

    private static void check(Line line) {
        if (line.text().length() > LONGEST_LINE || line.json().length() > LONGEST_LINE) {
            throw new IllegalStateException("a line has more than " + LONGEST_LINE + " characters");
        }
        if (!PLACE.matcher(line.place()).matches()) {
            throw new IllegalStateException("the place of a line does not match " + PLACE);
        }
    }

    private static String cut(String cell) {
        return cell.length() <= LONGEST_CELL ? cell : cell.substring(0, LONGEST_CELL - 3) + "...";
    }
}
