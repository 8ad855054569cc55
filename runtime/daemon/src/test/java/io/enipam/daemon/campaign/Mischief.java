package io.enipam.daemon.campaign;

import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.Effect.Delay;
import io.enipam.emulator.fault.Effect.DropAnswer;
import io.enipam.emulator.fault.Effect.DropRequest;
import io.enipam.emulator.fault.Effect.Fail;
import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.Effect.Tear;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** What goes wrong at the cloud under one seed: something of each kind on every API the node calls, and some things once. */
final class Mischief {
    private static final List<String> APIS = List.of(
            "CreateNetworkInterface",
            "AttachNetworkInterface",
            "AssignPrivateIpAddresses",
            "UnassignPrivateIpAddresses",
            "DetachNetworkInterface",
            "DeleteNetworkInterface",
            "DescribeNetworkInterfaces",
            "DescribeInstanceTypes",
            "DescribeInstances",
            "DescribeVSwitches");
    private static final List<String> REFUSALS =
            List.of("Throttling.User", "InternalError", "ServiceUnavailable", "Operation.Conflict");

    private Mischief() {}

    static void begin(CloudEmulator emulator, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (String api : APIS) {
            String refusal = REFUSALS.get(random.nextInt(REFUSALS.size()));
            add(emulator, FaultRule.on(api).percent(upTo(6, random)).fail(refusal));
            add(emulator, FaultRule.on(api).percent(upTo(6, random)).does(new DropAnswer()));
            add(emulator, FaultRule.on(api).percent(upTo(4, random)).does(new DropRequest()));
            add(
                    emulator,
                    FaultRule.on(api)
                            .percent(upTo(4, random))
                            .does(Fail.known("ServiceUnavailable", true).orElseThrow()));
            add(emulator, FaultRule.on(api).percent(upTo(3, random)).does(new Tear(tear(random), true)));
            add(emulator, FaultRule.on(api).percent(upTo(3, random)).does(new Tear(tear(random), false)));
            add(emulator, FaultRule.on(api).percent(10).does(new Delay(Duration.ofMillis(random.nextInt(1, 60)))));
        }
        once(emulator, random, "CreateNetworkInterface", "InvalidVSwitchId.IpNotEnough");
        once(emulator, random, "AttachNetworkInterface", "EniPerInstanceLimitExceeded");
        once(emulator, random, "AssignPrivateIpAddresses", "InvalidOperation.Ipv4CountExceeded");
        once(emulator, random, "AttachNetworkInterface", "InvalidOperation.InvalidEniState");
        add(
                emulator,
                FaultRule.on("DetachNetworkInterface")
                        .nth(random.nextInt(1, 3))
                        .atMost(1)
                        .does(new Stick(true)));
        add(
                emulator,
                FaultRule.on("DeleteNetworkInterface")
                        .nth(random.nextInt(1, 3))
                        .atMost(1)
                        .does(new Stick(true)));
    }

    /** Ends it, and says how many calls went wrong. */
    static long end(CloudEmulator emulator) {
        long applied = emulator.faults().list().stream()
                .filter(entry -> !(entry.rule().effect() instanceof Effect.Delay))
                .mapToLong(FaultPlan.Entry::applied)
                .sum();
        emulator.faults().clear();
        return applied;
    }

    private static void once(CloudEmulator emulator, SplittableRandom random, String api, String code) {
        add(emulator, FaultRule.on(api).nth(random.nextInt(1, 4)).atMost(1).fail(code));
    }

    private static double upTo(int percent, SplittableRandom random) {
        return random.nextDouble(0.5, percent);
    }

    private static TruncationPoint tear(SplittableRandom random) {
        TruncationPoint[] points = TruncationPoint.values();
        return points[random.nextInt(points.length)];
    }

    private static void add(CloudEmulator emulator, FaultRule rule) {
        emulator.faults().add(rule);
    }
}
