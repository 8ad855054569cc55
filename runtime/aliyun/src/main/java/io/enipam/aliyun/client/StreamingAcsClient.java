package io.enipam.aliyun.client;

import com.aliyuncs.AcsResponse;
import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.auth.AlibabaCloudCredentialsProvider;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeInstancesResponse.Instance;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse.NetworkInterfaceSet;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.profile.IClientProfile;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Alibaba's client, but for the two answers that are long, since they have all addresses. The SDK's reader makes a map of an answer,
 * with the whole path of each value as its key, and makes each path once more to look the value up: with 10,000 addresses a third of a
 * daemon's start. Here a page of ENIs is read as it comes, and of it what {@link SdkResponseMapper} takes, and an instance, and of it the
 * security groups; other fields of the SDK's beans stay null. Thread-safe.
 */
public class StreamingAcsClient extends DefaultAcsClient {
    private static final Element<NetworkInterfaceSet.PrivateIpSet> ADDRESS = only(
            "PrivateIpAddress",
            NetworkInterfaceSet.PrivateIpSet::new,
            NetworkInterfaceSet.PrivateIpSet::setPrivateIpAddress);
    private static final Element<NetworkInterfaceSet.Ipv6Set> IPV6 =
            only("Ipv6Address", NetworkInterfaceSet.Ipv6Set::new, NetworkInterfaceSet.Ipv6Set::setIpv6Address);
    private static final Element<NetworkInterfaceSet.Ipv4PrefixSet> PREFIX = only(
            "Ipv4Prefix", NetworkInterfaceSet.Ipv4PrefixSet::new, NetworkInterfaceSet.Ipv4PrefixSet::setIpv4Prefix);

    /** A client that signs nothing, for those who read answers alone. */
    protected StreamingAcsClient(IClientProfile profile) {
        super(profile);
    }

    StreamingAcsClient(IClientProfile profile, AlibabaCloudCredentialsProvider keys) {
        super(profile, keys);
    }

