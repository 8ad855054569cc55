package io.enipam.shell.db;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.DbRecord;
import java.util.ArrayList;
import java.util.List;

/** Records of the resource database. */
public final class DbViews {
    private DbViews() {}

    /** All records; their names are what 'db get' takes. */
    public static final TableListing<DbRecord> DUMP = records("no records", "; try: cni add --pod default/web-0");

    /** Of a dump with conditions: that nothing meets them says nothing of the database. */
    public static final TableListing<DbRecord> FOUND = records("no such records", "");

    private static TableListing<DbRecord> records(String none, String advice) {
        return TableListing.<DbRecord>of("records", record -> record.getBucket() + "/" + record.getKey())
                .none(none, advice)
                .text("bucket", "BUCKET", DbRecord::getBucket)
                .text("key", "KEY", DbRecord::getKey)
                .text("value", "VALUE", DbRecord::getValue)
                .build();
    }

    public static List<String> one(DbRecord record, RenderContext look) {
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
