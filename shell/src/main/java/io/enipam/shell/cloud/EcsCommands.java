package io.enipam.shell.cloud;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "ecs",
        description = "What this node asks of the cloud.",
        subcommands = {EcsCommands.Calls.class, EcsCommands.Budget.class})
public final class EcsCommands {
    private EcsCommands() {}

    @Command(
            name = "calls",
            description = {
                "The last calls of the cloud, the latest first.",
                "TOOK is the whole call with its waits and retries. TRIES is how often it went over the wire; 0 says that"
                        + " it was held back, since its API may not be called now. 256 calls are remembered."
            },
            footer = {
                "  ecs calls --failed",
                "  ecs calls --api DescribeVSwitches --limit 2",
                "",
                "  TIME      API                TARGET  TOOK   TRIES  CODE             REQUEST",
                "  08:59:31  DescribeVSwitches  vsw-a   40 ms  1      -                8A1F-9",
                "  08:59:12  DescribeVSwitches  vsw-a   12 ms  1      Throttling.User  77C0-1"
            })
    public static final class Calls extends ListCommand<CloudCall> {
        @Completes(CompletionKind.ECS_APIS)
        @Option(names = "--api", paramLabel = "API", description = "Only calls of this API; see: ecs budget")
        String api = "";

        @Option(names = "--failed", description = "Only calls that failed.")
        boolean failed;

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "20",
                description = "No more than this many; 0 for all that are remembered. By default 20.")
        int limit;

        public Calls() {
            super(CloudViews.CALLS);
        }

        @Override
        public List<String> inBundle() {
            return List.of("ecs calls --limit 0");
        }

        @Override
        protected TableListing<CloudCall> listing() {
            return failed || !api.isEmpty() ? CloudViews.SOME_CALLS : super.listing();
        }

        @Override
        protected ListReply<CloudCall> ask() {
            ListCloudCallsRequest.Builder request =
                    ListCloudCallsRequest.newBuilder().setApi(api).setFailed(failed);
            return parts(
                    stub -> stub.listCloudCalls(request.setLimit(limit).build()), ListCloudCallsReply::getCallsList);
        }
    }

    @Command(
            name = "budget",
            description = {
                "What each API may still be asked this minute, and how its calls fared.",
                "The cloud counts by the minute of the clock. After throttling an API is left alone until the next minute"
                        + " has begun (INHIBITED), and ALLOWED less than its LIMIT, rate_limit's, for a while. CALLS and"
                        + " what follows is since the daemon started; each retry counts on its own. Below are the codes"
                        + " of the failures."
            },
            footer = {
                "  ecs budget",
                "  ecs budget -o json     with the histogram of what calls took",
                "",
                "  API                     LIMIT  ALLOWED  USED  LEFT  CALLS  ERRORS  ...",
                "  CreateNetworkInterface  500    12       24    0     118    3       ...",
                "",
                "  CreateNetworkInterface  Throttling.User 2, InternalError 1"
            })
    public static final class Budget extends ListCommand<CloudApiBudget> {
        public Budget() {
            super(CloudViews.BUDGET);
        }

        @Override
        protected ListReply<CloudApiBudget> ask() {
            return whole(
                    stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance()),
                    GetCloudBudgetReply::getApisList);
        }

        @Override
        protected Optional<BiFunction<List<CloudApiBudget>, RenderContext, List<String>>> below() {
            return Optional.of(CloudViews::failures);
        }
    }
}
