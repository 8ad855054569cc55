package io.enipam.lab.logs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Lines of a log: bytes up to a line feed, read as UTF-8. One that is too long is passed over, and counted. Not thread-safe. */
final class LineReader {
    /** In bytes. The journal cuts lines at 48 KiB unless it is told otherwise. */
    static final int LONGEST = 65_536;

    private final InputStream in;
    private final String file;
    private final Problem.Counts problems;
    private final byte[] read = new byte[LONGEST];
    private final byte[] line = new byte[LONGEST];
    private int at;
    private int end;
    private long number;

    /** @param file its name, for {@link #where} */
    LineReader(InputStream in, String file, Problem.Counts problems) {
        this.in = in;
        this.file = file;
        this.problems = problems;
    }

    /** Of the last line that was read. */
    String where() {
        return file + ", line " + number;
    }

    /** The next line, also if the file ends without a line feed; empty at the end. */
    Optional<String> next() throws IOException {
        while (true) {
            int length = 0;
            boolean whole = true;
            boolean any = false;
            number++;
            while (true) {
                if (at == end) {
                    end = in.read(read);
                    at = 0;
                    if (end <= 0) {
                        end = 0;
                        if (!any) {
                            return Optional.empty();
                        }
                        break;
                    }
                }
                any = true;
                int stop = at;
                while (stop < end && read[stop] != '\n') {
                    stop++;
                }
                whole &= length + stop - at <= LONGEST;
                if (whole) {
                    System.arraycopy(read, at, line, length, stop - at);
                    length += stop - at;
                }
                at = stop;
                if (stop < end) {
                    at++;
                    break;
                }
            }
            if (whole) {
                return Optional.of(new String(Arrays.copyOf(line, length), StandardCharsets.UTF_8));
            }
            problems.add(Problem.LONG_LINE, 1, where());
        }
    }
}
