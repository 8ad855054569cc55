package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.aliyun.eni.EniOperation.Goal;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HolderCountsTest {
    private static final Holder[] HOLDERS = Holder.values();

    private final Eni eni =
            new Eni("(new)", "vsw-1", EniState.IN_USE, Instant.EPOCH, new EniOperation(Goal.ATTACHED), false);

    @Test
    void whatAnEniCountsIsWhatItsAddressesSayHoweverTheyComeChangeAndGo() {
        SplittableRandom random = new SplittableRandom(20261121);
        for (int step = 0; step < 5_000; step++) {
            String ip = "10.0.0." + random.nextInt(20);
            Holder holder = HOLDERS[random.nextInt(HOLDERS.length)];
            switch (random.nextInt(3)) {
                case 0 -> eni.add(ip);
                case 1 -> eni.remove(ip);
                default -> {
                    if (eni.addresses().containsKey(ip)) {
                        eni.addresses().get(ip).become(holder);
                    }
                }
            }
            assertThat(eni.count(holder)).as("step %d", step).isEqualTo(recount(holder));
        }
        assertThat(List.of(HOLDERS))
                .allSatisfy(each -> assertThat(eni.count(each)).isEqualTo(recount(each)));
    }

    @Test
    void anAddressThatIsGoneCountsNowhereWhateverBecomesOfIt() {
        eni.add("10.0.0.1");
        EniAddress address = eni.addresses().get("10.0.0.1");
        eni.remove("10.0.0.1");

        address.become(Holder.ENGINE);

        assertThat(eni.count(Holder.SPARE)).isZero();
        assertThat(eni.count(Holder.ENGINE)).isZero();
    }

    private int recount(Holder holder) {
        return (int) eni.addresses().values().stream()
                .filter(address -> address.is(holder))
                .count();
    }
}
