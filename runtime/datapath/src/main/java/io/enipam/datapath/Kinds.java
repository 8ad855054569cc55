package io.enipam.datapath;

import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.veth.VethKind;
import java.util.List;

/** The kinds of links there are. */
final class Kinds {
    /** In the order in which they are asked whether they serve a pod. */
    static final List<LinkKind> ALL = List.of(new VethKind());

    private Kinds() {}
}
