package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aliyuncs.AcsRequest;
import com.aliyuncs.AcsResponse;
import com.aliyuncs.auth.SignatureVersion;
import com.aliyuncs.ecs.model.v20140526.AssignPrivateIpAddressesRequest;
import com.aliyuncs.ecs.model.v20140526.AttachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceResponse;
import com.aliyuncs.ecs.model.v20140526.DeleteNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstanceTypesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstanceTypesResponse.InstanceType;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesResponse.Instance;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse.NetworkInterfaceSet;
import com.aliyuncs.ecs.model.v20140526.DetachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.UnassignPrivateIpAddressesRequest;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.vpc.model.v20160428.DescribeVSwitchesRequest;
import com.aliyuncs.vpc.model.v20160428.DescribeVSwitchesResponse;
import io.enipam.emulator.fault.Effect.DropAnswer;
import io.enipam.emulator.fault.Effect.Tear;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultRule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The emulator as the real SDK sees it. */
class SdkTest {
    @AutoClose
    private final CloudEmulator emulator = CloudEmulator.start(EmulatorConfig.defaults());

    private final SdkClient sdk = new SdkClient(emulator);

    @Test
    void anEniLivesItsWholeLife() throws ClientException {
        String instance = emulator.instanceIds().get(0);
        CreateNetworkInterfaceRequest create = create();
        CreateNetworkInterfaceRequest.Tag tag = new CreateNetworkInterfaceRequest.Tag();
        tag.setKey("creator");
        tag.setValue("节点 *~");
        create.setTags(List.of(tag));
        CreateNetworkInterfaceResponse created = call(create);
        String eni = created.getNetworkInterfaceId();
        assertThat(created.getTags())
                .singleElement()
                .satisfies(t -> assertThat(t.getTagValue()).isEqualTo("节点 *~"));
        assertThat(created.getPrivateIpSets())
                .singleElement()
                .satisfies(ip -> assertThat(ip.getPrimary()).isTrue());

        AttachNetworkInterfaceRequest attach = new AttachNetworkInterfaceRequest();
        attach.setNetworkInterfaceId(eni);
        attach.setInstanceId(instance);
        call(attach);
        AssignPrivateIpAddressesRequest assign = new AssignPrivateIpAddressesRequest();
        assign.setNetworkInterfaceId(eni);
        assign.setSecondaryPrivateIpAddressCount(10);
        List<String> ips = call(assign).getAssignedPrivateIpAddressesSet().getPrivateIpSet();
        assertThat(ips).hasSize(10).doesNotHaveDuplicates();

        NetworkInterfaceSet found = describe(eni).get(0);
        assertThat(found.getStatus()).isEqualTo("InUse");
        assertThat(found.getAttachment().getInstanceId()).isEqualTo(instance);
        assertThat(found.getTags())
                .extracting(NetworkInterfaceSet.Tag::getTagKey)
                .containsExactly("creator");
        assertThat(found.getPrivateIpSets()).hasSize(11);

        UnassignPrivateIpAddressesRequest unassign = new UnassignPrivateIpAddressesRequest();
        unassign.setNetworkInterfaceId(eni);
        unassign.setPrivateIpAddresss(ips.subList(0, 4));
        call(unassign);
        assertThat(describe(eni).get(0).getPrivateIpSets()).hasSize(7);

        DetachNetworkInterfaceRequest detach = new DetachNetworkInterfaceRequest();
        detach.setNetworkInterfaceId(eni);
        detach.setInstanceId(instance);
        call(detach);
        assertThat(describe(eni).get(0).getStatus()).isEqualTo("Available");
        DeleteNetworkInterfaceRequest delete = new DeleteNetworkInterfaceRequest();
        delete.setNetworkInterfaceId(eni);
        call(delete);
        assertThat(describe(eni)).isEmpty();
    }

    @Test
    void theNewSignatureOfTheSdkIsUnderstood() throws ClientException {
        CreateNetworkInterfaceRequest create = create();
        create.setSysSignatureVersion(SignatureVersion.V3);
        create.setDescription("节点 *~ +&=");

        assertThat(call(create).getDescription()).isEqualTo("节点 *~ +&=");
        DescribeInstancesRequest wrong = new DescribeInstancesRequest();
        wrong.setSysSignatureVersion(SignatureVersion.V3);
        assertThatThrownBy(() -> new SdkClient(emulator, "another secret").call(wrong))
                .isInstanceOfSatisfying(
                        ClientException.class,
                        refused -> assertThat(refused.getErrCode())
                                .isIn("SignatureDoesNotMatch", "SDK.InvalidAccessKeySecret"));
    }