    @Override
    protected <T extends AcsResponse> T readResponse(Class<T> type, HttpResponse answer, FormatType format)
            throws ClientException {
        @Nullable String text = answer.getHttpContentString();
        boolean enis = type == DescribeNetworkInterfacesResponse.class;
        if (!enis && type != DescribeInstancesResponse.class || format != FormatType.JSON || text == null) {
            return super.readResponse(type, answer, format);
        }
        try (JsonReader json = new JsonReader(new StringReader(text))) {
            return type.cast(enis ? page(json) : instances(json));
        } catch (IOException e) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object", e);
        }
    }

    /** What to do with a member of an object: reads its value, whatever that is. */
    private interface Member {
        void read(String name) throws IOException;
    }

    /** Reads an element of a set. */
    private interface Element<T> {
        T read(JsonReader json) throws IOException;
    }

    private static DescribeNetworkInterfacesResponse page(JsonReader json) throws IOException {
        var page = new DescribeNetworkInterfacesResponse();
        page.setNetworkInterfaceSets(List.of());
        object(json, name -> {
            switch (name) {
                case "RequestId" -> page.setRequestId(text(json));
                case "NextToken" -> page.setNextToken(text(json));
                case "NetworkInterfaceSets" -> page.setNetworkInterfaceSets(set(json, StreamingAcsClient::eni));
                default -> json.skipValue();
            }
        });
        return page;
    }

    private static DescribeInstancesResponse instances(JsonReader json) throws IOException {
        var answer = new DescribeInstancesResponse();
        answer.setInstances(List.of());
        object(json, name -> {
            switch (name) {
                case "RequestId" -> answer.setRequestId(text(json));
                case "Instances" -> answer.setInstances(set(json, StreamingAcsClient::instance));
                default -> json.skipValue();
            }
        });
        return answer;
    }

    private static Instance instance(JsonReader json) throws IOException {
        var instance = new Instance();
        instance.setSecurityGroupIds(List.of());
        object(json, name -> {
            switch (name) {
                case "InstanceId" -> instance.setInstanceId(text(json));
                case "SecurityGroupIds" -> instance.setSecurityGroupIds(set(json, StreamingAcsClient::text));
                default -> json.skipValue();
            }
        });
        return instance;
    }

    private static NetworkInterfaceSet eni(JsonReader json) throws IOException {
        var eni = new NetworkInterfaceSet();
        object(json, name -> {
            switch (name) {
                case "NetworkInterfaceId" -> eni.setNetworkInterfaceId(text(json));
                case "Status" -> eni.setStatus(text(json));
                case "Type" -> eni.setType(text(json));
                case "InstanceId" -> eni.setInstanceId(text(json));
                case "MacAddress" -> eni.setMacAddress(text(json));
                case "VSwitchId" -> eni.setVSwitchId(text(json));
                case "CreationTime" -> eni.setCreationTime(text(json));
                case "PrivateIpAddress" -> eni.setPrivateIpAddress(text(json));
                case "Attachment" -> eni.setAttachment(attachment(json));
                case "PrivateIpSets" -> eni.setPrivateIpSets(set(json, ADDRESS));
                case "Ipv6Sets" -> eni.setIpv6Sets(set(json, IPV6));
                case "Ipv4PrefixSets" -> eni.setIpv4PrefixSets(set(json, PREFIX));
                case "Tags" -> eni.setTags(set(json, StreamingAcsClient::tag));
                default -> json.skipValue();
            }
        });
        return eni;
    }

    private static NetworkInterfaceSet.Attachment attachment(JsonReader json) throws IOException {
        var attachment = new NetworkInterfaceSet.Attachment();
        object(json, name -> {
            switch (name) {
                case "InstanceId" -> attachment.setInstanceId(text(json));
                case "TrunkNetworkInterfaceId" -> attachment.setTrunkNetworkInterfaceId(text(json));
                case "DeviceIndex" -> {
                    String index = text(json);
                    attachment.setDeviceIndex(index == null || index.isEmpty() ? null : Integer.valueOf(index));
                }
                default -> json.skipValue();
            }
        });
        return attachment;
    }

    private static NetworkInterfaceSet.Tag tag(JsonReader json) throws IOException {
        var tag = new NetworkInterfaceSet.Tag();
        object(json, name -> {
            switch (name) {
                case "TagKey" -> tag.setTagKey(text(json));
                case "TagValue" -> tag.setTagValue(text(json));
                default -> json.skipValue();
            }
        });
        return tag;
    }

    /** Reads objects of which one member alone is used. */
    private static <T> Element<T> only(String member, Supplier<T> made, BiConsumer<T, @Nullable String> setter) {
        return json -> {
            T element = made.get();
            object(json, name -> {
                if (name.equals(member)) {
                    setter.accept(element, text(json));
                } else {
                    json.skipValue();
                }
            });
            return element;
        };
    }

    /** Reads an object; passes over what is none. */
    private static void object(JsonReader json, Member member) throws IOException {
        if (json.peek() != JsonToken.BEGIN_OBJECT) {
            json.skipValue();
            return;
        }
        json.beginObject();
        while (json.hasNext()) {
            member.read(json.nextName());
        }
        json.endObject();
    }

    /** Reads a set as the API writes it: an array in an object, under a name that says nothing more. */
    private static <T> List<T> set(JsonReader json, Element<T> element) throws IOException {
        List<T> all = new ArrayList<>();
        object(json, name -> {
            if (json.peek() != JsonToken.BEGIN_ARRAY) {
                json.skipValue();
                return;
            }
            json.beginArray();
            while (json.hasNext()) {
                all.add(element.read(json));
            }
            json.endArray();
        });
        return all;
    }

    /** A value as text, as the SDK has all of them; null if it is null, or none. */
    private static @Nullable String text(JsonReader json) throws IOException {
        switch (json.peek()) {
            case STRING, NUMBER:
                return json.nextString();
            case BOOLEAN:
                return Boolean.toString(json.nextBoolean());
            default:
                json.skipValue();
                return null;
        }
    }
}
