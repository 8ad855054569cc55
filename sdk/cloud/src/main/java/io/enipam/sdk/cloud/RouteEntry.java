package io.enipam.sdk.cloud;

/**
 * An entry of a route table of the VPC that was made by a client, not by the cloud.
 *
 * @param table such as {@code vtb-...}
 * @param destination a block such as {@code 10.244.1.0/24}, unique in its table
 * @param hop where it leads
 */
public record RouteEntry(String table, String destination, Hop hop) {
    /**
     * A next hop.
     *
     * @param type as the VPC API has it: {@code Instance}, {@code NetworkInterface} and others
     * @param id such as the instance's
     */
    public record Hop(String type, String id) {
        /** An instance. */
        public static Hop instance(String id) {
            return new Hop("Instance", id);
        }
    }
}
