package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.profile.DefaultProfile;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A page of ENIs and an instance, as read here and by the SDK's own client: what the port makes of them is the same. */
class StreamingAcsClientTest {
    private static final String WHOLE = """
            {"RequestId":"req-1","NextToken":"next","PageSize":100,"TotalCount":2,"NetworkInterfaceSets":{"NetworkInterfaceSet":[
            {"NetworkInterfaceId":"eni-1","Status":"InUse","Type":"Member","InstanceId":"i-1","MacAddress":"00:16:3e:00:00:01",
             "VSwitchId":"vsw-1","CreationTime":"2026-11-21T08:30Z","PrivateIpAddress":"10.0.0.1","DeleteOnRelease":true,
             "SecurityGroupIds":{"SecurityGroupId":["sg-1","sg-2"]},"AssociatedPublicIp":{},
             "Attachment":{"InstanceId":"i-2","TrunkNetworkInterfaceId":"eni-0","DeviceIndex":3,"MemberNetworkInterfaceIds":{}},
             "PrivateIpSets":{"PrivateIpSet":[
               {"PrivateIpAddress":"10.0.0.1","Primary":true,"AssociatedPublicIp":{"PublicIpAddress":"1.2.3.4"}},
               {"Primary":false,"PrivateIpAddress":"10.0.0.2"}]},
             "Ipv6Sets":{"Ipv6Set":[{"Ipv6Address":"2001:db8:0::1"}]},
             "Ipv4PrefixSets":{"Ipv4PrefixSet":[{"Ipv4Prefix":"10.0.1.0/28"}]},
             "Tags":{"Tag":[{"TagKey":"creator","TagValue":"en\\"ipäm"},{"TagKey":"empty","TagValue":""}]}},
            {"NetworkInterfaceId":"eni-2","Status":"Available","Type":"Secondary","InstanceId":"","VSwitchId":null,"Attachment":{},
             "PrivateIpAddress":"10.0.0.3","PrivateIpSets":{"PrivateIpSet":[]},"Ipv6Sets":{},"Tags":{"Tag":[]}}]}}
            """;

    private static final class Sdk extends DefaultAcsClient {
        Sdk() {
            super(DefaultProfile.getProfile());
        }

        DescribeNetworkInterfacesResponse read(String body) throws ClientException {
            return readResponse(DescribeNetworkInterfacesResponse.class, answer(body), FormatType.JSON);
        }

        DescribeInstancesResponse readInstances(String body) throws ClientException {
            return readResponse(DescribeInstancesResponse.class, answer(body), FormatType.JSON);
        }
    }

    private static final class Streaming extends StreamingAcsClient {
        Streaming() {
            super(DefaultProfile.getProfile());
        }

        DescribeNetworkInterfacesResponse read(String body) throws ClientException {
            return readResponse(DescribeNetworkInterfacesResponse.class, answer(body), FormatType.JSON);
        }

        DescribeInstancesResponse readInstances(String body) throws ClientException {
            return readResponse(DescribeInstancesResponse.class, answer(body), FormatType.JSON);
        }
    }

    private static HttpResponse answer(String body) {
        HttpResponse answer = new HttpResponse("test");
        answer.setStatus(200);
        answer.setHttpContent(body.getBytes(StandardCharsets.UTF_8), "UTF-8", FormatType.JSON);
        return answer;
    }

    private static List<NetworkInterface> enis(DescribeNetworkInterfacesResponse page) {
        return page.getNetworkInterfaceSets().stream()
                .map(eni -> SdkResponseMapper.described(eni, page.getRequestId()))
                .toList();
    }

    @Test
    void aPageIsReadAsTheSdkReadsIt() throws ClientException {
        DescribeNetworkInterfacesResponse page = new Streaming().read(WHOLE);

        assertThat(enis(page)).hasSize(2).isEqualTo(enis(new Sdk().read(WHOLE)));
        assertThat(page.getNextToken()).isEqualTo("next");
        assertThat(enis(page).get(0).ips()).containsExactly("10.0.0.1", "10.0.0.2");
    }

    @Test
    void whatIsMissingNullOrOfAnotherKindIsReadAsTheSdkReadsIt() throws ClientException {
        for (String body : List.of(
                "{}",
                "{\"NetworkInterfaceSets\":{}}",
                "{\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":[]},\"NextToken\":null}",
                "{\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":[{\"NetworkInterfaceId\":7,\"Tags\":null}]}}",
                "{\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":[{\"Status\":{\"a\":[{}]},\"MacAddress\":true}]}}")) {
            DescribeNetworkInterfacesResponse page = new Streaming().read(body);

            assertThat(enis(page)).as(body).isEqualTo(enis(new Sdk().read(body)));
            assertThat(page.getNextToken()).as(body).isNull();
        }
    }

    @Test
    void theSecurityGroupsOfAnInstanceAreReadAsTheSdkReadsThem() throws ClientException {
        for (String body : List.of(
                """
                {"RequestId":"req-1","TotalCount":2,"PageNumber":1,"Instances":{"Instance":[
                {"InstanceId":"i-1","Cpu":2,"SecurityGroupIds":{"SecurityGroupId":["sg-1","sg-2"]},"Tags":{"Tag":[]},
                 "NetworkInterfaces":{"NetworkInterface":[{"NetworkInterfaceId":"eni-1","PrivateIpSets":{"PrivateIpSet":[
                   {"PrivateIpAddress":"10.0.0.1","Primary":true}]}}]}},
                {"SecurityGroupIds":{"SecurityGroupId":[]},"InstanceId":"i-2"}]}}
                """,
                "{}",
                "{\"Instances\":{}}",
                "{\"RequestId\":\"r\",\"Instances\":{\"Instance\":[{\"InstanceId\":\"i-1\"}]}}")) {
            DescribeInstancesResponse answer = new Streaming().readInstances(body);
            DescribeInstancesResponse same = new Sdk().readInstances(body);

            assertThat(answer.getRequestId()).as(body).isEqualTo(same.getRequestId());
            assertThat(groups(answer)).as(body).isEqualTo(groups(same));
        }
    }

    private static List<String> groups(DescribeInstancesResponse answer) {
        return answer.getInstances().stream()
                .map(instance -> instance.getInstanceId() + instance.getSecurityGroupIds())
                .toList();
    }

    @Test
    void aPageThatIsTornAnywhereIsNoShorterList() {
        Streaming client = new Streaming();
        String whole = WHOLE.strip();
        for (int length = 0; length < whole.length(); length++) {
            String torn = whole.substring(0, length);

            assertThatThrownBy(() -> client.read(torn)).as(torn).isInstanceOf(ClientException.class);
        }
    }
}
