package io.enipam.config;

import inet.ipaddr.IPAddressString;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A TCP address, without brackets, or a name; empty text is every address of this host, port 0 any free port. */
public record ListenAddress(String host, int port) {
    private static final Pattern BRACKETS = Pattern.compile("\\[([0-9A-Fa-f:.]{2,45})]:([0-9]{1,5})");
    private static final Pattern PLAIN = Pattern.compile("([^:\\[\\]/@\\s]{0,253}):([0-9]{1,5})");
    private static final Pattern FOUR_NUMBERS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final Pattern NAME = Pattern.compile(
            "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*");
    private static final int LARGEST_PORT = 65_535;

    /** Reads {@code host:port}, {@code [address]:port} or {@code :port}; empty if the text has none of these forms. */
    static Optional<ListenAddress> parse(String text) {
        Matcher brackets = BRACKETS.matcher(text);
        if (brackets.matches()) {
            return new IPAddressString(brackets.group(1)).isIPv6()
                    ? at(brackets.group(1), brackets.group(2))
                    : Optional.empty();
        }
        Matcher plain = PLAIN.matcher(text);
        return plain.matches() && isHost(plain.group(1)) ? at(plain.group(1), plain.group(2)) : Optional.empty();
    }

    private static boolean isHost(String host) {
        if (DIGITS_AND_DOTS.matcher(host).matches()) {
            // other forms that the library and the C library accept, such as 10.1 and 0177.0.0.1, are errors here
            return FOUR_NUMBERS.matcher(host).matches() && new IPAddressString(host).isIPv4();
        }
        return host.isEmpty() || NAME.matcher(host).matches();
    }

    private static Optional<ListenAddress> at(String host, String digits) {
        int port = Integer.parseInt(digits);
        return port <= LARGEST_PORT ? Optional.of(new ListenAddress(host, port)) : Optional.empty();
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
