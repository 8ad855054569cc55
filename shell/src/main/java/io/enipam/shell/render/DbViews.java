package io.enipam.shell.render;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.enipam.v1.DbRecord;
import java.util.ArrayList;
import java.util.List;

/** Records of the resource database. */
public final class DbViews {
    private DbViews() {}

    public static List<String> dump(List<DbRecord> records, Look look) {
        if (records.isEmpty()) {
            return List.of(look.advising("no records", "; try: cni add --pod default/web-0"));
        }
        return table(records, look);
    }

    /** Of a dump with conditions: that nothing meets them says nothing of the database. */
    public static List<String> found(List<DbRecord> records, Look look) {
        return records.isEmpty() ? List.of("no such records") : table(records, look);
    }

    private static List<String> table(List<DbRecord> records, Look look) {
        Table table = Table.headed("BUCKET", "KEY", "VALUE");
        for (DbRecord record : records) {
            table.row(Table.cell(record.getBucket()), Table.cell(record.getKey()), Table.cell(record.getValue()));
        }
        return table.lines(look.palette());
    }

    public static List<String> one(DbRecord record, Look look) {
        List<String> lines = new ArrayList<>(Table.details()
                .detail("bucket", record.getBucket())
                .detail("key", record.getKey())
                .lines(look.palette()));
        indented(record.getValue()).lines().map(Palette::clean).forEach(lines::add);
        return lines;
    }

    /** The value over several lines if it is JSON, as it should be, else as it is: a broken record is what one wants to see. */
    private static String indented(String value) {
        try {
            JsonElement json = JsonParser.parseString(value);
            return new GsonBuilder()
                    .setPrettyPrinting()
                    .disableHtmlEscaping()
                    .create()
                    .toJson(json);
        } catch (JsonParseException notJson) {
            return value;
        }
    }
}
