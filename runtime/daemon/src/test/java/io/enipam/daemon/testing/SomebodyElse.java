package io.enipam.daemon.testing;

import com.aliyuncs.AcsResponse;
import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.RpcAcsRequest;
import com.aliyuncs.ecs.model.v20140526.AssignPrivateIpAddressesRequest;
import com.aliyuncs.ecs.model.v20140526.AttachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.DeleteNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse.NetworkInterfaceSet;
import com.aliyuncs.ecs.model.v20140526.DetachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.UnassignPrivateIpAddressesRequest;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.HttpClientConfig;
import com.aliyuncs.profile.DefaultProfile;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import java.util.List;
import java.util.Optional;

/** Another program, or a person at the console, with the account's key and a hand in this node's ENIs. */
public final class SomebodyElse {
    private static final String REGION = "cn-hangzhou";
    private static final String VSWITCH = "vsw-sandbox";

    private final DefaultAcsClient client;
    private final String endpoint;

    SomebodyElse(AliyunConfig account) {
        CredentialsConfig.Fixed key = (CredentialsConfig.Fixed) account.credentials();
        DefaultProfile profile = DefaultProfile.getProfile(REGION, key.accessKeyId(), key.accessKeySecret());
        HttpClientConfig http = HttpClientConfig.getDefault();
        http.setNoProxy("127.0.0.1,localhost");
        profile.setHttpClientConfig(http);
        client = new DefaultAcsClient(profile);
        endpoint = account.endpoint().orElseThrow().getRawAuthority();
    }

    /** Takes an address off an ENI. */
    public void takes(String eni, String ip) {
        var request = new UnassignPrivateIpAddressesRequest();
        request.setNetworkInterfaceId(eni);
        request.setPrivateIpAddresss(List.of(ip));
        call(request);
    }

    /** Puts an address on an ENI. */
    public void gives(String eni, String ip) {
        var request = new AssignPrivateIpAddressesRequest();
        request.setNetworkInterfaceId(eni);
        request.setPrivateIpAddresss(List.of(ip));
        call(request);
    }

    /** Takes an ENI off this node's instance. */
    public void detaches(String eni) {
        var request = new DetachNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eni);
        request.setInstanceId(instance());
        call(request);
    }

    /** Deletes an ENI that hangs on nothing. */
    public void deletes(String eni) {
        var request = new DeleteNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eni);
        call(request);
    }

    /** Makes an ENI without anybody's tags. */
    public String makes(Optional<String> primaryIp) {
        var request = new CreateNetworkInterfaceRequest();
        request.setVSwitchId(VSWITCH);
        request.setSecurityGroupIdss(instances().getSecurityGroupIds());
        primaryIp.ifPresent(request::setPrimaryIpAddress);
        return call(request).getNetworkInterfaceId();
    }

    /** Makes an ENI with the tags of another one, as a program does that dies before it notes what it made. */
    public String makesOneLike(String eni) {
        var request = new CreateNetworkInterfaceRequest();
        request.setVSwitchId(VSWITCH);
        request.setSecurityGroupIdss(instances().getSecurityGroupIds());
        request.setTags(sees(eni).orElseThrow().getTags().stream()
                .map(tag -> {
                    var copy = new CreateNetworkInterfaceRequest.Tag();
                    copy.setKey(tag.getTagKey());
                    copy.setValue(tag.getTagValue());
                    return copy;
                })
                .toList());
        return call(request).getNetworkInterfaceId();
    }

    /** Attaches an ENI to this node's instance. */
    public void attaches(String eni) {
        var request = new AttachNetworkInterfaceRequest();
        request.setNetworkInterfaceId(eni);
        request.setInstanceId(instance());
        call(request);
    }

    /** An ENI as the cloud has it; empty if it has none. */
    public Optional<NetworkInterfaceSet> sees(String eni) {
        var request = new DescribeNetworkInterfacesRequest();
        request.setNetworkInterfaceIds(List.of(eni));
        return call(request).getNetworkInterfaceSets().stream().findFirst();
    }

    private String instance() {
        return instances().getInstanceId();
    }

    private com.aliyuncs.ecs.model.v20140526.DescribeInstancesResponse.Instance instances() {
        return call(new DescribeInstancesRequest()).getInstances().get(0);
    }

    private <T extends AcsResponse> T call(RpcAcsRequest<T> request) {
        request.setSysEndpoint(endpoint);
        try {
            return client.getAcsResponse(request);
        } catch (ClientException e) {
            throw new IllegalStateException(e.getErrCode() + ": " + e.getErrMsg(), e);
        }
    }
}
