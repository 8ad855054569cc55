package io.enipam.shell;

import io.enipam.v1.ListCommandsReply;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.PluginParameter;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.RunCommandReply;
import java.util.List;

/** The commands of a plugin, one of each impact. */
public final class CannedCommands {
    public static final ListCommandsReply ALL = ListCommandsReply.newBuilder()
            .addCommands(command("READ", "How full each range is.", "hostlocal", "ranges")
                    .addOptions(parameter("above", "a whole number, 0 to 100", false).toBuilder()
                            .setSetting(setting("above", "a whole number, 0 to 100")
                                    .setUsual("0")
                                    .setDoc("Leave out ranges with 100% ${more}.")))
                    .addOptions(PluginParameter.newBuilder()
                            .setSetting(setting("only_free", "true or false")
                                    .setUsual("false")
                                    .addChoices("true")
                                    .addChoices("false")))
                    .addOptions(PluginParameter.newBuilder()
                            .setSetting(setting("order", "one of size, name")
                                    .addChoices("size")
                                    .addChoices("name"))))
            .addCommands(command("CHANGE", "Note something.", "hostlocal", "range", "note")
                    .addOperands(parameter("range", "a range", false))
                    .addOperands(parameter("words", "words", true)))
            .addCommands(command("DESTROY", "Give back an address.", "hostlocal", "release")
                    .addOperands(parameter("ip", "an address", false)))
            .build();

    public static final RunCommandReply RANGES = RunCommandReply.newBuilder()
            .addColumns("RANGE")
            .addColumns("IN USE")
            .addRows(CannedPlugins.row("10.0.1.0/24", "9"))
            .addRows(CannedPlugins.row("10.0.0.0/24", "12"))
            .build();

    private CannedCommands() {}

    private static PluginCommand.Builder command(String impact, String summary, String... path) {
        return PluginCommand.newBuilder()
                .setPlugin("host-local")
                .addAllPath(List.of(path))
                .setSummary(summary)
                .setImpact(impact);
    }

    private static PluginSetting.Builder setting(String name, String allowed) {
        return PluginSetting.newBuilder().setName(name).setAllowed(allowed);
    }

    private static PluginParameter parameter(String name, String allowed, boolean list) {
        return PluginParameter.newBuilder()
                .setSetting(setting(name, allowed))
                .setList(list)
                .build();
    }
}
