/**
 * The plugin {@code ${artifactId}}: a pool policy that keeps idle addresses in proportion to those in use.
 *
 * <p>{@link ${package}.HeadroomPlugin} announces it, {@link ${package}.HeadroomPolicy} decides. The package imports the
 * JDK, the SDK and jspecify.
 */
@NullMarked
package ${package};

import org.jspecify.annotations.NullMarked;
