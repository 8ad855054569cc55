package io.enipam.shell.repl;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jline.reader.Candidate;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * JLine's reader with tips below the line. JLine's own keep lines of the terminal for themselves while commands run;
 * these go with the line.
 */
final class EditingReader extends LineReaderImpl {
    private final Function<String, List<String>> tips;
    private final List<String> news = new ArrayList<>();
    private boolean tipsShown;
    private boolean listing;
    private boolean refreshable;
    private String shownPrompt = "";

    /**
     * @param tips the lines to show for the line up to the cursor
     */
    EditingReader(Terminal terminal, Function<String, List<String>> tips, boolean tipsShown) {
        super(terminal, "enipam", new HashMap<>());
        this.tips = tips;
        this.tipsShown = tipsShown;
    }

    /** Shows tips, or shows them no longer. */
    boolean toggleTips() {
        tipsShown = !tipsShown;
        return true;
    }

    /** A list that is too long for the screen is printed below the line, where the tips would show through. */
    @Override
    protected boolean doList(
            List<Candidate> possible,
            String completed,
            boolean runLoop,
            BiFunction<CharSequence, Boolean, CharSequence> escaper) {
        listing = true;
        try {
            return super.doList(possible, completed, runLoop, escaper);
        } finally {
            listing = false;
        }
    }

    @Override
    public AttributedString getDisplayedBufferWithPrompts(List<AttributedString> secondaryPrompts) {
        boolean editing = doAutosuggestion && post == null && !listing && tipsShown && refreshable;
        AttributedString line = super.getDisplayedBufferWithPrompts(secondaryPrompts);
        if (!editing || plainTerminal()) {
            return line;
        }
        AttributedStringBuilder full = new AttributedStringBuilder().append(line);
        int width = size.getColumns() - 1;
        for (String tip : tips.apply(buf.upToCursor())) {
            full.append("\n").styled(AttributedStyle::faint, cut(tip, width));
        }
        return full.toAttributedString();
    }

    private static String cut(String text, int width) {
        return width < 4 || text.length() <= width ? text : text.substring(0, width - 3) + "...";
    }

    /** Reads a line of commands; its prompt follows {@link #refresh} and news are printed above it. */
    String line(String firstPrompt) {
        lock.lock();
        try {
            news.forEach(terminal.writer()::println);
            news.clear();
            shownPrompt = firstPrompt;
            refreshable = true;
        } finally {
            lock.unlock();
        }
        try {
            return readLine(firstPrompt);
        } finally {
            refreshable = false;
        }
    }

    /**
     * Puts another prompt before the line that is being typed. May be called by any thread; does nothing between lines.
     */
    void refresh(String newPrompt) {
        lock.lock();
        try {
            if (reading && refreshable && !plainTerminal() && !newPrompt.equals(shownPrompt)) {
                shownPrompt = newPrompt;
                setPrompt(newPrompt);
                redisplay();
                terminal.flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Prints something above the line that is being typed, or before the next one. Thread-safe. */
    void tell(String text) {
        lock.lock();
        try {
            if (reading && refreshable && !plainTerminal()) {
                printAbove(text);
            } else {
                news.add(text);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean plainTerminal() {
        return terminal.getType().startsWith(Terminal.TYPE_DUMB);
    }
}
