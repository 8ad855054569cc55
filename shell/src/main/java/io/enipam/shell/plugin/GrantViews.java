package io.enipam.shell.plugin;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.Tone;
import io.enipam.v1.PluginGrant;
import java.util.List;

/** What allocators of plugins granted: as a listing, and as part of other views. */
public final class GrantViews {
    static final TableListing<PluginGrant> LIST = TableListing.<PluginGrant>of("grants", PluginGrant::getClaim)
            .none("no allocator of a plugin has granted anything", "")
            .text("owner", "OWNER", PluginGrant::getOwner)
            .text("address", "ADDRESS", GrantViews::addresses)
            .text("extension", "EXTENSION", PluginGrant::getExtension)
            .toned("state", "STATE", PluginGrant::getState, GrantViews::tone)
            .text("claim", "CLAIM", PluginGrant::getClaim)
            .age("since", "AGE", PluginGrant::getSince)
            .wideText("plugin", "PLUGIN", PluginGrant::getPlugin)
            .wideText("kind", "KIND", PluginGrant::getKind)
            .wideText("uid", "UID", PluginGrant::getUid)
            .wideNumber("effects", "EFFECTS", PluginGrant::getEffects)
            .build();

    private GrantViews() {}

    private static Tone tone(PluginGrant grant) {
        return grant.getState().equals("GRANTED") ? Tone.GOOD : Tone.WAIT;
    }

    public static String addresses(PluginGrant grant) {
        return String.join(", ", grant.getAddressesList());
    }

    /** Those of one owner. */
    public static List<String> ofOne(List<PluginGrant> grants, RenderContext look) {
        return Table.listed(
                look,
                grants,
                "ADDRESS  EXTENSION  STATE  CLAIM  AGE",
                grant -> Table.cells(
                        addresses(grant),
                        grant.getExtension(),
                        new Table.Cell(grant.getState(), tone(grant)),
                        grant.getClaim(),
                        look.age(grant.getSince())));
    }
}
