package io.enipam.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads manifests as strictly as {@code kubectl --validate=strict} does. */
final class Manifests {
    static final ObjectMapper YAML =
            new ObjectMapper(new YAMLFactory()).enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** All that a kustomization lists as its resources. */
    static List<HasMetadata> objects(Path directory) throws IOException {
        List<HasMetadata> objects = new ArrayList<>();
        for (JsonNode resource :
                YAML.readTree(directory.resolve("kustomization.yaml").toFile()).get("resources")) {
            Path file = directory.resolve(resource.asText());
            try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
                while (documents.hasNext()) {
                    objects.add(strictly(YAML, documents.next()));
                }
            }
        }
        return objects;
    }

    /** fabric8's own reader keeps unknown fields aside; here they are what is left over when the object is written again. */
    static HasMetadata strictly(ObjectMapper yaml, JsonNode written) throws IOException {
        HasMetadata object = yaml.treeToValue(written, HasMetadata.class);
        assertThat(unknown(object))
                .as(
                        "unknown fields of %s %s",
                        object.getKind(), object.getMetadata().getName())
                .isEmpty();
        assertThat(fields("", written))
                .as(
                        "fields of %s %s that were read",
                        object.getKind(), object.getMetadata().getName())
                .isEqualTo(fields("", yaml.valueToTree(object)));
        return object;
    }

    /** Additional properties, in whatever part of the model they are. */
    private static List<String> unknown(Object model) {
        List<String> found = new ArrayList<>();
        for (Method method : model.getClass().getMethods()) {
            if (method.getParameterCount() > 0 || !method.getName().startsWith("get")) {
                continue;
            }
            try {
                Object value = method.invoke(model);
                // of a schema in a definition of a kind it is a field by that name
                if (method.getName().equals("getAdditionalProperties") && value instanceof Map<?, ?> properties) {
                    properties.keySet().forEach(name -> found.add(String.valueOf(name)));
                } else if (value instanceof List<?> list) {
                    list.stream().filter(Manifests::isModel).forEach(part -> found.addAll(unknown(part)));
                } else if (isModel(value)) {
                    found.addAll(unknown(value));
                }
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }
        return found;
    }

    private static boolean isModel(Object value) {
        return value != null && value.getClass().getName().startsWith("io.fabric8.kubernetes.api.model.");
    }

    private static Set<String> fields(String at, JsonNode node) {
        Set<String> fields = new TreeSet<>();
        if (node.isObject()) {
            node.properties().forEach(field -> fields.addAll(fields(at + "." + field.getKey(), field.getValue())));
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                fields.addAll(fields(at + "[" + i + "]", node.get(i)));
            }
        } else {
            fields.add(at);
        }
        return fields;
    }

    /** A role is bound to one account of a namespace, and to nothing else. */
    static void isBound(RoleRef role, String kind, String account, List<Subject> subjects, String namespace) {
        assertThat(role.getKind()).isEqualTo(kind);
        assertThat(subjects).singleElement().satisfies(subject -> {
            assertThat(subject.getKind()).isEqualTo("ServiceAccount");
            assertThat(subject.getName()).isEqualTo(account);
            assertThat(subject.getNamespace()).isEqualTo(namespace);
        });
    }

    /** Verbs by resource: {@code NAMESPACE resource.group NAME}, of which the last is there where the rule has names. */
    static Map<String, Set<String>> rights(String namespace, List<PolicyRule> rules) {
        Map<String, Set<String>> rights = new TreeMap<>();
        for (PolicyRule rule : rules) {
            assertThat(rule.getApiGroups()).hasSize(1);
            String group = rule.getApiGroups().get(0);
            String named = rule.getResourceNames().isEmpty() ? "" : " " + String.join(",", rule.getResourceNames());
            rule.getResources()
                    .forEach(resource -> rights.computeIfAbsent(
                                    namespace + resource + (group.isEmpty() ? "" : "." + group) + named,
                                    any -> new TreeSet<>())
                            .addAll(rule.getVerbs()));
        }
        return rights;
    }

    private Manifests() {}
}
