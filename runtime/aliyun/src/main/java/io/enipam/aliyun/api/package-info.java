/**
 * The cloud as the factory asks it: one blocking port with plain records, one exception with a mapped kind, and the one
 * table that says how to react to which code. It imports the SDK of enipam alone, never Alibaba's. The client package
 * implements it, the factory calls it; the fake of the tests stands in {@code io.enipam.aliyun.testing}.
 */
@NullMarked
package io.enipam.aliyun.api;

import org.jspecify.annotations.NullMarked;
