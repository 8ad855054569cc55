package io.enipam.store.paths;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PathMapTest {
    private static final int SEEDS = 200;
    private static final int STEPS = 300;

    /** Characters whose order is easily got wrong, in paths that begin alike and of which some are the beginning of others. */
    private static final String CHARACTERS = "/-0a\u007f\u0080\u00ff\u0100\u7fff\u8000\uffff";

    private static String path(Random random) {
        StringBuilder path = new StringBuilder(random.nextBoolean() ? "swarm/tasks/" : "");
        for (int left = random.nextInt(5); left > 0; left--) {
            path.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return path.toString();
    }

    private static void assertSame(PathMap<Integer> map, TreeMap<String, Integer> model, String prefix) {
        List<Integer> expected = model.tailMap(prefix, true).entrySet().stream()
                .takeWhile(entry -> entry.getKey().startsWith(prefix))
                .map(Map.Entry::getValue)
                .toList();
        assertThat(map.under(prefix)).containsExactlyElementsOf(expected);
        assertThat(map.size(prefix)).isEqualTo(expected.size());
    }

    @Test
    void itHasWhatATreeOfComparedPathsHasAndFormerOnesKeepTheirs() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            TreeMap<String, Integer> model = new TreeMap<>();
            PathMap<Integer> map = PathMap.empty();
            PathMap.Edit<Integer> edit = map.edit();
            List<PathMap<Integer>> former = new ArrayList<>();
            List<TreeMap<String, Integer>> formerModels = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                String path = path(random);
                if (random.nextInt(3) > 0) {
                    assertThat(edit.put(path, step).orElse(null)).isEqualTo(model.put(path, step));
                } else {
                    assertThat(edit.remove(path).orElse(null)).isEqualTo(model.remove(path));
                }
                if (random.nextInt(20) == 0) {
                    map = edit.done();
                    edit = random.nextBoolean() ? edit : map.edit();
                    former.add(map);
                    formerModels.add(new TreeMap<>(model));
                    String asked = path(random);
                    assertThat(map.get(asked).orElse(null)).isEqualTo(model.get(asked));
                    assertSame(map, model, asked);
                }
            }
            for (int i = 0; i < former.size(); i++) {
                assertSame(former.get(i), formerModels.get(i), "");
                assertSame(former.get(i), formerModels.get(i), "swarm/");
            }
        }
    }

    @Test
    void aWalkHasNoBoundInTheLengthOfPaths() {
        PathMap.Edit<Integer> edit = PathMap.<Integer>empty().edit();
        for (int length = 0; length < 5_000; length++) {
            edit.put("a".repeat(length), length);
        }
        assertThat(edit.done().under("a".repeat(4_990)))
                .containsExactly(4990, 4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999);
    }
}
