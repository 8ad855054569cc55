package io.enipam.shell.eni;

import io.enipam.shell.core.Canvas;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.LiveScreen;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session.TerminalAccess;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.ListEnisReply;
import io.enipam.v1.ListEnisRequest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code pool map}: the addresses of each ENI as a grid, a letter for each, and the slots that are free. */
@Command(name = "map", description = "Each ENI as a grid: a letter for each address, by its state.")
public final class EniMap extends ListCommand<Eni> implements KnowsThePast {
    public static final int PLAIN_WIDTH = 80;
    private static final int GROUP = 10;
    private static final String LEGEND_GAP = "   ";
    private static final int LABEL = "  IPv4".length();
    private static final Cell NOWHERE = new Cell(-1, false, -1);

    /** What a slot of an ENI is: the pool's state of its address, or why the pool has no state of it. */
    enum Slot {
        PRIMARY('P', "primary"),
        IN_USE('U', "in use"),
        IDLE('I', "idle"),
        COOLING('C', "cooling"),
        RESERVED('R', "reserved"),
        CREATING('N', "being created"),
        DISPOSING('D', "being disposed of"),
        INVALID('X', "invalid"),
        UNKNOWN('?', "not in the pool"),
        QUEUED('+', "asked for"),
        FREE('.', "free");

        private final char letter;
        final String meaning;

        Slot(char letter, String meaning) {
            this.letter = letter;
            this.meaning = meaning;
        }

        private Tone tone() {
            return switch (this) {
                case PRIMARY, FREE -> Tone.LABEL;
                case UNKNOWN, QUEUED -> Tone.WAIT;
                default -> Tone.ofState(name());
            };
        }

        /** Of an address; a state that this shell does not know is shown as unknown. */
        private static Slot of(EniAddress address) {
            for (Slot slot : values()) {
                if (slot.name().equals(address.getState())) {
                    return slot;
                }
            }
            return address.getPrimary() && address.getState().isEmpty() ? PRIMARY : UNKNOWN;
        }
    }

