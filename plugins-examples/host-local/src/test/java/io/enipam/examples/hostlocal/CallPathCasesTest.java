package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Section E of the table as far as the plugin is asked: what a container runtime does around its calls is the runtime's. */
class CallPathCasesTest extends Cases {
    @ParameterizedTest
    @EnumSource(By.class)
    void e8RangesOfTheRuntimeAreEnoughAndWithoutThemThereAreNone(By by) {
        by(by);
        String ranges = ",'runtimeConfig':{'ipRanges':[[{'subnet':'10.234.58.0/24'}]]}";
        assertThat(add("c1", conf("1.0.0", "", ranges))).containsExactly("10.234.58.2/24");
        assertThat(refused(plugin.call("ADD", "c2", conf("")))).isEqualTo("999 no IP ranges specified");
        silent(plugin.call("DEL", "c1", conf("1.0.0", "", ranges)));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void e11AfterAnAddThatFailedOnTheSecondNetworkADelOnBothLeavesWhatOthersHave(By by) {
        by(by);
        String second = conf("'subnet':'10.0.0.0/30'").replace("mynet", "second");
        assertThat(add("other", second)).containsExactly("10.0.0.2/30");
        assertThat(add("c1", base())).containsExactly("10.1.2.2/24");
        assertThat(refused(plugin.call("ADD", "c1", second)))
                .isEqualTo("999 failed to allocate for range 0: no IP addresses available in range set:"
                        + " 10.0.0.1-10.0.0.2");
        for (String network : new String[] {base(), second}) {
            silent(plugin.call("DEL", "c1", network));
        }
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
        assertThat(Callers.files(data.resolve("second"))).containsEntry("10.0.0.2", "other\r\neth0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void e12AddressesAreInTheOrderOfTheirSetsFromWhichTheRuntimeTakesItsFirst(By by) {
        by(by);
        String four = "[{'subnet':'10.1.2.0/24'}]";
        String six = "[{'subnet':'fd00::/64'}]";
        assertThat(add("c1", conf("'ranges':[" + six + "," + four + "]"))).containsExactly("fd00::2/64", "10.1.2.2/24");
        assertThat(add("c2", conf("'ranges':[" + four + "," + six + "]"))).containsExactly("10.1.2.3/24", "fd00::3/64");
    }
}
