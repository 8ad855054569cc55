package io.enipam.examples.nodeipam.clustercidr;

import static io.enipam.examples.nodeipam.clustercidr.Given.expression;
import static io.enipam.examples.nodeipam.clustercidr.Given.node;
import static io.enipam.examples.nodeipam.clustercidr.Given.selector;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.cluster.ClusterObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which nodes a selector selects, as core v1 defines it. */
class NodeSelectorTest {
    private static final ClusterObject NODE =
            node("worker-1", Map.of("pool", "a", "cores", "8", "empty", "", "topology.kubernetes.io/zone", "z"));

    private static NodeSelector read(Object tree) {
        List<String> problems = new ArrayList<>();
        NodeSelector selector = NodeSelector.read(tree, problems);
        assertThat(problems).isEmpty();
        return selector;
    }

    private static List<String> problems(Object tree) {
        List<String> problems = new ArrayList<>();
        NodeSelector.read(tree, problems);
        return problems;
    }

    private static Map<String, ?> term(List<?> expressions, List<?> fields) {
        return Map.of("matchExpressions", expressions, "matchFields", fields);
    }

    @ParameterizedTest(name = "{0} {1} {2}: {3}")
    @CsvSource({
        "pool,In,a b,true",
        "pool,In,b c,false",
        "none,In,a,false",
        "empty,In,'',true",
        "pool,In,'',false",
        "pool,NotIn,b,true",
        "pool,NotIn,a b,false",
        "none,NotIn,a,true",
        "pool,Exists,-,true",
        "empty,Exists,-,true",
        "none,Exists,-,false",
        "pool,DoesNotExist,-,false",
        "none,DoesNotExist,-,true",
        "cores,Gt,7,true",
        "cores,Gt,8,false",
        "cores,Lt,9,true",
        "cores,Lt,8,false",
        "cores,Lt,9223372036854775807,true",
        "none,Gt,1,false",
        "none,Lt,1,false",
        "pool,Gt,1,false",
        "empty,Lt,1,false",
        "topology.kubernetes.io/zone,In,z,true"
    })
    void anOperatorMeansWhatCoreV1Says(String key, String operator, String values, boolean selected) {
        String[] list = values.equals("-") ? new String[0] : values.split(" ");
        NodeSelector selector = read(selector(expression(key, operator, list)));

        assertThat(selector.matches(NODE).isPresent()).isEqualTo(selected);
    }

    @Test
    void theExpressionsOfATermAreAndedAndTheTermsOred() {
        Map<String, ?> here = expression("pool", "In", "a");
        Map<String, ?> notHere = expression("pool", "In", "b");
        Map<String, ?> cores = expression("cores", "Exists");

        assertThat(read(selector(here, cores)).matches(NODE)).hasValue(2);
        assertThat(read(selector(here, notHere)).matches(NODE)).isEmpty();
        NodeSelector either = read(Map.of(
                "nodeSelectorTerms",
                List.of(
                        term(List.of(notHere), List.of()),
                        term(List.of(here), List.of()),
                        term(List.of(here, cores), List.of()))));
        assertThat(either.matches(NODE))
                .as("the term with the most requirements")
                .hasValue(2);
        assertThat(either).hasToString("pool in (b) or pool in (a) or pool in (a), cores");
    }

    @Test
    void aTermWithNoRequirementMatchesNoNode() {
        assertThat(read(Map.of("nodeSelectorTerms", List.of(Map.of()))).matches(NODE))
                .isEmpty();
        assertThat(read(Map.of(
                                "nodeSelectorTerms",
                                List.of(Map.of(), term(List.of(expression("pool", "Exists")), List.of()))))
                        .matches(NODE))
                .hasValue(1);
    }

    @Test
    void aFieldIsTheNodesName() {
        Map<String, ?> me = expression("metadata.name", "In", "worker-1");
        Map<String, ?> notMe = expression("metadata.name", "NotIn", "worker-1");

        assertThat(read(Map.of("nodeSelectorTerms", List.of(term(List.of(), List.of(me)))))
                        .matches(NODE))
                .hasValue(1);
        assertThat(read(Map.of("nodeSelectorTerms", List.of(term(List.of(), List.of(notMe)))))
                        .matches(NODE))
                .isEmpty();
        assertThat(read(Map.of("nodeSelectorTerms", List.of(term(List.of(expression("pool", "In", "b")), List.of(me)))))
                        .matches(NODE))
                .isEmpty();
    }

    @Test
    void aLabelOfTheNameOfAFieldIsALabel() {
        NodeSelector selector = read(selector(expression("metadata.name", "In", "worker-1")));

        assertThat(selector.matches(NODE)).isEmpty();
        assertThat(selector.matches(node("other", Map.of("metadata.name", "worker-1"))))
                .hasValue(1);
    }

    @ParameterizedTest(name = "{0} {1} {2}: {3}")
    @CsvSource({
        "a,In,'',must be specified when `operator` is 'In' or 'NotIn'",
        "a,NotIn,'',must be specified when `operator` is 'In' or 'NotIn'",
        "a,Exists,b,may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "a,DoesNotExist,b,may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "a,Gt,'',must be specified single value when `operator` is 'Lt' or 'Gt'",
        "a,Lt,1 2,must be specified single value when `operator` is 'Lt' or 'Gt'",
        "a,Gt,x,must be one whole number when `operator` is 'Lt' or 'Gt'",
        "a,Lt,9223372036854775808,must be one whole number when `operator` is 'Lt' or 'Gt'",
        "a,Near,b,not a valid selector operator",
        "a,'',b,not a valid selector operator",
        "-a,Exists,'',not a valid label key",
        "A.b/c,Exists,'',not a valid label key",
        "a/b/c,Exists,'',not a valid label key",
        "/a,Exists,'',not a valid label key",
        "'',Exists,'',not a valid label key",
        "a,In,-b,not a valid label value"
    })
    void anExpressionIsRefusedWithTheReason(String key, String operator, String values, String why) {
        String[] list = values.isEmpty() ? new String[0] : values.split(" ");

        assertThat(problems(selector(expression(key, operator, list))))
                .singleElement()
                .asString()
                .endsWith(why);
    }

    @ParameterizedTest(name = "{0} {1} {2}: {3}")
    @CsvSource({
        "metadata.uid,In,a,not a valid field selector key",
        "metadata.name,Exists,'',not a valid selector operator",
        "metadata.name,In,a b,must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        "metadata.name,In,A,not a valid name of a node"
    })
    void aFieldIsRefusedWithTheReason(String key, String operator, String values, String why) {
        String[] list = values.isEmpty() ? new String[0] : values.split(" ");
        Object tree = Map.of("nodeSelectorTerms", List.of(term(List.of(), List.of(expression(key, operator, list)))));

        assertThat(problems(tree)).singleElement().asString().contains(why);
    }

    @Test
    void theTextSortsRequirementsByTheirKeysAsKubernetesDoes() {
        NodeSelector selector = read(selector(
                expression("b", "NotIn", "y", "x"),
                expression("a", "In", "2", "1"),
                expression("d", "DoesNotExist"),
                expression("c", "Gt", "5"),
                expression("e", "Exists")));

        assertThat(selector.text()).isEqualTo("a in (1,2),b notin (x,y),c>5,!d,e");
    }
}
