package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
    private static final Setting<Integer> WARM = Setting.wholeNumber("warm", 0, 100, 5);
    private static final Setting<Double> SHARE = Setting.decimal("share", 0.5, 1, 0.9);
    private static final Setting<Duration> PAUSE =
            Setting.duration("pause", Duration.ofMillis(100), Duration.ofHours(1), Duration.ofSeconds(30));
    private static final Setting<Boolean> EAGER = Setting.flag("eager", false);
    private static final Setting<String> MODE = Setting.choice("mode", List.of("fast", "safe"), "safe");
    private static final Setting<String> HOST = Setting.text("host", "a host name", "[a-z0-9.-]{1,253}", "localhost");
    private static final Setting<List<String>> RANGES =
            Setting.texts("ranges", "IPv4 subnets", "[0-9.]+/[0-9]+", 3, List.of());
    private static final Setting<Map<String, Integer>> LIMITS = Setting.map(
            "limits",
            "namespaces",
            "[a-z-]+",
            Setting.wholeNumber("limit", 0, 100, 0).unit("addresses"),
            3,
            Map.of("kube-system", 50));
    private static final Setting<String> CIDR = Setting.text("cidr", "a subnet", "[0-9.]+/[0-9]+", "0.0.0.0/0");
    private static final Setting<Boolean> SPARE = Setting.flag("spare", false);
    private static final Setting<List<Settings>> RECORDS = Setting.records("records", 3, List.of(CIDR, SPARE));

    @ParameterizedTest
    @ValueSource(strings = {"", "Warm", "1warm", "warm-target", "warm target", "warm\n", "wärm", "a:b"})
    void aNameIsOneThatYamlAndAShellTakeAsItIs(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> Setting.flag(name, true));
    }

    @Test
    void aNameHasSixtyFourCharactersAtMost() {
        assertThat(Setting.flag("a".repeat(64), true).name()).hasSize(64);
        assertThatIllegalArgumentException().isThrownBy(() -> Setting.flag("a".repeat(65), true));
    }

    @Test
    void bothBoundsAreAllowed() {
        assertThat(WARM.read(List.of("0"))).isZero();
        assertThat(WARM.read(List.of("100"))).isEqualTo(100);
        assertThat(SHARE.read(List.of("0.5"))).isEqualTo(0.5);
        assertThat(PAUSE.read(List.of("1h"))).isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "101",
                "5 ",
                " 5",
                "0x5",
                "5.0",
                "2147483648",
                "99999999999999999999",
                "five",
                "٥",
                "5_0"
            })
    void aWholeNumberIsNothingElse(String text) {
        refuses(WARM, text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "NaN",
                "Infinity",
                "-Infinity",
                "0.49",
                "1.01",
                "1e400",
                "1,0",
                "0.9d",
                " 0.9",
                "0x1p-1",
                "٠.٩",
                ".9"
            })
    void aDecimalIsANumberWithinItsBounds(String text) {
        refuses(SHARE, text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "99ms", "61m", "30", "s", "-1s", "1 s", "1h 30m", "PT30S", "1d", "999999999h"})
    void aDurationIsWrittenWithItsUnitAndWithinItsBounds(String text) {
        refuses(PAUSE, text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "TRUE", "True", "yes", "1", "on"})
    void aFlagIsTrueOrFalse(String text) {
        refuses(EAGER, text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Fast", "fast ", "fast,safe"})
    void aChoiceIsOneOfItsWords(String text) {
        refuses(MODE, text);
    }

    @Test
    void aTextMatchesAsAWhole() {
        assertThat(HOST.read(List.of("a.example"))).isEqualTo("a.example");
        refuses(HOST, "a.example\n");
        refuses(HOST, "x a.example");
        refuses(HOST, "");
    }

    @Test
    void aLongTextIsRefusedBeforeAPatternIsTried() {
        Setting<String> slow = Setting.text("slow", "letters", "(a+)+b", "ab");
        refuses(slow, "a".repeat(4_097));
    }

    @Test
    void aSingleSettingTakesOneValue() {
        assertThatIllegalArgumentException().isThrownBy(() -> WARM.read(List.of("1", "2")));
        assertThatIllegalArgumentException().isThrownBy(() -> WARM.read(List.of()));
    }

    @Test
    void aListTakesNoneToSome() {
        assertThat(RANGES.list()).isTrue();
        assertThat(RANGES.read(List.of())).isEmpty();
        assertThat(RANGES.read(List.of("10.0.0.0/24"))).containsExactly("10.0.0.0/24");
        assertThatIllegalArgumentException().isThrownBy(() -> RANGES.read(Collections.nCopies(4, "10.0.0.0/24")));
        assertThatIllegalArgumentException().isThrownBy(() -> RANGES.read(List.of("10.0.0.0/24", "ten")));
    }

    @Test
    void whatIsAllowedIsTold() {
        assertThat(WARM.unit("addresses").allowed()).isEqualTo("a whole number, 0 to 100 (addresses)");
        assertThat(PAUSE.allowed()).isEqualTo("a duration, 100ms to 1h");
        assertThat(MODE.allowed()).isEqualTo("one of fast, safe");
        assertThat(MODE.choices()).containsExactly("fast", "safe");
        assertThat(RANGES.allowed()).isEqualTo("IPv4 subnets, at most 3");
    }

    @Test
    void describingASettingChangesNoOther() {
        Setting<Integer> described = WARM.unit("addresses").doc("Kept idle.").secret();
        assertThat(described.doc()).isEqualTo("Kept idle.");
        assertThat(described.isSecret()).isTrue();
        assertThat(WARM.doc()).isEmpty();
        assertThat(WARM.unit()).isEmpty();
        assertThat(WARM.isSecret()).isFalse();
    }

    @Test
    void aValueIsShownAsItIsWritten() {
        assertThat(PAUSE.show(Duration.ofSeconds(90))).isEqualTo("1m30s");
        assertThat(RANGES.show(List.of("10.0.0.0/24", "10.0.1.0/24"))).isEqualTo("10.0.0.0/24, 10.0.1.0/24");
        assertThat(EAGER.show(true)).isEqualTo("true");
    }

    @Test
    void aSecretIsNeverShown() {
        Setting<String> key = Setting.text("key", "a key", ".*", "").secret();
        assertThat(key.show("hunter2")).isEqualTo("***");
        assertThat(key.show("")).as("that none is set is no secret").isEmpty();
        assertThat(key).hasToString("key");
    }

    private static void refuses(Setting<?> setting, String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> setting.read(List.of(text)));
    }

    @Test
    void aMapHasItsEntriesInTheOrderInWhichTheyAreWritten() {
        assertThat(LIMITS.read(List.of("shop=3", "batch=7", "apps=1")))
                .containsExactly(Map.entry("shop", 3), Map.entry("batch", 7), Map.entry("apps", 1));
        assertThat(LIMITS.usual()).containsExactly(Map.entry("kube-system", 50));
        assertThat(LIMITS.show(LIMITS.usual())).isEqualTo("kube-system=50");
        assertThat(LIMITS.allowed())
                .isEqualTo("a map of namespaces, at most 3, each to a whole number, 0 to 100 (addresses)");
        assertThat(LIMITS.shape()).isEqualTo(Setting.Shape.MAP);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shop",
                "=3",
                "shop=",
                "shop=3;shop=4",
                "Shop=3",
                "shop=101",
                "shop=3;",
                "a=1;b=2;c=3;d=4",
                "shop=3\\"
            })
    void aMapIsNothingElse(String text) {
        refuses(LIMITS, text);
    }

    @Test
    void aMapHasANameOnce() {
        assertThatIllegalArgumentException().isThrownBy(() -> LIMITS.read(List.of("shop=3", "shop=4")));
    }

    @Test
    void aRecordHasTheFieldsThatAreWrittenAndTheDefaultsOfTheOthers() {
        List<Settings> ranges = RECORDS.read(List.of("cidr=10.0.0.0/24", "spare=true;cidr=10.0.1.0/24"));

        assertThat(ranges).extracting(range -> range.get(CIDR)).containsExactly("10.0.0.0/24", "10.0.1.0/24");
        assertThat(ranges).extracting(range -> range.get(SPARE)).containsExactly(false, true);
        assertThat(RECORDS.usual()).isEmpty();
        assertThat(RECORDS.shape()).isEqualTo(Setting.Shape.RECORDS);
        assertThat(RECORDS.show(ranges)).isEqualTo("cidr=10.0.0.0/24;spare=false, cidr=10.0.1.0/24;spare=true");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/24",
                "cidr=everything",
                "cidr=10.0.0.0/24;size=5",
                "cidr=10.0.0.0/24;cidr=10.0.0.0/24"
            })
    void aRecordIsNothingElse(String text) {
        refuses(RECORDS, text);
    }

    @Test
    void whateverIsWrittenIsReadBack() {
        Setting<String> any = Setting.text("any", "anything", "(?s).*", "");
        Setting<Map<String, String>> map = Setting.map("map", "names", "(?s).*", any, 10, Map.of());
        for (String text : List.of("", "=", ";", "\\", "a=b;c=d", "\\=;\\\\;", "ü\n", "=;=;")) {
            assertThat(map.read(List.of(Setting.written(Map.of(text, text))))).isEqualTo(Map.of(text, text));
        }
    }

    @Test
    void whatIsPartOfAnotherIsAScalar() {
        assertThatIllegalArgumentException().isThrownBy(() -> Setting.records("of", 3, List.of(RANGES)));
        assertThatIllegalArgumentException().isThrownBy(() -> Setting.map("of", "names", ".*", RANGES, 3, Map.of()));
    }

    @Test
    void aSecretPartMakesTheWholeASecret() {
        Setting<String> key = Setting.text("key", "a key", ".+", "-").secret();
        Setting<List<Settings>> accounts = Setting.records("accounts", 3, List.of(CIDR, key));
        assertThat(accounts.isSecret()).isTrue();
        assertThat(accounts.show(accounts.read(List.of("key=hidden")))).isEqualTo("***");
        assertThat(Setting.map("keys", "names", ".+", key, 3, Map.of())
                        .doc("Keys.")
                        .isSecret())
                .isTrue();
    }

    @Test
    void aSettingIsLiveOnlyIfItSaysSo() {
        assertThat(WARM.isLive()).isFalse();
        assertThat(WARM.live().unit("addresses").doc("Warm.").secret().isLive()).isTrue();
        assertThat(WARM.live().read(List.of("7"))).isEqualTo(7);
    }
}
