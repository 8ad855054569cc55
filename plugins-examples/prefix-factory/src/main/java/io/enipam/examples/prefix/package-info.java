/**
 * Addresses of /28 prefixes on ENIs, as a resource factory.
 *
 * <p>A {@link io.enipam.examples.prefix.PrefixFactory} is one thread that calls the cloud and the plugin's tables; a {@link
 * io.enipam.examples.prefix.PrefixBook} is what it knows: ENIs, their prefixes, and which addresses are out. The cloud is the truth
 * about prefixes, the table about addresses. The package imports the SDK with its cloud, and nothing else.
 */
@NullMarked
package io.enipam.examples.prefix;

import org.jspecify.annotations.NullMarked;