    @Test
    void instancesTypesAndVswitchesAreUnderstood() throws ClientException {
        DescribeInstancesRequest instances = new DescribeInstancesRequest();
        instances.setInstanceIds("[\"" + emulator.instanceIds().get(0) + "\"]");
        Instance instance = call(instances).getInstances().get(0);
        assertThat(instance.getInstanceType()).isEqualTo("ecs.g7.xlarge");
        assertThat(instance.getVpcAttributes().getPrivateIpAddress()).containsExactly("10.0.0.1");
        assertThat(instance.getSecurityGroupIds()).hasSize(1);
        assertThat(instance.getNetworkInterfaces()).hasSize(1);

        DescribeInstanceTypesRequest types = new DescribeInstanceTypesRequest();
        types.setInstanceTypess(List.of("ecs.g7.xlarge"));
        InstanceType type = call(types).getInstanceTypes().get(0);
        assertThat(type.getEniQuantity()).isEqualTo(4);
        assertThat(type.getEniPrivateIpAddressQuantity()).isEqualTo(15);

        DescribeVSwitchesRequest vswitches = new DescribeVSwitchesRequest();
        vswitches.setVSwitchId("vsw-enipam0");
        DescribeVSwitchesResponse.VSwitch vswitch =
                call(vswitches).getVSwitches().get(0);
        assertThat(vswitch.getCidrBlock()).isEqualTo("10.0.0.0/24");
        assertThat(vswitch.getAvailableIpAddressCount()).isEqualTo(251);
    }

    @Test
    void listingsArePagedByToken() throws ClientException {
        for (int i = 0; i < 24; i++) {
            call(create());
        }
        List<String> all = new ArrayList<>();
        String token = null;
        do {
            DescribeNetworkInterfacesRequest request = new DescribeNetworkInterfacesRequest();
            request.setMaxResults(10);
            request.setNextToken(token);
            DescribeNetworkInterfacesResponse page = call(request);
            page.getNetworkInterfaceSets().forEach(eni -> all.add(eni.getNetworkInterfaceId()));
            token = page.getNextToken();
        } while (!token.isEmpty());

        assertThat(all).hasSize(25).doesNotHaveDuplicates();
    }

    @Test
    void anErrorArrivesWithItsCode() {
        DeleteNetworkInterfaceRequest delete = new DeleteNetworkInterfaceRequest();
        delete.setNetworkInterfaceId("eni-none");

        assertThatThrownBy(() -> call(delete)).isInstanceOfSatisfying(ClientException.class, error -> {
            assertThat(error.getErrCode()).isEqualTo("InvalidEniId.NotFound");
            assertThat(error.getErrMsg()).contains("eni-none");
            assertThat(error.getRequestId()).isNotEmpty();
        });
    }

    @Test
    void aWrongSecretIsRecognised() {
        assertThatThrownBy(() -> new SdkClient(emulator, "wrong").call(new DescribeInstancesRequest()))
                .isInstanceOfSatisfying(
                        ClientException.class,
                        error -> assertThat(error.getErrCode()).isEqualTo("SDK.InvalidAccessKeySecret"));
    }

    @Test
    void aLostAnswerIsAnErrorOfTheSdkAndTheCallIsNotSentTwice() throws ClientException {
        CreateNetworkInterfaceRequest create = create();
        emulator.faults().add(FaultRule.on("CreateNetworkInterface").atMost(1).does(new DropAnswer()));

        assertThatThrownBy(() -> call(create))
                .isInstanceOfSatisfying(
                        ClientException.class,
                        error -> assertThat(error.getErrCode()).isEqualTo("SDK.ServerUnreachable"));
        assertThat(emulator.snapshot().enis()).hasSize(2);
        assertThat(emulator.snapshot().callsOf("CreateNetworkInterface")).isEqualTo(1);
    }

    @Test
    void aTornAnswerIsNoAnswer() throws ClientException {
        CreateNetworkInterfaceRequest create = create();
        emulator.faults()
                .add(FaultRule.on("CreateNetworkInterface").atMost(1).does(new Tear(TruncationPoint.ELSEWHERE, true)));

        assertThatThrownBy(() -> call(create)).isInstanceOf(ClientException.class);
        assertThat(emulator.snapshot().enis()).hasSize(2);
    }

    @Test
    void manyThreadsGetDifferentAddresses() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Callable<String>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(() -> call(create()).getPrivateIpAddress());
            }
            List<String> addresses = new ArrayList<>();
            for (Future<String> address : threads.invokeAll(calls)) {
                addresses.add(address.get());
            }
            assertThat(addresses).hasSize(200).doesNotHaveDuplicates();
            assertThat(emulator.snapshot().callsOf("CreateNetworkInterface")).isEqualTo(200);
        } finally {
            threads.shutdownNow();
        }
    }

    private CreateNetworkInterfaceRequest create() throws ClientException {
        CreateNetworkInterfaceRequest request = new CreateNetworkInterfaceRequest();
        request.setVSwitchId("vsw-enipam0");
        request.setSecurityGroupId(call(new DescribeInstancesRequest())
                .getInstances()
                .get(0)
                .getSecurityGroupIds()
                .get(0));
        return request;
    }

    private List<NetworkInterfaceSet> describe(String eni) throws ClientException {
        DescribeNetworkInterfacesRequest request = new DescribeNetworkInterfacesRequest();
        request.setNetworkInterfaceIds(List.of(eni));
        return call(request).getNetworkInterfaceSets();
    }

    private <T extends AcsResponse> T call(AcsRequest<T> request) throws ClientException {
        return sdk.call(request);
    }
}
