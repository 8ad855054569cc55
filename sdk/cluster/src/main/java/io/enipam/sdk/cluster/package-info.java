/**
 * The objects of a Kubernetes cluster, as a part takes them by {@code host.service(Cluster.class)}: local copies kept by watches,
 * single requests, and who leads. A jar of its own, for plugins that need it: it imports {@code io.enipam.sdk}, the JDK and jspecify.
 * The host has the classes, whatever the plugin's jars hold.
 *
 * <pre>{@code
 * Cluster cluster = host.service(Cluster.class)
 *         .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no API server"));
 * Informer nodes = cluster.informer(ObjectKind.NODE); // closed by the part's close()
 * ...
 * ClusterObject node = nodes.get(key).orElseThrow();
 * Patch patch = Patch.strategic(Map.of("spec", Map.of("podCIDR", cidr, "podCIDRs", List.of(cidr)))).ifSame(node);
 * return cluster.patch(node.ref(), patch).thenApply(Reply::asEffectResult);
 * }</pre>
 */
@NullMarked
package io.enipam.sdk.cluster;

import org.jspecify.annotations.NullMarked;
