/**
 * The rules of the SDK as tests, and what a test of a plugin needs besides: contexts, clocks, snapshots.
 *
 * <p>A plugin's author extends {@link io.enipam.sdk.testkit.ResourceFactoryContract} for each factory, {@link
 * io.enipam.sdk.testkit.PoolPolicyContract} for each policy, {@link io.enipam.sdk.testkit.AllocatorContract} for each
 * allocator, {@link io.enipam.sdk.testkit.ControllerContract} for each controller and {@link io.enipam.sdk.testkit.VoterContract}
 * for each voter, in the plugin's own tests; the inherited tests say which promise is broken and how to repair it. The package
 * imports the SDK and JUnit, nothing else, and belongs on no plugin's run-time class path.
 */
@NullMarked
package io.enipam.sdk.testkit;

import org.jspecify.annotations.NullMarked;
