package io.enipam.store.paths;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Values by paths, ascending as {@link String#compareTo} has it; immutable, and the copy with some changes shares what they leave alone.
 *
 * <p>Thread-safe. It is a crit-bit tree. Paths are long and begin alike, so that a tree which compares them spends its time in what they
 * have in common; here a fork knows the first bit in which the paths below its two sides differ, a walk looks at one bit a fork, and at
 * the end one path is compared. The bits of a path are, for each character, a 1 and then its sixteen, the highest first; behind the last
 * character comes a 0. So the order of the bits is that of the paths.
 *
 * @param <V> the type of values
 */
public final class PathMap<V> {
    /** A character's bits have the numbers from 32 times its index, so that no division is needed. */
    private static final int SHIFT = 5;

    private static final int CHARACTER = 16;

    private final @Nullable Node root;

    private PathMap(@Nullable Node root) {
        this.root = root;
    }

    public static <V> PathMap<V> empty() {
        return new PathMap<>(null);
    }

    private abstract static sealed class Node {
        abstract int size();
    }

    private static final class Leaf<V> extends Node {
        private final String path;
        private final V value;

        Leaf(String path, V value) {
            this.path = path;
            this.value = value;
        }

        @Override
        int size() {
            return 1;
        }
    }

    /** Changed by the edit that made it alone, before the map is there. */
    private static final class Fork extends Node {
        private final int bit;
        private final Object owner;
        private Node zero;
        private Node one;
        private int size;

        Fork(int bit, Node zero, Node one, Object owner) {
            this.bit = bit;
            this.zero = zero;
            this.one = one;
            this.owner = owner;
            this.size = zero.size() + one.size();
        }

        @Override
        int size() {
            return size;
        }

        Node side(String path) {
            return isOne(path, bit) ? one : zero;
        }

        void side(String path, Node now) {
            if (isOne(path, bit)) {
                one = now;
            } else {
                zero = now;
            }
        }
    }

    private static boolean isOne(String path, int bit) {
        int index = bit >> SHIFT;
        int within = bit & ((1 << SHIFT) - 1);
        return index < path.length() && (within == 0 || (path.charAt(index) >> (CHARACTER - within) & 1) == 1);
    }

    /** The first bit in which two paths differ, which are not equal. */
    private static int difference(String one, String other) {
        int both = Math.min(one.length(), other.length());
        for (int i = 0; i < both; i++) {
            int differs = one.charAt(i) ^ other.charAt(i);
            if (differs != 0) {
                return (i << SHIFT) + 1 + Integer.numberOfLeadingZeros(differs) - (Integer.SIZE - CHARACTER);
            }
        }
        return both << SHIFT;
    }

    /** The one path that may be equal to this one; null if there is none at all. */
    @SuppressWarnings("unchecked") // a map has leaves of its own type alone
    private static <V> @Nullable Leaf<V> nearest(@Nullable Node root, String path) {
        Node node = root;
        while (node instanceof Fork fork) {
            node = fork.side(path);
        }
        return (Leaf<V>) node;
    }

    /** The value of a path; empty if there is none. */
    public Optional<V> get(String path) {
        Leaf<V> leaf = nearest(root, path);
        return leaf != null && leaf.path.equals(path) ? Optional.of(leaf.value) : Optional.empty();
    }

    /** How many values have a path that begins with a prefix. */
    public int size(String prefix) {
        Node under = subtree(prefix);
        return under == null ? 0 : under.size();
    }

    /** The values whose path begins with a prefix, ascending; read as far as the stream is consumed. */
    public Stream<V> under(String prefix) {
        Node under = subtree(prefix);
        return under == null
                ? Stream.empty()
                : StreamSupport.stream(
                        Spliterators.spliterator(
                                new Walk<V>(under),
                                under.size(),
                                Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.IMMUTABLE),
                        false);
    }

    private @Nullable Node subtree(String prefix) {
        Node node = root;
        while (node instanceof Fork fork && fork.bit < prefix.length() << SHIFT) {
            node = fork.side(prefix);
        }
        Leaf<?> any = nearest(node, prefix);
        return any != null && any.path.startsWith(prefix) ? node : null;
    }

    private static final class Walk<V> implements Iterator<V> {
        private final Deque<Node> left = new ArrayDeque<>();

        Walk(Node from) {
            left.push(from);
        }

        @Override
        public boolean hasNext() {
            return !left.isEmpty();
        }

        @Override
        @SuppressWarnings("unchecked") // a map has leaves of its own type alone
        public V next() {
            if (left.isEmpty()) {
                throw new NoSuchElementException();
            }
            Node node = left.pop();
            while (node instanceof Fork fork) {
                left.push(fork.one);
                node = fork.zero;
            }
            return ((Leaf<V>) node).value;
        }
    }

    /** Begins a copy with other values. */
    public Edit<V> edit() {
        return new Edit<>(root);
    }

    /** Changes of one map that become another one. For one thread. */
    public static final class Edit<V> {
        /** Of the forks that this has made. */
        private Object owner = new Object();

        private @Nullable Node root;

        private Edit(@Nullable Node root) {
            this.root = root;
        }

        /** Adds or replaces a value. Returns the one that was there. */
        public Optional<V> put(String path, V value) {
            Leaf<V> leaf = new Leaf<>(path, value);
            Leaf<V> nearest = nearest(root, path);
            if (nearest == null) {
                root = leaf;
                return Optional.empty();
            }
            boolean another = !nearest.path.equals(path);
            int bit = another ? difference(nearest.path, path) : Integer.MAX_VALUE;
            Fork above = null;
            Node node = root;
            while (node instanceof Fork fork && fork.bit < bit) {
                above = owned(fork, above, path);
                above.size += another ? 1 : 0;
                node = above.side(path);
            }
            boolean one = another && isOne(path, bit);
            set(above, path, another ? new Fork(bit, one ? node : leaf, one ? leaf : node, owner) : leaf);
            return another ? Optional.empty() : Optional.of(nearest.value);
        }

        /** Removes a value. Returns it, if it was there. */
        public Optional<V> remove(String path) {
            Leaf<V> nearest = nearest(root, path);
            if (nearest == null || !nearest.path.equals(path)) {
                return Optional.empty();
            }
            Fork above = null;
            Node node = root;
            while (node instanceof Fork fork && fork.side(path) != nearest) {
                above = owned(fork, above, path);
                above.size--;
                node = above.side(path);
            }
            if (node instanceof Fork last) {
                set(above, path, isOne(path, last.bit) ? last.zero : last.one);
            } else {
                root = null;
            }
            return Optional.of(nearest.value);
        }

        /** A fork that may be changed, in the place of this one. */
        private Fork owned(Fork fork, @Nullable Fork above, String path) {
            if (fork.owner == owner) {
                return fork;
            }
            Fork copy = new Fork(fork.bit, fork.zero, fork.one, owner);
            set(above, path, copy);
            return copy;
        }

        private void set(@Nullable Fork above, String path, Node now) {
            if (above == null) {
                root = now;
            } else {
                above.side(path, now);
            }
        }

        /** The map as it is now; what is changed later is in another one. */
        public PathMap<V> done() {
            owner = new Object();
            return new PathMap<>(root);
        }
    }
}
