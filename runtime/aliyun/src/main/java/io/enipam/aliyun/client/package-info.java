/**
 * The cloud over the wire: Alibaba's SDK, the patience around it (turns, retries, deadlines), and the metadata service.
 * It imports the api package, the keys it signs with, the log of its calls, the SDK and the library for retries;
 * AliyunCloud alone builds what is here. Nothing in it knows of pools or addresses lent.
 */
@NullMarked
package io.enipam.aliyun.client;

import org.jspecify.annotations.NullMarked;
