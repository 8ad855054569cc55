package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.assign.PodCidrs;
import io.enipam.examples.nodeipam.blocks.Blocks.Holding;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Setting;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The shell's commands under the noun {@code nodeipam}. Thread-safe. */
public final class Commands {
    static final List<String> RELEASE = List.of("nodeipam", "release");

    private static final int BAR = 20;
    private static final int PERCENT = 100;
    private static final int MOST_NODES = 16_777_216;

    static final Setting<String> NODE = Setting.text(
                    "node", "the name of a node", "[A-Za-z0-9]([A-Za-z0-9.:_-]{0,252})", "none")
            .doc("The node.");
    private static final Setting<String> BY = Setting.text("by", "the key of a label", "[A-Za-z0-9./_-]{0,317}", "")
            .doc("The label by which nodes are in groups; by default their node pool.");
    private static final Setting<String> ADDRESSES = Setting.text(
                    "block", "an IP address or a CIDR", "[0-9a-fA-F:./]{2,49}", "::")
            .doc("The addresses that are looked for.");
    private static final Setting<String> HTML = Setting.text("html", "the name of a file", "[^\\p{Cntrl}]{0,4096}", "")
            .doc("Write a page of HTML to this file.");
    private static final Setting<String> CLUSTER_CIDR = Setting.text(
                    "cluster_cidr", "a CIDR, or one of each family with a comma between", "[0-9a-fA-F:./,]{0,100}", "")
            .doc("The plan's ranges; by default those in force.");
    private static final Setting<String> MASK = Setting.text(
                    "mask", "the length of a node's prefix, or one for each range", "([0-9]{1,3}(,[0-9]{1,3})?)?", "")
            .doc("How large the blocks are; by default /24, and /64 with IPv6.");
    private static final Setting<Integer> NODES = Setting.wholeNumber("nodes", 0, MOST_NODES, 0)
            .doc("How many nodes there are to be; 0 for no such question.");

    private final Supplier<ClusterView> view;
    private final Release release;

    /** @param view reads the cluster anew at each call */
    Commands(Supplier<ClusterView> view, Release release) {
        this.view = view;
        this.release = release;
    }

    List<Command> all() {
        return List.of(
                of(
                        CommandSpec.read("How full each range is, and which nodes have it.", "nodeipam", "show")
                                .option(BY),
                        this::show),
                of(
                        CommandSpec.read("The ranges, drawn with a sign for each block.", "nodeipam", "map")
                                .option(BY)
                                .option(HTML),
                        this::map),
                of(
                        CommandSpec.read("Each block that is taken, and by whom.", "nodeipam", "blocks")
                                .option(BY),
                        this::blocks),
                of(
                        CommandSpec.read("What a node has, or why it has nothing.", "nodeipam", "node")
                                .operand(NODE),
                        this::node),
                of(
                        CommandSpec.read("Who has an address or a block.", "nodeipam", "block")
                                .operand(ADDRESSES),
                        this::block),
                of(
                        CommandSpec.read("How many nodes and pods a plan holds, and until when.", "nodeipam", "plan")
                                .option(CLUSTER_CIDR)
                                .option(MASK)
                                .option(NODES),
                        this::plan),
                of(
                        CommandSpec.change(
                                "With --dry-run: what is taken over of a cluster as it is.", "nodeipam", "import"),
                        this::takeOver),
                of(
                        CommandSpec.destroy(
                                        "Give up what is held for a node that has no CIDRs.",
                                        RELEASE.toArray(String[]::new))
                                .operand(NODE),
                        release::run));
    }

    private Command of(CommandSpec spec, Function<Call, Answer> run) {
        return new Completed(spec, run, view);
    }

