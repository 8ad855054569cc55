package io.enipam.datapath.netlink;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** One change of the kernel. Each throws IllegalArgumentException for what no kernel could take. Immutable. */
public sealed interface KernelChange {
    /** A whole message, but for the numbers that only the process knows which sends it. */
    record Message(byte[] bytes, List<FixUp> fixUps) implements KernelChange {
        public Message {
            bytes = bytes.clone();
            fixUps = List.copyOf(fixUps);
        }
    }

    /**
     * A number of four bytes that is put into a message just before it is sent.
     *
     * @param offset where it goes, from the begin of the message
     * @param text a link's name or the path of a namespace
     */
    record FixUp(Kind kind, int offset, String text) {
        /** What the number is; the order is that of the frames. */
        public enum Kind {
            /** The index of a link. */
            LINK(15),
            /** A descriptor of a network namespace's file. */
            NETNS(1_024);

            private final int longest;

            Kind(int longest) {
                this.longest = longest;
            }
        }

        public FixUp {
            check(text, kind.longest);
        }
    }

    /** A sysctl by its path below {@code /proc/sys}. */
    record SysctlWrite(String path, String value) implements KernelChange {
        public SysctlWrite {
            check(path, 1_024);
            check(value, 255);
        }
    }

    /** A routing table that is emptied of the routes of one family. */
    record TableFlush(boolean ipv6, long table) implements KernelChange {}

    /** What became of a change: 0, or an errno and what it means with the kernel's explanation. */
    record Outcome(int errno, String text) {}

    private static void check(String text, int longest) {
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        if (length == 0 || length > longest || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a text of 1 to " + longest + " bytes without a zero");
        }
    }
}
