package io.enipam.examples.cidr;

import io.enipam.sdk.Resource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A process that makes and unmakes pairs and tells each outcome, until somebody kills it. */
final class KilledChild {
    private KilledChild() {}

    public static void main(String[] arguments) {
        Random random = new Random(Long.parseLong(arguments[1]));
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(Path.of(arguments[0]), arguments[2], arguments[3])) {
            List<Resource> mine = new ArrayList<>();
            for (int step = 0; ; step++) {
                if (mine.size() < 40 && (mine.isEmpty() || random.nextInt(100) < 60)) {
                    String token = "s" + arguments[1] + "-" + step;
                    say("wish " + token);
                    Resource made = bench.make(token, CidrFactoryFixture.PAIR);
                    mine.add(made);
                    say("made " + token + " " + made.id());
                } else {
                    Resource back = mine.remove(random.nextInt(mine.size()));
                    say("back " + back.attributes().get(Allocation.TOKEN));
                    bench.dispose(back);
                    say("gone " + back.attributes().get(Allocation.TOKEN));
                }
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
