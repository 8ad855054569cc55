package io.enipam.recovery;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Resource;

/**
 * Who is asked beside the database.
 *
 * @param kernel the sandboxes that are connected
 * @param pods the pods of the node, by the API server
 * @param cloud the resources that the factories list, each stamped with its factory's name
 */
public record Witnesses(Answer<Attachment> kernel, Answer<Pod> pods, Answer<Resource> cloud) {}
