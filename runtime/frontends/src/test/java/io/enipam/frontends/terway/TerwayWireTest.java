package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.ENIMultiIP;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.ManagedK8SENI;
import io.enipam.terway.rpc.Pod;
import io.enipam.terway.rpc.ReleaseIPReply;
import io.enipam.terway.rpc.ReleaseIPRequest;
import io.enipam.terway.rpc.TerwayBackendGrpc;
import io.enipam.terway.rpc.VPCENI;
import io.enipam.terway.rpc.VPCIP;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes of the contract, as a Go program writes them: what is in the field's place here is what terway's plugin reads. */
class TerwayWireTest {
    private static final Pod POD =
            Pod.newBuilder().setIngress(10_485_760).setEgress(20_971_520).build();

    private static final ENI ENI_OF_A_POD = ENI.newBuilder()
            .setIPv4Addr("10.0.0.2")
            .setIPv4Subnet("10.0.0.0/24")
            .setMacAddr("02:2d:a5:de:ee:6f")
            .setGateway("10.0.0.253")
            .setDeviceNumber(3)
            .setPrimaryIPv4Addr("10.0.0.250")
            .build();

    private static final String ENI_HEX = "0a0831302e302e302e32120b31302e302e302e302f32341a1130323a32643a61353a6465"
            + "3a65653a3666220a31302e302e302e3235332803320a31302e302e302e323530";

    private static final String POD_HEX = "0880808005108080800a";

    static Stream<Arguments> messages() {
        return Stream.of(
                Arguments.of(
                        AllocIPRequest.newBuilder()
                                .setK8SPodName("web-0")
                                .setK8SPodNamespace("default")
                                .setK8SPodInfraContainerId("c0ffee")
                                .setNetns("/proc/7/ns/net")
                                .setIfName("eth0")
                                .build(),
                        "0a057765622d30120764656661756c741a06633066666565220e2f70726f632f372f6e732f6e65742a0465746830"),
                Arguments.of(
                        AllocIPReply.newBuilder()
                                .setSuccess(true)
                                .setIPType(IPType.TypeVPCIP)
                                .setVpcIp(VPCIP.newBuilder().setPodConfig(POD).setNodeCidr("10.7.0.0/24"))
                                .build(),
                        "08011a190a0a" + POD_HEX + "120b31302e372e302e302f3234"),
                Arguments.of(
                        AllocIPReply.newBuilder()
                                .setSuccess(true)
                                .setIPType(IPType.TypeVPCENI)
                                .setVpcEni(VPCENI.newBuilder()
                                        .setEniConfig(ENI_OF_A_POD)
                                        .setPodConfig(POD)
                                        .setServiceCidr("172.21.0.0/20"))
                                .build(),
                        "0801100122610a44" + ENI_HEX + "120a" + POD_HEX + "1a0d3137322e32312e302e302f3230"),
                Arguments.of(
                        AllocIPReply.newBuilder()
                                .setSuccess(true)
                                .setIPType(IPType.TypeManagedK8S)
                                .setManagedK8S(ManagedK8SENI.newBuilder()
                                        .setEniConfig(ENI_OF_A_POD)
                                        .setPodConfig(POD)
                                        .setPodCidr("10.8.0.0/16")
                                        .setVpcCidr("10.0.0.0/8")
                                        .setNodeCidr("10.7.0.0/24")
                                        .setServiceCidr("172.21.0.0/20"))
                                .build(),
                        "080110022a87010a44" + ENI_HEX + "120a" + POD_HEX
                                + "1a0b31302e382e302e302f3136220a31302e302e302e302f382a0b31302e372e302e302f3234"
                                + "320d3137322e32312e302e302f3230"),
                Arguments.of(
                        AllocIPReply.newBuilder()
                                .setSuccess(true)
                                .setIPType(IPType.TypeENIMultiIP)
                                .setENIMultiIP(ENIMultiIP.newBuilder()
                                        .setEniConfig(ENI_OF_A_POD)
                                        .setPodConfig(POD)
                                        .setServiceCidr("172.21.0.0/20"))
                                .build(),
                        "0801100332610a44" + ENI_HEX + "120a" + POD_HEX + "1a0d3137322e32312e302e302f3230"),
                Arguments.of(
                        ReleaseIPRequest.newBuilder()
                                .setK8SPodName("web-0")
                                .setK8SPodNamespace("default")
                                .setK8SPodInfraContainerId("c0ffee")
                                .setIPType(IPType.TypeENIMultiIP)
                                .setIPv4Addr("10.0.0.2")
                                .setMacAddr("02:2d:a5:de:ee:6f")
                                .setReason("normal release")
                                .build(),
                        "0a057765622d30120764656661756c741a0663306666656520032a0831302e302e302e32321130323a32643a61353a"
                                + "64653a65653a36663a0e6e6f726d616c2072656c65617365"),
                Arguments.of(
                        ReleaseIPReply.newBuilder()
                                .setSuccess(true)
                                .setIPv4Addr("10.0.0.2")
                                .setDeviceNumber(3)
                                .build(),
                        "0801120831302e302e302e321803"),
                Arguments.of(
                        GetInfoRequest.newBuilder()
                                .setK8SPodName("web-0")
                                .setK8SPodNamespace("default")
                                .setK8SPodInfraContainerId("c0ffee")
                                .build(),
                        "0a057765622d30120764656661756c741a06633066666565"),
                Arguments.of(
                        GetInfoReply.newBuilder()
                                .setIPType(IPType.TypeENIMultiIP)
                                .setPodConfig(POD)
                                .setNodeCidr("10.7.0.0/24")
                                .setPodIP("10.0.0.2")
                                .build(),
                        "0803120a" + POD_HEX + "1a0b31302e372e302e302f3234220831302e302e302e32"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void eachMessageOfTheContractIsWrittenAndReadAsGoWritesIt(MessageLite message, String hex)
            throws InvalidProtocolBufferException {
        assertThat(HexFormat.of().formatHex(message.toByteArray())).isEqualTo(hex);
        assertThat(message.getParserForType().parseFrom(HexFormat.of().parseHex(hex)))
                .isEqualTo(message);
    }

    @Test
    void theMethodPathsAreThoseOfPackageRpc() {
        assertThat(TerwayBackendGrpc.getServiceDescriptor().getMethods())
                .extracting(method -> "/" + method.getFullMethodName())
                .containsExactlyInAnyOrder(
                        "/rpc.TerwayBackend/AllocIP", "/rpc.TerwayBackend/ReleaseIP", "/rpc.TerwayBackend/GetIPInfo");
    }
}
