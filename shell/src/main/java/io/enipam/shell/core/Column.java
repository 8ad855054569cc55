package io.enipam.shell.core;

import java.util.Comparator;
import java.util.function.BiFunction;

/**
 * A column of a listing.
 *
 * @param key what it is called in {@code --columns} and {@code --sort-by}
 * @param heading what stands above it
 * @param wideOnly whether it is shown only if asked for, by {@code -o wide} or by its key
 * @param cell what stands in it
 * @param order of the items, if they are sorted by it
 */
public record Column<I>(
        String key,
        String heading,
        boolean wideOnly,
        BiFunction<I, RenderContext, Table.Cell> cell,
        Comparator<I> order) {}