    private record Completed(CommandSpec spec, Function<Call, Answer> answer, Supplier<ClusterView> view)
            implements Command {
        /** What a node is, and what a block. */
        @Override
        public boolean explains() {
            return spec.impact() == CommandSpec.Impact.READ && !spec.operands().isEmpty();
        }

        @Override
        public Optional<Setting<String>> file() {
            return Optional.of(HTML).filter(spec.options()::contains);
        }

        @Override
        public Answer run(Call call) {
            return answer.apply(call);
        }

        @Override
        public List<String> complete(Setting<?> parameter, String typed) {
            ClusterView now = view.get();
            return offered(parameter, now)
                    .filter(name -> name.startsWith(typed))
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    private static Stream<String> offered(Setting<?> parameter, ClusterView now) {
        if (parameter.equals(NODE)) {
            return Stream.concat(now.nodes().keySet().stream(), now.underWay().keySet().stream());
        }
        if (parameter.equals(ADDRESSES)) {
            return now.blocks().all().stream().map(holding -> holding.cidr().toString());
        }
        return parameter.equals(BY)
                ? now.nodes().values().stream().flatMap(node -> node.labels().keySet().stream())
                : Stream.empty();
    }

    // ---- ranges

    private Answer show(Call call) {
        ClusterView now = view.get();
        Growth growth = now.growth();
        List<List<String>> rows = new ArrayList<>();
        for (RangeUse range :
                RangeUse.of(now.blocks(), now.groups(call.arguments().get(BY)), 1)) {
            rows.add(row(range, "all", range.taken(), growth.shown(range.free(), now.at())));
            range.groups().entrySet().stream()
                    .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                            .thenComparing(Map.Entry.comparingByKey()))
                    .forEach(group -> rows.add(row(range, group.getKey(), group.getValue(), "-")));
        }
        return Answer.table(new DiagnosticTable(
                List.of("POOL", "RANGE", "BLOCK", "BLOCKS", "OF", "TAKEN", "%", "USE", "FULL"), rows));
    }

    private static List<String> row(RangeUse range, String group, int taken, String full) {
        // one that is taken shows, and a bar is full when all are
        int bar = taken == 0 ? 0 : Math.max(1, (int) ((long) taken * BAR / range.blocks()));
        return List.of(
                range.pool(),
                range.range().toString(),
                "/" + range.blockLength(),
                Integer.toString(range.blocks()),
                group,
                Integer.toString(taken),
                String.format(Locale.ROOT, "%.1f", (double) taken * PERCENT / range.blocks()),
                "#".repeat(Math.min(bar, BAR)) + Character.toString(Legend.FREE).repeat(Math.max(0, BAR - bar)),
                full);
    }

    private Answer map(Call call) {
        ClusterView now = view.get();
        NodeGroups groups = now.groups(call.arguments().get(BY));
        int ranges = Math.max(1, RangeUse.of(now.blocks(), groups, 1).size());
        boolean html = !call.arguments().get(HTML).isEmpty();
        int cells = html ? Integer.highestOneBit(Math.max(64, MapPage.MOST_CELLS / ranges)) : MapText.MOST_CELLS;
        List<RangeUse> uses = RangeUse.of(now.blocks(), groups, cells);
        return Answer.text(html ? MapPage.draw(uses) : MapText.draw(uses));
    }

    private Answer blocks(Call call) {
        ClusterView now = view.get();
        NodeGroups groups = now.groups(call.arguments().get(BY));
        return Answer.table(new DiagnosticTable(
                List.of("BLOCK", "OWNER", "GROUP", "RANGE"),
                now.blocks().all().stream()
                        .map(holding -> List.of(
                                holding.cidr().toString(),
                                holding.owner().toString(),
                                groups.of(holding.owner()),
                                ranges(now, holding.cidr())))
                        .toList()));
    }

    private static String ranges(ClusterView now, Subnet cidr) {
        List<String> around = now.around(cidr);
        return around.isEmpty() ? "(outside of all ranges)" : String.join(", ", around);
    }

    // ---- one node, one block

    private Answer node(Call call) {
        String name = call.arguments().get(NODE);
        ClusterView now = view.get();
        Owner owner = Owner.node(name);
        List<Subnet> held = now.blocks().heldBy(owner);
        ClusterObject node = now.nodes().get(name);
        if (node == null && held.isEmpty() && !now.underWay().containsKey(name)) {
            return Answer.refuse(ErrorKind.NOT_FOUND, "there is no node " + name + ", and nothing is held for one");
        }
        Facts facts = new Facts().add("node", name).add("state", now.state(name));
        if (node != null) {
            NodeGroups groups = now.groups("");
            facts.add("created", node.creation().map(Object::toString).orElse("-"))
                    .add("group", groups.of(owner))
                    .add("podCIDRs", shown(PodCidrs.of(node)));
        }
        for (Subnet cidr : held) {
            facts.add("block", cidr + " of " + ranges(now, cidr));
            now.others(owner, cidr).forEach(other -> facts.add("overlaps", other.cidr() + " of " + other.owner()));
        }
        if (!now.problem().isEmpty()) {
            facts.add("nodes are old", now.problem());
        }
        return facts.answer();
    }

    private static String shown(PodCidrs cidrs) {
        return cidrs.isEmpty() ? "-" : String.join(",", cidrs.written());
    }

    private Answer block(Call call) {
        String text = call.arguments().get(ADDRESSES);
        Subnet cidr = parsed(() -> {
            if (text.contains("/")) {
                return Subnet.parse(text).network();
            }
            Ip ip = Ip.parse(text);
            return new Subnet(ip, ip.family().bits());
        });
        ClusterView now = view.get();
        NodeGroups groups = now.groups("");
        List<Holding> holdings = now.blocks().overlapping(cidr);
        if (holdings.isEmpty() && now.around(cidr).isEmpty()) {
            return Answer.refuse(ErrorKind.NOT_FOUND, cidr + " is in no range, and nobody has it");
        }
        Facts facts = new Facts().add("range", ranges(now, cidr));
        for (Holding holding : holdings) {
            facts.add(
                    "taken",
                    holding.cidr() + " by " + holding.owner()
                            + (holding.owner().kind() == Owner.Kind.NODE
                                    ? " of " + groups.of(holding.owner()) + ", which "
                                            + now.state(holding.owner().name())
                                    : ", which no node gets"));
        }
        return holdings.isEmpty() ? facts.add("free", cidr.toString()).answer() : facts.answer();
    }

    /** What is said of one thing, a row each; what is longer than a cell is shown goes on in the next row. For one thread. */
    private static final class Facts {
        private static final int WIDEST = 60;
        private final List<List<String>> rows = new ArrayList<>();

        Facts add(String what, String value) {
            String rest = value;
            while (rest.length() > WIDEST) {
                int blank = rest.lastIndexOf(' ', WIDEST);
                int end = blank > 0 ? blank : WIDEST;
                rows.add(List.of(what, rest.substring(0, end)));
                rest = rest.substring(end).strip();
            }
            rows.add(List.of(what, rest));
            return this;
        }

        Answer answer() {
            return Answer.table(new DiagnosticTable(List.of("WHAT", "VALUE"), rows));
        }
    }

    private static <T> T parsed(Supplier<T> reader) {
        try {
            return reader.get();
        } catch (IllegalArgumentException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.valueOf(e.getMessage()), e);
        }
    }

