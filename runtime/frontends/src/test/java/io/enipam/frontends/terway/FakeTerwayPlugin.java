package io.enipam.frontends.terway;

import io.enipam.daemon.testing.SocketClient;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.ReleaseIPReply;
import io.enipam.terway.rpc.ReleaseIPRequest;
import io.enipam.terway.rpc.TerwayBackendGrpc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What terway's CNI plugin of 2020 asks of the daemon, in its order and with its checks; where that one changes the kernel, this one writes
 * down what it would do.
 */
final class FakeTerwayPlugin implements AutoCloseable {
    /** As {@code defaultCniTimeout}. */
    private static final long TIMEOUT_SECONDS = 120;

    private final SocketClient client;
    final List<String> done = new ArrayList<>();

    FakeTerwayPlugin(Path socket) {
        client = new SocketClient(socket);
    }

    TerwayBackendGrpc.TerwayBackendBlockingStub stub() {
        return TerwayBackendGrpc.newBlockingStub(client.channel()).withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** CNI ADD. */
    AllocIPReply add(String pod, String container) {
        AllocIPReply reply = stub().allocIP(request(pod, container).build());
        check(reply.getSuccess(), "error on alloc eip from terway backend");
        switch (reply.getIPType()) {
            case TypeENIMultiIP -> {
                check(
                        reply.hasENIMultiIP() && reply.getENIMultiIP().hasEniConfig(),
                        "eni multi ip return result is empty");
                ENI eni = address(reply.getENIMultiIP().getEniConfig());
                check(isAddress(eni.getPrimaryIPv4Addr()), "primary ip is not valid");
                check(eni.getDeviceNumber() != 0 && eni.getDeviceNumber() != 254, "no policy routes would be set up");
                done.add("veth " + eni.getIPv4Addr() + " table " + (1000 + eni.getDeviceNumber()));
            }
            case TypeVPCIP -> {
                check(
                        reply.hasVpcIp()
                                && reply.getVpcIp().hasPodConfig()
                                && !reply.getVpcIp().getNodeCidr().isEmpty(),
                        "vpc ip result is empty");
                check(isCidr(reply.getVpcIp().getNodeCidr()), "vpc veth return subnet is not valid");
                done.add("host-local " + reply.getVpcIp().getNodeCidr());
            }
            case TypeVPCENI -> {
                check(
                        reply.hasVpcEni()
                                && reply.getVpcEni().hasEniConfig()
                                && isCidr(reply.getVpcEni().getServiceCidr()),
                        "vpcEni ip result is empty");
                ENI eni = address(reply.getVpcEni().getEniConfig());
                // it compares with the text that Go makes of a link's address
                check(
                        eni.getMacAddr().matches("([0-9a-f]{2}:){5}[0-9a-f]{2}"),
                        "error get allocated mac address for eni");
                done.add("nic " + eni.getMacAddr() + " " + eni.getIPv4Addr());
            }
            default -> throw new AssertionError("not support this network type");
        }
        return reply;
    }

    /** CNI DEL: without an answer to the first call nothing is released. */
    ReleaseIPReply del(String pod, String container) {
        GetInfoReply info = info(pod, container);
        switch (info.getIPType()) {
            case TypeENIMultiIP -> {
                if (!isAddress(info.getPodIP())) {
                    // an error is wrapped that is none: the plugin returns success
                    return ReleaseIPReply.newBuilder().setSuccess(true).build();
                }
                done.add("veth torn down");
            }
            case TypeVPCIP -> {
                check(isCidr(info.getNodeCidr()), "get info return subnet is not valid");
                done.add("host-local gives back " + info.getNodeCidr());
            }
            case TypeVPCENI -> done.add("nic moved out");
            default -> throw new AssertionError("not support this network type");
        }
        ReleaseIPReply reply = release(pod, container);
        check(reply.getSuccess(), "error release ip for pod, maybe cause resource leak");
        return reply;
    }

    GetInfoReply info(String pod, String container) {
        return stub().getIPInfo(GetInfoRequest.newBuilder()
                .setK8SPodName(pod)
                .setK8SPodNamespace("default")
                .setK8SPodInfraContainerId(container)
                .build());
    }

    ReleaseIPReply release(String pod, String container) {
        return stub().releaseIP(ReleaseIPRequest.newBuilder()
                .setK8SPodName(pod)
                .setK8SPodNamespace("default")
                .setK8SPodInfraContainerId(container)
                .setReason("normal release")
                .build());
    }

    static AllocIPRequest.Builder request(String pod, String container) {
        return AllocIPRequest.newBuilder()
                .setNetns("/var/run/netns/" + container)
                .setK8SPodName(pod)
                .setK8SPodNamespace("default")
                .setK8SPodInfraContainerId(container)
                .setIfName("eth0");
    }

    private static ENI address(ENI eni) {
        check(isCidr(eni.getIPv4Subnet()), "subnet is not valid");
        check(isAddress(eni.getIPv4Addr()), "ip is not valid");
        check(isAddress(eni.getGateway()), "gateway is not valid");
        return eni;
    }

    private static boolean isAddress(String text) {
        return text.matches("\\d+(\\.\\d+){3}");
    }

    private static boolean isCidr(String text) {
        return text.matches("\\d+(\\.\\d+){3}/\\d+");
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
