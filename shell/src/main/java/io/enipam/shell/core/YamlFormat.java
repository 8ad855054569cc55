package io.enipam.shell.core;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.google.protobuf.MessageOrBuilder;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.representer.StandardRepresenter;

/** The same fields as {@link JsonOutput}, as YAML that readers of YAML 1.1 and 1.2 take for the same. */
public final class YamlFormat {
    private static final DumpSettings SETTINGS = DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setWidth(Integer.MAX_VALUE)
            .setUseUnicodeEncoding(true)
            .build();

    private static final Gson GSON = new GsonBuilder()
            .setObjectToNumberStrategy(number -> number(new BigDecimal(number.nextString())))
            .create();

    private YamlFormat() {}

    public static String document(MessageOrBuilder message) {
        return document(JsonParser.parseString(JsonOutput.line(message)));
    }

    /** What is JSON already, without an end of line behind it. */
    public static String document(JsonElement json) {
        return text(GSON.fromJson(json, Object.class));
    }

    /** Prints a list that comes in parts as one document, {@code field: [...]}, each item as it arrives. */
    public static void stream(
            String field, Iterator<? extends List<? extends MessageOrBuilder>> parts, PrintStream out) {
        boolean begun = false;
        while (parts.hasNext()) {
            for (MessageOrBuilder item : parts.next()) {
                if (!begun) {
                    out.println(field + ":");
                    begun = true;
                }
                out.println(text(List.of(GSON.fromJson(JsonOutput.line(item), Object.class))));
            }
            out.flush();
        }
        if (!begun) {
            out.println(field + ": []");
        }
    }

    private static String text(@Nullable Object value) {
        return JsonOutput.harmless(
                new Dump(SETTINGS, new Careful()).dumpToString(value).stripTrailing());
    }

    private static Number number(BigDecimal number) {
        return number.scale() <= 0 ? number.toBigInteger() : (Number) number.doubleValue();
    }

    /** Quotes whatever some reader might take for something else than text: {@code on}, {@code 12:30}, {@code 1e3}, a date. */
    private static final class Careful extends StandardRepresenter {
        private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*");
        private static final Pattern WORD_OF_YAML = Pattern.compile("(?i)y|n|yes|no|on|off|true|false|null");

        Careful() {
            super(SETTINGS);
            representers.put(String.class, text -> scalar(String.valueOf(text)));
        }

        private Node scalar(String text) {
            boolean plain =
                    PLAIN.matcher(text).matches() && !WORD_OF_YAML.matcher(text).matches();
            return representScalar(Tag.STR, text, plain ? ScalarStyle.PLAIN : ScalarStyle.DOUBLE_QUOTED);
        }
    }
}
