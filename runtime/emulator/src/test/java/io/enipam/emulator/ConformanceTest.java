package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.TestClient.Answer;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Action.ApiProduct;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Every action, in every way it can be called: GET and POST, query and form, JSON and XML, old signature and new. */
class ConformanceTest {
    /** Two clouds of one seed, so that a call that changes something can be made in JSON and in XML. */
    private final TestCloud json = new TestCloud(config());

    private final TestCloud xml = new TestCloud(config());

    @AfterEach
    void stop() {
        json.close();
        xml.close();
    }

    /** How many route entries were named: each has another destination. */
    private int routes;

    static Stream<Arguments> actions() {
        return Stream.of(ApiProduct.values())
                .flatMap(service -> Action.names(service).stream().map(name -> Arguments.of(service, name)));
    }

    @ParameterizedTest
    @MethodSource("actions")
    void anActionSaysTheSameInJsonAndInXml(ApiProduct service, String action) throws Exception {
        Answer inJson = call(json, service, action, "JSON");
        Answer inXml = call(xml, service, action, "");

        assertThat(inJson.status()).as(inJson.text()).isEqualTo(200);
        assertThat(inJson.contentType()).isEqualTo("application/json;charset=utf-8");
        assertThat(inJson.json().path("RequestId").asText()).isNotEmpty();
        assertThat(inXml.contentType()).isEqualTo("text/xml;charset=utf-8");
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(inXml.text())))
                .getDocumentElement();
        assertThat(root.getTagName()).isEqualTo(action + "Response");
        assertSame(inJson.json(), root, action);
    }

    @ParameterizedTest
    @MethodSource("actions")
    void anActionMayBeCalledInAllWays(ApiProduct service, String action) {
        TestClient client = json.client;
        Map<String, String> params = parameters(json, service, action, "JSON");
        assertThat(client.get(TestClient.sign("GET", params)).status()).isEqualTo(200);

        params = parameters(json, service, action, "JSON");
        assertThat(client.postForm(TestClient.sign("POST", params)).status()).isEqualTo(200);

        HeaderSigner signer = new HeaderSigner(client.uri(""), json.clock);
        signer.extraHeaders.put("x-acs-version", params.get("Version"));
        assertThat(client.send(signer.post(action, Map.of("RegionId", "cn-hangzhou"), own(json, action)))
                        .status())
                .isEqualTo(200);
        assertThat(json.emulator.snapshot().callsOf(action)).isGreaterThanOrEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("actions")
    void anActionRefusesAnUnknownRegionInBothFormats(ApiProduct service, String action) {
        for (String format : List.of("JSON", "XML")) {
            Map<String, String> params = parameters(json, service, action, format);
            params.put("RegionId", "cn-atlantis");
            Answer answer = json.client.get(TestClient.sign("GET", params));

            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.text())
                    .contains(format.equals("JSON") ? "\"Code\":\"" : "<Code>")
                    .contains("InvalidRegionId.NotFound");
        }
    }

    @Test
    void thereAreAllActionsAClientOfEnisNeeds() {
        assertThat(Action.names(ApiProduct.ECS)).hasSizeGreaterThanOrEqualTo(23);
        assertThat(Action.names(ApiProduct.VPC)).contains("DescribeVSwitches", "DescribeVpcs");
    }

    private static EmulatorConfig config() {
        return EmulatorConfig.defaults().withVswitches(Map.of(TestCloud.VSWITCH, "10.0.0.0/24,fd00::/64"));
    }

    private Answer call(TestCloud cloud, ApiProduct service, String action, String format) {
        return cloud.client.get(TestClient.sign("GET", parameters(cloud, service, action, format)));
    }

    private Map<String, String> parameters(TestCloud cloud, ApiProduct service, String action, String format) {
        Map<String, String> params = cloud.client.parameters(action);
        params.put("Version", service == ApiProduct.ECS ? "2014-05-26" : "2016-04-28");
        params.put("Format", format);
        params.putAll(own(cloud, action));
        return params;
    }

    /** What a call of the action needs to be answered; makes the ENI it is about. */
    private Map<String, String> own(TestCloud cloud, String action) {
        Map<String, String> params = new TreeMap<>();
        switch (action) {
            case "CreateNetworkInterface" -> {
                params.put("VSwitchId", TestCloud.VSWITCH);
                params.put("SecurityGroupId", cloud.securityGroup());
                params.put("SecondaryPrivateIpAddressCount", "2");
                params.put("Tag.1.Key", "<&>\"'");
            }
            case "DescribeInstanceAttribute" -> params.put("InstanceId", cloud.instance());
            case "AttachNetworkInterface" -> {
                params.put("NetworkInterfaceId", cloud.create());
                params.put("InstanceId", cloud.instance());
            }
            case "DetachNetworkInterface" -> {
                String eni = cloud.attached();
                params.put("NetworkInterfaceId", eni);
                params.put("InstanceId", cloud.instance());
            }
            case "AssignPrivateIpAddresses" -> {
                params.put("NetworkInterfaceId", cloud.create());
                params.put("SecondaryPrivateIpAddressCount", "2");
            }
            case "UnassignPrivateIpAddresses" -> {
                String eni = cloud.create("SecondaryPrivateIpAddressCount", "1");
                params.put("NetworkInterfaceId", eni);
                params.put(
                        "PrivateIpAddress.1",
                        cloud.emulator
                                .snapshot()
                                .eni(eni)
                                .orElseThrow()
                                .addresses()
                                .privateIps()
                                .get(1));
            }
            case "AssignIpv6Addresses" -> {
                params.put("NetworkInterfaceId", cloud.create());
                params.put("Ipv6AddressCount", "2");
            }
            case "UnassignIpv6Addresses" -> {
                String eni = cloud.create("Ipv6AddressCount", "1");
                params.put("NetworkInterfaceId", eni);
                params.put(
                        "Ipv6Address.1",
                        cloud.emulator
                                .snapshot()
                                .eni(eni)
                                .orElseThrow()
                                .addresses()
                                .ipv6s()
                                .get(0));
            }
            case "DescribeRouteEntryList", "CreateRouteEntry", "DeleteRouteEntry" -> {
                params.put("RouteTableId", cloud.emulator.routeTable());
                params.put("NextHopId", cloud.instance());
                params.put("DestinationCidrBlock", "172.16." + routes++ + ".0/24");
                if (action.equals("DeleteRouteEntry")) {
                    Map<String, String> made = cloud.client.parameters("CreateRouteEntry");
                    made.put("Version", "2016-04-28");
                    made.putAll(params);
                    cloud.client.get(TestClient.sign("GET", made));
                }
            }
            case "TagResources", "UntagResources", "ListTagResources" -> {
                params.put("ResourceType", "eni");
                params.put("ResourceId.1", cloud.create("Tag.1.Key", "k", "Tag.1.Value", "v"));
                if (action.equals("TagResources")) {
                    params.put("Tag.1.Key", "k");
                }
                if (action.equals("UntagResources")) {
                    params.put("TagKey.1", "k");
                }
            }
            default -> {
                if (action.contains("NetworkInterface") && !action.equals("DescribeNetworkInterfaces")) {
                    params.put("NetworkInterfaceId", cloud.create());
                }
            }
        }
        return params;
    }

    /** Compares by the rule of the API: an array is its element repeated. */
    private static void assertSame(JsonNode expected, Element actual, String path) {
        Map<String, List<Element>> children = new TreeMap<>();
        NodeList nodes = actual.getChildNodes();
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i).getNodeType() == Node.ELEMENT_NODE) {
                Element child = (Element) nodes.item(i);
                children.computeIfAbsent(child.getTagName(), name -> new ArrayList<>())
                        .add(child);
            }
        }
        if (!expected.isObject()) {
            assertThat(actual.getTextContent()).as(path).isEqualTo(expected.asText());
            return;
        }
        ObjectNode left = expected.deepCopy();
        children.forEach((name, elements) -> {
            JsonNode value = left.remove(name);
            assertThat(value).as(path + "/" + name + " in JSON").isNotNull();
            if (name.equals("RequestId")) {
                return;
            }
            JsonNode all = value.isArray()
                    ? value
                    : JsonNodeFactory.instance.arrayNode().add(value);
            assertThat(elements).as(path + "/" + name).hasSize(all.size());
            for (int i = 0; i < all.size(); i++) {
                assertSame(all.get(i), elements.get(i), path + "/" + name + "[" + i + "]");
            }
        });
        // XML has no way to write an array without elements
        left.forEach(rest -> assertThat(rest.isArray() && rest.isEmpty())
                .as(path + ": " + rest)
                .isTrue());
    }
}
