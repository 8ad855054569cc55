package io.enipam.shell.status;

import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CloudApiBudget;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** How much of its budget each API of the cloud has used in this minute, the most used first; only those in use. */
final class ApiPanel {
    private static final int NAME = 30;
    private static final int NUMBERS_END = 42;
    private static final double NEARLY = 0.8;

    private final Glyphs glyphs;
    private final int bar;

    ApiPanel(Glyphs glyphs, int width) {
        this.glyphs = glyphs;
        this.bar = Math.max(0, Math.min(60, width - NUMBERS_END - 2));
    }

    List<StyledLine> rows(List<CloudApiBudget> apis, Instant now) {
        List<StyledLine> rows = new ArrayList<>();
        rows.add(new StyledLine()
                .add(Tone.HEAD, "API BUDGET")
                .add(Tone.LABEL, "  calls in this minute of those allowed"));
        apis.stream()
                .filter(api -> api.getUsed() > 0 || api.hasInhibitedUntil() || api.getAllowed() < api.getLimit())
                .sorted(Comparator.<CloudApiBudget, Boolean>comparing(api -> !api.hasInhibitedUntil())
                        .thenComparing(api -> -share(api))
                        .thenComparing(CloudApiBudget::getApi))
                .map(api -> row(api, now))
                .forEach(rows::add);
        if (rows.size() == 1) {
            rows.add(new StyledLine().add(Tone.LABEL, "  the cloud has not been called in this minute"));
        }
        return rows;
    }

    private StyledLine row(CloudApiBudget api, Instant now) {
        Tone tone = tone(api);
        StyledLine row = new StyledLine()
                .add("  ")
                .add(Tone.LABEL, api.getApi())
                .to(NAME)
                .right(NUMBERS_END, tone, api.getUsed() + "/" + api.getAllowed())
                .add("  ");
        if (api.hasInhibitedUntil()) {
            return row.add(Tone.BAD, "throttled, again in " + TimeFormat.left(api.getInhibitedUntil(), now));
        }
        return row.add(tone, glyphs.bar(share(api), bar));
    }

    private static double share(CloudApiBudget api) {
        return api.getAllowed() == 0 ? 1 : (double) api.getUsed() / api.getAllowed();
    }

    private static Tone tone(CloudApiBudget api) {
        if (api.hasInhibitedUntil()) {
            return Tone.BAD;
        }
        return share(api) >= NEARLY || api.getAllowed() < api.getLimit() ? Tone.WAIT : Tone.PLAIN;
    }
}
