package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TagTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud();

    @Test
    void tagsArePutReplacedListedAndTakenOff() {
        String one = cloud.create("Tag.1.Key", "node", "Tag.1.Value", "a");
        String two = cloud.create();
        call("TagResources", "ResourceId.1", one, "ResourceId.2", two, "Tag.1.Key", "node", "Tag.1.Value", "b");
        call("TagResources", "ResourceId.1", two, "Tag.1.Key", "creator");

        assertThat(tags(one)).isEqualTo(Map.of("node", "b"));
        assertThat(tags(two)).isEqualTo(Map.of("node", "b", "creator", ""));
        assertThat(listed("Tag.1.Key", "node", "Tag.1.Value", "b")).containsExactly(one, two, two);
        assertThat(listed("ResourceId.1", two)).containsExactly(two, two);
        assertThat(listed("ResourceId.1", one, "Tag.1.Key", "creator")).isEmpty();

        call("UntagResources", "ResourceId.1", two, "TagKey.1", "node", "TagKey.2", "not there");
        call("UntagResources", "ResourceId.1", one, "All", "true");
        assertThat(tags(one)).isEmpty();
        assertThat(tags(two)).isEqualTo(Map.of("creator", ""));
    }

    @Test
    void tagsAreListedPageByPage() {
        for (int i = 0; i < 5; i++) {
            cloud.create("Tag.1.Key", "k");
        }
        List<String> all = new ArrayList<>();
        String token = "";
        do {
            JsonNode page = cloud.ok(
                    "ListTagResources", "ResourceType", "eni", "Tag.1.Key", "k", "MaxResults", "2", "NextToken", token);
            all.addAll(TestCloud.texts(page.at("/TagResources/TagResource"), "ResourceId"));
            token = page.path("NextToken").asText();
        } while (!token.isEmpty());

        assertThat(all).hasSize(5).doesNotHaveDuplicates();
    }

    @Test
    void aResourceHasNoMoreThanTwentyTags() {
        String eni = cloud.create("Tag.1.Key", "first");

        assertThat(refused("TagResources", numbered(eni, 21))).isEqualTo("400 NumberExceed.Tags");
        assertThat(refused("TagResources", numbered(eni, 20))).isEqualTo("403 QuotaExceed.Tags");
        assertThat(tags(eni)).hasSize(1);
        assertThat(refused("TagResources", numbered(eni, 19))).isEqualTo("200 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TagResources", "UntagResources"})
    void whatIsNotThereCannotBeTagged(String action) {
        String eni = cloud.create();
        String[] what = {"Tag.1.Key", "k", "TagKey.1", "k"};

        assertThat(refused(action, with(what, "ResourceId.1", eni, "ResourceId.2", "eni-none")))
                .isEqualTo("404 InvalidResourceId.NotFound");
        assertThat(refused(action, what)).isEqualTo("400 MissingParameter");
        assertThat(refused(action, "ResourceId.1", eni)).isEqualTo("400 MissingParameter");
        assertThat(cloud.call(action, with(what, "ResourceId.1", eni, "ResourceType", "dragon"))
                        .error())
                .isEqualTo("404 InvalidResourceType.NotFound");
        assertThat(tags(eni)).isEmpty();
    }

    @Test
    void moreThanFiftyResourcesAreRefused() {
        List<String> pairs = new ArrayList<>(List.of("Tag.1.Key", "k"));
        for (int i = 1; i <= 51; i++) {
            pairs.addAll(List.of("ResourceId." + i, "eni-" + i));
        }
        assertThat(refused("TagResources", pairs.toArray(String[]::new))).isEqualTo("400 NumberExceed.ResourceIds");
        assertThat(refused("ListTagResources")).isEqualTo("400 MissingParameter");
    }

    private void call(String action, String... pairs) {
        cloud.ok(action, with(pairs, "ResourceType", "eni"));
    }

    private String refused(String action, String... pairs) {
        return cloud.call(action, with(pairs, "ResourceType", "eni")).error();
    }

    private List<String> listed(String... pairs) {
        return TestCloud.texts(
                cloud.ok("ListTagResources", with(pairs, "ResourceType", "eni")).at("/TagResources/TagResource"),
                "ResourceId");
    }

    private Map<String, String> tags(String eni) {
        return cloud.emulator.snapshot().eni(eni).orElseThrow().tags();
    }

    private static String[] numbered(String eni, int count) {
        String[] pairs = {"ResourceId.1", eni};
        for (int i = 1; i <= count; i++) {
            pairs = with(pairs, "Tag." + i + ".Key", "k" + i);
        }
        return pairs;
    }

    private static String[] with(String[] pairs, String... more) {
        List<String> all = new ArrayList<>(List.of(pairs));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}
