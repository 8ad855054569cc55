package io.enipam.shell.fleet;

import java.util.List;

/**
 * Which nodes of a cluster.
 *
 * @param names only these; empty for all
 * @param selector only those with such labels; empty for all. Together with names, a node has to be in both
 */
public record NodeSelector(List<String> names, String selector) {
    public NodeSelector {
        names = List.copyOf(names);
    }
}
