package io.enipam.shell.eni;

import io.enipam.shell.core.LiveScreen;
import io.enipam.shell.core.LiveScreen.Key;
import io.enipam.shell.core.LiveScreen.Next;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.eni.EniMap.Cell;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code pool map --watch} on a terminal: the arrow keys move a cursor over the cells, Enter explains the address that it is on, or the ENI
 * where there is none.
 */
final class LiveMap implements LiveScreen.View<List<Eni>> {
    private final Duration pace;
    private int row;
    private int column;
    private List<List<Cell>> cells = List.of();

    LiveMap(Duration pace) {
        this.pace = pace;
    }

    @Override
    public Duration pace() {
        return pace;
    }

    @Override
    public String keys() {
        return "arrows move  Enter explains  q leaves";
    }

    @Override
    public List<String> picture(List<Eni> enis, RenderContext look, int height) {
        cells = EniMap.cells(enis, look.columns());
        if (cells.isEmpty()) {
            return List.of(EniCommands.LIST.none(look));
        }
        List<String> all = EniMap.lines(enis, look, look.columns(), cursor());
        int marked = 0;
        while (marked < all.size() - 1 && !all.get(marked).contains(LiveScreen.REVERSE)) {
            marked++;
        }
        int room = Math.max(1, height - 1);
        int from = Math.max(0, Math.min(marked - room / 2, all.size() - room));
        List<String> shown = new ArrayList<>(all.subList(from, Math.min(all.size(), from + room)));
        while (shown.size() < room) {
            shown.add("");
        }
        shown.add(said(cursor(), enis));
        return shown;
    }

    @Override
    public Next obey(Key key, String typed, List<Eni> enis) {
        if (typed.equals("q")) {
            return Next.LEAVE;
        }
        if (cells.isEmpty()) {
            return Next.STAY;
        }
        row = Math.min(row, cells.size() - 1);
        switch (key == Key.TEXT ? typed : key.name()) {
            case "UP", "k" -> row = Math.max(0, row - 1);
            case "DOWN", "j" -> row = Math.min(cells.size() - 1, row + 1);
            case "LEFT", "h" -> column = Math.max(0, cursorColumn() - 1);
            case "RIGHT", "l" -> column = Math.min(cells.get(row).size() - 1, cursorColumn() + 1);
            default -> {}
        }
        return key == Key.ENTER ? Next.OPEN : Next.STAY;
    }

    @Override
    public List<List<String>> commands(List<Eni> enis) {
        if (cells.isEmpty()) {
            return List.of();
        }
        Cell cell = cursor();
        String what = cell.address(enis)
                .map(address -> Table.host(address.getAddress()))
                .orElse(enis.get(cell.eni()).getId());
        return List.of(List.of("explain", what));
    }

    private int cursorColumn() {
        row = Math.min(row, cells.size() - 1);
        return Math.min(column, cells.get(row).size() - 1);
    }

    private Cell cursor() {
        int at = cursorColumn();
        return cells.get(row).get(at);
    }

    /** What the cell under the cursor is, in a line. */
    private static String said(Cell cell, List<Eni> enis) {
        Optional<EniAddress> address = cell.address(enis);
        String eni = enis.get(cell.eni()).getId();
        String what = address.map(EniAddress::getAddress).orElse("no address");
        String pod = address.map(EniAddress::getPod)
                .filter(name -> !name.isEmpty())
                .map(name -> "  " + name)
                .orElse("");
        return Palette.clean(what + "  " + cell.slot(enis).meaning + pod + "  on " + eni);
    }
}