    @Override
    protected Listed<Eni> listed() {
        if (session.past().isPresent()) {
            return EniCommands.past(this, session.past().get()).drawn((enis, look) -> {
                List<String> lines = lines(enis, look, look.columnsOr(PLAIN_WIDTH));
                lines.add(ListPrinter.notRecorded(look));
                return lines;
            });
        }
        return whole(
                        EniCommands.LIST,
                        stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()),
                        ListEnisReply::getEnisList)
                .drawn((enis, look) -> lines(enis, look, look.columnsOr(PLAIN_WIDTH)));
    }

    /** On a terminal that is watched there is a cursor: see {@link LiveMap}. */
    @Override
    protected void run() {
        Optional<TerminalAccess> terminal = format() == OutputFormat.TABLE
                        && view.watched().isPresent()
                        && session.past().isEmpty()
                ? session.terminal()
                : Optional.empty();
        boolean[] shown = {false};
        terminal.ifPresent(there -> there.withTerminal(screen -> {
            if (Canvas.fits(screen)) {
                shown[0] = true;
                new LiveScreen<>(screen, session, new LiveMap(view.watched().orElseThrow()))
                        .run(() -> inspect(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                                .getEnisList());
            }
        }));
        if (!shown[0]) {
            super.run();
        }
    }

    /** A slot's place: the index of its ENI, whether it is one of the IPv6 addresses, and its index there. */
    record Cell(int eni, boolean ipv6, int index) {
        /** The address there, if there is one. */
        Optional<EniAddress> address(List<Eni> enis) {
            List<EniAddress> all =
                    ipv6 ? enis.get(eni).getIpv6AddressesList() : enis.get(eni).getAddressesList();
            return index < all.size() ? Optional.of(all.get(index)) : Optional.empty();
        }

        Slot slot(List<Eni> enis) {
            return address(enis)
                    .map(Slot::of)
                    .orElseGet(() -> slots(enis.get(eni)).get(index));
        }
    }

    /** The cells line by line, as they are drawn. */
    static List<List<Cell>> cells(List<Eni> enis, int width) {
        List<List<Cell>> lines = new ArrayList<>();
        for (int i = 0; i < enis.size(); i++) {
            addCells(lines, i, false, slots(enis.get(i)).size(), width);
            addCells(lines, i, true, enis.get(i).getIpv6AddressesCount(), width);
        }
        return lines;
    }

    private static void addCells(List<List<Cell>> lines, int eni, boolean ipv6, int count, int width) {
        for (int i = 0; i < count; i++) {
            if (i % perLine(width) == 0) {
                lines.add(new ArrayList<>());
            }
            lines.get(lines.size() - 1).add(new Cell(eni, ipv6, i));
        }
    }

    private static int perLine(int width) {
        return GROUP * Math.max(1, (width - LABEL) / (2 * GROUP + 1));
    }

    /** The grids of all ENIs and one legend, in lines of at most {@code width} cells where a group of ten fits. */
    public static List<String> lines(List<Eni> enis, RenderContext look, int width) {
        return lines(enis, look, width, NOWHERE);
    }

    /** The same with a cell in reverse video. */
    static List<String> lines(List<Eni> enis, RenderContext look, int width, Cell cursor) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < enis.size(); i++) {
            Eni eni = enis.get(i);
            String figures = "  " + EniCommands.used(eni) + " addresses";
            String state = "  " + eni.getState();
            int room = width - Table.width(state) - figures.length();
            lines.add(look.paint(Tone.HEAD, Table.cut(eni.getId(), Math.max(1, room)))
                    + look.paint(Tone.ofState(eni.getState()), state)
                    + figures);
            lines.addAll(grid(eni, look, width, cursor.eni() == i ? cursor : NOWHERE));
            lines.add("");
        }
        lines.addAll(legend(enis, look, width));
        return lines;
    }

    /** One ENI's IPv4 slots, and its IPv6 addresses if it has any: those have no limit that is known. */
    static List<String> grid(Eni eni, RenderContext look, int width) {
        return grid(eni, look, width, NOWHERE);
    }

    private static List<String> grid(Eni eni, RenderContext look, int width, Cell cursor) {
        List<String> lines =
                new ArrayList<>(rows("IPv4", slots(eni), look, width, cursor.ipv6() ? -1 : cursor.index()));
        lines.addAll(
                rows("IPv6", states(eni.getIpv6AddressesList()), look, width, cursor.ipv6() ? cursor.index() : -1));
        return lines;
    }

    private static List<Slot> slots(Eni eni) {
        List<Slot> slots = new ArrayList<>(states(eni.getAddressesList()));
        for (int queued = eni.getQueued(); slots.size() < eni.getAddressLimit(); queued--) {
            slots.add(queued > 0 ? Slot.QUEUED : Slot.FREE);
        }
        return slots;
    }

    private static List<Slot> states(List<EniAddress> addresses) {
        return addresses.stream().map(Slot::of).toList();
    }

    private static List<String> rows(String family, List<Slot> slots, RenderContext look, int width, int cursor) {
        String label = "  " + family;
        int most = perLine(width);
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < slots.size(); i++) {
            if (i % most == 0) {
                line = new StringBuilder(look.paint(Tone.LABEL, i == 0 ? label : " ".repeat(label.length())));
            }
            Slot slot = slots.get(i);
            String letter = String.valueOf(slot.letter);
            line.append(i % GROUP == 0 ? "  " : " ")
                    .append(i == cursor ? LiveScreen.reversed(letter) : look.paint(slot.tone(), letter));
            if (i == slots.size() - 1 || (i + 1) % most == 0) {
                lines.add(line.toString());
            }
        }
        return lines;
    }

    /** What each letter that is shown means, and how many there are of it. */
    static List<String> legend(List<Eni> enis, RenderContext look, int width) {
        Map<Slot, Long> counts = enis.stream()
                .flatMap(eni -> {
                    List<Slot> all = new ArrayList<>(slots(eni));
                    all.addAll(states(eni.getIpv6AddressesList()));
                    return all.stream();
                })
                .collect(Collectors.groupingBy(slot -> slot, () -> new EnumMap<>(Slot.class), Collectors.counting()));
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int used = 0;
        for (Map.Entry<Slot, Long> entry : counts.entrySet()) {
            Slot slot = entry.getKey();
            String meaning = " " + entry.getValue() + " " + slot.meaning;
            int more = 1 + meaning.length();
            if (used > 0 && used + LEGEND_GAP.length() + more > width) {
                lines.add(line.toString());
                line.setLength(0);
                used = 0;
            }
            if (used > 0) {
                line.append(LEGEND_GAP);
                used += LEGEND_GAP.length();
            }
            line.append(look.paint(slot.tone(), String.valueOf(slot.letter))).append(meaning);
            used += more;
        }
        if (used > 0) {
            lines.add(line.toString());
        }
        return lines;
    }
}
