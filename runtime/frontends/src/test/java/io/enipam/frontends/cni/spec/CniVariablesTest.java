package io.enipam.frontends.cni.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.frontends.cni.spec.CniVariables.CniCommand;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 2 of the obligations: the variables of a call. */
class CniVariablesTest {
    private static final Map<String, String> WHOLE =
            Map.of("CNI_COMMAND", "ADD", "CNI_CONTAINERID", "c1", "CNI_NETNS", "/run/netns/x", "CNI_IFNAME", "eth0");

    @ParameterizedTest(name = "{0} without {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "ADD    | CNI_CONTAINERID CNI_NETNS CNI_IFNAME | CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME",
                "ADD    | CNI_IFNAME CNI_NETNS                 | CNI_NETNS,CNI_IFNAME",
                "CHECK  | CNI_CONTAINERID CNI_NETNS CNI_IFNAME | CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME",
                "DEL    | CNI_CONTAINERID CNI_NETNS CNI_IFNAME | CNI_CONTAINERID,CNI_IFNAME",
                "GC     | CNI_CONTAINERID CNI_PATH             | CNI_PATH"
            })
    void missingVariablesAreNamedInTheOrderOfTheTable(String command, String without, String named) {
        Map<String, String> environment = with("CNI_COMMAND", command);
        Arrays.asList(without.split(" ")).forEach(environment::remove);

        refused(environment, "required env variables [" + named + "] missing");
    }

    @Test
    void aVariableThatIsEmptyIsMissing() {
        refused(with("CNI_NETNS", ""), "required env variables [CNI_NETNS] missing");
        refused(with("CNI_COMMAND", ""), "required env variables [CNI_COMMAND] missing");
    }

    @Test
    void anOptionalVariableMayBeMissing() {
        Map<String, String> del = with("CNI_COMMAND", "DEL");
        del.remove("CNI_NETNS");
        assertThat(CniVariables.read(del).netns()).isEmpty();
        assertThat(CniVariables.read(Map.of("CNI_COMMAND", "STATUS")).containerId())
                .isEmpty();
        assertThat(CniVariables.read(Map.of("CNI_COMMAND", "VERSION")).command())
                .isEqualTo(CniCommand.VERSION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"FOO", "add", "ADD ", "\u0007"})
    void anUnknownCommandIsNamed(String command) {
        assertThatThrownBy(() -> CniVariables.read(with("CNI_COMMAND", command)))
                .isInstanceOf(CniException.class)
                .hasMessageStartingWith("unknown CNI_COMMAND: ")
                .extracting(e -> ((CniException) e).code())
                .isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-a", ".a", "a/b", "../../etc", "a b", "a\n", "ä", "a;b"})
    void aContainerIdWithOtherCharactersIsRefused(String id) {
        refused(with("CNI_CONTAINERID", id), "invalid characters in containerID");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "a/b", "a:b", "a b", "a\tb", "sixteen-letters-", "éééééééé"})
    void anInterfaceNameThatTheKernelHasNotIsRefused(String name) {
        refused(with("CNI_IFNAME", name), "invalid interface name: CNI_IFNAME is ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"relative/path", "/run/netns/a\nb"})
    void aNetworkNamespaceIsAnAbsolutePath(String path) {
        refused(with("CNI_NETNS", path), "CNI_NETNS is ");
    }

    @ParameterizedTest
    @CsvSource({"1,true", "TRUE,true", "true,true", "0,false", "'',false"})
    void anOverrideAllowsAnyNetworkNamespace(String value, boolean allowed) {
        assertThat(CniVariables.read(with("CNI_NETNS_OVERRIDE", value)).anyNetns())
                .isEqualTo(allowed);
    }

    @Test
    void thePodIsNamedByCniArgs() {
        CniArgs pod = CniArgs.read(
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=cart-0;K8S_POD_INFRA_CONTAINER_ID=c1;K8S_POD_UID=u-1;X=y",
                conf(""));
        assertThat(pod.pod()).hasToString("shop/cart-0");
        assertThat(pod.uid()).isEqualTo("u-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"X=y", "IgnoreUnknown=0;X=y", "IgnoreUnknown=false;X=y"})
    void anUnknownKeyOfCniArgsIsRefusedUnlessThatIsAllowed(String start) {
        refusedArgs(start + ";K8S_POD_NAMESPACE=shop;K8S_POD_NAME=cart-0", "CNI_ARGS: unknown key \"X\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                       | CNI_ARGS names no pod: K8S_POD_NAMESPACE and K8S_POD_NAME missing",
                "K8S_POD_NAME=cart-0                      | CNI_ARGS names no pod: K8S_POD_NAMESPACE missing",
                "K8S_POD_NAMESPACE=shop                   | CNI_ARGS names no pod: K8S_POD_NAME missing",
                "K8S_POD_NAMESPACE=A;K8S_POD_NAME=b       | K8S_POD_NAMESPACE is \"A\"",
                "nonsense                                 | CNI_ARGS: part 1 is not KEY=VALUE",
                "IgnoreUnknown=perhaps                    | IgnoreUnknown is \"perhaps\"",
                "K8S_POD_NAMESPACE=a;K8S_POD_NAME=b;K8S_POD_UID=x y | K8S_POD_UID is \"x y\""
            })
    void cniArgsThatNameNoPodAreRefusedByTheNameOfTheVariable(String args, String message) {
        refusedArgs(args, message);
    }

    @Test
    void noValueOfAnUnknownKeyIsTold() {
        NetConf conf = NetConf.read("{\"name\":\"n\",\"type\":\"t\"}".getBytes(StandardCharsets.UTF_8), CniCommand.ADD);
        for (String args : List.of("TOKEN=hunter2", "TOKEN=a;hunter2", "hunter2")) {
            assertThatThrownBy(() -> CniArgs.read(args, conf))
                    .isInstanceOfSatisfying(
                            CniException.class,
                            refusal -> assertThat(refusal.getMessage() + refusal.details())
                                    .startsWith("CNI_ARGS: ")
                                    .doesNotContain("hunter2"));
        }
    }

    @Test
    void argsCniOfTheConfigurationGoBeforeCniArgs() {
        CniArgs pod = CniArgs.read(
                "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=cart-0",
                conf(",\"args\":{\"cni\":{\"K8S_POD_NAME\":\"cart-1\",\"ips\":[\"10.0.0.1\"]},\"other\":1}"));
        assertThat(pod.pod()).hasToString("shop/cart-1");
    }

    private static NetConf conf(String more) {
        String text = "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"type\":\"enipam-cni\"" + more + "}";
        return NetConf.read(text.getBytes(StandardCharsets.UTF_8), CniCommand.ADD);
    }

    private static Map<String, String> with(String variable, String value) {
        Map<String, String> environment = new TreeMap<>(WHOLE);
        environment.put(variable, value);
        return environment;
    }

    private static void refused(Map<String, String> environment, String message) {
        assertThatThrownBy(() -> CniVariables.read(environment))
                .isInstanceOf(CniException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((CniException) e).code())
                .isEqualTo(4);
    }

    private static void refusedArgs(String args, String message) {
        assertThatThrownBy(() -> CniArgs.read(args, conf("")))
                .isInstanceOf(CniException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((CniException) e).code())
                .isEqualTo(4);
    }
}
