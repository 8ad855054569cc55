package io.enipam.sdk.cloud;

import io.enipam.sdk.RequestToken;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The calls of the cloud that a plugin makes. They share the daemon's client: its credentials, its limits of calls a
 * minute, its retries and its table of error codes.
 *
 * <pre>{@code
 * Cloud cloud = context.service(Cloud.class)
 *         .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no cloud"));
 * cloud.within(Duration.ofSeconds(30))
 *         .assignPrefixes(eni, 2, new RequestToken("grow-7"))
 *         .thenAccept(outcome -> outcome.fold(this::take, notDone -> report(notDone.failure())));
 * }</pre>
 *
 * <p><b>Failures</b> are values ({@link Outcome.NotDone}); a stage never completes exceptionally. {@link
 * io.enipam.sdk.ErrorKind#MISCONFIGURED} is what the cloud does not accept or this node does not have; {@link
 * io.enipam.sdk.ErrorKind#QUOTA_EXHAUSTED} and {@link io.enipam.sdk.ErrorKind#ADDRESSES_EXHAUSTED} a limit; {@link
 * io.enipam.sdk.ErrorKind#THROTTLED} also that too many calls of plugins wait already.
 *
 * <p><b>Once.</b> A call that makes something takes a token: the same call with the same token makes it once, within the time for
 * which the cloud remembers tokens (days for ECS), and {@link io.enipam.sdk.ErrorKind#CONFLICT} answers the same token with something
 * else. All others can be repeated: what is attached, detached, deleted or unassigned already counts as {@link Outcome.Done}.
 *
 * <p><b>Whose.</b> What a plugin makes has the tags of the node, of enipam and of the plugin. A plugin changes ENIs of its own
 * alone. One that has been in no use for more than ten minutes (made and never attached, detached and never deleted) is deleted by
 * the daemon's sweep, which runs every hour: a crash between two calls leaves nothing for good.
 *
 * <p><b>On a host of role {@link io.enipam.sdk.Role#CLUSTER}</b> there are the calls of route tables ({@link #routes}, {@link
 * #addRoute}, {@link #removeRoute}) and {@link #vSwitch}; all others are {@link io.enipam.sdk.ErrorKind#MISCONFIGURED}, since such a
 * host makes no ENIs. A replica that does not lead changes nothing: {@link io.enipam.sdk.ErrorKind#UNAVAILABLE}. Whether it leads is
 * asked when the call is made, not when it is queued. All replicas share a plugin's tokens, and so do all clusters of a VPC: make a
 * token of something that no other cluster has, such as the UID of a node.
 *
 * <p><b>Thread-safety.</b> All methods may be called by any thread at any time, and return at once. Stages complete on a thread of
 * the host; what follows there must not block.
 */
public interface Cloud {
    /** How long a call takes at most, if {@link #within} says nothing else. */
    Duration USUAL = Duration.ofSeconds(20);

    /**
     * The same cloud with another deadline for each call. A call that has no outcome by then is {@link
     * io.enipam.sdk.ErrorKind#DEADLINE_EXCEEDED}, and {@linkplain Outcome.NotDone#unknown unknown}.
     *
     * @param limit above zero
     */
    Cloud within(Duration limit);

    /** This node's instance, and what its type allows. */
    CompletionStage<Outcome<CloudInstance>> instance();

    /** Where ENIs of this node can be made, in order of preference: of the configuration, or the instance's own. */
    CompletionStage<Outcome<List<VSwitch>>> vSwitches();

    /** One vSwitch, wherever it is. */
    CompletionStage<Outcome<VSwitch>> vSwitch(String id);

    /** The ENIs of this node that this plugin has made, attached or not. */
    CompletionStage<Outcome<List<Eni>>> enis();

    /** Makes an ENI; it is available at once. */
    CompletionStage<Outcome<Eni>> create(EniRequest request, RequestToken token);

    /** Attaches an ENI to this instance; done when it is in use. */
    CompletionStage<Outcome<Eni>> attach(String eni);

    /** Attaches an ENI to a trunk that is in use on this instance; done when it is in use. Its VLAN is in the result. */
    CompletionStage<Outcome<Eni>> attachMember(String eni, String trunk);

    /** Takes an ENI off this instance; done when it is available. */
    CompletionStage<Outcome<Boolean>> detach(String eni);

    /** Deletes an ENI that is attached to nothing; done when the cloud has it no more. */
    CompletionStage<Outcome<Boolean>> delete(String eni);

    /**
     * Adds IPv4 addresses that the cloud chooses.
     *
     * @param count 1 to 10
     * @return as many as were asked for, or fewer
     */
    CompletionStage<Outcome<List<String>>> assignAddresses(String eni, int count, RequestToken token);

    /** Takes IPv4 addresses off an ENI, its primary one never. */
    CompletionStage<Outcome<Boolean>> unassignAddresses(String eni, List<String> addresses);

    /** The same for IPv6. */
    CompletionStage<Outcome<List<String>>> assignIpv6Addresses(String eni, int count, RequestToken token);

    /** The same for IPv6. */
    CompletionStage<Outcome<Boolean>> unassignIpv6Addresses(String eni, List<String> addresses);

    /**
     * Adds blocks of 16 IPv4 addresses that the cloud chooses. Each counts as one address of the ENI.
     *
     * @param count 1 to 10
     * @return such as {@code 10.0.0.16/28}
     */
    CompletionStage<Outcome<List<String>>> assignPrefixes(String eni, int count, RequestToken token);

    /** Takes blocks off an ENI, with all of their addresses. */
    CompletionStage<Outcome<Boolean>> unassignPrefixes(String eni, List<String> prefixes);

    /** The entries of a route table of the VPC that clients have made. */
    CompletionStage<Outcome<List<RouteEntry>>> routes(String table);

    /**
     * Adds an entry to a route table; done when it is in force. One that is there already, to the same hop, is done.
     *
     * @return whether it was not there
     */
    CompletionStage<Outcome<Boolean>> addRoute(RouteEntry entry, RequestToken token);

    /** Removes an entry from a route table. */
    CompletionStage<Outcome<Boolean>> removeRoute(RouteEntry entry);
}
