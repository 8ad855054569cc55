package io.enipam.shell.core;

import java.util.ArrayList;
import java.util.List;

/**
 * How wide each column of a table is drawn, so that its lines fit a terminal. What is at most {@value #WHOLE} cells wide, such as an
 * IPv4 address, a state or a number, is never cut. Wider columns of names shrink, the widest first. Prose takes what is
 * left, or stands below its row where that is too little. Then columns are hidden, the last one first.
 *
 * @param widths of each column; 0 for one that is not drawn in the row
 * @param hidden how many columns are shown nowhere
 * @param proseBelow whether the column of prose stands below the row
 */
record TableLayout(List<Integer> widths, int hidden, boolean proseBelow) {
    static final int NO_PROSE = -1;

    private static final int GAP = 2;
    private static final int WHOLE = 20;
    private static final int LEAST_FOR_FIRST = 20;
    private static final int LEAST_FOR_NAME = 12;
    private static final int LEAST_FOR_PROSE = 24;

    TableLayout {
        widths = List.copyOf(widths);
    }

    int width(int column) {
        return column < widths.size() ? widths.get(column) : 0;
    }

    /** One without a limit. */
    static TableLayout natural(List<Integer> natural) {
        return new TableLayout(natural, 0, false);
    }

    /**
     * The first one of a table.
     *
     * @param natural how wide each column would be; {@code prose} is one of them, or {@link #NO_PROSE}
     * @param limit how many cells a line may take, at least 1
     */
    static TableLayout of(List<Integer> natural, int prose, int limit) {
        List<Integer> floors = new ArrayList<>();
        for (int i = 0; i < natural.size(); i++) {
            int least = i == prose ? LEAST_FOR_PROSE : i == 0 ? LEAST_FOR_FIRST : LEAST_FOR_NAME;
            int width = natural.get(i);
            floors.add(i != prose && width <= WHOLE ? width : Math.min(width, least));
        }
        floors.set(0, Math.min(floors.get(0), limit));
        boolean below = taken(natural) > limit && taken(floors) > limit && prose > 0 && prose < natural.size();
        if (below) {
            floors.set(prose, 0);
        }
        int hidden = 0;
        for (int i = natural.size() - 1; i > 0 && taken(floors) > limit; i--) {
            if (i != prose && floors.get(i) > 0) {
                floors.set(i, 0);
                hidden++;
            }
        }
        return new TableLayout(levelled(natural, floors, below ? NO_PROSE : prose, limit), hidden, below);
    }

    /** The same columns for further rows, which use room that is left. */
    TableLayout wider(List<Integer> natural, int limit) {
        return new TableLayout(levelled(natural, widths, NO_PROSE, limit), hidden, proseBelow);
    }

    private static int taken(List<Integer> widths) {
        int shown = (int) widths.stream().filter(width -> width > 0).count();
        return widths.stream().mapToInt(Integer::intValue).sum() + GAP * Math.max(0, shown - 1);
    }

    /** Widens columns from their floors, the narrowest first, and prose last, up to their natural widths or the limit. */
    private static List<Integer> levelled(List<Integer> natural, List<Integer> floors, int prose, int limit) {
        List<Integer> widths = new ArrayList<>(floors);
        int left = limit - taken(floors);
        while (left > 0) {
            int narrowest = -1;
            for (int i = 0; i < widths.size(); i++) {
                boolean grows = widths.get(i) > 0 && widths.get(i) < natural.get(i) && i != prose;
                if (grows && (narrowest < 0 || widths.get(i) < widths.get(narrowest))) {
                    narrowest = i;
                }
            }
            int next = narrowest >= 0 ? narrowest : prose >= 0 && prose < widths.size() ? prose : -1;
            if (next < 0 || widths.get(next) >= natural.get(next)) {
                break;
            }
            widths.set(next, widths.get(next) + 1);
            left--;
        }
        return widths;
    }
}
