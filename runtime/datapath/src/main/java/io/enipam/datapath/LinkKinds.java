package io.enipam.datapath;

import io.enipam.datapath.exclusive.ExclusiveKind;
import io.enipam.datapath.ipvlan.IpvlanKind;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.routed.RoutedKind;
import io.enipam.datapath.veth.VethKind;
import java.util.List;

/** The kinds of links there are. */
final class LinkKinds {
    /** In the order in which they are asked whether they serve a pod. */
    static final List<LinkKind> ALL = List.of(new ExclusiveKind(), new RoutedKind(), new IpvlanKind(), new VethKind());

    private LinkKinds() {}
}
