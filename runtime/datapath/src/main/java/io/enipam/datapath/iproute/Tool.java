package io.enipam.datapath.iproute;

/** A program that takes a batch of commands on its standard input, a line each. */
enum Tool {
    /** {@code ip}: links, addresses, neighbours and routes of both families, and rules of IPv4. */
    IP("ip -force -batch -"),
    /** {@code ip -6}: rules of IPv6, which {@code ip} takes for malformed ones of IPv4. */
    IP6("ip -6 -force -batch -"),
    /** {@code tc}: queueing disciplines and filters. */
    TC("tc -force -batch -"),
    /** A sysctl of the namespace: {@code PATH VALUE}, the path below {@code /proc/sys}. */
    SYSCTL("");

    private final String command;

    Tool(String command) {
        this.command = command;
    }

    String command() {
        return command;
    }
}
