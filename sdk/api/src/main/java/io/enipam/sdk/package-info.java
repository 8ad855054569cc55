/**
 * All that a plugin compiles against: entry point, resource factories, pool policies and the values they exchange.
 *
 * <p>The package imports the JDK and jspecify, nothing else, so that a plugin never meets a library version it did not
 * choose. The engine and every plugin may call it; it calls none of them. It grows by adding: a new method of an
 * interface has a default, a new kind of answer has a default reaction in the engine. The build compares it with its
 * recorded form and fails on what would break a plugin.
 *
 * <h2>What to write</h2>
 *
 * <table>
 * <caption>Interfaces by purpose</caption>
 * <tr><th>to</th><th>implement</th><th>announced by</th></tr>
 * <tr><td>make addresses another way</td><td>{@link io.enipam.sdk.ResourceFactory}</td>
 *     <td>{@link io.enipam.sdk.ResourceFactoryProvider}</td></tr>
 * <tr><td>decide which address is lent, how many are kept, what happens to one given back</td>
 *     <td>{@link io.enipam.sdk.PoolPolicy}</td><td>{@link io.enipam.sdk.PoolPolicyProvider}</td></tr>
 * <tr><td>answer questions of operators on call</td><td>{@link io.enipam.sdk.Diagnostic}</td>
 *     <td>{@link io.enipam.sdk.IpamPlugin#diagnostics()}</td></tr>
 * <tr><td>add commands to the shell</td><td>{@link io.enipam.sdk.Command}</td>
 *     <td>{@link io.enipam.sdk.Part#commands()}</td></tr>
 * <tr><td>be looked at by {@code doctor}</td><td>{@link io.enipam.sdk.Check}</td>
 *     <td>{@link io.enipam.sdk.Part#checks()}</td></tr>
 * <tr><td>show metrics and events</td><td>nothing: {@link io.enipam.sdk.Signals} is given</td>
 *     <td>{@link io.enipam.sdk.Host#signals()}</td></tr>
 * <tr><td>give addresses to each owner by itself</td><td>{@link io.enipam.sdk.Allocator}</td>
 *     <td>{@link io.enipam.sdk.IpamPlugin#extensions()}</td></tr>
 * <tr><td>have a say in what others allocate</td><td>{@link io.enipam.sdk.Voter}</td>
 *     <td>{@link io.enipam.sdk.Extension#ballot()}</td></tr>
 * <tr><td>ask voters before something is allocated</td><td>{@link io.enipam.sdk.Coordinator}</td>
 *     <td>{@link io.enipam.sdk.Transaction#cast}</td></tr>
 * <tr><td>serve a protocol on a socket</td>
 *     <td>{@link io.enipam.sdk.HttpEndpoint} or {@link io.enipam.sdk.StreamEndpoint}</td>
 *     <td>{@link io.enipam.sdk.Extension}</td></tr>
 * <tr><td>serve gRPC on the daemon's own socket</td><td>nothing: {@link io.enipam.sdk.RpcService} is a value</td>
 *     <td>{@link io.enipam.sdk.Part#services()}</td></tr>
 * <tr><td>keep something as it is wanted, one key after the other</td><td>{@link io.enipam.sdk.Controller}, and
 * {@link io.enipam.sdk.Source}s of its keys</td><td>{@link io.enipam.sdk.IpamPlugin#extensions()}</td></tr>
 * <tr><td>run for as long as it is enabled</td><td>{@link io.enipam.sdk.Part}</td>
 *     <td>{@link io.enipam.sdk.Extension}</td></tr>
 * <tr><td>be configured</td><td>{@link io.enipam.sdk.Setting}</td><td>{@link
 * io.enipam.sdk.IpamPlugin#settings()}</td></tr>
 * <tr><td>keep state that survives restarts</td><td>nothing: {@link io.enipam.sdk.Journal} is given</td>
 *     <td>{@link io.enipam.sdk.PluginContext#journal()}</td></tr>
 * <tr><td>be found</td><td>{@link io.enipam.sdk.IpamPlugin}, which shows a whole plugin</td>
 *     <td>{@code META-INF/services} and the manifest</td></tr>
 * </table>
 *
 * <p>The testkit ({@code enipam-sdk-testkit}, test scope) has a JUnit class for each of the first two, with a test for
 * every promise: extend it, and a failure says how to repair it. {@code sdk/bin/new-plugin NAME} makes a project that
 * has all of it from the start.
 *
 * <h2>Where a plugin lies, and what it sees</h2>
 *
 * <p>A plugin is a jar, or a directory of jars, in the daemon's directory of plugins, on its class path, or named by
 * {@code --plugin PATH}. Each has a class loader of its own. It sees the JDK, {@code io.enipam.sdk} with the packages of
 * {@link io.enipam.sdk.Host#service services}, {@code io.enipam.sdk.cluster} and {@code io.enipam.sdk.cloud}, {@code org.slf4j}
 * (log there: it goes where the daemon's log goes) and jspecify's annotations; those come from the daemon, whatever the
 * plugin's jars hold. Everything else it brings in its own jars: no library of the daemon's and no class of another
 * plugin is visible, and none of its own disturbs the others. {@code Sdk-Version} in the manifest is the range of SDK
 * versions it works with; a daemon outside of it refuses the plugin before any class is loaded.
 *
 * <p>{@code System.exit}, {@code Runtime.exit} and {@code Runtime.halt} are refused with a
 * {@link java.lang.SecurityException} where the plugin's own classes call them.
 *
 * <h2>What the daemon does when a call is late or fails</h2>
 *
 * <table>
 * <caption>Deadlines</caption>
 * <tr><th>call</th><th>deadline</th><th>afterwards</th></tr>
 * <tr><td>the methods of {@link io.enipam.sdk.IpamPlugin}</td><td>10 s together</td><td>the plugin is FAILED</td></tr>
 * <tr><td>{@code open} of a provider</td><td>10 s</td><td>what was in force stays</td></tr>
 * <tr><td>a question to a policy</td><td>50 ms</td><td>the built-in {@code watermark} policy answers; the breaker
 * opens</td></tr>
 * <tr><td>{@code create}, {@code dispose}, {@code list} of a factory, to return</td><td>2 s</td>
 *     <td>the breaker opens; the items' stages may still complete</td></tr>
 * <tr><td>the stage of a create</td><td>the request's</td><td>given up; a late resource is taken or disposed
 * of</td></tr>
 * <tr><td>the stage of a disposal</td><td>as long as a create's</td><td>tried again, after a back-off</td></tr>
 * <tr><td>the stage of a list</td><td>60 s</td><td>asked again later</td></tr>
 * <tr><td>a diagnostic, a command that changes nothing</td><td>5 s</td><td>an error for the caller</td></tr>
 * <tr><td>{@code follow} of a command, {@code take} of a feed, a method of a service that changes nothing</td><td>5 s</td>
 *     <td>an error for the caller, whose stream ends</td></tr>
 * <tr><td>another command, another method of a service</td><td>30 s</td><td>an error for the caller; it may still be done</td></tr>
 * <tr><td>{@code complete} of a command</td><td>300 ms</td><td>nothing is offered</td></tr>
 * <tr><td>a check</td><td>5 s</td><td>a finding</td></tr>
 * <tr><td>all gauges of a plugin</td><td>5 s</td><td>one that hangs is not shown until it has returned</td></tr>
 * <tr><td>{@code reconfigure} of a part</td><td>10 s</td><td>it is closed and opened anew</td></tr>
 * <tr><td>{@code allocate}, {@code release} and {@code repair} of an allocator, with their commit</td><td>5 s</td>
 *     <td>an error for the caller; what is committed stays</td></tr>
 * <tr><td>{@code vote} and {@code withdrawn} of a voter, {@code decided} of a coordinator, with their commit</td><td>5 s</td>
 *     <td>tried again, after a back-off; what is committed stays</td></tr>
 * <tr><td>{@code serve} of an endpoint over HTTP</td><td>30 s, or what its limits say</td><td>status 504 for the client</td></tr>
 * <tr><td>{@code open} of a source</td><td>10 s</td><td>it is lost: all sources are opened again, after a back-off</td></tr>
 * <tr><td>{@code reconcile} of a controller, with its commit</td><td>5 s</td><td>tried again, after a back-off; what is
 * committed stays</td></tr>
 * <tr><td>{@code perform} of an effect</td><td>60 s</td><td>tried again, after a back-off</td></tr>
 * <tr><td>{@code observe} of an allocator</td><td>60 s</td><td>asked again after five minutes</td></tr>
 * <tr><td>{@code close} of a factory, a part or a source</td><td>5 s</td><td>it is left behind</td></tr>
 * </table>
 *
 * <p>A plugin has eight threads of the daemon's for its calls, and a controller one more for each worker. Five failed calls
 * of the last twenty, or one that is late, open the breaker of that factory or policy for 10 s, or until the late call is back: the plugin is then DEGRADED, and
 * {@code plugin info} says why. A factory whose breaker is open fails its items with
 * {@link io.enipam.sdk.ErrorKind#UNAVAILABLE}; what it made stays lent, and releases, inspection and other factories go
 * on. Errors such as {@link java.lang.LinkageError} and {@link java.lang.StackOverflowError} count like exceptions.
 *
 * <p>{@link io.enipam.sdk.ErrorKind} says which failure leads to which reaction; threads and order at each interface.
 *
 * <h2>Values</h2>
 *
 * <p>All values are immutable and safe between threads. Nothing here is ever {@code null}: what may be missing is an
 * empty text, an empty list or zero, as its javadoc says.
 */
@NullMarked
package io.enipam.sdk;

import org.jspecify.annotations.NullMarked;
