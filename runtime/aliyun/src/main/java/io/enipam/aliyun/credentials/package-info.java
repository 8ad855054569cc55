/**
 * The keys that calls of the cloud are signed with, and where they come from: the configuration, a file that is read again
 * when it changes, or the RAM role of the instance. No secret leaves a {@code CloudCredentials} but to the
 * signer. It knows of no API; the client asks it before each call.
 */
@NullMarked
package io.enipam.aliyun.credentials;

import org.jspecify.annotations.NullMarked;
