/**
 * The cloud over the wire: Alibaba's SDK, the patience around it (rate limits and retries), and the metadata service. It
 * imports the api package, the SDK and the libraries for retry and rate limits; AliyunCloud alone builds what is here.
 * Nothing in it knows of pools or addresses lent.
 */
@NullMarked
package io.enipam.aliyun.client;

import org.jspecify.annotations.NullMarked;
