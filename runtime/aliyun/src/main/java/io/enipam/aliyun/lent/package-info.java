/**
 * The cloud as plugins get it: {@link io.enipam.sdk.cloud.Cloud} of the SDK on this node's own client, so that a plugin's calls count
 * in the same limits and are retried by the same rules, and the sweep of ENIs that plugins left behind. It imports the client, the
 * names of tags and the SDK; {@link io.enipam.aliyun.AliyunCloud} and the node's wiring call it.
 */
@NullMarked
package io.enipam.aliyun.lent;

import org.jspecify.annotations.NullMarked;
