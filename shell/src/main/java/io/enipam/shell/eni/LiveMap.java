package io.enipam.shell.eni;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Canvas;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Prose;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.Tone;
import io.enipam.shell.eni.EniMap.Cell;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.grpc.Context;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/**
 * {@code pool map --watch} on a terminal: the arrow keys move a cursor over the cells, Enter explains the address that it is on.
 * For one thread; a daemon that does not answer holds up the keys for the deadline of its reply, and Ctrl-C ends it.
 */
final class LiveMap {
    private static final long KEY_WAIT_MILLIS = 100;

    private final Terminal terminal;
    private final Session session;
    private final Duration pace;
    private int row;
    private int column;
    private List<Eni> enis = List.of();
    private List<String> explained = List.of();
    private String trouble = "";

    private enum Key {
        UP,
        DOWN,
        LEFT,
        RIGHT,
        ENTER,
        LEAVE,
        OTHER
    }

    LiveMap(Terminal terminal, Session session, Duration pace) {
        this.terminal = terminal;
        this.session = session;
        this.pace = pace;
    }

    /** Runs until {@code q} or Ctrl-C; the screen is as it was before in every case. */
    void run(Supplier<List<Eni>> ask) {
        enis = ask.get();
        SignalHandler interrupted =
                terminal.handle(Signal.INT, signal -> session.interrupts().interrupt());
        try (Canvas canvas = new Canvas(terminal)) {
            show(canvas, ask);
        } finally {
            terminal.handle(Signal.INT, interrupted);
        }
    }

    private void show(Canvas canvas, Supplier<List<Eni>> ask) {
        BindingReader keys = new BindingReader(terminal.reader());
        KeyMap<Key> bound = bound();
        long asked = System.nanoTime();
        canvas.draw(picture());
        while (true) {
            int next = keys.peekCharacter(KEY_WAIT_MILLIS);
            if (Context.current().isCancelled()) {
                throw ShellException.interrupted();
            }
            if (next >= 0) {
                Key key = keys.readBinding(bound);
                if (key == Key.LEAVE && explained.isEmpty()) {
                    return;
                }
                obey(key);
                canvas.draw(picture());
            } else if (next == NonBlockingReader.EOF) {
                return;
            } else if (System.nanoTime() - asked >= pace.toNanos()) {
                look(ask);
                asked = System.nanoTime();
                canvas.draw(picture());
            }
        }
    }

    private KeyMap<Key> bound() {
        KeyMap<Key> keys = new KeyMap<>();
        keys.setNomatch(Key.OTHER);
        keys.setUnicode(Key.OTHER);
        bind(keys, Key.UP, Capability.key_up, "\u001b[A", "k");
        bind(keys, Key.DOWN, Capability.key_down, "\u001b[B", "j");
        bind(keys, Key.RIGHT, Capability.key_right, "\u001b[C", "l");
        bind(keys, Key.LEFT, Capability.key_left, "\u001b[D", "h");
        keys.bind(Key.ENTER, "\r", "\n");
        keys.bind(Key.LEAVE, "q");
        return keys;
    }

    private void bind(KeyMap<Key> keys, Key key, Capability capability, String... others) {
        String known = KeyMap.key(terminal, capability);
        if (known != null) {
            keys.bind(key, known);
        }
        keys.bind(key, others);
    }

    private void look(Supplier<List<Eni>> ask) {
        try {
            enis = ask.get();
            trouble = "";
        } catch (ShellException e) {
            if (e.exit() != ExitStatus.NOT_ATTACHED) {
                throw e;
            }
            trouble = e.sentence();
        }
    }

    private void obey(Key key) {
        if (!explained.isEmpty()) {
            explained = List.of(); // any key goes back to the map
            return;
        }
        List<List<Cell>> cells = EniMap.cells(enis, width());
        if (cells.isEmpty()) {
            return;
        }
        switch (key) {
            case UP -> row = Math.max(0, row - 1);
            case DOWN -> row = Math.min(cells.size() - 1, row + 1);
            case LEFT -> column = Math.max(0, cursorColumn(cells) - 1);
            case RIGHT -> column = Math.min(cells.get(row).size() - 1, cursorColumn(cells) + 1);
            case ENTER -> explained = explained(cursor(cells));
            default -> {}
        }
    }

    private int cursorColumn(List<List<Cell>> cells) {
        row = Math.min(row, cells.size() - 1);
        return Math.min(column, cells.get(row).size() - 1);
    }

    private Cell cursor(List<List<Cell>> cells) {
        int at = cursorColumn(cells);
        return cells.get(row).get(at);
    }

    private int width() {
        return Math.max(1, terminal.getWidth() - 1);
    }

    private List<String> picture() {
        RenderContext look = session.renderContext(width());
        int height = Math.max(3, terminal.getHeight());
        List<List<Cell>> cells = EniMap.cells(enis, width());
        List<String> all = explained;
        String below = "any key: back to the map";
        if (explained.isEmpty()) {
            all = cells.isEmpty()
                    ? List.of(EniCommands.LIST.none(look))
                    : EniMap.lines(enis, look, width(), cursor(cells));
            below = "arrows move  Enter explains  q leaves";
        }
        int marked = 0;
        while (marked < all.size() - 1 && !all.get(marked).contains(EniMap.REVERSE)) {
            marked++;
        }
        int room = height - 2;
        int from = explained.isEmpty() ? Math.max(0, Math.min(marked - room / 2, all.size() - room)) : 0;
        List<String> shown = new ArrayList<>(all.subList(from, Math.min(all.size(), from + room)));
        while (shown.size() < room) {
            shown.add("");
        }
        shown.add(
                !trouble.isEmpty()
                        ? look.paint(Tone.BAD, Palette.clean(trouble))
                        : explained.isEmpty() && !cells.isEmpty() ? said(cursor(cells)) : "");
        shown.add(look.paint(Tone.LABEL, below));
        return shown.stream()
                .map(line -> Prose.wrapped(line, width(), 0).get(0))
                .toList();
    }

    /** What the cell under the cursor is, in a line. */
    private String said(Cell cell) {
        Optional<EniAddress> address = cell.address(enis);
        String eni = enis.get(cell.eni()).getId();
        String what = address.map(EniAddress::getAddress).orElse("no address");
        String pod = address.map(EniAddress::getPod)
                .filter(name -> !name.isEmpty())
                .map(name -> "  " + name)
                .orElse("");
        return Palette.clean(what + "  " + cell.slot(enis).meaning + pod + "  on " + eni);
    }

    /** What {@code explain} says of the address, or of the ENI where there is none. */
    private List<String> explained(Cell cell) {
        String what = cell.address(enis)
                .map(address -> address.getAddress().replaceFirst("/.*", ""))
                .orElse(enis.get(cell.eni()).getId());
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream to = new PrintStream(text, true, StandardCharsets.UTF_8);
        Palette palette = session.screen().outPalette();
        // not closed: its connection is this session's
        Session inner = session.unattended(new SessionOutput(to, to, palette, palette, false), OutputFormat.TABLE);
        inner.size(session::size);
        List<String> words = List.of("explain", what);
        inner.commands(words)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    to.println(palette.paint(Tone.BAD, String.valueOf(failure.getMessage())));
                    return ExitStatus.REFUSED.status();
                })
                .execute(words.toArray(String[]::new));
        List<String> lines = text.toString(StandardCharsets.UTF_8).lines().toList();
        return lines.isEmpty() ? List.of("nothing is known of " + what) : lines;
    }
}
