/**
#if($kind == "policy")
 * The plugin {@code ${artifactId}}: a pool policy that keeps idle addresses in proportion to those in use.
 *
 * <p>{@link ${package}.${className}Plugin} announces it, {@link ${package}.${className}Policy} decides. The package imports the
#elseif($kind == "factory")
 * The plugin {@code ${artifactId}}: a factory that makes the addresses of a list.
 *
 * <p>{@link ${package}.${className}Plugin} announces it, {@link ${package}.${className}Factory} makes. The package imports the
#elseif($kind == "allocator")
 * The plugin {@code ${artifactId}}: an allocator that gives each owner an address of a list.
 *
 * <p>{@link ${package}.${className}Plugin} announces it, {@link ${package}.${className}Allocator} decides. The package imports the
#else
 * The plugin {@code ${artifactId}}: a controller that gives each file of a directory a number.
 *
 * <p>{@link ${package}.${className}Plugin} announces it, {@link ${package}.${className}Controller} decides. The package imports the
#end
 * JDK, the SDK and jspecify.
 */
@NullMarked
package ${package};

import org.jspecify.annotations.NullMarked;
