package io.enipam.examples.nodeipam.cloud;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.examples.nodeipam.cloud.CloudProvider.Alias;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Table;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;

/**
 * What is under way in the cloud for a node, what was reported of it, and what the cloud leads to it on the controller's behalf: a row of
 * the table {@code cloud} by the node's name. Nodes for which there is nothing of that have none.
 *
 * <pre>
 * (no row), IDLE -> ADDING   IPAMFromCluster: the node's blocks are about to be led to it
 *                -> MARKING  its condition is about to be set
 * ADDING, MARKING -> IDLE    that is done
 * any -> (no row)            the node is gone; what was led to it is in a row NAME/UID, until it is removed
 * </pre>
 *
 * @param uid of the node; a later one of its name has another
 * @param blocks that the controller has led to the instance, or is about to; none but with {@code IPAMFromCluster}
 * @param told the last event, as {@code REASON why}; empty text if there was none
 * @param toldAt in milliseconds since the epoch
 */
record CloudRow(String uid, String instance, List<String> blocks, Step step, String told, long toldAt) {
    static final Table<CloudRow> TABLE = new Table<>("cloud", 1, new JsonCodec());

    enum Step {
        IDLE,
        ADDING,
        MARKING
    }

    CloudRow {
        blocks = List.copyOf(blocks);
    }

    CloudRow in(Step next) {
        return new CloudRow(uid, instance, blocks, next, told, toldAt);
    }

    CloudRow adding(List<Subnet> wanted) {
        return new CloudRow(uid, instance, texts(wanted), Step.ADDING, told, toldAt);
    }

    CloudRow keeping(List<Subnet> wanted) {
        return new CloudRow(uid, instance, texts(wanted), step, told, toldAt);
    }

    CloudRow told(String event, long at) {
        return new CloudRow(uid, instance, blocks, step, event, at);
    }

    /** The key of what is left of a node that is gone: a node's name has no slash. */
    static String left(String name, CloudRow row) {
        return name + "/" + row.uid();
    }

    static boolean isLeft(String key) {
        return key.indexOf('/') >= 0;
    }

    private static List<String> texts(List<Subnet> blocks) {
        return blocks.stream().map(Subnet::toString).toList();
    }

    List<Subnet> subnets() {
        return blocks.stream().map(Subnet::parse).toList();
    }

    List<Alias> aliases() {
        return subnets().stream().map(block -> new Alias(instance, block)).toList();
    }

    static final class JsonCodec implements Codec<CloudRow> {
        private static final ObjectMapper JSON = new ObjectMapper();

        @Override
        public String write(CloudRow row) {
            try {
                return JSON.writeValueAsString(row);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a row cannot be written: " + row, e);
            }
        }

        @Override
        public CloudRow read(int version, String text) {
            try {
                return JSON.readValue(text, CloudRow.class);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("no row: " + e.getOriginalMessage(), e);
            }
        }
    }
}
