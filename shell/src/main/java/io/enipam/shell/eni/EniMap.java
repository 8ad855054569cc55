package io.enipam.shell.eni;

import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.RenderContext;
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
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code pool map}: the addresses of each ENI as a grid, a letter for each, and the slots that are free. */
@Command(name = "map", description = "Each ENI as a grid: a letter for each address, by its state.")
public final class EniMap extends ListCommand<Eni> {
    public static final int PLAIN_WIDTH = 80;
    private static final int GROUP = 10;
    private static final String LEGEND_GAP = "   ";

    /** What a slot of an ENI is: the pool's state of its address, or why the pool has no state of it. */
    private enum Slot {
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
        private final String meaning;

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
        int columns = session.columns();
        return whole(
                        EniCommands.LIST,
                        stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()),
                        ListEnisReply::getEnisList)
                .drawn((enis, look) -> lines(enis, look, columns > 0 ? columns : PLAIN_WIDTH));
    }

    /** The grids of all ENIs and one legend, in lines of at most {@code width} cells where a group of ten fits. */
    public static List<String> lines(List<Eni> enis, RenderContext look, int width) {
        List<String> lines = new ArrayList<>();
        for (Eni eni : enis) {
            String figures = "  " + EniCommands.used(eni) + " addresses";
            String state = "  " + eni.getState();
            int room = width - Table.width(state) - figures.length();
            lines.add(look.paint(Tone.HEAD, Table.cut(eni.getId(), Math.max(1, room)))
                    + look.paint(Tone.ofState(eni.getState()), state)
                    + figures);
            lines.addAll(grid(eni, look, width));
            lines.add("");
        }
        lines.addAll(legend(enis, look, width));
        return lines;
    }

    /** One ENI's IPv4 slots, and its IPv6 addresses if it has any: those have no limit that is known. */
    static List<String> grid(Eni eni, RenderContext look, int width) {
        List<String> lines = new ArrayList<>(rows("IPv4", slots(eni), look, width));
        lines.addAll(rows("IPv6", states(eni.getIpv6AddressesList()), look, width));
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

    private static List<String> rows(String family, List<Slot> slots, RenderContext look, int width) {
        String label = "  " + family;
        int groups = Math.max(1, (width - label.length()) / (2 * GROUP + 1));
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < slots.size(); i++) {
            if (i % (groups * GROUP) == 0) {
                line = new StringBuilder(look.paint(Tone.LABEL, i == 0 ? label : " ".repeat(label.length())));
            }
            Slot slot = slots.get(i);
            line.append(i % GROUP == 0 ? "  " : " ").append(look.paint(slot.tone(), String.valueOf(slot.letter)));
            if (i == slots.size() - 1 || (i + 1) % (groups * GROUP) == 0) {
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
