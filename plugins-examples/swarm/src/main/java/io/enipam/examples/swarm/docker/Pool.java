package io.enipam.examples.swarm.docker;

import io.enipam.examples.swarm.docker.Tables.PoolRow;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;

/**
 * A pool to compute with. Immutable.
 *
 * @param id that Docker has of it: {@code NAME@SUBNET,RANGE}, without what it does not have
 * @param range of which containers get addresses by themselves; other addresses of the subnet are given if they are asked for
 */
record Pool(String id, Subnet subnet, Subnet range) {
    static Pool of(String id, PoolRow row) {
        Subnet subnet = Subnet.parse(row.subnet());
        return new Pool(id, subnet, row.range().isEmpty() ? subnet : Subnet.parse(row.range()));
    }

    static String id(PoolRow row) {
        return (row.name().isEmpty() ? "" : row.name() + "@")
                + row.subnet()
                + (row.range().isEmpty() ? "" : "," + row.range());
    }

    /** The first address that a container may get by itself. */
    Ip first() {
        Ip first = range.first();
        return allows(first) ? first : first.plus(1).orElseThrow();
    }

    /** The last one. */
    Ip last() {
        Ip last = range.last();
        return allows(last) ? last : last.plus(-1).orElseThrow();
    }

    /** How many containers can get one by themselves. */
    BigInteger size() {
        return last().value().subtract(first().value()).add(BigInteger.ONE);
    }

    /** Whether an address can be a host's. */
    boolean allows(Ip ip) {
        return subnet.contains(ip) && !subnet.isReserved(ip);
    }

    /** The key of an address's lease. */
    String key(Ip ip) {
        return subnet + " " + ip;
    }

    /** The address of a lease of this subnet. */
    static Ip ip(String key) {
        return Ip.parse(key.substring(key.indexOf(' ') + 1));
    }

    /** An address as Docker reads it. */
    String answer(Ip ip) {
        return ip + "/" + subnet.length();
    }
}