    // ---- plans

    private Answer plan(Call call) {
        ClusterView now = view.get();
        String cidrs = call.arguments().get(CLUSTER_CIDR);
        List<String> masks = split(call.arguments().get(MASK));
        List<CapacityPlan> plans = parsed(() -> {
            List<CapacityPlan> made = new ArrayList<>();
            List<Subnet> ranges = cidrs.isEmpty()
                    ? inForce(now).stream().map(RangeUse::range).toList()
                    : split(cidrs).stream().map(Subnet::parse).toList();
            List<Integer> usual = cidrs.isEmpty()
                    ? inForce(now).stream().map(RangeUse::blockLength).toList()
                    : ranges.stream().map(Commands::usual).toList();
            if (masks.size() > 1 && masks.size() != ranges.size()) {
                throw new IllegalArgumentException(
                        "there are " + ranges.size() + " ranges and " + masks.size() + " masks");
            }
            for (int at = 0; at < ranges.size(); at++) {
                int length = masks.isEmpty() ? usual.get(at) : Integer.parseInt(masks.get(masks.size() == 1 ? 0 : at));
                made.add(CapacityPlan.of(ranges.get(at), length, now.services()));
            }
            return made;
        });
        return Answer.table(
                CapacityPlan.table(plans, now.nodes().size(), call.arguments().get(NODES), now.growth(), now.at()));
    }

    private static List<RangeUse> inForce(ClusterView now) {
        return RangeUse.of(now.blocks(), now.groups(""), 1);
    }

    private static int usual(Subnet range) {
        return switch (range.address().family()) {
            case IPV4 -> 24;
            case IPV6 -> 64;
        };
    }

    private static List<String> split(String text) {
        return text.isEmpty() ? List.of() : Arrays.stream(text.split(",")).collect(Collectors.toList());
    }

    private Answer takeOver(Call call) {
        if (!call.dryRun()) {
            return Answer.refuse(
                    ErrorKind.CONFLICT,
                    "there is nothing to import: what nodes have is taken over as it is, each time a replica begins to lead; add"
                            + " --dry-run to see it");
        }
        ClusterView now = view.get();
        if (!now.problem().isEmpty()) {
            return Answer.refuse(ErrorKind.UNAVAILABLE, "the nodes are not all known: " + now.problem());
        }
        return Answer.table(Takeover.table(now, inForce(now)));
    }
}
