# Made by `npm run sdk` from the OpenAPI document. Do not edit.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, TypedDict, Union

from muster._object import ApiObject
from muster._page import AsyncPages, Page
from muster._transport import NOT_GIVEN, AsyncTransport, Call, NotGiven, Options, Transport, segment

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Account(ApiObject):
    """The owner of the key."""

    id: str
    """Account id."""
    name: str
    """Account name."""
    created_at: str
    """When the account was created."""
    key: AccountKey
    """The key of this request."""


class AccountKey(ApiObject):
    """The key of this request."""

    id: str
    """Key id."""
    name: str
    """Purpose of the key."""
    role: Literal["viewer", "approver", "member", "admin", "worker"]
    """viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers."""
    expires_at: str | None
    """When the key expires; null means never."""


class AccountName(ApiObject):
    """An account and its name."""

    id: str
    """Account id."""
    name: str
    """Account name."""


class AccountUse(ApiObject):
    """An account's usage. Runs and cost are counted only if it has a quota on them."""

    runs_today: int
    """Runs begun today (UTC)."""
    mails_today: int
    """Emails sent by agents today (UTC)."""
    cost_usd_today: float
    """Cost of model calls today (UTC), in USD."""
    cost_usd_this_month: float
    """Cost of model calls this month (UTC), in USD."""
    stored_bytes: int | None
    """Bytes stored at the last measurement; null without such a quota."""
    stored_bytes_at: str | None
    """When they were measured."""
    held_until: str | None
    """Until when runs are held because the cost quota is used up."""


class Agent(ApiObject):
    """A reusable role with its own instructions, tools and memory."""

    id: str
    """Agent id; `agentId` of a crew entry."""
    name: str
    """Name of the agent."""
    description: str | None
    """Description."""
    category: str
    """Free text to group agents by."""
    role: str
    """Name of its steps in workflows and runs."""
    systemPrompt: str
    """Instructions of the agent."""
    model: str | None
    """Model id, one of `GET /v1/models`; null uses the workflow's model."""
    fallbacks: List[str]
    """Fallback models, tried in order while the model's provider is unavailable; an empty list uses the workflow's."""
    maxTokens: int | None
    """Maximum output tokens of one model turn; null sets no limit."""
    connectors: List[str]
    """Connectors that the agent may use; duplicates are ignored."""
    capabilities: List[str]
    """Actions that the agent may use; duplicates are ignored."""
    tools: List[CallerTool]
    """Tools that processes of your own execute. The agent needs no capability for them."""
    rules: List[Rule]
    """Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text."""
    status: Literal["active", "paused"]
    """A run that reaches a step of a paused agent fails."""
    memory_enabled: bool
    """Whether the agent has memory across runs, in all its workflows."""
    version: int
    """The live version: its number, and the `ETag`."""
    last_version: int
    """The newest version; a draft if it was never published."""
    created_at: str
    """When the agent was created."""
    updated_at: str
    """When the agent was last changed."""


class AgentDefinition(ApiObject):
    """The definition in a version of an agent; it can be sent as an update."""

    name: str
    """Name of the agent."""
    description: str | None
    """Description."""
    category: str
    """Free text to group agents by."""
    role: str
    """Name of its steps in workflows and runs."""
    systemPrompt: str
    """Instructions of the agent."""
    model: str | None
    """Model id, one of `GET /v1/models`; null uses the workflow's model."""
    fallbacks: List[str]
    """Fallback models, tried in order while the model's provider is unavailable; an empty list uses the workflow's."""
    maxTokens: int | None
    """Maximum output tokens of one model turn; null sets no limit."""
    connectors: List[str]
    """Connectors that the agent may use; duplicates are ignored."""
    capabilities: List[str]
    """Actions that the agent may use; duplicates are ignored."""
    tools: List[CallerTool]
    """Tools that processes of your own execute. The agent needs no capability for them."""
    rules: List[Rule]
    """Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text."""
    memory_enabled: bool
    """Whether the agent has memory across runs, in all its workflows."""


class AgentVersion(ApiObject):
    """A version with its definition."""

    version: int
    """Its number, from 1."""
    state: Literal["live", "draft", "earlier"]
    """`live`: used by runs. `draft`: never live. `earlier`: live before."""
    author: AgentVersionAuthor | None
    """Who created it; null if unknown."""
    note: str | None
    """The author's note, if any."""
    base_version: int | None
    """The version that was live when it was created; null for the first."""
    changed: List[str]
    """Fields that differ from `base_version`, up to 50."""
    created_at: str
    """When it was created."""
    published_at: str | None
    """When it last went live; null for a draft."""
    definition: AgentDefinition


class AgentVersionAuthor(ApiObject):
    """Who created it; null if unknown."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class Alert(ApiObject):
    """A message that channels send when something goes wrong."""

    id: str
    """Alert id."""
    on: Literal["run.failed", "failure_rate", "waiting_too_long", "schedule.missed", "webhook.disabled", "connector.failing", "model.ending", "budget.threshold"]
    """`run.failed`: a run failed; cancelled runs do not count. `failure_rate`: at least the share `threshold` of the runs that ended in the last `minutes` failed; needs at least five runs. `waiting_too_long`: a request has waited for `minutes`. `schedule.missed`: a schedule missed a firing. `webhook.disabled`: an endpoint was disabled. `connector.failing`: a connector, model provider or channel is failing. `model.ending`: a workflow's model shuts down within 90 days. `budget.threshold`: a budget reached one of its thresholds or its cap."""
    name: str
    """Display name, not blank."""
    workflow_ids: List[str] | None
    """Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`."""
    channel_ids: List[str] | None
    """Channels that send it; null means all active channels."""
    minutes: int | None
    """For `failure_rate` and `waiting_too_long`; null means 60."""
    threshold: float | None
    """For `failure_rate`: the share of failed runs; null means 0.5."""
    at_most_every_minutes: int
    """Minimum interval between messages; anything that happens in between is combined into the next one. 60 by default."""
    active: bool
    """An inactive alert sends nothing."""
    last_fired_at: str | None
    """When it was last sent."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ApiKey(ApiObject):
    """An API key without its secret."""

    id: str
    """Key id."""
    name: str
    """Purpose of the key."""
    role: Literal["viewer", "approver", "member", "admin", "worker"]
    """viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers."""
    prefix: str
    """The first characters of the key, to identify it."""
    created_at: str
    """When the key was created."""
    expires_at: str | None
    """When the key expires; null means never."""
    last_used_at: str | None
    """Last use, to the minute; null before the first."""


class Approval(ApiObject):
    """A person's approval of an action that needs several."""

    id: str
    """User id."""
    name: str
    """Their name at that time."""
    reason: str | None
    """Their reason, if given."""
    at: str
    """When they approved."""


class AuditEntry(ApiObject):
    """One change, recorded in the same transaction and never altered."""

    id: str
    """Audit entry id."""
    created_at: str
    """When the change was made."""
    actor: AuditEntryActor
    """Who made the change."""
    action: str
    """What happened, such as `workflow.updated`."""
    object: AuditEntryObject
    """The changed object."""
    before: dict[str, Any] | None
    """The changed fields before, with long texts cut and without secrets; null if the object was created."""
    after: dict[str, Any] | None
    """The same fields after; null if the object was deleted."""
    address: str | None
    """Network address of the caller."""
    request_id: str | None
    """`X-Request-Id` of the request."""


class AuditEntryActor(ApiObject):
    """Who made the change."""

    type: Literal["key", "user", "system"]
    """`system`: an operator on the server, or the service itself."""
    id: str | None
    """Id of the key or user; null for the system."""
    name: str
    """Its name at that time."""


class AuditEntryObject(ApiObject):
    """The changed object."""

    type: str
    """Type of object, such as `workflow`."""
    id: str
    """Its id."""


class Authorization(ApiObject):
    """A login that has begun."""

    authorize_url: str
    """Address to open in the same browser session; it leads to the server's login."""
    expires_at: str
    """When the login must be finished."""


class Backfill(ApiObject):
    """The result of a backfill."""

    due: int
    """Firings that start now, one after the other."""
    already: int
    """Firings that already have a run or wait for one."""


class Batch(ApiObject):
    """One workflow run on many inputs, with one run for each."""

    id: str
    """Batch id. Its runs have it as the tag `batch`."""
    workflow_id: str
    """The workflow."""
    name: str | None
    """Display name."""
    concurrency: int
    """Maximum runs in progress at once."""
    status: Literal["running", "cancelling", "cancelled", "completed"]
    """`completed` once every item has ended, even if some failed."""
    held: str | None
    """Why no further item can start at present; null otherwise."""
    total: int
    """Items in all."""
    queued: int
    """Items that have not started."""
    running: int
    """Items whose run is in progress."""
    waiting: int
    """Items whose run waits for a person."""
    completed: int
    """Items whose run completed."""
    completed_with_warnings: int
    """Items of these whose run has warnings, such as an action that failed."""
    failed: int
    """Items that failed."""
    cancelled: int
    """Items that were cancelled."""
    cost_usd: float
    """Cost of its finished runs, in US dollars."""
    calls_without_price: int
    """Model calls of its finished runs with a model whose price is unknown; the cost counts them as 0."""
    created_by: BatchCreatedBy
    """Who started it."""
    created_at: str
    """When it was started."""
    finished_at: str | None
    """When its last item ended; null before."""


class BatchCreatedBy(ApiObject):
    """Who started it."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class BatchEstimate(ApiObject):
    """Estimated cost and time of a batch, from the workflow's latest runs."""

    total: int
    """Items in all."""
    sampled_runs: int
    """Completed runs on which the estimate is based, up to 100."""
    cost_usd_p50: float | None
    """Cost in US dollars, if each item costs as much as the median run; null where no run has completed yet."""
    cost_usd_p95: float | None
    """The same with the 95th percentile; null where no run has completed yet."""
    calls_without_price: int
    """Model calls of these runs with a model whose price is unknown; the cost counts them as 0."""
    seconds_p50: float | None
    """Seconds until the last item ends, if each takes as long as the median run; null where no run has completed yet."""
    seconds_p95: float | None
    """The same with the 95th percentile; null where no run has completed yet."""


class BatchItem(ApiObject):
    """An item of a batch."""

    position: int
    """Position in the batch, from 0."""
    key: str | None
    """Your own identifier, or the name of its file, made unique in the batch."""
    file: str | None
    """Name of its first file when the batch was started; null for none."""
    file_id: str | None
    """Id of that file."""
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]
    """As of the last check of its run."""
    run_id: str | None
    """Its run; null before it has started."""
    retry_of: str | None
    """The item's previous, failed run."""
    output_json: dict[str, Any] | None
    """The structured output of its run, up to 4 KB of JSON; null for larger ones, which are in the results."""
    error: str | None
    """Why it failed, or why its start is tried again."""
    run_has_warnings: bool
    """Whether its run completed with warnings, such as an action that failed."""
    cost_usd: float
    """Cost of its runs, in US dollars."""
    calls_without_price: int
    """Model calls of its runs with a model whose price is unknown; the cost counts them as 0."""


class Budget(ApiObject):
    """A limit on the cost of model calls."""

    id: str
    """Budget id."""
    name: str
    """Display name, not blank."""
    scope: Literal["account", "workflow", "agent", "thread", "tag"]
    """Which model calls count towards the budget."""
    scope_value: str | None
    """Id of the workflow, agent or thread, or `key:value` of the tag; null for the whole account."""
    window: Literal["day", "week", "month"]
    """Resets at midnight in the time zone; a week begins on Monday."""
    time_zone: str
    """IANA name, such as Europe/Berlin; UTC by default."""
    cap_usd: float
    """Maximum cost of model calls in a window, in US dollars."""
    thresholds: List[float]
    """Shares at which the event `budget.threshold` is sent, once per window."""
    on_cap: Literal["hold", "ask", "refuse", "fallback"]
    """`hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it continue beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once it is reached no run starts. `fallback`: the run continues beyond the cap on cheaper fallback models; without any, it is held."""
    scope_name: str | None
    """Name of the workflow or agent, or title of the thread; null otherwise."""
    starts_at: str
    """Beginning of the current window."""
    ends_at: str
    """End of the current window."""
    spent_usd: float
    """Cost of its calls so far."""
    reserved_usd: float
    """Estimated cost of calls in progress."""
    reached: bool
    """Whether it has had no room for a call in this window, apart from calls in progress. Raising the cap ends that."""
    projected_usd: float
    """Projected cost at the end of the window, at the current rate."""
    warnings: List[BudgetWarnings]
    """Current warnings; usually empty."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class BudgetWarnings(ApiObject):
    """A warning."""

    code: Literal["price_unknown"]
    """`price_unknown`: it covers models without a price, whose calls it does not count. More codes may be added."""
    message: str
    """The warning as text."""


class BulkOperation(ApiObject):
    """One action on many runs."""

    id: str
    """Id of the operation; empty for a dry run."""
    action: Literal["cancel", "retry"]
    """The action on each run."""
    status: Literal["dry_run", "running", "completed"]
    """Status of the operation."""
    matched: int
    """Runs that matched the filter at the start."""
    done: int
    """Runs that were cancelled or retried."""
    skipped: int
    """Skipped runs: they had ended, had not failed, were already retried, or cannot be retried."""
    held: str | None
    """Why the remaining runs wait, such as a paused workflow; null if none does."""
    problems: List[BulkOperationProblems]
    """The first skipped runs, about 100, with the reasons."""
    created_by: BulkOperationCreatedBy
    """Who started it."""
    created_at: str
    """When it was started."""
    finished_at: str | None
    """When it finished; null before."""


class BulkOperationCreatedBy(ApiObject):
    """Who started it."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class BulkOperationProblems(ApiObject):
    """Part of an answer."""

    run_id: str
    """The skipped run."""
    why: str
    """Why it was skipped."""


class CallerTool(ApiObject):
    """A tool that a process of your own executes; see `POST /v1/tool-calls/claim`."""

    name: str
    """A letter a-z and up to 39 more of a-z 0-9 _, such as `lookup_order`; the action is `app.<name>`."""
    description: str
    """What the tool does, for the model."""
    input_schema: dict[str, Any]
    """JSON Schema of its arguments, up to 32 KB, with an object at its root."""
    timeout_seconds: int | None
    """How long a call may take, from its request to its result."""
    sensitive: bool | None
    """Whether it has an effect. A sensitive call needs approval by default and is never repeated by itself."""


class Case(ApiObject):
    """A request that awaits a human, with its assignee and comments."""

    run_id: str
    """The run that waits."""
    workflow_id: str
    """Its workflow."""
    workflow_name: str
    """Name of the workflow."""
    input_preview: str
    """The first 120 characters of the run's input, on one line."""
    pending: CasePending
    """The waiting request."""
    assignee: CaseAssignee | None
    """The assignee; null if any approver may answer."""
    notifications: List[Notification]
    """Its notifications, with failed deliveries."""


class CaseAssignee(ApiObject):
    """The assignee; null if any approver may answer."""

    id: str
    """User id."""
    name: str
    """Name."""


class CasePending(ApiObject):
    """The waiting request."""

    id: str
    """Id of the request; send it as `pending_id`."""
    kind: Literal["input", "approval", "budget"]
    """`input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`."""
    prompt: str
    """The question, or a short summary of the action or of the cost."""
    tool: str | None
    """Approvals only: the action."""
    tool_input: dict[str, Any] | None
    """Approvals only: the exact arguments."""
    tool_version: str | None
    """Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested."""
    tool_changed: CasePendingToolChanged | None
    """Set if the action or its connection changed after the agent asked."""
    approvals: CasePendingApprovals | None
    """Approvals only: the approvals so far."""
    step_order: int
    """Position of the step that asks."""
    role: str
    """Role of the agent that asks."""
    call_id: str | None
    """The tool call of the request; the kind `budget` has none."""
    cost: CasePendingCost | None
    """Kind `budget` only: the amounts."""
    approvers: CasePendingApprovers
    """Who may answer: each of the users, and everyone with one of the roles."""
    case_id: str | None
    """Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer."""
    calls: List[PendingCall] | None
    """Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`."""
    excluded: List[str] | None
    """Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks."""
    created_at: str
    """When the run began to wait."""
    expires_at: str | None
    """When the request expires; null means never."""


class CasePendingApprovals(ApiObject):
    """Approvals only: the approvals so far."""

    required: int
    """How many different people have to approve."""
    given: int
    """How many have approved."""
    by: List[Approval]
    """Who has approved."""


class CasePendingApprovers(ApiObject):
    """Who may answer: each of the users, and everyone with one of the roles."""

    users: List[str]
    """People of the account, by id."""
    roles: List[Literal["approver", "member", "admin"]]
    """Roles, of people and keys."""


class CasePendingCost(ApiObject):
    """Kind `budget` only: the amounts."""

    spent_usd: float
    """The amount spent by the run, or in the budget's window."""
    limit_usd: float
    """The limit: `limits.max_cost_usd`, or the budget's cap."""
    estimate_usd: float
    """Maximum cost of the next call: the whole prompt and the longest answer."""
    run_cost_usd: float
    """The cost of the run so far."""
    budget: CasePendingCostBudget | None
    """The budget that asks; absent if the run's own limit asks."""


class CasePendingCostBudget(ApiObject):
    """The budget that asks; absent if the run's own limit asks."""

    id: str
    """Budget id."""
    name: str
    """Its name."""
    window: str
    """`day`, `week` or `month`."""
    ends_at: str
    """When the next window begins."""


class CasePendingToolChanged(ApiObject):
    """Set if the action or its connection changed after the agent asked."""

    description: str
    """Its current description."""
    input_schema: dict[str, Any] | None
    """Its arguments' current JSON Schema; null if it is over 8 KB."""


class Channel(ApiObject):
    """Where people are notified of requests."""

    id: str
    """Channel id."""
    name: str
    """Display name, not blank."""
    kind: Literal["email", "slack"]
    """`email` sends through the account's email connector, or else the operator's mail server. `slack` posts to one Slack channel."""
    workflow_ids: List[str] | None
    """Notify about these workflows only; null means all."""
    recipients: List[str]
    """Email only: the recipients, who each get their own email. A recipient who is a user of the account with the role approver or above can answer from the email; others get a link to the console."""
    slack_channel: str | None
    """Slack only: channel id such as C0123456789, or name such as #approvals."""
    active: bool
    """An inactive channel sends nothing."""
    has_buttons: bool
    """Slack only: whether messages can be answered in Slack."""
    interactivity_url: str | None
    """Slack only: the request URL to enter under "Interactivity" in the Slack app."""
    state: Literal["saved", "working", "failing"]
    """Result of the last test or use; `saved` before the first."""
    checked_at: str | None
    """When it was last tested or used."""
    failing_since: str | None
    """Since when it is failing; null if it is not."""
    message: str | None
    """A description of the result."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ChannelTest(ApiObject):
    """Whether a test message was accepted for every recipient."""

    ok: bool
    """Whether it works."""
    message: str
    """A description of the result."""


class ClaimedCall(ApiObject):
    """A call that its claimer executes."""

    id: str
    """Tool call id."""
    run_id: str
    """The run."""
    workflow_id: str
    """Its workflow."""
    step_order: int
    """Position of the step, from 0."""
    agent_id: str | None
    """The standing agent that asks; null for a plain entry."""
    name: str
    """Name of the tool, without `app.`."""
    input: dict[str, Any]
    """The arguments, which fit the tool's `input_schema`."""
    try_: int
    """How often the call was given to a worker."""
    requested_at: str
    """When it was requested."""
    expires_at: str
    """When the time for a result is over."""
    lease_expires_at: str
    """When the claim ends, unless it is renewed."""
    lease: str
    """Token of the claim."""


class Comment(ApiObject):
    """A person's comment on a request. Agents do not see it."""

    id: str
    """Comment id."""
    pending_id: str
    """The request that it is about."""
    run_id: str
    """The run of that request."""
    author: CommentAuthor
    """Who wrote it."""
    text: str
    """The text."""
    created_at: str
    """When it was written."""


class CommentAuthor(ApiObject):
    """Who wrote it."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class ComparedRun(ApiObject):
    """One of two runs."""

    id: str
    """Run id."""
    workflow_id: str
    """The workflow."""
    workflow_version: int | None
    """Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs older than versions."""
    status: Literal["queued", "running", "waiting_input", "completed", "failed"]
    """`completed` and `failed` are final."""
    has_warnings: bool
    """Whether it has warnings, such as an action that failed."""
    error: str | None
    """Why the run failed, naming the step; null unless failed."""
    created_at: str
    """When the run was triggered."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    duration_ms: int | None
    """Run time without waits; null unless it has ended."""
    tool_calls: int
    """Calls of all its steps."""


class Connector(ApiObject):
    """A connection through which agents act in other systems."""

    id: str
    """Connector id."""
    label: str
    """Display name."""
    kind: Literal["builtin", "mcp", "http", "openapi"]
    """Built in, an MCP server, or an HTTP API by its actions or its OpenAPI document."""
    connected: bool
    """Whether at least one action can be called."""
    stored: bool
    """Whether the account has connected it. If not, there is nothing to test or disconnect, even if actions work without credentials or with the operator's."""
    state: Literal["saved", "working", "failing", "needs_login"] | None
    """Result of the last test or use; `saved` before the first, null if nothing is stored. `needs_login`: an admin, or with `credentials: person` you, must log in (`POST /v1/connectors/{id}/authorize`)."""
    checked_at: str | None
    """When it was last tested or used."""
    failing_since: str | None
    """Since when it is failing; null if it is not."""
    message: str | None
    """A description of the result."""
    actions: List[ConnectorAction]
    """Its actions."""
    credentials_schema: dict[str, Any] | None
    """Built-in: JSON Schema of its credentials; secrets are `writeOnly`. Absent if it needs none."""
    settings: dict[str, Any] | None
    """Built-in: the stored fields that are not secret, such as `host` and `from`."""
    url: str | None
    """MCP: origin of its address."""
    header_names: List[str] | None
    """MCP and HTTP API: names of the headers that are sent."""
    safe_tools: List[str] | None
    """MCP: tools that need no approval."""
    tools: ConnectorTools | None
    """MCP: the tools to offer to agents, by one of the two lists; all by default."""
    other_tools: List[OtherTool] | None
    """MCP: tools that are not offered to agents."""
    credentials: Literal["account", "person"] | None
    """MCP with a login: whose login calls use, the account's or that of the person who triggered the run."""
    changed_tools: List[str] | None
    """MCP and OpenAPI: tools that changed or disappeared; refused until the connector is connected again."""
    base_url: str | None
    """HTTP API: address that all paths are below."""
    auth: dict[str, Any] | None
    """HTTP API: how calls log in, without secrets."""
    document: ConnectorDocument | None
    """OpenAPI: the accepted document."""
    operations: ConnectorOperations | None
    """The operations to offer to agents, up to 100, by one of the two lists; all by default. An operation is named by its `operationId`, else `METHOD /path`."""
    safe: List[str] | None
    """OpenAPI: operations that need no approval."""
    listed_operations: List[ListedOperation] | None
    """OpenAPI: the operations of the document, up to 1,000, the picked ones always."""
    changes: List[DocumentChange] | None
    """OpenAPI: how the document differs from the accepted one, up to 200 differences."""


class ConnectorAction(ApiObject):
    """An action that agents may use."""

    id: str
    """Capability of agents, `<connector>.<action>`."""
    description: str
    """The description that models see."""
    input_schema: dict[str, Any]
    """JSON Schema of its arguments."""
    sensitive: bool
    """Whether it changes, or could change, another system and therefore waits for approval."""
    version: str
    """Changes with its description, its arguments and its connection."""
    unavailable: str | None
    """Why it cannot be called now; null otherwise."""
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] | None
    """HTTP API: method of the request."""
    path: str | None
    """HTTP API: path below `base_url`."""
    query: List[str] | None
    """HTTP API: fields that go into the query."""
    body: Literal["json", "form", "none"] | None
    """HTTP API: how the remaining fields are sent."""
    safe: bool | None
    """HTTP API: whether it is safe, whatever the account's policies say."""


class ConnectorDocument(ApiObject):
    """OpenAPI: the accepted document."""

    origin: str | None
    """Origin of its address; null if it has none."""
    title: str
    """Its title."""
    version: str
    """Its version."""
    operations: int
    """Operations that it has, listed or not."""


class ConnectorOperations(ApiObject):
    """The operations to offer to agents, up to 100, by one of the two lists; all by default. An operation is named by its `operationId`, else `METHOD /path`."""

    only: List[str] | None
    """Only these operations; may be empty."""
    except_: List[str] | None
    """All operations except these, including operations added later."""


class ConnectorTest(ApiObject):
    """The result of a test."""

    ok: bool
    """Whether it works."""
    message: str
    """A description of the result."""
    changed_tools: List[str] | None
    """MCP and OpenAPI: tools that changed or disappeared."""
    changes: List[DocumentChange] | None
    """OpenAPI: how the document differs from the accepted one, up to 200 differences."""


class ConnectorTools(ApiObject):
    """MCP: the tools to offer to agents, by one of the two lists; all by default."""

    only: List[str] | None
    """Only these tools; may be empty."""
    except_: List[str] | None
    """All tools except these, including tools added later."""


class ConnectorTried(ApiObject):
    """The result of an action."""

    status: Literal["succeeded", "failed", "unknown"]
    """As of a call of an agent."""
    output: str
    """What an agent would get, up to 64 KB."""


class CreatedAccount(ApiObject):
    """A new account."""

    id: str
    """Account id."""
    name: str
    """Account name."""
    admin_key: str
    """Its first admin key, shown only once."""


class CreatedApiKey(ApiObject):
    """A new API key with its secret."""

    id: str
    """Key id."""
    name: str
    """Purpose of the key."""
    role: Literal["viewer", "approver", "member", "admin", "worker"]
    """viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers."""
    prefix: str
    """The first characters of the key, to identify it."""
    created_at: str
    """When the key was created."""
    expires_at: str | None
    """When the key expires; null means never."""
    last_used_at: str | None
    """Last use, to the minute; null before the first."""
    key: str
    """The key itself, shown only once."""


class CreatedGrant(ApiObject):
    """The grant, and where the browser goes on."""

    id: str
    """Grant id."""
    redirect_url: str
    """Address to go on to; contains the code for the program."""


class CreatedInvitation(ApiObject):
    """A new invitation with its link."""

    id: str
    """Invitation id."""
    email: str
    """Email address; compared without case."""
    role: Literal["viewer", "approver", "member", "admin"]
    """The person's role in the account."""
    invited_by: str | None
    """User or key that invited; null for an operator."""
    created_at: str
    """When it was created."""
    expires_at: str
    """When its link expires."""
    accepted_at: str | None
    """When it was accepted; null if it is open."""
    link: str
    """The one-time link, shown only once."""
    mailed: bool
    """Whether a mail server accepted the email."""


class CreatedWorkflow(ApiObject):
    """A new workflow."""

    id: str
    """Workflow id."""
    name: str
    """Name of the workflow."""
    description: str | None
    """Description."""
    model: str
    """Model of agents that set none; the server's current default if it is inherited."""
    fallbacks: List[str]
    """Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence."""
    crew: List[CrewEntry]
    """The agents, in order of execution."""
    input_schema: dict[str, Any] | None
    """JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none."""
    memory_enabled: bool
    """Whether the workflow's own roles have memory across runs."""
    expose_mcp: CreatedWorkflowExposeMcp | None
    """The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none."""
    thread: CreatedWorkflowThread | None
    """How turns of threads see the earlier ones; null if the workflow takes no threads."""
    model_inherited: bool
    """Whether `model` is the server's current default. Setting it to true is the same as `model` null; setting it to false pins the current model."""
    warnings: List[CreatedWorkflowWarnings]
    """Current warnings, such as what it still needs before it can do its work; usually empty."""
    status: Literal["active", "paused"]
    """A paused workflow accepts no new runs."""
    human_in_the_loop: HumanInTheLoop
    limits: Limits
    version: int
    """The live version: its number, and the `ETag`."""
    last_version: int
    """The newest version; a draft if it was never published."""
    created_at: str
    """When the workflow was created."""


class CreatedWorkflowExposeMcp(ApiObject):
    """The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none."""

    name: str
    """Name of the tool."""
    description: str | None
    """What models read about the tool; null for the workflow's description."""


class CreatedWorkflowThread(ApiObject):
    """How turns of threads see the earlier ones; null if the workflow takes no threads."""

    context: Literal["transcript", "last_output", "none"]
    """What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing."""
    max_tokens: int
    """Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary."""
    summary_model: str | None
    """Model that writes summaries; null for the model of the workflow."""


class CreatedWorkflowWarnings(ApiObject):
    """A warning."""

    code: Literal["action_refused", "action_unavailable", "demo_model", "model_ends", "model_unavailable", "placeholder_left"]
    """`action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as `#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. `model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no key here, or was removed; runs fail there. More codes may be added."""
    message: str
    """The warning as text."""


class CrewEntry(ApiObject):
    """One agent of a crew. With `agentId`, the standing agent's tools and `maxTokens` replace the entry's, and the stricter rule of both applies."""

    role: str
    """Role of the agent; names its step."""
    systemPrompt: str
    """Instructions of the agent."""
    model: str | None
    """Model of this agent only."""
    agentId: str | None
    """Standing agent whose live definition replaces this entry."""
    maxTokens: int | None
    """Maximum output tokens of one model turn; null sets no limit."""
    connectors: List[str] | None
    """Connectors that the agent may use; duplicates are ignored."""
    capabilities: List[str] | None
    """Actions that the agent may use; duplicates are ignored."""
    tools: List[CallerTool] | None
    """Tools that processes of your own execute. The agent needs no capability for them."""
    rules: List[Rule] | None
    """Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies."""
    output_schema: dict[str, Any] | None
    """JSON Schema of the agent's output, up to 32 KB, with an object at its root; overrides the agent's own. Null or omitted for none."""


class DecidingRule(ApiObject):
    """The rule that decided about a call."""

    level: Literal["account", "agent", "crew_entry"]
    """The rule's level."""
    position: int
    """Its position in the list at that time, from 0."""
    action: str
    """The rule's action."""
    decision: Literal["allow", "ask", "block"]
    """The rule's decision."""
    reason: str | None
    """The rule's reason, or the error of its condition."""


class Deleted(ApiObject):
    """The deleted object."""

    id: str
    """Id of the deleted object."""
    deleted: Literal[True]
    """Always true."""


class DeliveryAttempt(ApiObject):
    """One delivery attempt."""

    at: str
    """When the attempt began."""
    response_status: int
    """HTTP status; 0 means no response."""
    response_body: str
    """The first 1,000 characters of the response."""
    duration_ms: int
    """How long it took, in milliseconds."""
    error: str | None
    """Why it failed; null when it succeeded."""
    trigger: Literal["scheduled", "manual"]
    """What triggered it."""


class DocumentChange(ApiObject):
    """A difference between the accepted and the current document."""

    operation: str
    """Name of the operation."""
    change: Literal["added", "changed", "removed"]
    """What happened to it since the document was accepted."""
    fields: List[DocumentChangeFields] | None
    """What differs in a changed operation."""


class DocumentChangeFields(ApiObject):
    """Part of an answer."""

    field: str
    """`description`, `input_schema`, `request` or `available`."""
    before: Any
    """As accepted; the size alone of a large value."""
    after: Any
    """In the current document."""


class EndedSession(ApiObject):
    """A session that ended."""

    id: str
    """The session that ended."""
    deleted: Literal[True]
    """Always true."""
    end_session_url: str | None
    """URL that also ends the session at the OpenID Connect provider; null if there is none."""


class FileWrittenEvent(ApiObject):
    """An agent wrote a file."""

    id: str
    """Event id."""
    type: Literal["file.written"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: FileWrittenEventData
    """The details."""


class FileWrittenEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    file_id: str
    """The file."""
    name: str
    """Its name."""
    bytes: int
    """Its size."""
    call_id: str
    """The tool call."""


class FineTune(ApiObject):
    """A training job at a provider."""

    id: str
    """Fine-tune id."""
    name: str
    """Display name."""
    provider: str
    """Who trains."""
    provider_label: str
    """Its display name."""
    base_model: str
    """Id of the model to tune."""
    base_model_label: str
    """Its display name."""
    status: Literal["queued", "validating", "running", "succeeded", "failed", "cancelled"]
    """`succeeded`, `failed`, `cancelled` are final."""
    source: Literal["upload", "runs"]
    """Where the examples come from."""
    example_count: int
    """Number of examples."""
    training_bytes: int
    """Size of the training set as sent."""
    hyperparameters: Hyperparameters
    fine_tuned_model: str | None
    """Model id for workflows and agents; null until succeeded."""
    trained_tokens: int | None
    """Tokens trained; null until known."""
    inference_rate: FineTuneInferenceRate | None
    """US dollars per 1,000,000 tokens of the tuned model; null if unknown."""
    error: str | None
    """Why it failed; null unless failed."""
    created_at: str
    """When the job was created."""
    suffix: str | None
    """1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id"""
    provider_status: str | None
    """The provider's own name for the status."""
    source_workflow_id: str | None
    """Workflow whose runs are the examples."""
    source_role: str | None
    """The role whose steps are used."""
    provider_job_id: str | None
    """The provider's id of the job."""
    cost_usd: float | None
    """Cost in US dollars; omitted if the rate is unknown."""
    training_rate: float | None
    """US dollars per 1,000,000 trained tokens, if known."""
    started_at: str | None
    """When training began."""
    finished_at: str | None
    """When the job ended."""
    last_synced_at: str | None
    """When the provider last reported its status."""


class FineTuneEvent(ApiObject):
    """An entry of the provider's log."""

    at: str
    """When it happened."""
    level: str
    """`info`, `warn` or `error`."""
    message: str
    """The provider's message."""


class FineTuneInferenceRate(ApiObject):
    """US dollars per 1,000,000 tokens of the tuned model; null if unknown."""

    in_: float
    """Input tokens."""
    out: float
    """Output tokens."""


class FineTunePreview(ApiObject):
    """The examples that would be used for training."""

    example_count: int
    """Usable lines."""
    token_count: int
    """Tokens of one pass; an estimate unless the tokenizer is OpenAI's."""
    training_bytes: int
    """Size of the training set as it would be sent."""
    estimated_cost_usd: float | None
    """Estimate in US dollars; null if the rate is unknown."""
    examples: List[FineTunePreviewExamples]
    """The first three examples."""
    problems: List[FineTunePreviewProblems]
    """The first ten problems; with any of them, creating the fine-tune is refused."""


class FineTunePreviewExamples(ApiObject):
    """One example."""

    messages: List[FineTunePreviewExamplesMessages]
    """The conversation."""


class FineTunePreviewExamplesMessages(ApiObject):
    """One message."""

    role: str
    """Who the message is from."""
    content: str | None
    """Content of the message."""


class FineTunePreviewProblems(ApiObject):
    """One problem."""

    line: int | None
    """Line number from 1; null for the whole set."""
    message: str
    """The problem."""


class Firing(ApiObject):
    """One firing of a schedule, with its outcome."""

    id: str
    """Firing id."""
    kind: Literal["scheduled", "manual", "backfill"]
    """Whether it was due, requested by a person, or part of a backfill."""
    due_at: str
    """When it was due; for a manual one, the time of the request."""
    missed_until: str | None
    """Set if too many were missed to list each: all firings up to this time were missed too."""
    status: Literal["due", "fired", "skipped", "missed"]
    """`due`: starting, or waiting, see `why`. `fired`: it started a run. `skipped` and `missed`: it started none."""
    why: str | None
    """Why there is no run, or not yet."""
    run_id: str | None
    """The run; null if there is none."""
    run_status: Literal["queued", "running", "waiting_input", "completed", "failed"] | None
    """Status of the run; null if there is none."""
    run_has_warnings: bool
    """Whether the run has warnings, such as an action that failed."""
    settled_at: str | None
    """When its outcome was decided, with or without a run."""


class ForkPreview(ApiObject):
    """A preview of a fork."""

    reused_steps: int
    """Steps that are copied, at no cost."""
    executed_steps: List[str]
    """Roles of the steps to execute, in order."""
    workflow_version: int | None
    """Version to execute; null if unknown."""
    actions: List[ForkPreviewActions]
    """Actions on other systems that the run performed, or may have performed, in the steps that the fork executes again: its agents may request them again. Up to 100."""


class ForkPreviewActions(ApiObject):
    """An action."""

    id: str
    """Tool call id, in the run that made it."""
    step_order: int
    """Its step, from 0."""
    role: str
    """Role of the step."""
    tool: str
    """The action."""
    input: Any
    """Its arguments."""
    status: Literal["proposed", "approved", "rejected", "executing", "succeeded", "failed", "unknown"]
    """Its outcome."""
    outcome: Literal["asks_again", "done_again", "refused"]
    """What happens if an agent of the fork requests it again."""


class Grant(ApiObject):
    """A program that acts for a person over MCP."""

    id: str
    """Grant id."""
    client: GrantClient
    """The program."""
    scopes: List[Literal["run", "read", "answer"]]
    """Scopes that the person allowed; their role may allow less."""
    created_at: str
    """When the person allowed it."""
    last_used_at: str | None
    """When the program last used it, to the minute."""
    expires_at: str
    """When it ends: 30 days after the program last renewed its access, 90 days after the consent at the latest."""


class GrantClient(ApiObject):
    """The program."""

    name: str
    """What the program calls itself; its host if it has no name."""
    host: str
    """Host of the program's metadata document or, if it registered itself, of the address to which its code is sent."""


class GrantRequest(ApiObject):
    """A program's request for access, as the consent page shows it."""

    client: GrantRequestClient
    """The program that asks."""
    redirect_host: str
    """Host to which the browser goes on."""
    is_local: bool
    """Whether the browser goes on to a program on the person's own computer."""
    scopes: List[Literal["run", "read", "answer"]]
    """Scopes that the person allowed; their role may allow less."""
    expires_at: str
    """When the request expires."""
    denial_url: str
    """Address to go on to if the person denies."""


class GrantRequestClient(ApiObject):
    """The program that asks."""

    id: str
    """The program's id: an address, or the id of its registration."""
    name: str
    """What the program calls itself; its host if it has no name."""
    host: str
    """Host of the program's metadata document or, if it registered itself, of the address to which its code is sent."""
    kind: Literal["document", "registered"]
    """`document`: the host vouches for the name. `registered`: the program registered itself, and nobody checked its name."""


class Hook(ApiObject):
    """A URL to which another service sends events that start runs."""

    id: str
    """Hook id."""
    name: str
    """Display name."""
    workflow_id: str
    """The workflow to run."""
    version: int | None
    """Its version; null for the live one."""
    scheme: Literal["standard_webhooks", "github", "stripe", "slack", "hmac_sha256", "none"]
    """How senders sign requests: like Standard Webhooks, GitHub, Stripe or Slack, with an HMAC-SHA256 of the body, or not at all. With `none`, anyone who knows the URL can send."""
    signature_header: str | None
    """Header of the signature; null for the default."""
    event_id_header: str | None
    """Header of the event id; null for none."""
    tolerance_seconds: int
    """Maximum age of a signature in seconds."""
    dedupe: Literal["event", "none"]
    """Whether the same event within 72 hours starts one run (`event`) or each request one."""
    filter: str | None
    """CEL condition; null for all events."""
    input: str | None
    """Template of each run's input."""
    data: dict[str, Any] | None
    """Data of each run, with templates."""
    files: List[str]
    """Templates of each run's files."""
    tags: dict[str, str]
    """Templates of each run's tags."""
    status: Literal["active", "paused"]
    """A paused hook answers 202 and stores nothing."""
    previous_secret_expires_at: str | None
    """Until when the previous secret is also accepted; null without one."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    url: str | None
    """URL to send events to; null for a viewer or approver, because with the scheme `none` the URL is enough to send."""
    has_secret: bool
    """Whether there is a secret; without one, all requests are refused."""
    last_delivery: HookDelivery | None
    """The newest delivery; null before the first."""


class HookDelivery(ApiObject):
    """One event that was sent to a hook, with its outcome."""

    id: str
    """Delivery id."""
    hook_id: str
    """The hook."""
    event_id: str | None
    """The sender's event id; null if it has none."""
    event_type: str | None
    """Type of the event, such as `issues`; null if it has none."""
    status: Literal["pending", "started", "filtered", "failed", "answered", "refused"]
    """`pending`: being routed, or waiting, see `why`. `started`: it started a run. `filtered`: it did not pass the filter. `failed`: it started no run, see `why`. `answered`: it only verified the URL. `refused`: its signature was missing or wrong."""
    why: str | None
    """Why there is no run, or not yet."""
    run_id: str | None
    """The run; null if there is none."""
    run_status: Literal["queued", "running", "waiting_input", "completed", "failed"] | None
    """Status of the run; null if there is none."""
    run_has_warnings: bool
    """Whether the run has warnings, such as an action that failed."""
    settled_at: str | None
    """When its outcome was decided, with or without a run."""
    repeats: int
    """How often the same event was repeated within 72 hours."""
    content_type: str
    """Media type given by the sender; may be empty."""
    bytes: int
    """Size of the body; 0 for one that was refused."""
    received_at: str
    """When it was received."""


class HookDeliveryWithBody(ApiObject):
    """A delivery with its headers and body."""

    id: str
    """Delivery id."""
    hook_id: str
    """The hook."""
    event_id: str | None
    """The sender's event id; null if it has none."""
    event_type: str | None
    """Type of the event, such as `issues`; null if it has none."""
    status: Literal["pending", "started", "filtered", "failed", "answered", "refused"]
    """`pending`: being routed, or waiting, see `why`. `started`: it started a run. `filtered`: it did not pass the filter. `failed`: it started no run, see `why`. `answered`: it only verified the URL. `refused`: its signature was missing or wrong."""
    why: str | None
    """Why there is no run, or not yet."""
    run_id: str | None
    """The run; null if there is none."""
    run_status: Literal["queued", "running", "waiting_input", "completed", "failed"] | None
    """Status of the run; null if there is none."""
    run_has_warnings: bool
    """Whether the run has warnings, such as an action that failed."""
    settled_at: str | None
    """When its outcome was decided, with or without a run."""
    repeats: int
    """How often the same event was repeated within 72 hours."""
    content_type: str
    """Media type given by the sender; may be empty."""
    bytes: int
    """Size of the body; 0 for one that was refused."""
    received_at: str
    """When it was received."""
    headers: dict[str, str]
    """Headers, without signatures and credentials."""
    body: str
    """The body as text; empty for one that was refused."""


class HookPreview(ApiObject):
    """The result of a filter and templates for an event."""

    passes: bool | None
    """Whether the event passes the filter; null if the filter fails."""
    run: dict[str, Any] | None
    """The input of the run, as the body of a trigger. Null if a template fails."""
    problems: List[HookPreviewProblems]
    """Why the delivery would fail."""
    values: dict[str, Any]
    """The values available to filter and templates: `body`, `headers`, `event`, `hook`."""


class HookPreviewProblems(ApiObject):
    """A problem."""

    field: str
    """Invalid field, such as `filter`."""
    why: str
    """The problem and its position."""


class HookWithSecret(ApiObject):
    """A hook with its generated secret."""

    id: str
    """Hook id."""
    name: str
    """Display name."""
    workflow_id: str
    """The workflow to run."""
    version: int | None
    """Its version; null for the live one."""
    scheme: Literal["standard_webhooks", "github", "stripe", "slack", "hmac_sha256", "none"]
    """How senders sign requests: like Standard Webhooks, GitHub, Stripe or Slack, with an HMAC-SHA256 of the body, or not at all. With `none`, anyone who knows the URL can send."""
    signature_header: str | None
    """Header of the signature; null for the default."""
    event_id_header: str | None
    """Header of the event id; null for none."""
    tolerance_seconds: int
    """Maximum age of a signature in seconds."""
    dedupe: Literal["event", "none"]
    """Whether the same event within 72 hours starts one run (`event`) or each request one."""
    filter: str | None
    """CEL condition; null for all events."""
    input: str | None
    """Template of each run's input."""
    data: dict[str, Any] | None
    """Data of each run, with templates."""
    files: List[str]
    """Templates of each run's files."""
    tags: dict[str, str]
    """Templates of each run's tags."""
    status: Literal["active", "paused"]
    """A paused hook answers 202 and stores nothing."""
    previous_secret_expires_at: str | None
    """Until when the previous secret is also accepted; null without one."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    url: str | None
    """URL to send events to; null for a viewer or approver, because with the scheme `none` the URL is enough to send."""
    has_secret: bool
    """Whether there is a secret; without one, all requests are refused."""
    last_delivery: HookDelivery | None
    """The newest delivery; null before the first."""
    secret: str | None
    """The generated secret, shown only once; null if you gave it or there is none."""


class HumanInTheLoop(ApiObject):
    """When runs of a workflow wait for people."""

    enabled: bool
    """Whether runs may pause for a human."""
    allow_input: bool
    """Whether agents may ask questions."""
    approvals: Literal["sensitive", "all", "never"]
    """Which actions wait for approval: sensitive ones, all, or none."""
    timeout_seconds: int | None
    """How long one pause may last, in seconds; null means no limit."""
    on_timeout: Literal["fail", "reject"]
    """What happens on a timeout: the run fails, or continues as if the action was rejected."""
    approvers: HumanInTheLoopApprovers
    """Who may answer: each of the users, and everyone with one of the roles."""
    required_approvals: int
    """How many different people have to approve an action. Above 1, keys do not count."""
    remind_after_minutes: int | None
    """Channels send one reminder of a request that waits this long. null means never."""
    escalate_after_minutes: int | None
    """A request that waits this long is escalated once, to `escalate_to`. It keeps waiting. null means never."""
    escalate_to: HumanInTheLoopEscalateTo
    """Who gets an email when a request escalates. `approvers` decides who may answer."""


class HumanInTheLoopApprovers(ApiObject):
    """Who may answer: each of the users, and everyone with one of the roles."""

    users: List[str]
    """People of the account, by id."""
    roles: List[Literal["approver", "member", "admin"]]
    """Roles, of people and keys."""


class HumanInTheLoopEscalateTo(ApiObject):
    """Who gets an email when a request escalates. `approvers` decides who may answer."""

    users: List[str]
    """People of the account, by id."""
    roles: List[Literal["approver", "member", "admin"]]
    """Roles, of people and keys."""


class Hyperparameters(ApiObject):
    """Omitted fields have the provider's defaults."""

    epochs: int | None
    """Passes over the data; OpenAI."""
    training_steps: int | None
    """Training steps; Mistral."""
    learning_rate: float | None
    """Learning rate; Mistral."""


class Invitation(ApiObject):
    """An invitation without its link."""

    id: str
    """Invitation id."""
    email: str
    """Email address; compared without case."""
    role: Literal["viewer", "approver", "member", "admin"]
    """The person's role in the account."""
    invited_by: str | None
    """User or key that invited; null for an operator."""
    created_at: str
    """When it was created."""
    expires_at: str
    """When its link expires."""
    accepted_at: str | None
    """When it was accepted; null if it is open."""


class Limits(ApiObject):
    """A run that exceeds a limit fails with `budget_exceeded`, or with `step_failed` for `max_outage_seconds`."""

    max_turns_per_step: int
    """Maximum model turns of one step."""
    max_run_seconds: int
    """Maximum run time in seconds; waiting for a human or a worker does not count."""
    max_outage_seconds: int
    """How long a run is held during a provider outage before it fails; this time counts towards no other limit."""
    max_cost_usd: float | None
    """Maximum cost of one run in US dollars; null means no limit."""
    on_cost: Literal["fail", "ask"]
    """`fail`: a run that exceeds `max_cost_usd` fails. `ask`: it pauses before the call that would exceed it, and a person may allow a higher cost."""


class ListedOperation(ApiObject):
    """An operation of an OpenAPI document."""

    name: str
    """Its `operationId`, else `METHOD /path`."""
    action: str
    """Capability of agents if it is picked."""
    method: str
    """Method of the request."""
    path: str
    """Path below `base_url`."""
    description: str
    """The beginning of its description."""
    picked: bool
    """Whether it was picked."""
    available: bool
    """Whether agents can be offered it."""
    reason: str | None
    """Why it cannot be offered."""
    safe: bool
    """Whether it needs no approval."""


class Mailbox(ApiObject):
    """An IMAP folder whose new messages start runs."""

    id: str
    """Mailbox id."""
    name: str
    """Display name, not blank."""
    host: str
    """Name or address of the IMAP server."""
    port: int
    """993 with implicit TLS, 143 with STARTTLS; others only in allowed networks."""
    secure: Literal["tls", "starttls", "none"]
    """`tls`: TLS from the start, the default on port 993. `starttls`: the default on other ports; without it nothing is sent. `none`: the password is sent unencrypted, only in allowed networks."""
    username: str
    """User name, usually the email address."""
    folder: str
    """Folder to read; INBOX by default."""
    workflow_id: str
    """Workflow to run for each message."""
    senders: List[str] | None
    """Only messages from these senders; null means all."""
    require_authenticated: bool
    """Only messages whose sender the mail server has authenticated (`dmarc=pass` in `Authentication-Results`); false by default."""
    authserv_id: str | None
    """The name in `Authentication-Results` of the mail server that receives your email, such as mx.example.com. Results of others do not count. Null means the topmost result."""
    subject_contains: str | None
    """Only messages whose subject contains this text, ignoring case; null means all."""
    poll_seconds: int
    """How often the folder is read; 60 by default."""
    active: bool
    """An inactive mailbox is not read."""
    state: Literal["saved", "working", "failing"]
    """Result of the last test or use; `saved` before the first."""
    checked_at: str | None
    """When it was last tested or used."""
    failing_since: str | None
    """Since when it is failing; null if it is not."""
    message: str | None
    """A description of the result."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class MailboxMessage(ApiObject):
    """A message with its outcome."""

    id: str
    """Id here."""
    mailbox_id: str
    """The mailbox."""
    message_id: str
    """Its Message-ID, or a hash if it has none."""
    sender: str
    """Address of the sender."""
    subject: str
    """Subject, up to 300 characters."""
    status: Literal["pending", "started", "ignored", "failed"]
    """`pending`: its run has not started yet, see `why`, such as a paused workflow. `started`: it started `run_id`. `ignored`: it starts no run, see `why`. `failed`: the run was refused."""
    why: str | None
    """Why it started no run; null if it did."""
    run_id: str | None
    """The run; null if there is none."""
    run_status: Literal["queued", "running", "waiting_input", "completed", "failed"] | None
    """Status of the run; null if there is none."""
    run_has_warnings: bool
    """Whether the run has warnings, such as an action that failed."""
    received_at: str | None
    """When the server received it."""
    created_at: str
    """When Muster saw it."""


class MailboxTest(ApiObject):
    """Whether the server accepted the login and has the folder."""

    ok: bool
    """Whether it works."""
    message: str
    """A description of the result."""


class Me(ApiObject):
    """The person who is signed in."""

    id: str
    """User id."""
    email: str
    """Email address; compared without case."""
    name: str
    """Name shown to others, not blank."""
    has_password: bool
    """Whether the user has a password; false for people who only sign in through a provider."""
    session_id: str
    """The session of this request."""
    account: MeAccount
    """The account that the session acts in."""
    role: Literal["viewer", "approver", "member", "admin"]
    """The person's role in the account."""
    accounts: List[MeAccounts]
    """All accounts that the user belongs to."""


class MeAccount(ApiObject):
    """The account that the session acts in."""

    id: str
    """Account id."""
    name: str
    """Its name."""


class MeAccounts(ApiObject):
    """Part of an answer."""

    id: str
    """Account id."""
    name: str
    """Its name."""
    role: Literal["viewer", "approver", "member", "admin"]
    """The person's role in the account."""


class MemoryEntry(ApiObject):
    """A memory entry of an agent or of a workflow's role."""

    id: str
    """Memory entry id."""
    agent_id: str | None
    """The agent; null for a role of a workflow."""
    workflow_id: str | None
    """The workflow; null for an agent."""
    role: str | None
    """The role in the workflow; null for an agent."""
    content: str
    """Visible text; invisible characters are removed before counting."""
    pinned: bool
    """Whether it is always shown, and never replaced by newer entries."""
    source: Literal["user", "agent"]
    """Who wrote it."""
    run_id: str | None
    """The run in which an agent wrote it; null if a person did."""
    created_at: str
    """When it was written."""
    updated_at: str
    """When it was last changed."""
    last_used_at: str | None
    """When it was last shown to a step, to the minute."""


class MemoryEvictedEvent(ApiObject):
    """A new memory entry replaced the oldest unpinned one."""

    id: str
    """Event id."""
    type: Literal["memory.evicted"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: MemoryEvictedEventData
    """The details."""


class MemoryEvictedEventData(ApiObject):
    """The details."""

    entry_id: str
    """The entry that was replaced."""
    made_room_for: str
    """The new entry."""


class MessageChanged(ApiObject):
    """A message has another status; with its answer, once it is answered."""

    type: Literal["message.changed"]
    """A message changed its status."""
    thread_turn: int
    """Its turn."""
    message_id: str
    """The message."""
    message: ThreadMessage
    answer: ThreadMessage | None


class Model(ApiObject):
    """A language model."""

    id: str
    """Value for `model` of a workflow or crew entry."""
    provider: str
    """Its provider."""
    label: str
    """Display name."""
    context_window: int | None
    """Maximum tokens of prompt and answer; null if unknown."""
    price_in: float | None
    """US dollars per 1,000,000 input tokens; null if unknown."""
    price_out: float | None
    """US dollars per 1,000,000 output tokens; null if unknown."""
    price_cached: float | None
    """US dollars per 1,000,000 input tokens read from the provider's cache; if null, they count as other input."""
    price_cache_write: float | None
    """US dollars per 1,000,000 input tokens written to the provider's cache; if null, they count as other input."""
    long_prompt: ModelLongPrompt | None
    """Surcharge on all prices of a call with a long prompt; null if none is known."""
    shutdown_date: str | None
    """The day on which the provider shuts it down, or the earliest one announced; null if unknown."""
    source: ModelSource | None
    """Source of the prices; null if they come from the deployment or a fine-tune."""
    structured_output: bool
    """Whether its provider enforces `output_schema`. Other models get the schema as text; answers are checked in every case."""
    input_types: List[str]
    """Media types of files that it accepts. Of other files it gets the text, or reads them with tools."""
    available: bool
    """Whether it can run on this deployment."""
    default: bool
    """Whether it is the current default model."""
    kind: Literal["catalog", "fine_tuned"]
    """Its origin."""


class ModelLongPrompt(ApiObject):
    """Surcharge on all prices of a call with a long prompt; null if none is known."""

    over: int
    """Input tokens."""
    in_: float
    """Factor for input prices."""
    out: float
    """Factor for the output price."""


class ModelProvider(ApiObject):
    """A provider that runs models."""

    id: str
    """Provider id."""
    label: str
    """Display name."""
    kind: Literal["builtin", "compatible"]
    """Built in, or a server with OpenAI's API."""
    available: bool
    """Whether its models are available to this account."""
    source: Literal["account", "server"] | None
    """Whose key or server is used; null if there is none."""
    stored: bool
    """Whether the account has set it up. If not, there is nothing to test or remove."""
    has_key: bool
    """Whether the account has stored a key."""
    base_url: str | None
    """Address set by the account; null otherwise."""
    timeout_seconds: float | None
    """How long the provider may stay silent, in seconds; null for the default."""
    models: List[OwnModel]
    """Models of the account's own server."""
    state: Literal["saved", "working", "failing"] | None
    """Result of the last test or use; `saved` before the first, null if nothing is stored."""
    checked_at: str | None
    """When it was last tested or used."""
    failing_since: str | None
    """Since when it is failing; null if it is not."""
    message: str | None
    """A description of the result."""


class ModelProviderTest(ApiObject):
    """The result of a test."""

    ok: bool
    """Whether it works."""
    message: str
    """A description of the result."""


class ModelSource(ApiObject):
    """Source of the prices; null if they come from the deployment or a fine-tune."""

    url: str
    """The provider's pricing page."""
    date: str
    """When the prices were checked."""
    ends: str | None
    """The provider's page of shutdown dates."""
    inputs: str | None
    """The provider's page of supported inputs."""
    note: str | None
    """Caveats: what could not be checked or will change."""


class Notification(ApiObject):
    """A message to one recipient of a channel."""

    id: str
    """Notification id."""
    channel_id: str
    """The channel it is sent through."""
    kind: Literal["case", "reminder", "escalation", "assignment", "alert"]
    """Its subject."""
    run_id: str | None
    """The run it is about; null if none."""
    pending_id: str | None
    """The request it is about; null for an alert."""
    recipient: str
    """Email address or Slack channel."""
    status: Literal["pending", "sent", "failed", "dropped"]
    """`pending`: not sent yet. `dropped`: the request was answered before sending. `failed`: every try failed."""
    tries: int
    """Tries that failed."""
    error: str | None
    """Why the last try failed; null if none did."""
    next_attempt_at: str | None
    """When it is tried next; null if there is nothing to send."""
    sent_at: str | None
    """When the mail server or Slack accepted it."""
    created_at: str
    """When it was written."""


class OperatedAccount(ApiObject):
    """An account as the operator of the service sees it."""

    id: str
    """Account id."""
    name: str
    """Account name."""
    created_at: str
    """When the account was created."""
    status: Literal["active", "suspended", "deleting"]
    """`suspended`: keys get 403, runs and webhooks are held. `deleting`: see DELETE."""
    suspended_at: str | None
    """When it was suspended; null if it is not."""
    suspension_reason: str | None
    """Why, for operators."""
    deleted_at: str | None
    """When its deletion was requested."""
    max_runs_a_day: int | None
    """Maximum runs triggered or retried per day (UTC). null means no limit."""
    max_mails_a_day: int | None
    """Maximum emails that agents may send per day (UTC). The stricter of this and the policy applies. null means no limit."""
    max_cost_usd_a_day: float | None
    """Maximum cost of model calls per day (UTC), in USD. null means no limit."""
    max_cost_usd_a_month: float | None
    """Maximum cost of model calls per month (UTC), in USD. null means no limit."""
    max_stored_bytes: int | None
    """Maximum bytes stored before runs and uploads are refused. Measured every ten minutes, and every minute above half of it. null means no limit."""
    max_file_bytes: int | None
    """Maximum total size of its files in bytes. null uses the service's default."""


class OperatorEntry(ApiObject):
    """An operator's action on an account. The entry outlives the account."""

    id: str
    """Entry id."""
    created_at: str
    """When it was done."""
    action: str
    """What was done, such as `account.suspended`."""
    object_id: str
    """Account id."""
    before: dict[str, Any] | None
    """The changed fields before."""
    after: dict[str, Any] | None
    """The same fields after."""
    address: str | None
    """Network address of the caller; null for the command line."""
    request_id: str | None
    """`X-Request-Id` of the request."""


class OtherTool(ApiObject):
    """A tool of an MCP server that is not offered to agents."""

    name: str
    """Name of the tool."""
    description: str
    """The beginning of its description."""


class OwnModel(ApiObject):
    """A model of an account's own server."""

    id: str
    """The server's own id, visible ASCII characters."""
    label: str | None
    """Display name; the id by default."""
    context_window: int | None
    """Maximum tokens of prompt and answer."""
    price_in: float | None
    """US dollars per 1,000,000 input tokens; unknown and counted as 0 if omitted."""
    price_out: float | None
    """US dollars per 1,000,000 output tokens; unknown and counted as 0 if omitted."""
    structured_output: bool | None
    """Whether the server accepts a JSON Schema as `response_format`."""
    input_types: List[Literal["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"]] | None
    """File types that the model accepts."""


class PendingCall(ApiObject):
    """One of several calls of a turn that wait for a human."""

    id: str
    """Id of the request; send it as `pending_id` of a decision."""
    kind: Literal["input", "approval"]
    """`input`: a question. `approval`: an action that needs approval."""
    prompt: str
    """The question, or a short summary of the action."""
    call_id: str
    """The tool call of the request."""
    tool: str | None
    """Approvals only: the action."""
    tool_input: dict[str, Any] | None
    """Approvals only: the exact arguments."""
    tool_version: str | None
    """Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested."""
    tool_changed: PendingCallToolChanged | None
    """Set if the action or its connection changed after the agent asked."""
    approvals: PendingCallApprovals | None
    """Approvals only: the approvals so far."""


class PendingCallApprovals(ApiObject):
    """Approvals only: the approvals so far."""

    required: int
    """How many different people have to approve."""
    given: int
    """How many have approved."""
    by: List[Approval]
    """Who has approved."""


class PendingCallToolChanged(ApiObject):
    """Set if the action or its connection changed after the agent asked."""

    description: str
    """Its current description."""
    input_schema: dict[str, Any] | None
    """Its arguments' current JSON Schema; null if it is over 8 KB."""


class PendingChanged(ApiObject):
    """A run started or stopped waiting for a person."""

    type: Literal["pending.changed"]
    """A run's waiting request changed."""
    run_id: str
    """The run."""
    pending_id: str | None
    """The waiting request; null if there is none."""


class Policies(ApiObject):
    """Settings that apply to all workflows of the account."""

    approvals_floor: Literal["none", "sensitive", "all"]
    """The minimum that needs approval, whatever a workflow says. The stricter of the two applies."""
    four_eyes: bool
    """The user or key that triggered a run may not approve its actions, nor may who is behind the schedule, hook, mailbox or batch that did."""
    require_pending_id: bool
    """An answer to a run must name its request in `pending_id`."""
    web_fetch_hosts: List[str] | None
    """Hosts that `web.fetch` may reach without approval, in lower case: `docs.example.com`, or `*.example.com` for all names below. An empty list means none. null means any host; an address that only an agent wrote then waits for approval once its run has read private data."""
    sensitive_actions: List[str]
    """Actions that are sensitive whatever their connector says."""
    rules: List[Rule]
    """Rules about agents' calls, in order: the first match decides instead of the workflow's `approvals`. `approvals_floor` cannot be lowered."""
    mails_a_day: int | None
    """Maximum emails that agents may send per day (UTC); null sets no limit."""
    updated_at: str | None
    """When they were last changed; null if never."""


class RequestedCall(ApiObject):
    """A call of a caller's tool."""

    id: str
    """Tool call id."""
    run_id: str
    """The run."""
    workflow_id: str
    """Its workflow."""
    step_order: int
    """Position of the step, from 0."""
    agent_id: str | None
    """The standing agent that asks; null for a plain entry."""
    name: str
    """Name of the tool, without `app.`."""
    input: dict[str, Any]
    """The arguments, which fit the tool's `input_schema`."""
    try_: int
    """How often the call was given to a worker."""
    requested_at: str
    """When it was requested."""
    expires_at: str
    """When the time for a result is over."""
    sensitive: bool
    """Whether it may have an effect, and is therefore never repeated by itself."""
    status: Literal["requested", "claimed", "succeeded", "failed", "unknown", "cancelled"]
    """`requested`: open to claims. `claimed`: a worker has it. `unknown`: it may have been done; a person decides whether to repeat it. `cancelled`: its run ended before. The others are final."""
    lease_expires_at: str | None
    """When the claim ends; null unless claimed."""
    claimed_by: RequestedCallClaimedBy | None
    """Who claimed it last; null if no one did."""
    claimed_at: str | None
    """When it was claimed last; null if it was not."""
    output: Any
    """The reported output; of one over 64 KB, which is a file of the run, the first 64 KB as text. Null before."""
    error: str | None
    """The reported error; null if there is none."""
    finished_at: str | None
    """When the outcome was known; null before."""


class RequestedCallClaimedBy(ApiObject):
    """Who claimed it last; null if no one did."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class ResetRequested(ApiObject):
    """The same whether or not the address has a user."""

    requested: Literal[True]
    """Always true."""


class RespondedRun(ApiObject):
    """The result of an answer."""

    id: str
    """Run id."""
    status: Literal["running", "waiting_input", "failed"]
    """`running`: it continues, and waits again if other calls are left. `waiting_input`: others have to approve too. `failed`: it ended because a pending budget was rejected."""
    approvals: RespondedRunApprovals | None
    """Set if others have to approve too."""
    decisions: List[RespondedRunDecisions] | None
    """After `decisions`: the result of each, in order."""


class RespondedRunApprovals(ApiObject):
    """Set if others have to approve too."""

    given: int
    """How many people have approved."""
    required: int
    """How many have to approve."""


class RespondedRunDecisions(ApiObject):
    """Part of an answer."""

    call_id: str
    """The call."""
    decision: Literal["approved", "edited", "rejected", "answered", "expired", "refused"]
    """The decision."""
    approvals: RespondedRunDecisionsApprovals | None
    """Set if others have to approve too."""


class RespondedRunDecisionsApprovals(ApiObject):
    """Set if others have to approve too."""

    given: int
    """How many people have approved."""
    required: int
    """How many have to approve."""


class Rule(ApiObject):
    """A rule about calls of agents."""

    action: str
    """An action such as `email.send`, all of a connector, `slack.*`, or all, `*`."""
    when: str | None
    """A CEL condition: `args.amount <= 100.0`. It sees `args`, `action`, `agent.id`, `agent.role`, `workflow.id`, `run.id` and `run.tags`. A call on which it fails is asked about. Null for every call."""
    decision: Literal["allow", "ask", "block"]
    """`allow` makes the call without asking, unless `approvals_floor` wants a person; `ask` asks a person; `block` refuses the call."""
    fixed: dict[str, Any] | None
    """Arguments that the rule sets, by name: `{"channel": "#ops"}`. Models are not shown them, and neither they nor an edit can set another value. They hold for every call of the action, whichever rule decides. With `fixed`, `when` may name `agent`, `workflow` and `run` alone. A call of an action without such an argument is asked about."""
    reason: str | None
    """Why, for people and agents."""
    expires_at: str | None
    """The rule counts until then; null for ever."""


class RuleChanged(ApiObject):
    """A rule of the account that was added or removed."""

    rule: Rule


class RuleProposal(ApiObject):
    """A rule that allows calls like one that waits, made of what recurs in past calls."""

    rule: Rule
    outcome: Literal["execute", "ask", "refuse"] | None
    """`execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, because a rule blocks it, or because it needs approval and the workflow's runs may not pause. Null without a workflow."""
    count: int
    """Number of earlier approvals that it would have made unnecessary; may be 0."""
    rejected_allowed: int
    """Calls that a person rejected or edited, but that it would have allowed."""
    decisions: List[RuleProposalDecisions]
    """These approvals, newest first."""


class RuleProposalDecisions(ApiObject):
    """An approval."""

    run_id: str
    """The run."""
    call_id: str
    """The call."""
    decided_at: str
    """When it was decided."""
    decided_by: str | None
    """API key or user that decided; null if the request expired."""
    decider: str | None
    """Their name at that time."""


class RuleSuggestion(ApiObject):
    """A rule that would allow calls that people approved many times in a row, with the evidence."""

    rule: Rule
    count: int
    """Number of decisions it is based on."""
    first_decided_at: str
    """When the first of them was made."""
    last_decided_at: str
    """When the last of them was made."""
    decisions: List[RuleSuggestionDecisions]
    """The approvals it is based on, newest first."""


class RuleSuggestionDecisions(ApiObject):
    """An approval."""

    run_id: str
    """The run."""
    call_id: str
    """The call."""
    decided_at: str
    """When it was decided."""
    decided_by: str | None
    """API key or user that decided; null if the request expired."""
    decider: str | None
    """Their name at that time."""


class RuleSuggestions(ApiObject):
    """Rules suggested by past decisions."""

    suggestions: List[RuleSuggestion]
    """One for each action."""


class RulesTested(ApiObject):
    """How rules decide about a call."""

    rule: DecidingRule | None
    """The rule that decides; null if none matches and the workflow decides."""
    args: dict[str, Any]
    """The arguments, including those set by rules."""
    outcome: Literal["execute", "ask", "refuse"] | None
    """`execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, because a rule blocks it, or because it needs approval and the workflow's runs may not pause. Null without a workflow."""


class RulesTried(ApiObject):
    """The results of rules for the last 100 decided calls of their actions."""

    allowed: int
    """Calls that would have been made without approval."""
    asked: int
    """Calls that would have needed approval."""
    blocked: int
    """Calls that would have been refused."""
    rejected_allowed: int
    """Calls that a person rejected or edited, but that would have been made."""
    decisions: List[RulesTriedDecisions]
    """All tested calls, newest first."""


class RulesTriedDecisions(ApiObject):
    """A past decision, and the result with the tested rules."""

    run_id: str
    """The run."""
    call_id: str
    """The call."""
    decided_at: str
    """When it was decided."""
    decided_by: str | None
    """API key or user that decided; null if the request expired."""
    decider: str | None
    """Their name at that time."""
    action: str
    """The action."""
    summary: str
    """A one-line summary of the call."""
    decision: Literal["approved", "edited", "rejected", "expired"]
    """The decision."""
    outcome: Literal["allow", "ask", "block"]
    """The result for the call with these rules and the `approvals_floor`."""
    rule: DecidingRule | None
    """The rule that decides; null if none matches and the workflow decides."""


class Run(ApiObject):
    """One execution of a workflow, without its steps."""

    id: str
    """Run id."""
    workflow_id: str
    """The workflow."""
    workflow_version: int | None
    """Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs older than versions."""
    status: Literal["queued", "running", "waiting_input", "completed", "failed"]
    """`completed` and `failed` are final."""
    input: str
    """The input text of the run."""
    data: dict[str, Any] | None
    """The input object of the run; null for none."""
    output: str | None
    """The last agent's output; null until completed."""
    output_json: dict[str, Any] | None
    """The output as an object, if the last agent has an `output_schema`; null otherwise."""
    error: str | None
    """Why the run failed, naming the step; null unless failed."""
    error_code: Literal["step_failed", "agent_paused", "wait_expired", "cancelled", "budget_exceeded", "internal", "output_invalid"] | None
    """Code of the failure; null unless failed."""
    total_steps: int
    """Finished steps, including a failed one."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    tokens_cached: int
    """Part of `tokens_in`: read from the provider's cache."""
    tokens_cache_written: int
    """Part of `tokens_in`: written to the provider's cache."""
    tokens_reasoning: int
    """Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it."""
    calls_without_usage: int
    """Model calls that may have cost something, but whose counts never arrived."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    retry_of: str | None
    """Run that this one retries."""
    forked_from: RunForkedFrom | None
    """The run that this one was forked from; null for others."""
    triggered_by: RunTriggeredBy | None
    """Who triggered or retried it; null if no one did."""
    thread_id: str | None
    """Thread of which it is a turn; null for none."""
    turn: int | None
    """Number of the turn in its thread, from 1; null for none."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    warnings: List[RunWarnings]
    """Warnings that did not make the run fail; usually empty. A completed run with warnings may not have done all that its agents requested."""
    pending: RunPending | None
    """The waiting request; null unless the status is `waiting_input`."""
    created_at: str
    """When the run was triggered."""
    started_at: str | None
    """When execution began; null while queued."""
    finished_at: str | None
    """When the run ended; null before."""


class RunApprovalGivenEvent(ApiObject):
    """A person approved, and others have to approve too."""

    id: str
    """Event id."""
    type: Literal["run.approval_given"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunApprovalGivenEventData
    """The details."""


class RunApprovalGivenEventData(ApiObject):
    """The details."""

    pending_id: str
    """Id of the request."""
    call_id: str | None
    """The tool call; absent for a request of the kind `budget`."""
    decision: Literal["approved", "edited", "rejected", "answered", "expired", "refused", "withdrawn"]
    """The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown."""
    reason: str | None
    """The reason, if given."""
    given: int | None
    """Approvals so far; only if others have to approve too."""
    required: int | None
    """Approvals required."""
    decided_by: str | None
    """The key or user that decided; null if the request expired."""
    decisions: List[RunApprovalGivenEventDataDecisions] | None
    """All decisions, if several requests were decided together."""


class RunApprovalGivenEventDataDecisions(ApiObject):
    """One decision."""

    pending_id: str
    """Id of the request."""
    call_id: str | None
    """The tool call; absent for a request of the kind `budget`."""
    decision: Literal["approved", "edited", "rejected", "answered", "expired", "refused", "withdrawn"]
    """The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown."""
    reason: str | None
    """The reason, if given."""
    given: int | None
    """Approvals so far."""
    required: int | None
    """Approvals required."""
    decided_by: str | None
    """Null if the request expired."""


class RunChanged(ApiObject):
    """A run began, changed or ended."""

    type: Literal["run.changed"]
    """A run changed."""
    run_id: str
    """The run."""
    status: Literal["queued", "running", "waiting_input", "completed", "failed"]
    """Its current status."""
    sequence: int
    """Number of its newest event."""


class RunComparison(ApiObject):
    """Two runs side by side."""

    before: ComparedRun
    after: ComparedRun
    input: List[RunComparisonInput] | None
    """Differences of their inputs, word by word; null if they are equal."""
    output: List[RunComparisonOutput] | None
    """Differences of their outputs; null if they are equal."""
    steps: List[RunComparisonSteps]
    """The steps of both runs, in order."""


class RunComparisonInput(ApiObject):
    """A part of a text."""

    kind: Literal["same", "removed", "added"]
    """Whether the text is in both, or only before or after."""
    text: str
    """A part of the text."""


class RunComparisonOutput(ApiObject):
    """A part of a text."""

    kind: Literal["same", "removed", "added"]
    """Whether the text is in both, or only before or after."""
    text: str
    """A part of the text."""


class RunComparisonSteps(ApiObject):
    """A step of both runs."""

    order: int
    """Position of the step, from 0."""
    before: RunComparisonStepsBefore | None
    """The step of the first run; null if it has none."""
    after: RunComparisonStepsAfter | None
    """The step of the other run; null if it has none."""
    output: List[RunComparisonStepsOutput] | None
    """Differences of the step's outputs; null if they are equal."""


class RunComparisonStepsAfter(ApiObject):
    """The step of the other run; null if it has none."""

    role: str
    """Role of the agent."""
    model: str
    """The model used."""
    agent_version: int | None
    """Version of the standing agent."""
    error: str | None
    """Why it failed; null otherwise."""
    reused_from: str | None
    """Run from which it was copied; null if it was executed."""
    output_given: bool
    """Whether its output was given with the fork."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    duration_ms: int | None
    """Null if it was not executed or has not ended."""
    tools: List[str]
    """Its calls, in order."""


class RunComparisonStepsBefore(ApiObject):
    """The step of the first run; null if it has none."""

    role: str
    """Role of the agent."""
    model: str
    """The model used."""
    agent_version: int | None
    """Version of the standing agent."""
    error: str | None
    """Why it failed; null otherwise."""
    reused_from: str | None
    """Run from which it was copied; null if it was executed."""
    output_given: bool
    """Whether its output was given with the fork."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    duration_ms: int | None
    """Null if it was not executed or has not ended."""
    tools: List[str]
    """Its calls, in order."""


class RunComparisonStepsOutput(ApiObject):
    """A part of a text."""

    kind: Literal["same", "removed", "added"]
    """Whether the text is in both, or only before or after."""
    text: str
    """A part of the text."""


class RunCompletedEvent(ApiObject):
    """A run completed. The last event of its log."""

    id: str
    """Event id."""
    type: Literal["run.completed"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunCompletedEventData
    """The details."""


class RunCompletedEventData(ApiObject):
    """The details."""



class RunCounts(ApiObject):
    """How many runs are in each status."""

    queued: RunCountsQueued
    """Queued runs."""
    running: RunCountsRunning
    """Running runs."""
    waiting_input: RunCountsWaitingInput
    """Runs that wait for a person."""
    completed: RunCountsCompleted
    """Completed runs, with or without warnings."""
    with_warnings: RunCountsWithWarnings
    """Of the completed runs, those with warnings."""
    failed: RunCountsFailed
    """Failed runs, without cancelled ones."""
    cancelled: RunCountsCancelled
    """Cancelled runs."""


class RunCountsCancelled(ApiObject):
    """Cancelled runs."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunCountsCompleted(ApiObject):
    """Completed runs, with or without warnings."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunCountsFailed(ApiObject):
    """Failed runs, without cancelled ones."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunCountsQueued(ApiObject):
    """Queued runs."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunCountsRunning(ApiObject):
    """Running runs."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunCountsWaitingInput(ApiObject):
    """Runs that wait for a person."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunCountsWithWarnings(ApiObject):
    """Of the completed runs, those with warnings."""

    count: int
    """How many there are, up to 1000."""
    more: bool
    """Whether there are more than 1000."""


class RunFailedEvent(ApiObject):
    """A run failed or was cancelled. The last event of its log."""

    id: str
    """Event id."""
    type: Literal["run.failed"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunFailedEventData
    """The details."""


class RunFailedEventData(ApiObject):
    """The details."""

    error: str
    """Why it failed."""
    error_code: Literal["step_failed", "agent_paused", "wait_expired", "cancelled", "budget_exceeded", "internal", "output_invalid"]
    """Code of the failure."""


class RunFile(ApiObject):
    """An input file of a run, or one that an agent wrote."""

    id: str
    """File id."""
    name: str
    """Its name."""
    media_type: str
    """Type of its content."""
    bytes: int
    """Size in bytes."""
    pages: int | None
    """Pages of a PDF; null otherwise."""
    text_status: Literal["complete", "cut", "none"] | None
    """Whether its text can be read, as in the file's `text_status`."""
    text_chars: int | None
    """Characters of its text; null for images."""
    deleted: bool
    """Whether the file is deleted; its metadata is then null."""


class RunForkedFrom(ApiObject):
    """The run that this one was forked from; null for others."""

    run_id: str
    """Run that this one continues."""
    step: int
    """The step at which it began, from 0."""


class RunPending(ApiObject):
    """The waiting request; null unless the status is `waiting_input`."""

    id: str
    """Id of the request; send it as `pending_id`."""
    kind: Literal["input", "approval", "budget"]
    """`input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`."""
    prompt: str
    """The question, or a short summary of the action or of the cost."""
    tool: str | None
    """Approvals only: the action."""
    tool_input: dict[str, Any] | None
    """Approvals only: the exact arguments."""
    tool_version: str | None
    """Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested."""
    tool_changed: RunPendingToolChanged | None
    """Set if the action or its connection changed after the agent asked."""
    approvals: RunPendingApprovals | None
    """Approvals only: the approvals so far."""
    step_order: int
    """Position of the step that asks."""
    role: str
    """Role of the agent that asks."""
    call_id: str | None
    """The tool call of the request; the kind `budget` has none."""
    cost: RunPendingCost | None
    """Kind `budget` only: the amounts."""
    approvers: RunPendingApprovers
    """Who may answer: each of the users, and everyone with one of the roles."""
    case_id: str | None
    """Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer."""
    calls: List[PendingCall] | None
    """Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`."""
    excluded: List[str] | None
    """Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks."""
    created_at: str
    """When the run began to wait."""
    expires_at: str | None
    """When the request expires; null means never."""


class RunPendingApprovals(ApiObject):
    """Approvals only: the approvals so far."""

    required: int
    """How many different people have to approve."""
    given: int
    """How many have approved."""
    by: List[Approval]
    """Who has approved."""


class RunPendingApprovers(ApiObject):
    """Who may answer: each of the users, and everyone with one of the roles."""

    users: List[str]
    """People of the account, by id."""
    roles: List[Literal["approver", "member", "admin"]]
    """Roles, of people and keys."""


class RunPendingCost(ApiObject):
    """Kind `budget` only: the amounts."""

    spent_usd: float
    """The amount spent by the run, or in the budget's window."""
    limit_usd: float
    """The limit: `limits.max_cost_usd`, or the budget's cap."""
    estimate_usd: float
    """Maximum cost of the next call: the whole prompt and the longest answer."""
    run_cost_usd: float
    """The cost of the run so far."""
    budget: RunPendingCostBudget | None
    """The budget that asks; absent if the run's own limit asks."""


class RunPendingCostBudget(ApiObject):
    """The budget that asks; absent if the run's own limit asks."""

    id: str
    """Budget id."""
    name: str
    """Its name."""
    window: str
    """`day`, `week` or `month`."""
    ends_at: str
    """When the next window begins."""


class RunPendingToolChanged(ApiObject):
    """Set if the action or its connection changed after the agent asked."""

    description: str
    """Its current description."""
    input_schema: dict[str, Any] | None
    """Its arguments' current JSON Schema; null if it is over 8 KB."""


class RunQueuedEvent(ApiObject):
    """A run was triggered."""

    id: str
    """Event id."""
    type: Literal["run.queued"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunQueuedEventData
    """The details."""


class RunQueuedEventData(ApiObject):
    """The details."""

    tags: dict[str, str] | None
    """Its labels from the trigger; a retry keeps them."""
    retry_of: str | None
    """The run that this one retries."""
    forked_from: str | None
    """The run that this one was forked from."""
    from_step: int | None
    """The step at which a fork begins."""


class RunResumedEvent(ApiObject):
    """A waiting run continues: its request was answered, withdrawn, or expired."""

    id: str
    """Event id."""
    type: Literal["run.resumed"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunResumedEventData
    """The details."""


class RunResumedEventData(ApiObject):
    """The details."""

    pending_id: str
    """Id of the request."""
    call_id: str | None
    """The tool call; absent for a request of the kind `budget`."""
    decision: Literal["approved", "edited", "rejected", "answered", "expired", "refused", "withdrawn"]
    """The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown."""
    reason: str | None
    """The reason, if given."""
    given: int | None
    """Approvals so far; only if others have to approve too."""
    required: int | None
    """Approvals required."""
    decided_by: str | None
    """The key or user that decided; null if the request expired."""
    decisions: List[RunResumedEventDataDecisions] | None
    """All decisions, if several requests were decided together."""
    decider: RunResumedEventDataDecider | None
    """Requests of the kind `budget`: who decided."""
    max_cost_usd: float | None
    """Requests of the kind `budget`: the new limit."""


class RunResumedEventDataDecider(ApiObject):
    """Requests of the kind `budget`: who decided."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class RunResumedEventDataDecisions(ApiObject):
    """One decision."""

    pending_id: str
    """Id of the request."""
    call_id: str | None
    """The tool call; absent for a request of the kind `budget`."""
    decision: Literal["approved", "edited", "rejected", "answered", "expired", "refused", "withdrawn"]
    """The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown."""
    reason: str | None
    """The reason, if given."""
    given: int | None
    """Approvals so far."""
    required: int | None
    """Approvals required."""
    decided_by: str | None
    """Null if the request expired."""


class RunStartedEvent(ApiObject):
    """A run began."""

    id: str
    """Event id."""
    type: Literal["run.started"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunStartedEventData
    """The details."""


class RunStartedEventData(ApiObject):
    """The details."""



class RunTriggeredBy(ApiObject):
    """Who triggered or retried it; null if no one did."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""
    on_behalf_of: List[RunTriggeredByOnBehalfOf] | None
    """Who is behind a schedule, hook, mailbox or batch: who created it, last changed it, or asked for this run. Left out for no one else."""


class RunTriggeredByOnBehalfOf(ApiObject):
    """A user or a key."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class RunWaitingInputEvent(ApiObject):
    """A run began to wait for a person."""

    id: str
    """Event id."""
    type: Literal["run.waiting_input"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: RunWaitingInputEventData
    """The details."""


class RunWaitingInputEventData(ApiObject):
    """The details."""

    pending_id: str
    """Id of the request."""
    kind: Literal["input", "approval", "budget"]
    """Its kind."""
    tool: str | None
    """Approvals only: the action."""
    call_id: str | None
    """The tool call; the kind `budget` has none."""
    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    calls: List[RunWaitingInputEventDataCalls] | None
    """All requests, if several calls wait; the first is also in the event itself."""
    prompt: str | None
    """The question; only for the kind `budget`."""


class RunWaitingInputEventDataCalls(ApiObject):
    """One request."""

    pending_id: str
    """Id of the request."""
    kind: Literal["input", "approval", "budget"]
    """Its kind."""
    tool: str | None
    """Approvals only: the action."""
    call_id: str | None
    """The tool call; the kind `budget` has none."""


class RunWarnings(ApiObject):
    """A warning."""

    code: Literal["answer_cut", "action_refused", "action_failed", "action_unknown", "tool_calls_unparsed", "demo_model", "model_ends", "model_unavailable"]
    """`answer_cut`: a step reached a limit of output tokens, and its output is incomplete. `action_refused`: an action that an agent requested was refused: it needs an approval and the runs of the workflow may not pause, a rule blocks it, or a limit is used up. `action_failed`: an action failed, or no one approved it in time, and no later call did it. `action_unknown`: it is unknown whether an action was done. `tool_calls_unparsed`: the model's server left tool calls in the text, so they were not made. `demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model shuts down within 90 days, or has shut down. `model_unavailable`: its key was removed. More codes may be added."""
    message: str
    """The warning as text."""
    step_order: int
    """The step, from 0."""


class RunWithSteps(ApiObject):
    """One execution of a workflow."""

    id: str
    """Run id."""
    workflow_id: str
    """The workflow."""
    workflow_version: int | None
    """Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs older than versions."""
    status: Literal["queued", "running", "waiting_input", "completed", "failed"]
    """`completed` and `failed` are final."""
    input: str
    """The input text of the run."""
    data: dict[str, Any] | None
    """The input object of the run; null for none."""
    output: str | None
    """The last agent's output; null until completed."""
    output_json: dict[str, Any] | None
    """The output as an object, if the last agent has an `output_schema`; null otherwise."""
    error: str | None
    """Why the run failed, naming the step; null unless failed."""
    error_code: Literal["step_failed", "agent_paused", "wait_expired", "cancelled", "budget_exceeded", "internal", "output_invalid"] | None
    """Code of the failure; null unless failed."""
    total_steps: int
    """Finished steps, including a failed one."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    tokens_cached: int
    """Part of `tokens_in`: read from the provider's cache."""
    tokens_cache_written: int
    """Part of `tokens_in`: written to the provider's cache."""
    tokens_reasoning: int
    """Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it."""
    calls_without_usage: int
    """Model calls that may have cost something, but whose counts never arrived."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    retry_of: str | None
    """Run that this one retries."""
    forked_from: RunWithStepsForkedFrom | None
    """The run that this one was forked from; null for others."""
    triggered_by: RunWithStepsTriggeredBy | None
    """Who triggered or retried it; null if no one did."""
    thread_id: str | None
    """Thread of which it is a turn; null for none."""
    turn: int | None
    """Number of the turn in its thread, from 1; null for none."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    warnings: List[RunWithStepsWarnings]
    """Warnings that did not make the run fail; usually empty. A completed run with warnings may not have done all that its agents requested."""
    pending: RunWithStepsPending | None
    """The waiting request; null unless the status is `waiting_input`."""
    created_at: str
    """When the run was triggered."""
    started_at: str | None
    """When execution began; null while queued."""
    finished_at: str | None
    """When the run ended; null before."""
    waited_ms: int
    """Time since it began that it spent waiting for people, for workers or to repeat a model call."""
    held: RunWithStepsHeld | None
    """Why the run cannot continue at present; null if it can, has ended, or waits for a person. Not in lists."""
    failing_since: RunWithStepsFailingSince | None
    """For a failed run: the version since which the workflow fails, if an earlier one worked; null otherwise. Not in lists."""
    files: RunWithStepsFiles
    """Files of the run; not in lists."""
    steps: List[Step]
    """Steps in order of execution."""


class RunWithStepsFailingSince(ApiObject):
    """For a failed run: the version since which the workflow fails, if an earlier one worked; null otherwise. Not in lists."""

    version: int
    """Version of the first run that failed."""
    last_worked_version: int
    """Version of the last run that completed before this one was triggered."""
    last_worked_run_id: str
    """That run."""
    diff: str
    """Path of the diff between the two versions."""


class RunWithStepsFiles(ApiObject):
    """Files of the run; not in lists."""

    inputs: List[RunFile]
    """The run's input files."""
    outputs: List[RunFile]
    """Files that its agents wrote."""


class RunWithStepsForkedFrom(ApiObject):
    """The run that this one was forked from; null for others."""

    run_id: str
    """Run that this one continues."""
    step: int
    """The step at which it began, from 0."""


class RunWithStepsHeld(ApiObject):
    """Why the run cannot continue at present; null if it can, has ended, or waits for a person. Not in lists."""

    reason: Literal["provider_unavailable", "account_at_limit", "budget", "no_worker", "caller_tool"]
    """`caller_tool`: it waits for a result from the account's own workers. More codes may be added."""
    since: str | None
    """Since when; null if unknown."""
    next_try_at: str | None
    """When it is tried again; null if that depends on others."""
    message: str
    """The warning as text."""


class RunWithStepsPending(ApiObject):
    """The waiting request; null unless the status is `waiting_input`."""

    id: str
    """Id of the request; send it as `pending_id`."""
    kind: Literal["input", "approval", "budget"]
    """`input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`."""
    prompt: str
    """The question, or a short summary of the action or of the cost."""
    tool: str | None
    """Approvals only: the action."""
    tool_input: dict[str, Any] | None
    """Approvals only: the exact arguments."""
    tool_version: str | None
    """Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested."""
    tool_changed: RunWithStepsPendingToolChanged | None
    """Set if the action or its connection changed after the agent asked."""
    approvals: RunWithStepsPendingApprovals | None
    """Approvals only: the approvals so far."""
    step_order: int
    """Position of the step that asks."""
    role: str
    """Role of the agent that asks."""
    call_id: str | None
    """The tool call of the request; the kind `budget` has none."""
    cost: RunWithStepsPendingCost | None
    """Kind `budget` only: the amounts."""
    approvers: RunWithStepsPendingApprovers
    """Who may answer: each of the users, and everyone with one of the roles."""
    case_id: str | None
    """Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer."""
    calls: List[PendingCall] | None
    """Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`."""
    excluded: List[str] | None
    """Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks."""
    created_at: str
    """When the run began to wait."""
    expires_at: str | None
    """When the request expires; null means never."""


class RunWithStepsPendingApprovals(ApiObject):
    """Approvals only: the approvals so far."""

    required: int
    """How many different people have to approve."""
    given: int
    """How many have approved."""
    by: List[Approval]
    """Who has approved."""


class RunWithStepsPendingApprovers(ApiObject):
    """Who may answer: each of the users, and everyone with one of the roles."""

    users: List[str]
    """People of the account, by id."""
    roles: List[Literal["approver", "member", "admin"]]
    """Roles, of people and keys."""


class RunWithStepsPendingCost(ApiObject):
    """Kind `budget` only: the amounts."""

    spent_usd: float
    """The amount spent by the run, or in the budget's window."""
    limit_usd: float
    """The limit: `limits.max_cost_usd`, or the budget's cap."""
    estimate_usd: float
    """Maximum cost of the next call: the whole prompt and the longest answer."""
    run_cost_usd: float
    """The cost of the run so far."""
    budget: RunWithStepsPendingCostBudget | None
    """The budget that asks; absent if the run's own limit asks."""


class RunWithStepsPendingCostBudget(ApiObject):
    """The budget that asks; absent if the run's own limit asks."""

    id: str
    """Budget id."""
    name: str
    """Its name."""
    window: str
    """`day`, `week` or `month`."""
    ends_at: str
    """When the next window begins."""


class RunWithStepsPendingToolChanged(ApiObject):
    """Set if the action or its connection changed after the agent asked."""

    description: str
    """Its current description."""
    input_schema: dict[str, Any] | None
    """Its arguments' current JSON Schema; null if it is over 8 KB."""


class RunWithStepsTriggeredBy(ApiObject):
    """Who triggered or retried it; null if no one did."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""
    on_behalf_of: List[RunWithStepsTriggeredByOnBehalfOf] | None
    """Who is behind a schedule, hook, mailbox or batch: who created it, last changed it, or asked for this run. Left out for no one else."""


class RunWithStepsTriggeredByOnBehalfOf(ApiObject):
    """A user or a key."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class RunWithStepsWarnings(ApiObject):
    """A warning."""

    code: Literal["answer_cut", "action_refused", "action_failed", "action_unknown", "tool_calls_unparsed", "demo_model", "model_ends", "model_unavailable"]
    """`answer_cut`: a step reached a limit of output tokens, and its output is incomplete. `action_refused`: an action that an agent requested was refused: it needs an approval and the runs of the workflow may not pause, a rule blocks it, or a limit is used up. `action_failed`: an action failed, or no one approved it in time, and no later call did it. `action_unknown`: it is unknown whether an action was done. `tool_calls_unparsed`: the model's server left tool calls in the text, so they were not made. `demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model shuts down within 90 days, or has shut down. `model_unavailable`: its key was removed. More codes may be added."""
    message: str
    """The warning as text."""
    step_order: int
    """The step, from 0."""


class Schedule(ApiObject):
    """A schedule that starts runs of a workflow at set times."""

    id: str
    """Schedule id."""
    key: str | None
    """Your own unique identifier; null for none."""
    name: str
    """Display name."""
    workflow_id: str
    """The workflow to run."""
    version: int | None
    """Its version; null for the live one."""
    cron: str | None
    """Cron pattern of five fields."""
    time_zone: str
    """IANA time zone in which `cron` is read."""
    every_seconds: int | None
    """Interval in seconds."""
    at: str | None
    """The one time."""
    input: str | None
    """Template of each run's input."""
    data: dict[str, Any] | None
    """Data of each run, with templates."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    overlap: Literal["skip", "queue", "cancel_previous", "allow"]
    """What happens if the previous run is unfinished: the new one is skipped, waits for it, replaces it, or runs beside it."""
    catch_up: Literal["none", "last", "all"]
    """Which firings start late after a time without workers: none, the last one due, or all. The others are `missed`. A firing up to two minutes late starts in any case."""
    catch_up_seconds: int
    """How late a run may start."""
    jitter_seconds: int
    """Each start is delayed by up to this time."""
    ends_at: str | None
    """The last time at which it may fire."""
    pause_after_failures: int | None
    """Failed runs in a row that pause it; null means never."""
    status: Literal["active", "paused", "ended"]
    """`ended`: it will not fire again."""
    paused_reason: str | None
    """Why it was paused automatically; null otherwise."""
    next_due_at: str | None
    """When it is due next; null unless active."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    in_words: str
    """When it fires, in English: "Every Monday at 09:00 (Europe/Berlin)"."""
    warnings: List[ScheduleWarnings]
    """Current warnings, such as what it still needs before it can do its work; usually empty."""
    last_firing: Firing | None
    """The newest firing; null before the first."""


class SchedulePreview(ApiObject):
    """When a schedule is due next."""

    in_words: str
    """When it fires, in English: "Every Monday at 09:00 (Europe/Berlin)"."""
    due: List[str]
    """The next ten firings, or fewer if it ends."""


class ScheduleWarnings(ApiObject):
    """A warning."""

    code: Literal["action_refused", "action_unavailable", "demo_model", "model_ends", "model_unavailable", "placeholder_left"]
    """`action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as `#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. `model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no key here, or was removed; runs fail there. More codes may be added."""
    message: str
    """The warning as text."""


class Session(ApiObject):
    """A signed-in browser."""

    id: str
    """Session id."""
    current: bool
    """Whether it is the session of this request."""
    created_at: str
    """When it began."""
    last_seen_at: str
    """Last use, to the minute; seven days later it ends."""
    expires_at: str
    """When it expires at the latest."""
    address: str | None
    """Network address where it began."""
    user_agent: str | None
    """Browser in which it began."""


class Step(ApiObject):
    """The work of one agent in a run."""

    id: str
    """Step id."""
    order: int
    """Position in the crew, from 0."""
    role: str
    """Role of the agent."""
    agent_id: str | None
    """The linked standing agent; null for a plain entry."""
    agent_version: int | None
    """Version of the standing agent that was live when the run began; null for a plain entry, and for steps older than versions."""
    model: str
    """The model used."""
    input: str
    """Prompt of the agent: the run's input, then earlier outputs."""
    output: str | None
    """The agent's output; null if unfinished or failed."""
    output_json: dict[str, Any] | None
    """The output as an object, if the agent has an `output_schema`; null otherwise."""
    error: str | None
    """Why the step failed; null otherwise."""
    finish_reason: Literal["stop", "length", "other"] | None
    """Why the model stopped: `length` means that it reached a limit of output tokens and the output is incomplete. Null unless finished."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    tokens_cached: int
    """Part of `tokens_in`: read from the provider's cache."""
    tokens_cache_written: int
    """Part of `tokens_in`: written to the provider's cache."""
    tokens_reasoning: int
    """Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it."""
    calls_without_usage: int
    """Model calls that may have cost something, but whose counts never arrived."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    tool_calls: List[ToolCall]
    """In the order of the calls."""
    memory: List[str]
    """Ids of the memory entries shown to the agent."""
    reused_from: str | None
    """Run from which a retry or fork copied this finished step; it cost nothing here."""
    output_given: bool
    """Whether the output was given with the fork and replaces the agent's."""
    started_at: str | None
    """When the step began."""
    finished_at: str | None
    """When the step ended; null while in progress."""


class StepCompletedEvent(ApiObject):
    """A step completed."""

    id: str
    """Event id."""
    type: Literal["step.completed"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: StepCompletedEventData
    """The details."""


class StepCompletedEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    model: str
    """Model id."""
    tokens_in: int
    """Input tokens of the step."""
    tokens_out: int
    """Output tokens of the step."""
    cost_usd: float
    """Cost of the step in US dollars."""
    calls_without_price: int | None
    """Model calls that `cost_usd` counts as 0; absent for none."""
    finish_reason: Literal["stop", "length", "other"] | None
    """Why the model stopped."""


class StepCutEvent(ApiObject):
    """The output of a step was cut off at the limit of output tokens."""

    id: str
    """Event id."""
    type: Literal["step.cut"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: StepCutEventData
    """The details."""


class StepCutEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    model: str
    """Model id."""
    max_tokens: int | None
    """The agent's limit; null for the model's own."""


class StepFailedEvent(ApiObject):
    """A step failed."""

    id: str
    """Event id."""
    type: Literal["step.failed"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: StepFailedEventData
    """The details."""


class StepFailedEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    model: str
    """Model id."""
    tokens_in: int
    """Input tokens of the step."""
    tokens_out: int
    """Output tokens of the step."""
    cost_usd: float
    """Cost of the step in US dollars."""
    calls_without_price: int | None
    """Model calls that `cost_usd` counts as 0; absent for none."""
    error: str
    """Why it failed."""


class StepStartedEvent(ApiObject):
    """A step began."""

    id: str
    """Event id."""
    type: Literal["step.started"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: StepStartedEventData
    """The details."""


class StepStartedEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    model: str
    """Model id."""


class StoredFile(ApiObject):
    """A file that can be an input of runs."""

    id: str
    """File id."""
    name: str
    """As uploaded, without folders and invisible characters."""
    media_type: str
    """Type of its content: `text/plain`, `text/markdown`, `text/csv`, `application/json`, `application/pdf`, `application/vnd.openxmlformats-officedocument.wordprocessingml.document`, `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`, `image/png`, `image/jpeg`, `image/webp` or `image/gif`."""
    bytes: int
    """Size in bytes."""
    sha256: str
    """Hash of the bytes, in hexadecimal."""
    pages: int | None
    """Pages of a PDF; null otherwise."""
    width: int | None
    """Of an image, in pixels; null otherwise."""
    height: int | None
    """Of an image, in pixels; null otherwise."""
    text_status: Literal["complete", "cut", "none"] | None
    """`complete`: all text can be read. `cut`: only the beginning, because the text is too long. `none`: there is no text, as in a scan. null for images."""
    text_chars: int | None
    """Characters of the text that can be read; null for images."""
    created_at: str
    """When it was created."""


class Thread(ApiObject):
    """A conversation with a workflow. Each turn is a run."""

    id: str
    """Thread id."""
    workflow_id: str
    """The workflow that answers."""
    version: int | None
    """Version of the workflow in all turns; null for the live one of each turn."""
    key: str | None
    """Your own identifier, unique among the threads of the workflow."""
    title: str | None
    """Title; by default the beginning of the first message."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    status: Literal["open", "closed"]
    """A closed thread accepts no messages."""
    turns: int
    """Number of turns: one for each message of a person."""
    last_message_at: str | None
    """When the newest message was written; null for none."""
    waiting: str | None
    """Id of the request that its turn in progress waits for; null for none."""
    cost_usd: float
    """Cost of its ended turns and summaries in US dollars."""
    tokens_in: int
    """Input tokens of these."""
    tokens_out: int
    """Output tokens of these."""
    created_by: ThreadCreatedBy
    """Who created it."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it, or the state of a message, last changed."""


class ThreadCreatedBy(ApiObject):
    """Who created it."""

    type: Literal["key", "user", "system", "external"]
    """`external` is someone who is no user, such as the sender of an email."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class ThreadMessage(ApiObject):
    """A message of a thread."""

    id: str
    """Message id."""
    thread_id: str
    """Its thread."""
    turn: int
    """Number of its turn, from 1."""
    role: Literal["user", "assistant"]
    """`user` for what was written to the workflow, `assistant` for its answer."""
    text: str
    """Its text; empty if it has only data."""
    data: dict[str, Any] | None
    """Its object; null for none."""
    files: List[ThreadMessageFiles]
    """Its files."""
    run_id: str | None
    """The run of its turn; null if there is none, or not yet."""
    status: Literal["queued", "running", "waiting_input", "answered", "failed", "cancelled", "refused"]
    """`queued`: it waits for its turn. `running` and `waiting_input`: its run is in progress, or waits for a person. `answered`, `failed` and `cancelled`: how its run ended, or that it was cancelled before. `refused`: no run was begun."""
    why: str | None
    """Why it waits, or has no answer."""
    author: ThreadMessageAuthor | None
    """Who it comes from."""
    created_at: str
    """When it was written."""


class ThreadMessageAuthor(ApiObject):
    """Who it comes from."""

    type: Literal["key", "user", "system", "external"]
    """`external` is someone who is no user, such as the sender of an email."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class ThreadMessageFiles(ApiObject):
    """A file."""

    id: str
    """File id."""
    name: str
    """Its name."""


class ThreadSummary(ApiObject):
    """A summary of the first turns of a thread, for turns after them."""

    id: str
    """Summary id."""
    through_turn: int
    """The last turn that it covers, from the first."""
    text: str
    """The summary."""
    tokens_before: int
    """Estimated tokens of what it replaces."""
    tokens_after: int
    """Estimated tokens of the summary."""
    model: str
    """The model that wrote it."""
    cost_usd: float
    """What it cost, in US dollars."""
    created_at: str
    """When it was written."""


class ToolCall(ApiObject):
    """A tool call of an agent, with its outcome."""

    id: str
    """Tool call id."""
    tool: str
    """The action, such as `email.send`, or a built-in tool."""
    tool_version: str | None
    """What an approval is bound to besides the arguments: it changes with the action and its connection; null for tools of Muster itself."""
    input: Any
    """The exact arguments; null if the model wrote no JSON object."""
    proposed_input: Any
    """The model's arguments, if a person edited them; null otherwise."""
    status: Literal["proposed", "approved", "rejected", "executing", "succeeded", "failed", "unknown"]
    """`unknown`: it may or may not have been done, and is not repeated without approval."""
    output: str | None
    """The result given to the agent; null while open. Here its first 2,000 characters; the step's turns have all of it."""
    output_bytes: int | None
    """Size of the whole output, as UTF-8."""
    unknown_reason: str | None
    """Why its outcome is unknown, with the other system's message if any; null otherwise."""
    decision: Literal["approved", "edited", "rejected", "answered", "expired", "refused"] | None
    """How it was decided: by a person (`approved`, `edited`, `rejected`, `answered`), by a timeout (`expired`) or by policy (`refused`); null if no one was asked."""
    rule: DecidingRule | None
    """The rule that decided whether a person is asked; null if none did."""
    decided_by: str | None
    """API key or user that decided; null if no one did."""
    decider: ToolCallDecider | None
    """Who decided; null if no one did."""
    reason: str | None
    """The reason for the decision, if given."""
    approvals: List[Approval]
    """Who approved it, if several approvals were needed; empty otherwise."""
    decided_at: str | None
    """When it was decided."""
    started_at: str | None
    """When the call was made; null if it was not."""
    finished_at: str | None
    """When its outcome was known."""


class ToolCallDecider(ApiObject):
    """Who decided; null if no one did."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class ToolCompletedEvent(ApiObject):
    """A tool call ended."""

    id: str
    """Event id."""
    type: Literal["tool.completed"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: ToolCompletedEventData
    """The details."""


class ToolCompletedEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    call_id: str
    """The tool call."""
    tool: str
    """Its tool."""
    status: Literal["proposed", "approved", "rejected", "executing", "succeeded", "failed", "unknown"]
    """Status of the call."""


class ToolRequestedEvent(ApiObject):
    """A call of a caller's tool was requested of the account's workers."""

    id: str
    """Event id."""
    type: Literal["tool.requested"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: ToolRequestedEventData
    """The details."""


class ToolRequestedEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    call_id: str
    """The tool call."""
    tool: str
    """Its tool."""
    run_id: str
    """The run."""
    name: str
    """Name of the tool, without `app.`."""
    input: dict[str, Any]
    """The arguments."""
    expires_at: str
    """When the time for a result is over."""


class ToolStartedEvent(ApiObject):
    """A tool call began."""

    id: str
    """Event id."""
    type: Literal["tool.started"]
    """Type of the event."""
    sequence: int
    """Number within the run, from 1, without gaps."""
    run_id: str
    """The run."""
    created_at: str
    """When it happened."""
    tags: dict[str, str]
    """Its labels from the trigger; a retry keeps them."""
    data: ToolStartedEventData
    """The details."""


class ToolStartedEventData(ApiObject):
    """The details."""

    order: int
    """Position of the step, from 0."""
    role: str
    """Role of its agent."""
    call_id: str
    """The tool call."""
    tool: str
    """Its tool."""


class ToolWorker(ApiObject):
    """Someone who executes callers' tools."""

    id: str
    """Identifies the entry."""
    key: ToolWorkerKey
    """The key or user that asks for calls."""
    names: List[str] | None
    """The tools that it serves; null for all."""
    address: str | None
    """Its network address."""
    since: str
    """Since when it has asked for calls without a long break."""
    last_seen_at: str
    """When it asked last, to about ten seconds."""


class ToolWorkerKey(ApiObject):
    """The key or user that asks for calls."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class Turn(ApiObject):
    """One turn of a model: its messages and its answer."""

    number: int
    """Number within the step, from 0."""
    model: str
    """Model that answered."""
    messages: List[TurnMessages]
    """The first messages to the model: its instructions with the memory, and the prompt. Later turns also send all earlier turns with the results of their calls; their list is empty."""
    tools: List[TurnTools]
    """Tools offered to the model."""
    output_schema: dict[str, Any] | None
    """JSON Schema for its answer, enforced by the provider or given after its instructions. Null for none."""
    text: str | None
    """The model's text; null if retention deleted it."""
    problem: str | None
    """The problem with the answer, as sent to the model for its next turn; null otherwise."""
    reasoning: str | None
    """The model's reasoning, as far as it returned any; null for none."""
    calls: List[ToolCall]
    """Its tool calls, with their full results as sent to the next turn."""
    tokens_in: int
    """Input tokens, as counted by the provider."""
    tokens_out: int
    """Output tokens, as counted by the provider."""
    cost_usd: float
    """Cost in US dollars, at the catalog's prices."""
    tokens_cached: int
    """Part of `tokens_in`: read from the provider's cache."""
    tokens_cache_written: int
    """Part of `tokens_in`: written to the provider's cache."""
    tokens_reasoning: int
    """Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it."""
    calls_without_usage: int
    """Model calls that may have cost something, but whose counts never arrived."""
    calls_without_price: int
    """Model calls with a model whose price is unknown; `cost_usd` counts them as 0."""
    duration_ms: int | None
    """Duration of the model call that answered."""
    request_id: str | None
    """The provider's request id, if any."""


class TurnMessages(ApiObject):
    """A message."""

    role: Literal["system", "user"]
    """The author of the message."""
    text: str
    """The text."""


class TurnTools(ApiObject):
    """A tool."""

    name: str
    """Name shown to the model."""
    description: str
    """Its description."""
    input_schema: dict[str, Any]
    """JSON Schema of its arguments."""


class Usage(ApiObject):
    """Usage of one day, workflow, agent, model, thread or tag."""

    day: str | None
    """Only when grouped by day: the day, in UTC."""
    workflow: str | None
    """Only when grouped by workflow: its id."""
    agent: str | None
    """Only when grouped by agent: its id, null for steps without an agent."""
    model: str | None
    """Only when grouped by model: its id."""
    thread: str | None
    """Only when grouped by thread: its id."""
    tag: str | None
    """Only when grouped by a tag: its value."""
    name: str | None
    """Only when grouped by workflow, agent or thread: its name or title, null if it has none or was deleted."""
    runs: int | None
    """Runs that ended. Null by agent or model, because a run may have several."""
    completed: int | None
    """Of these, completed. Null by agent or model, because a run may have several."""
    failed: int | None
    """Of these, failed. Null by agent or model, because a run may have several."""
    cancelled: int | None
    """Of these, cancelled. Null by agent or model, because a run may have several."""
    steps: int
    """Steps that ended, without those kept by a retry."""
    tokens_in: int
    """Input tokens of these steps."""
    tokens_out: int
    """Output tokens of these steps."""
    cost_usd: float
    """Cost of these steps in US dollars."""
    duration_p50_ms: int | None
    """Median duration in milliseconds, within 5 %: of finished runs, without waiting time; by agent or model, of the steps. Null without any."""
    duration_p95_ms: int | None
    """95th percentile of the duration in milliseconds, within 5 %: of finished runs, without waiting time; by agent or model, of the steps. Null without any."""
    calls_without_price: int
    """Model calls of these steps with a model whose price is unknown; `cost_usd` counts them as 0."""


class User(ApiObject):
    """A person of the account."""

    id: str
    """User id."""
    email: str
    """Email address; compared without case."""
    name: str
    """Name shown to others, not blank."""
    role: Literal["viewer", "approver", "member", "admin"]
    """The person's role in the account."""
    created_at: str
    """When the user joined the account."""
    last_signed_in_at: str | None
    """Last sign-in to any account."""
    identity: UserIdentity1 | None
    """The person's identity at the provider; null before the first sign-in there."""


class UserIdentity1(ApiObject):
    """Part of an answer."""

    issuer: str
    """The OpenID Connect provider."""
    subject: str
    """The person's id at the provider."""


class Version(ApiObject):
    """A version of a workflow or an agent, without its definition."""

    version: int
    """Its number, from 1."""
    state: Literal["live", "draft", "earlier"]
    """`live`: used by runs. `draft`: never live. `earlier`: live before."""
    author: VersionAuthor | None
    """Who created it; null if unknown."""
    note: str | None
    """The author's note, if any."""
    base_version: int | None
    """The version that was live when it was created; null for the first."""
    changed: List[str]
    """Fields that differ from `base_version`, up to 50."""
    created_at: str
    """When it was created."""
    published_at: str | None
    """When it last went live; null for a draft."""


class VersionAuthor(ApiObject):
    """Who created it; null if unknown."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class VersionDiff(ApiObject):
    """What differs between two versions."""

    from_: int
    """Its number, from 1."""
    to: int
    """Its number, from 1."""
    changes: List[VersionDiffChanges]
    """Fields that differ, in the order of the definition."""


class VersionDiffChanges(ApiObject):
    """A field that differs."""

    field: str
    """Path of the field, such as `crew[1].systemPrompt`, with positions after the change, or before it if an agent was removed."""
    agent: str | None
    """Role of the crew's agent; null for other fields."""
    before: Any
    """Its value before; null if it had none."""
    after: Any
    """Its value after; null if it has none."""
    parts: List[VersionDiffChangesParts] | None
    """Differences of texts word by word, of schemas line by line; one part for each side if they have little in common. Null for other values."""


class VersionDiffChangesParts(ApiObject):
    """A part of a text."""

    kind: Literal["same", "removed", "added"]
    """Whether the text is in both, or only before or after."""
    text: str
    """A part of the text."""


class View(ApiObject):
    """Filters of the list of runs, saved under a name."""

    id: str
    """View id."""
    name: str
    """Display name, unique in the account, not blank."""
    filters: ViewFilters
    created_by: ViewCreatedBy
    """Who created it."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class ViewCreatedBy(ApiObject):
    """Who created it."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class ViewFilters(ApiObject):
    """The filters of `GET /v1/runs`, with arrays for lists; none means every run."""

    status: List[Literal["queued", "running", "waiting_input", "completed", "failed", "cancelled"]] | None
    """Only runs in one of these statuses."""
    error_code: List[Literal["step_failed", "agent_paused", "wait_expired", "cancelled", "budget_exceeded", "internal", "output_invalid"]] | None
    """Only runs that failed with one of these codes."""
    workflow_id: str | None
    """Only runs of this workflow."""
    agent_id: str | None
    """Only runs in which this agent has started a step."""
    retry_of: str | None
    """Only retries of this run."""
    forked_from: str | None
    """Only forks of this run."""
    thread_id: str | None
    """Only turns of this thread."""
    tag: List[str] | None
    """Only runs with this tag, `key:value`; may be repeated to require several tags."""
    has_warnings: bool | None
    """If true, only runs with warnings, such as an action that failed; false is the same as leaving it out."""
    min_cost_usd: float | None
    """Only runs that cost at least this, in US dollars."""
    q: str | None
    """The start of a run id, or up to 5 whole words, ignoring case, that must all occur in the input, the output, the error or tag values. Inputs and outputs are searchable within 5 seconds of a run's end: the first 300 different words in 16,000 characters of each."""
    created_after: str | None
    """ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs."""
    created_before: str | None
    """ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs."""
    created_within_seconds: int | None
    """Only runs created at most this long before the list is read. For `GET /v1/runs`, make `created_after` of it."""


class WaitingRun(ApiObject):
    """A run that waits for a human."""

    run_id: str
    """The run that waits."""
    workflow_id: str
    """Its workflow."""
    workflow_name: str
    """Name of the workflow."""
    input_preview: str
    """The first 120 characters of the run's input, on one line."""
    pending: WaitingRunPending
    """The waiting request."""


class WaitingRunPending(ApiObject):
    """The waiting request."""

    id: str
    """Id of the request; send it as `pending_id`."""
    kind: Literal["input", "approval", "budget"]
    """`input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`."""
    prompt: str
    """The question, or a short summary of the action or of the cost."""
    tool: str | None
    """Approvals only: the action."""
    tool_input: dict[str, Any] | None
    """Approvals only: the exact arguments."""
    tool_version: str | None
    """Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested."""
    tool_changed: WaitingRunPendingToolChanged | None
    """Set if the action or its connection changed after the agent asked."""
    approvals: WaitingRunPendingApprovals | None
    """Approvals only: the approvals so far."""
    step_order: int
    """Position of the step that asks."""
    role: str
    """Role of the agent that asks."""
    call_id: str | None
    """The tool call of the request; the kind `budget` has none."""
    cost: WaitingRunPendingCost | None
    """Kind `budget` only: the amounts."""
    approvers: WaitingRunPendingApprovers
    """Who may answer: each of the users, and everyone with one of the roles."""
    case_id: str | None
    """Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer."""
    calls: List[PendingCall] | None
    """Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`."""
    excluded: List[str] | None
    """Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks."""
    created_at: str
    """When the run began to wait."""
    expires_at: str | None
    """When the request expires; null means never."""


class WaitingRunPendingApprovals(ApiObject):
    """Approvals only: the approvals so far."""

    required: int
    """How many different people have to approve."""
    given: int
    """How many have approved."""
    by: List[Approval]
    """Who has approved."""


class WaitingRunPendingApprovers(ApiObject):
    """Who may answer: each of the users, and everyone with one of the roles."""

    users: List[str]
    """People of the account, by id."""
    roles: List[Literal["approver", "member", "admin"]]
    """Roles, of people and keys."""


class WaitingRunPendingCost(ApiObject):
    """Kind `budget` only: the amounts."""

    spent_usd: float
    """The amount spent by the run, or in the budget's window."""
    limit_usd: float
    """The limit: `limits.max_cost_usd`, or the budget's cap."""
    estimate_usd: float
    """Maximum cost of the next call: the whole prompt and the longest answer."""
    run_cost_usd: float
    """The cost of the run so far."""
    budget: WaitingRunPendingCostBudget | None
    """The budget that asks; absent if the run's own limit asks."""


class WaitingRunPendingCostBudget(ApiObject):
    """The budget that asks; absent if the run's own limit asks."""

    id: str
    """Budget id."""
    name: str
    """Its name."""
    window: str
    """`day`, `week` or `month`."""
    ends_at: str
    """When the next window begins."""


class WaitingRunPendingToolChanged(ApiObject):
    """Set if the action or its connection changed after the agent asked."""

    description: str
    """Its current description."""
    input_schema: dict[str, Any] | None
    """Its arguments' current JSON Schema; null if it is over 8 KB."""


class WaysIn(ApiObject):
    """The available ways to sign in."""

    password: bool
    """Whether people can sign in with a password."""
    oidc: bool
    """Whether an OpenID Connect provider is configured."""
    oidc_url: str | None
    """URL at which a browser starts signing in through the provider, under `MUSTER_PUBLIC_URL`; null if none is configured."""
    password_reset: bool
    """Whether a forgotten password can be reset by email."""
    setup_required: bool
    """Whether no user exists yet: the link printed at the first start creates the first admin."""


class WebhookDelivery(ApiObject):
    """The delivery of one event to one endpoint."""

    id: str
    """Delivery id."""
    event_id: str
    """Event id, sent as `webhook-id` by every attempt."""
    event_type: str
    """Event type; `webhook.test` for a test event."""
    run_id: str | None
    """The run; null if the event is not about a single run."""
    workflow: WebhookDeliveryWorkflow | None
    """The workflow of the run or batch; null for events that are about none."""
    status: Literal["pending", "succeeded", "failed"]
    """Status of the delivery."""
    attempts: List[DeliveryAttempt]
    """The attempts, oldest first."""
    next_attempt_at: str | None
    """When it is tried next; null if there are no more attempts."""
    created_at: str
    """When the event happened."""


class WebhookDeliveryWithBody(ApiObject):
    """A delivery with its body."""

    id: str
    """Delivery id."""
    event_id: str
    """Event id, sent as `webhook-id` by every attempt."""
    event_type: str
    """Event type; `webhook.test` for a test event."""
    run_id: str | None
    """The run; null if the event is not about a single run."""
    workflow: WebhookDeliveryWithBodyWorkflow | None
    """The workflow of the run or batch; null for events that are about none."""
    status: Literal["pending", "succeeded", "failed"]
    """Status of the delivery."""
    attempts: List[DeliveryAttempt]
    """The attempts, oldest first."""
    next_attempt_at: str | None
    """When it is tried next; null if there are no more attempts."""
    created_at: str
    """When the event happened."""
    body: str
    """The exact JSON that every attempt sends."""


class WebhookDeliveryWithBodyWorkflow(ApiObject):
    """The workflow of the run or batch; null for events that are about none."""

    id: str
    """Workflow id."""
    name: str | None
    """Its name when the event happened; null if it had been deleted."""


class WebhookDeliveryWorkflow(ApiObject):
    """The workflow of the run or batch; null for events that are about none."""

    id: str
    """Workflow id."""
    name: str | None
    """Its name when the event happened; null if it had been deleted."""


class WebhookEndpoint(ApiObject):
    """A URL that receives signed events."""

    id: str
    """Endpoint id."""
    url: str
    """Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows."""
    description: str | None
    """Display name."""
    events: List[Literal["run.started", "run.completed", "run.failed", "run.waiting_input", "run.cancelled", "tool.requested", "batch.completed", "thread.message", "budget.threshold", "budget.reached", "schedule.missed"]]
    """Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is subscribed to, and as `run.failed` otherwise."""
    workflow_id: str | None
    """Only runs of this workflow are delivered; null means all."""
    active: bool
    """An inactive endpoint receives nothing."""
    consecutive_failures: int
    """Events that failed every attempt since the last success."""
    disabled_at: str | None
    """When the endpoint was disabled automatically."""
    disabled_reason: str | None
    """Why it was disabled automatically."""
    last_delivery_at: str | None
    """Most recent attempt."""
    last_delivery_status: int | None
    """HTTP status of that attempt; 0 means no response."""
    created_at: str
    """When the endpoint was created."""
    updated_at: str
    """When the endpoint was last changed."""


class WebhookEndpointWithSecret(ApiObject):
    """An endpoint with its signing secret."""

    id: str
    """Endpoint id."""
    url: str
    """Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows."""
    description: str | None
    """Display name."""
    events: List[Literal["run.started", "run.completed", "run.failed", "run.waiting_input", "run.cancelled", "tool.requested", "batch.completed", "thread.message", "budget.threshold", "budget.reached", "schedule.missed"]]
    """Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is subscribed to, and as `run.failed` otherwise."""
    workflow_id: str | None
    """Only runs of this workflow are delivered; null means all."""
    active: bool
    """An inactive endpoint receives nothing."""
    consecutive_failures: int
    """Events that failed every attempt since the last success."""
    disabled_at: str | None
    """When the endpoint was disabled automatically."""
    disabled_reason: str | None
    """Why it was disabled automatically."""
    last_delivery_at: str | None
    """Most recent attempt."""
    last_delivery_status: int | None
    """HTTP status of that attempt; 0 means no response."""
    created_at: str
    """When the endpoint was created."""
    updated_at: str
    """When the endpoint was last changed."""
    secret: str
    """Signing secret, shown only once."""


class Workers(ApiObject):
    """The worker processes."""

    alive: int
    """Worker processes seen within the last 18 seconds."""
    last_seen_at: str | None
    """When a worker was last seen; null if none is known."""


class Workflow(ApiObject):
    """A reusable, ordered crew."""

    id: str
    """Workflow id."""
    name: str
    """Name of the workflow."""
    description: str | None
    """Description."""
    model: str
    """Model of agents that set none; the server's current default if it is inherited."""
    fallbacks: List[str]
    """Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence."""
    crew: List[CrewEntry]
    """The agents, in order of execution."""
    input_schema: dict[str, Any] | None
    """JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none."""
    memory_enabled: bool
    """Whether the workflow's own roles have memory across runs."""
    expose_mcp: WorkflowExposeMcp | None
    """The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none."""
    thread: WorkflowThread | None
    """How turns of threads see the earlier ones; null if the workflow takes no threads."""
    model_inherited: bool
    """Whether `model` is the server's current default. Setting it to true is the same as `model` null; setting it to false pins the current model."""
    warnings: List[WorkflowWarnings]
    """Current warnings, such as what it still needs before it can do its work; usually empty."""
    status: Literal["active", "paused"]
    """A paused workflow accepts no new runs."""
    human_in_the_loop: HumanInTheLoop
    limits: Limits
    version: int
    """The live version: its number, and the `ETag`."""
    last_version: int
    """The newest version; a draft if it was never published."""
    created_at: str
    """When the workflow was created."""
    updated_at: str
    """When the workflow was last changed."""


class WorkflowDefinition(ApiObject):
    """The definition in a version of a workflow; it can be sent as an update."""

    name: str
    """Name of the workflow."""
    description: str | None
    """Description."""
    model: str | None
    """Model of agents that set none; null uses the server's default."""
    fallbacks: List[str]
    """Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence."""
    crew: List[CrewEntry]
    """The agents, in order of execution."""
    input_schema: dict[str, Any] | None
    """JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none."""
    memory_enabled: bool
    """Whether the workflow's own roles have memory across runs."""
    expose_mcp: WorkflowDefinitionExposeMcp | None
    """The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none."""
    thread: WorkflowDefinitionThread | None
    """How turns of threads see the earlier ones; null if the workflow takes no threads."""
    human_in_the_loop: HumanInTheLoop
    limits: Limits


class WorkflowDefinitionExposeMcp(ApiObject):
    """The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none."""

    name: str
    """Name of the tool."""
    description: str | None
    """What models read about the tool; null for the workflow's description."""


class WorkflowDefinitionThread(ApiObject):
    """How turns of threads see the earlier ones; null if the workflow takes no threads."""

    context: Literal["transcript", "last_output", "none"]
    """What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing."""
    max_tokens: int
    """Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary."""
    summary_model: str | None
    """Model that writes summaries; null for the model of the workflow."""


class WorkflowExposeMcp(ApiObject):
    """The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none."""

    name: str
    """Name of the tool."""
    description: str | None
    """What models read about the tool; null for the workflow's description."""


class WorkflowThread(ApiObject):
    """How turns of threads see the earlier ones; null if the workflow takes no threads."""

    context: Literal["transcript", "last_output", "none"]
    """What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing."""
    max_tokens: int
    """Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary."""
    summary_model: str | None
    """Model that writes summaries; null for the model of the workflow."""


class WorkflowVersion(ApiObject):
    """A version with its definition."""

    version: int
    """Its number, from 1."""
    state: Literal["live", "draft", "earlier"]
    """`live`: used by runs. `draft`: never live. `earlier`: live before."""
    author: WorkflowVersionAuthor | None
    """Who created it; null if unknown."""
    note: str | None
    """The author's note, if any."""
    base_version: int | None
    """The version that was live when it was created; null for the first."""
    changed: List[str]
    """Fields that differ from `base_version`, up to 50."""
    created_at: str
    """When it was created."""
    published_at: str | None
    """When it last went live; null for a draft."""
    definition: WorkflowDefinition


class WorkflowVersionAuthor(ApiObject):
    """Who created it; null if unknown."""

    type: Literal["key", "user", "system"]
    """`system` is the service itself, for the schedule, hook or batch in `id`."""
    id: str
    """Their id."""
    name: str
    """Their name at that time."""


class WorkflowWarnings(ApiObject):
    """A warning."""

    code: Literal["action_refused", "action_unavailable", "demo_model", "model_ends", "model_unavailable", "placeholder_left"]
    """`action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as `#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. `model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no key here, or was removed; runs fail there. More codes may be added."""
    message: str
    """The warning as text."""


class BatchItemInputParam(TypedDict):
    """The input of one run of a batch."""

    key: NotRequired[str]
    input: NotRequired[str]
    data: NotRequired[dict[str, Any] | None]
    version: NotRequired[int]
    agent_versions: NotRequired[dict[str, int]]
    tags: NotRequired[dict[str, str]]
    files: NotRequired[List[str]]


class BulkFilterParam(TypedDict):
    """The filters of `GET /v1/runs`, with arrays for lists. At least one is required."""

    status: NotRequired[List[Literal["queued", "running", "waiting_input", "completed", "failed", "cancelled"]]]
    error_code: NotRequired[List[Literal["step_failed", "agent_paused", "wait_expired", "cancelled", "budget_exceeded", "internal", "output_invalid"]]]
    workflow_id: NotRequired[str]
    agent_id: NotRequired[str]
    retry_of: NotRequired[str]
    forked_from: NotRequired[str]
    thread_id: NotRequired[str]
    tag: NotRequired[List[str]]
    has_warnings: NotRequired[bool]
    min_cost_usd: NotRequired[float]
    q: NotRequired[str]
    created_after: NotRequired[str]
    created_before: NotRequired[str]
    run_ids: NotRequired[List[str]]


class CallerToolParam(TypedDict):
    """A tool that a process of your own executes; see `POST /v1/tool-calls/claim`."""

    name: str
    description: str
    input_schema: dict[str, Any]
    timeout_seconds: NotRequired[int]
    sensitive: NotRequired[bool]


class ConnectorsConnectAuthParam(TypedDict):
    """How calls log in. If omitted, the stored login is kept while the host of `base_url` is the same."""

    type: Literal["none", "bearer", "basic", "header", "query", "oauth2"]
    token: NotRequired[str]
    username: NotRequired[str]
    password: NotRequired[str]
    name: NotRequired[str]
    value: NotRequired[str]
    token_url: NotRequired[str]
    client_id: NotRequired[str]
    client_secret: NotRequired[str]
    scopes: NotRequired[List[str]]
    audience: NotRequired[str]


class ConnectorsConnectClientParam(TypedDict):
    """The client that you registered at the authorization server, if Muster cannot register itself. If omitted, the one stored for the same url is kept."""

    id: str
    secret: NotRequired[str]


ConnectorsConnectOperationsParam = TypedDict(
    "ConnectorsConnectOperationsParam",
    {
        "only": "NotRequired[List[str]]",
        "except": "NotRequired[List[str]]",
    },
)

ConnectorsConnectToolsParam = TypedDict(
    "ConnectorsConnectToolsParam",
    {
        "only": "NotRequired[List[str]]",
        "except": "NotRequired[List[str]]",
    },
)

class CrewEntryParam(TypedDict):
    """One agent of a crew. With `agentId`, the standing agent's tools and `maxTokens` replace the entry's, and the stricter rule of both applies."""

    role: str
    systemPrompt: str
    model: NotRequired[str]
    agentId: NotRequired[str]
    maxTokens: NotRequired[int | None]
    connectors: NotRequired[List[str]]
    capabilities: NotRequired[List[str]]
    tools: NotRequired[List[CallerToolParam]]
    rules: NotRequired[List[RuleParam]]
    output_schema: NotRequired[dict[str, Any] | None]


class HttpActionParam(TypedDict):
    """An action of an HTTP API."""

    name: str
    description: str
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    input_schema: NotRequired[dict[str, Any]]
    query: NotRequired[List[str]]
    body: NotRequired[Literal["json", "form", "none"]]
    safe: NotRequired[bool]


class HyperparametersParam(TypedDict):
    """Omitted fields have the provider's defaults."""

    epochs: NotRequired[int]
    training_steps: NotRequired[int]
    learning_rate: NotRequired[float]


class OwnModelParam(TypedDict):
    """A model of an account's own server."""

    id: str
    label: NotRequired[str]
    context_window: NotRequired[int]
    price_in: NotRequired[float]
    price_out: NotRequired[float]
    structured_output: NotRequired[bool]
    input_types: NotRequired[List[Literal["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"]]]


class RuleParam(TypedDict):
    """A rule about calls of agents."""

    action: str
    when: NotRequired[str | None]
    decision: Literal["allow", "ask", "block"]
    fixed: NotRequired[dict[str, Any] | None]
    reason: NotRequired[str | None]
    expires_at: NotRequired[str | None]


class RulesTestAgentParam(TypedDict):
    """The agent that calls."""

    id: NotRequired[str]
    role: NotRequired[str]


class RunsRespondDecisionsParam(TypedDict):
    """A decision about one call."""

    call_id: str
    action: Literal["input", "approve", "reject"]
    input: NotRequired[str | None]
    reason: NotRequired[str | None]
    pending_id: NotRequired[str | None]
    tool_input: NotRequired[dict[str, Any] | None]


class ToolCallsResultErrorParam(TypedDict):
    """Why the call failed, instead of an output."""

    message: str
    retryable: NotRequired[bool]


class ViewFiltersParam(TypedDict):
    """The filters of `GET /v1/runs`, with arrays for lists; none means every run."""

    status: NotRequired[List[Literal["queued", "running", "waiting_input", "completed", "failed", "cancelled"]]]
    error_code: NotRequired[List[Literal["step_failed", "agent_paused", "wait_expired", "cancelled", "budget_exceeded", "internal", "output_invalid"]]]
    workflow_id: NotRequired[str]
    agent_id: NotRequired[str]
    retry_of: NotRequired[str]
    forked_from: NotRequired[str]
    thread_id: NotRequired[str]
    tag: NotRequired[List[str]]
    has_warnings: NotRequired[bool]
    min_cost_usd: NotRequired[float]
    q: NotRequired[str]
    created_after: NotRequired[str]
    created_before: NotRequired[str]
    created_within_seconds: NotRequired[int]


class WorkflowsCreateExposeMcpParam(TypedDict):
    """Makes the workflow a tool of the MCP server at `/mcp`; null ends that. The `input_schema` may then not have the properties `wait_seconds` and `thread`, which the tool has itself."""

    name: NotRequired[str]
    description: NotRequired[str | None]


class WorkflowsCreateHumanInTheLoopApproversParam(TypedDict):
    """Who may answer. Replaced as a whole: an omitted list is empty."""

    users: NotRequired[List[str]]
    roles: NotRequired[List[Literal["approver", "member", "admin"]]]


class WorkflowsCreateHumanInTheLoopEscalateToParam(TypedDict):
    """Who is notified when a request escalates. Replaced as a whole: an omitted list is empty."""

    users: NotRequired[List[str]]
    roles: NotRequired[List[Literal["approver", "member", "admin"]]]


class WorkflowsCreateHumanInTheLoopParam(TypedDict):
    """Omitted fields keep their value, or their default."""

    enabled: NotRequired[bool]
    allow_input: NotRequired[bool]
    approvals: NotRequired[Literal["sensitive", "all", "never"]]
    timeout_seconds: NotRequired[int | None]
    on_timeout: NotRequired[Literal["fail", "reject"]]
    approvers: NotRequired[WorkflowsCreateHumanInTheLoopApproversParam]
    required_approvals: NotRequired[int]
    remind_after_minutes: NotRequired[int | None]
    escalate_after_minutes: NotRequired[int | None]
    escalate_to: NotRequired[WorkflowsCreateHumanInTheLoopEscalateToParam]


class WorkflowsCreateLimitsParam(TypedDict):
    """Omitted fields keep their value, or their default."""

    max_turns_per_step: NotRequired[int]
    max_run_seconds: NotRequired[int]
    max_outage_seconds: NotRequired[int]
    max_cost_usd: NotRequired[float | None]
    on_cost: NotRequired[Literal["fail", "ask"]]


class WorkflowsCreateThreadParam(TypedDict):
    """How turns of threads see the earlier ones; omitted fields get their default. Null for no threads."""

    context: NotRequired[Literal["transcript", "last_output", "none"]]
    max_tokens: NotRequired[int]
    summary_model: NotRequired[str | None]


class WorkflowsUpdateExposeMcpParam(TypedDict):
    """Makes the workflow a tool of the MCP server at `/mcp`; null ends that. The `input_schema` may then not have the properties `wait_seconds` and `thread`, which the tool has itself."""

    name: NotRequired[str]
    description: NotRequired[str | None]


class WorkflowsUpdateHumanInTheLoopApproversParam(TypedDict):
    """Who may answer. Replaced as a whole: an omitted list is empty."""

    users: NotRequired[List[str]]
    roles: NotRequired[List[Literal["approver", "member", "admin"]]]


class WorkflowsUpdateHumanInTheLoopEscalateToParam(TypedDict):
    """Who is notified when a request escalates. Replaced as a whole: an omitted list is empty."""

    users: NotRequired[List[str]]
    roles: NotRequired[List[Literal["approver", "member", "admin"]]]


class WorkflowsUpdateHumanInTheLoopParam(TypedDict):
    """Omitted fields keep their value, or their default."""

    enabled: NotRequired[bool]
    allow_input: NotRequired[bool]
    approvals: NotRequired[Literal["sensitive", "all", "never"]]
    timeout_seconds: NotRequired[int | None]
    on_timeout: NotRequired[Literal["fail", "reject"]]
    approvers: NotRequired[WorkflowsUpdateHumanInTheLoopApproversParam]
    required_approvals: NotRequired[int]
    remind_after_minutes: NotRequired[int | None]
    escalate_after_minutes: NotRequired[int | None]
    escalate_to: NotRequired[WorkflowsUpdateHumanInTheLoopEscalateToParam]


class WorkflowsUpdateLimitsParam(TypedDict):
    """Omitted fields keep their value, or their default."""

    max_turns_per_step: NotRequired[int]
    max_run_seconds: NotRequired[int]
    max_outage_seconds: NotRequired[int]
    max_cost_usd: NotRequired[float | None]
    on_cost: NotRequired[Literal["fail", "ask"]]


class WorkflowsUpdateThreadParam(TypedDict):
    """How turns of threads see the earlier ones; omitted fields get their default. Null for no threads."""

    context: NotRequired[Literal["transcript", "last_output", "none"]]
    max_tokens: NotRequired[int]
    summary_model: NotRequired[str | None]


AccountEvent = Union[RunChanged, PendingChanged]

BatchOrEstimate = Union[Batch, BatchEstimate]

RunEvent = Union[RunQueuedEvent, RunStartedEvent, StepStartedEvent, StepCutEvent, StepCompletedEvent, StepFailedEvent, ToolStartedEvent, ToolRequestedEvent, ToolCompletedEvent, FileWrittenEvent, MemoryEvictedEvent, RunWaitingInputEvent, RunApprovalGivenEvent, RunResumedEvent, RunCompletedEvent, RunFailedEvent]

class AccountResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Account:
        """Retrieve the account of a key. The account that the key belongs to."""
        return self._transport.data(
            Call("GET", "/v1/account"),
            Options(timeout=timeout, max_retries=max_retries),
            Account,
        )

    def update(
        self,
        *,
        name: str,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AccountName:
        """Rename the account. Changes its name, which people see in the console and in messages."""
        return self._transport.data(
            Call("PATCH", "/v1/account", body={"name": name}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            AccountName,
        )


class WorkersResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workers:
        """Retrieve the number of workers. Workers serve all accounts. Without any, runs stay queued until one starts."""
        return self._transport.data(
            Call("GET", "/v1/workers"),
            Options(timeout=timeout, max_retries=max_retries),
            Workers,
        )


class ApiKeysResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[ApiKey]:
        """List API keys. Newest first; 100 by default."""
        return self._transport.page(
            Call("GET", "/v1/api-keys", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ApiKey,
        )

    def create(
        self,
        *,
        name: str,
        role: Literal["viewer", "approver", "member", "admin", "worker"],
        expires_at: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedApiKey:
        """Create an API key. The key is returned only in this response."""
        return self._transport.data(
            Call("POST", "/v1/api-keys", body={"name": name, "role": role, "expires_at": expires_at}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedApiKey,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Revoke an API key. It stops working at once, on every process."""
        return self._transport.data(
            Call("DELETE", f"/v1/api-keys/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AuditResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        actor_id: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        kind: Literal["changes", "activity"] | NotGiven = NOT_GIVEN,
        created_after: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[AuditEntry]:
        """List who changed what. Newest first; 50 by default. As JSON Lines with `Accept: application/x-ndjson`, as CSV with `Accept: text/csv`."""
        return self._transport.page(
            Call("GET", "/v1/audit", query={"limit": limit, "after": after, "actor_id": actor_id, "action": action, "object_id": object_id, "kind": kind, "created_after": created_after, "created_before": created_before}),
            Options(timeout=timeout, max_retries=max_retries),
            AuditEntry,
        )


class WorkflowsVersionsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        workflow_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Version]:
        """List the versions of a workflow. Newest first, 50 a page by default. A workflow keeps its newest 10,000 versions, up to 32 MB of them."""
        return self._transport.page(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/versions", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Version,
        )

    def retrieve(
        self,
        workflow_id: str,
        version: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WorkflowVersion:
        """Retrieve a version of a workflow. With its whole definition."""
        return self._transport.data(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/versions/{segment(version)}"),
            Options(timeout=timeout, max_retries=max_retries),
            WorkflowVersion,
        )

    def diff(
        self,
        workflow_id: str,
        version: str,
        *,
        to: int | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> VersionDiff:
        """Compare two versions of a workflow. Field by field, prompts word by word, from this version to another, by default the live one."""
        return self._transport.data(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/versions/{segment(version)}/diff", query={"to": to}),
            Options(timeout=timeout, max_retries=max_retries),
            VersionDiff,
        )

    def publish(
        self,
        workflow_id: str,
        version: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workflow:
        """Publish a version of a workflow. Makes a draft or an earlier version live. Its agents and models must still exist. Accepts `If-Match` like an update."""
        return self._transport.data(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/versions/{segment(version)}/publish"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Workflow,
        )


class WorkflowsMemoryResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        workflow_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[MemoryEntry]:
        """List the memory of a workflow. Of all its roles or of one; newest first, 200 by default."""
        return self._transport.page(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/memory", query={"limit": limit, "after": after, "q": q, "role": role}),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    def create(
        self,
        workflow_id: str,
        *,
        role: str,
        content: str,
        pinned: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Add to the memory of a role of a workflow. At 200 entries of the role, the oldest unpinned one is replaced."""
        return self._transport.data(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/memory", body={"role": role, "content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            MemoryEntry,
        )

    def retrieve(
        self,
        workflow_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Retrieve a memory entry. One note, with where it comes from and when it was last used."""
        return self._transport.data(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    def update(
        self,
        workflow_id: str,
        memory_id: str,
        *,
        content: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Update a memory entry. Changes the given fields."""
        return self._transport.data(
            Call("PATCH", f"/v1/workflows/{segment(workflow_id)}/memory/{segment(memory_id)}", body={"content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            MemoryEntry,
        )

    def delete(
        self,
        workflow_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a memory entry. Later runs do not recall it."""
        return self._transport.data(
            Call("DELETE", f"/v1/workflows/{segment(workflow_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class WorkflowsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.versions = WorkflowsVersionsResource(transport)
        self.memory = WorkflowsMemoryResource(transport)

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Workflow]:
        """List workflows. All of the account, most recently updated first."""
        return self._transport.page(
            Call("GET", "/v1/workflows", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Workflow,
        )

    def create(
        self,
        *,
        name: str,
        description: str | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        crew: List[CrewEntryParam] | NotGiven = NOT_GIVEN,
        input_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        expose_mcp: WorkflowsCreateExposeMcpParam | None | NotGiven = NOT_GIVEN,
        thread: WorkflowsCreateThreadParam | None | NotGiven = NOT_GIVEN,
        human_in_the_loop: WorkflowsCreateHumanInTheLoopParam | NotGiven = NOT_GIVEN,
        limits: WorkflowsCreateLimitsParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedWorkflow:
        """Create a workflow. Without `crew` it gets a planner and a writer."""
        return self._transport.data(
            Call("POST", "/v1/workflows", body={"name": name, "description": description, "model": model, "fallbacks": fallbacks, "crew": crew, "input_schema": input_schema, "memory_enabled": memory_enabled, "expose_mcp": expose_mcp, "thread": thread, "human_in_the_loop": human_in_the_loop, "limits": limits}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedWorkflow,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workflow:
        """Retrieve a workflow. The live version, with its crew and warnings."""
        return self._transport.data(
            Call("GET", f"/v1/workflows/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Workflow,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        crew: List[CrewEntryParam] | NotGiven = NOT_GIVEN,
        input_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        expose_mcp: WorkflowsUpdateExposeMcpParam | None | NotGiven = NOT_GIVEN,
        thread: WorkflowsUpdateThreadParam | None | NotGiven = NOT_GIVEN,
        human_in_the_loop: WorkflowsUpdateHumanInTheLoopParam | NotGiven = NOT_GIVEN,
        limits: WorkflowsUpdateLimitsParam | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        model_inherited: bool | NotGiven = NOT_GIVEN,
        draft: bool | NotGiven = NOT_GIVEN,
        note: str | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workflow:
        """Update a workflow. Changes the given fields and creates a version; with `draft`, it does not go live. Runs that have begun keep their version. With `If-Match`, it is refused with 412 if another version has gone live."""
        return self._transport.data(
            Call("PATCH", f"/v1/workflows/{segment(id)}", body={"name": name, "description": description, "model": model, "fallbacks": fallbacks, "crew": crew, "input_schema": input_schema, "memory_enabled": memory_enabled, "expose_mcp": expose_mcp, "thread": thread, "human_in_the_loop": human_in_the_loop, "limits": limits, "status": status, "model_inherited": model_inherited, "draft": draft, "note": note}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Workflow,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a workflow. Refused while a run is unfinished. Its runs remain readable by id."""
        return self._transport.data(
            Call("DELETE", f"/v1/workflows/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class RunsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        workflow_id: str,
        *,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        version: int | NotGiven = NOT_GIVEN,
        agent_versions: dict[str, int] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        deltas: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Trigger a run. The run is stored before the response; execution begins afterwards. If a budget of the account, workflow or tag refuses further calls and is used up, the response is 409 `budget_reached`."""
        return self._transport.data(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/runs", query={"deltas": deltas}, body={"input": input, "data": data, "version": version, "agent_versions": agent_versions, "tags": tags, "files": files}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    def list(
        self,
        workflow_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "running", "waiting_input", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Run]:
        """List the runs of a workflow. Newest first, without steps; the 50 most recent by default."""
        return self._transport.page(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/runs", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Run,
        )

    def list_all(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: str | NotGiven = NOT_GIVEN,
        error_code: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        retry_of: str | NotGiven = NOT_GIVEN,
        forked_from: str | NotGiven = NOT_GIVEN,
        thread_id: str | NotGiven = NOT_GIVEN,
        tag: List[str] | NotGiven = NOT_GIVEN,
        has_warnings: bool | NotGiven = NOT_GIVEN,
        min_cost_usd: float | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        created_after: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Run]:
        """List the runs of the account. Over all workflows, newest first, without steps; filters can be combined. As a file of up to 10,000 rows with `Accept: text/csv` or `application/x-ndjson`."""
        return self._transport.page(
            Call("GET", "/v1/runs", query={"limit": limit, "after": after, "status": status, "error_code": error_code, "workflow_id": workflow_id, "agent_id": agent_id, "retry_of": retry_of, "forked_from": forked_from, "thread_id": thread_id, "tag": tag, "has_warnings": has_warnings, "min_cost_usd": min_cost_usd, "q": q, "created_after": created_after, "created_before": created_before}),
            Options(timeout=timeout, max_retries=max_retries),
            Run,
        )

    def counts(
        self,
        *,
        workflow_id: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        retry_of: str | NotGiven = NOT_GIVEN,
        forked_from: str | NotGiven = NOT_GIVEN,
        thread_id: str | NotGiven = NOT_GIVEN,
        tag: List[str] | NotGiven = NOT_GIVEN,
        min_cost_usd: float | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        created_after: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RunCounts:
        """Count the runs of each status. Over all workflows, with the filters of the list. Each count ends at 1,000 and says whether there are more."""
        return self._transport.data(
            Call("GET", "/v1/runs/counts", query={"workflow_id": workflow_id, "agent_id": agent_id, "retry_of": retry_of, "forked_from": forked_from, "thread_id": thread_id, "tag": tag, "min_cost_usd": min_cost_usd, "q": q, "created_after": created_after, "created_before": created_before}),
            Options(timeout=timeout, max_retries=max_retries),
            RunCounts,
        )

    def retrieve(
        self,
        id: str,
        *,
        wait: int | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RunWithSteps:
        """Retrieve a run with its steps. With `wait`, the response comes as soon as the run rests or ends, or when the time is over."""
        return self._transport.data(
            Call("GET", f"/v1/runs/{segment(id)}", query={"wait": wait}),
            Options(timeout=timeout, max_retries=max_retries),
            RunWithSteps,
        )

    def turns(
        self,
        id: str,
        order: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Turn]:
        """List the turns of a step. The messages to and from the model, turn by turn, with the full results of its calls. Oldest first, 50 a page by default, and fewer if a page exceeds 4 MB."""
        return self._transport.page(
            Call("GET", f"/v1/runs/{segment(id)}/steps/{segment(order)}/turns", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Turn,
        )

    def respond(
        self,
        id: str,
        *,
        action: Literal["input", "approve", "reject"] | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        reason: str | None | NotGiven = NOT_GIVEN,
        pending_id: str | None | NotGiven = NOT_GIVEN,
        tool_input: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        max_cost_usd: float | None | NotGiven = NOT_GIVEN,
        decisions: List[RunsRespondDecisionsParam] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RespondedRun:
        """Answer a waiting request. Answers a question or decides an approval: `approve` runs the action and the agent continues, `reject` skips it and tells the agent why. Only one answer counts; further ones get 409. Several calls of one turn are decided with `decisions`, together or one by one."""
        return self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/respond", body={"action": action, "input": input, "reason": reason, "pending_id": pending_id, "tool_input": tool_input, "max_cost_usd": max_cost_usd, "decisions": decisions}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RespondedRun,
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Cancel a run. Ends an unfinished run; a finished one is returned unchanged."""
        return self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/cancel"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    def retry(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Retry a failed run. Creates a new run that keeps the finished steps and repeats the failed one, with the workflow's live version, whatever version the failed run had."""
        return self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/retry"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    def fork(
        self,
        id: str,
        *,
        from_step: int,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        outputs: dict[str, str] | NotGiven = NOT_GIVEN,
        definition: Literal["frozen", "current"] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Fork a run from a step. Creates a new run that copies the steps before `from_step` of a run that has ended or waits, with the given `outputs` replaced, and executes the rest. The executed steps start from scratch: approvals are requested again, and an action is repeated only if an agent requests it again."""
        return self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/fork", body={"from_step": from_step, "input": input, "data": data, "outputs": outputs, "definition": definition, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    def preview_fork(
        self,
        id: str,
        *,
        from_step: int,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        outputs: dict[str, str] | NotGiven = NOT_GIVEN,
        definition: Literal["frozen", "current"] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ForkPreview:
        """Preview a fork. The steps that it would execute, and the actions that it may repeat. Nothing is started."""
        return self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/fork/preview", body={"from_step": from_step, "input": input, "data": data, "outputs": outputs, "definition": definition, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ForkPreview,
        )

    def compare(
        self,
        id: str,
        other: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RunComparison:
        """Compare two runs. Side by side: inputs and outputs word by word, tokens, cost, time and calls."""
        return self._transport.data(
            Call("GET", f"/v1/runs/{segment(id)}/compare/{segment(other)}"),
            Options(timeout=timeout, max_retries=max_retries),
            RunComparison,
        )


class PendingResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        assignee: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[WaitingRun]:
        """List waiting requests. Every waiting request of the account, oldest first; 100 a page by default. Filters can be combined."""
        return self._transport.page(
            Call("GET", "/v1/pending", query={"limit": limit, "after": after, "workflow_id": workflow_id, "action": action, "assignee": assignee, "created_before": created_before, "q": q}),
            Options(timeout=timeout, max_retries=max_retries),
            WaitingRun,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Case:
        """Retrieve a waiting request. With its assignee, notifications and failed deliveries."""
        return self._transport.data(
            Call("GET", f"/v1/pending/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Case,
        )

    def assign(
        self,
        id: str,
        *,
        user_id: str | None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Case:
        """Assign a request to a person. Other approvers can still answer. The assignee is notified by email if an email channel covers the workflow."""
        return self._transport.data(
            Call("PUT", f"/v1/pending/{segment(id)}/assignee", body={"user_id": user_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Case,
        )

    def comments(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Comment]:
        """List the comments on a request. Newest first; the 50 most recent by default. Also available once the request is decided."""
        return self._transport.page(
            Call("GET", f"/v1/pending/{segment(id)}/comments", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Comment,
        )

    def comment(
        self,
        id: str,
        *,
        text: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Comment:
        """Comment on a request. For other people: agents do not see it, and it does not answer the request."""
        return self._transport.data(
            Call("POST", f"/v1/pending/{segment(id)}/comments", body={"text": text}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Comment,
        )


class BatchesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Batch]:
        """List batches. Newest first, 50 a page by default."""
        return self._transport.page(
            Call("GET", "/v1/batches", query={"limit": limit, "after": after, "workflow_id": workflow_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Batch,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Batch:
        """Retrieve a batch. Its progress, at most a few seconds old."""
        return self._transport.data(
            Call("GET", f"/v1/batches/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Batch,
        )

    def items(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        has_warnings: bool | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[BatchItem]:
        """List the items of a batch. In their order, 50 a page by default."""
        return self._transport.page(
            Call("GET", f"/v1/batches/{segment(id)}/items", query={"limit": limit, "after": after, "status": status, "has_warnings": has_warnings}),
            Options(timeout=timeout, max_retries=max_retries),
            BatchItem,
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Batch:
        """Cancel a batch. No further item starts, and runs in progress are cancelled."""
        return self._transport.data(
            Call("POST", f"/v1/batches/{segment(id)}/cancel"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Batch,
        )

    def retry_failed(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Batch:
        """Retry the failed items. Each failed item is retried like a run: it keeps its finished steps and uses the current workflow."""
        return self._transport.data(
            Call("POST", f"/v1/batches/{segment(id)}/retry-failed"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Batch,
        )

    def create(
        self,
        workflow_id: str,
        *,
        items: List[BatchItemInputParam] | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        input: str | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        concurrency: int | NotGiven = NOT_GIVEN,
        dry_run: bool | NotGiven = NOT_GIVEN,
        key: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BatchOrEstimate:
        """Start a batch. Items as JSON (up to 8 MB), or as the whole body in JSON Lines (`application/x-ndjson`, one item per line) or CSV (`text/csv`, columns are fields of `data`; comma, semicolon or tab), up to 32 MB, with the other fields in the query. All items are validated before the first run starts."""
        answer: BatchOrEstimate = self._transport.value(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/batches", query={"key": key}, body={"items": items, "files": files, "input": input, "name": name, "concurrency": concurrency, "dry_run": dry_run}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            BatchOrEstimate,
        )
        return answer


class ThreadsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        workflow_id: str,
        key: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        title: str | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Create a thread. A conversation with a workflow whose `thread` is set. With a `key` that a thread of the workflow has, that thread is returned, with status 200."""
        return self._transport.data(
            Call("POST", "/v1/threads", body={"workflow_id": workflow_id, "key": key, "version": version, "title": title, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Thread,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        key: str | NotGiven = NOT_GIVEN,
        status: Literal["open", "closed"] | NotGiven = NOT_GIVEN,
        tag: List[str] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Thread]:
        """List threads. Most recently changed first, 50 a page by default. Filters can be combined."""
        return self._transport.page(
            Call("GET", "/v1/threads", query={"limit": limit, "after": after, "workflow_id": workflow_id, "key": key, "status": status, "tag": tag, "q": q}),
            Options(timeout=timeout, max_retries=max_retries),
            Thread,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Retrieve a thread. With what it has cost, and what it waits for."""
        return self._transport.data(
            Call("GET", f"/v1/threads/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Thread,
        )

    def update(
        self,
        id: str,
        *,
        title: str | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        status: Literal["open", "closed"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Update a thread. Changes its title or tags, closes it, or opens it again."""
        return self._transport.data(
            Call("PATCH", f"/v1/threads/{segment(id)}", body={"title": title, "tags": tags, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Thread,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a thread. Deletes its messages, its summaries and the runs of its turns. 409 while a turn is in progress."""
        return self._transport.data(
            Call("DELETE", f"/v1/threads/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def send(
        self,
        id: str,
        *,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        deltas: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ThreadMessage:
        """Send a message. Its turn begins after those of the messages before it. Up to 20 messages wait beside the turn in progress. A message never answers a waiting request."""
        return self._transport.data(
            Call("POST", f"/v1/threads/{segment(id)}/messages", query={"deltas": deltas}, body={"input": input, "data": data, "files": files}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ThreadMessage,
        )

    def messages(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        order: Literal["asc", "desc"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[ThreadMessage]:
        """List the messages of a thread. By turn, the message before its answer, 50 a page by default; or with `order=desc` the newest first."""
        return self._transport.page(
            Call("GET", f"/v1/threads/{segment(id)}/messages", query={"limit": limit, "after": after, "order": order}),
            Options(timeout=timeout, max_retries=max_retries),
            ThreadMessage,
        )

    def stop(
        self,
        id: str,
        *,
        queued: Literal["keep", "cancel"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Stop the turn in progress. Cancels the run of the turn in progress. Messages that wait for their turn are kept, and go on, unless `queued` is `cancel`."""
        return self._transport.data(
            Call("POST", f"/v1/threads/{segment(id)}/stop", body={"queued": queued}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Thread,
        )

    def summaries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[ThreadSummary]:
        """List the summaries of a thread. Newest first, 50 a page by default."""
        return self._transport.page(
            Call("GET", f"/v1/threads/{segment(id)}/summaries", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ThreadSummary,
        )


class BulkOperationsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        action: Literal["cancel", "retry"],
        filter: BulkFilterParam,
        dry_run: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkOperation:
        """Cancel or retry many runs. Applies to the runs that match now, up to 10,000. With `dry_run`, they are only counted. Retrying skips runs that were already retried."""
        return self._transport.data(
            Call("POST", "/v1/runs/bulk", body={"action": action, "filter": filter, "dry_run": dry_run}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            BulkOperation,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkOperation:
        """Retrieve a bulk operation. Its progress, and the runs that were skipped with the reasons."""
        return self._transport.data(
            Call("GET", f"/v1/bulk-operations/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            BulkOperation,
        )


class BudgetsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Budget]:
        """List budgets. Newest first, all of them by default, each with its current window."""
        return self._transport.page(
            Call("GET", "/v1/budgets", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Budget,
        )

    def create(
        self,
        *,
        name: str,
        scope: Literal["account", "workflow", "agent", "thread", "tag"],
        window: Literal["day", "week", "month"],
        cap_usd: float,
        scope_value: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        thresholds: List[float] | NotGiven = NOT_GIVEN,
        on_cap: Literal["hold", "ask", "refuse", "fallback"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Budget:
        """Create a budget. An account has up to 50. Earlier costs of the current window count, from daily totals in UTC."""
        return self._transport.data(
            Call("POST", "/v1/budgets", body={"name": name, "scope": scope, "scope_value": scope_value, "window": window, "time_zone": time_zone, "cap_usd": cap_usd, "thresholds": thresholds, "on_cap": on_cap}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Budget,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Budget:
        """Retrieve a budget. With the amount spent in its current window."""
        return self._transport.data(
            Call("GET", f"/v1/budgets/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Budget,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        cap_usd: float | NotGiven = NOT_GIVEN,
        thresholds: List[float] | NotGiven = NOT_GIVEN,
        on_cap: Literal["hold", "ask", "refuse", "fallback"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Budget:
        """Update a budget. Changes the given fields; held runs check again within a minute."""
        return self._transport.data(
            Call("PATCH", f"/v1/budgets/{segment(id)}", body={"name": name, "cap_usd": cap_usd, "thresholds": thresholds, "on_cap": on_cap}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Budget,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a budget. Its open requests are closed, and the runs that it holds go on."""
        return self._transport.data(
            Call("DELETE", f"/v1/budgets/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AgentsVersionsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        agent_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Version]:
        """List the versions of an agent. Newest first, 50 a page by default. An agent keeps its newest 10,000 versions, up to 32 MB of them."""
        return self._transport.page(
            Call("GET", f"/v1/agents/{segment(agent_id)}/versions", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Version,
        )

    def retrieve(
        self,
        agent_id: str,
        version: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AgentVersion:
        """Retrieve a version of an agent. With its whole definition."""
        return self._transport.data(
            Call("GET", f"/v1/agents/{segment(agent_id)}/versions/{segment(version)}"),
            Options(timeout=timeout, max_retries=max_retries),
            AgentVersion,
        )

    def diff(
        self,
        agent_id: str,
        version: str,
        *,
        to: int | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> VersionDiff:
        """Compare two versions of an agent. Field by field, prompts word by word, from this version to another, by default the live one."""
        return self._transport.data(
            Call("GET", f"/v1/agents/{segment(agent_id)}/versions/{segment(version)}/diff", query={"to": to}),
            Options(timeout=timeout, max_retries=max_retries),
            VersionDiff,
        )

    def publish(
        self,
        agent_id: str,
        version: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Publish a version of an agent. Makes a draft or an earlier version live. Its models, connectors and capabilities must still exist. Accepts `If-Match` like an update."""
        return self._transport.data(
            Call("POST", f"/v1/agents/{segment(agent_id)}/versions/{segment(version)}/publish"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Agent,
        )


class AgentsMemoryResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        agent_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[MemoryEntry]:
        """List the memory of an agent. Newest first; all of it, or the best matches of `q`."""
        return self._transport.page(
            Call("GET", f"/v1/agents/{segment(agent_id)}/memory", query={"limit": limit, "after": after, "q": q}),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    def create(
        self,
        agent_id: str,
        *,
        content: str,
        pinned: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Add to the memory of an agent. At 200 entries, the oldest unpinned one is replaced."""
        return self._transport.data(
            Call("POST", f"/v1/agents/{segment(agent_id)}/memory", body={"content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            MemoryEntry,
        )

    def retrieve(
        self,
        agent_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Retrieve a memory entry. One note, with where it comes from and when it was last used."""
        return self._transport.data(
            Call("GET", f"/v1/agents/{segment(agent_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    def update(
        self,
        agent_id: str,
        memory_id: str,
        *,
        content: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Update a memory entry. Changes the given fields."""
        return self._transport.data(
            Call("PATCH", f"/v1/agents/{segment(agent_id)}/memory/{segment(memory_id)}", body={"content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            MemoryEntry,
        )

    def delete(
        self,
        agent_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a memory entry. Later runs do not recall it."""
        return self._transport.data(
            Call("DELETE", f"/v1/agents/{segment(agent_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AgentsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.versions = AgentsVersionsResource(transport)
        self.memory = AgentsMemoryResource(transport)

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        category: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Agent]:
        """List agents. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/agents", query={"limit": limit, "after": after, "category": category}),
            Options(timeout=timeout, max_retries=max_retries),
            Agent,
        )

    def create(
        self,
        *,
        name: str,
        role: str,
        systemPrompt: str,
        description: str | None | NotGiven = NOT_GIVEN,
        category: str | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        maxTokens: int | None | NotGiven = NOT_GIVEN,
        connectors: List[str] | NotGiven = NOT_GIVEN,
        capabilities: List[str] | NotGiven = NOT_GIVEN,
        tools: List[CallerToolParam] | NotGiven = NOT_GIVEN,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        output_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Create an agent. An account has up to 1,000."""
        return self._transport.data(
            Call("POST", "/v1/agents", body={"name": name, "description": description, "category": category, "role": role, "systemPrompt": systemPrompt, "model": model, "fallbacks": fallbacks, "maxTokens": maxTokens, "connectors": connectors, "capabilities": capabilities, "tools": tools, "rules": rules, "output_schema": output_schema, "status": status, "memory_enabled": memory_enabled}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Agent,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Retrieve an agent. The live version."""
        return self._transport.data(
            Call("GET", f"/v1/agents/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Agent,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        category: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        systemPrompt: str | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        maxTokens: int | None | NotGiven = NOT_GIVEN,
        connectors: List[str] | NotGiven = NOT_GIVEN,
        capabilities: List[str] | NotGiven = NOT_GIVEN,
        tools: List[CallerToolParam] | NotGiven = NOT_GIVEN,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        output_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        draft: bool | NotGiven = NOT_GIVEN,
        note: str | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Update an agent. Changes the given fields and creates a version; the next run of every linked workflow uses it. With `draft`, it does not go live. With `If-Match`, it is refused with 412 if another version has gone live."""
        return self._transport.data(
            Call("PATCH", f"/v1/agents/{segment(id)}", body={"name": name, "description": description, "category": category, "role": role, "systemPrompt": systemPrompt, "model": model, "fallbacks": fallbacks, "maxTokens": maxTokens, "connectors": connectors, "capabilities": capabilities, "tools": tools, "rules": rules, "output_schema": output_schema, "status": status, "memory_enabled": memory_enabled, "draft": draft, "note": note}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Agent,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete an agent. Deletes its memory too. Workflows that link it run the step from their own entry, without tools or memory. Runs are kept."""
        return self._transport.data(
            Call("DELETE", f"/v1/agents/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class WebhooksResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        url: str,
        events: List[Literal["run.started", "run.completed", "run.failed", "run.waiting_input", "run.cancelled", "tool.requested", "batch.completed", "thread.message", "budget.threshold", "budget.reached", "schedule.missed"]],
        description: str | None | NotGiven = NOT_GIVEN,
        workflow_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint. The signing secret is returned only in this response. An account has up to 20."""
        return self._transport.data(
            Call("POST", "/v1/webhooks", body={"url": url, "description": description, "events": events, "workflow_id": workflow_id}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookEndpointWithSecret,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[WebhookEndpoint]:
        """List webhook endpoints. All of the account, newest first, without secrets."""
        return self._transport.page(
            Call("GET", "/v1/webhooks", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookEndpoint,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpoint:
        """Retrieve a webhook endpoint. Its address, events and state; never its secret."""
        return self._transport.data(
            Call("GET", f"/v1/webhooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookEndpoint,
        )

    def update(
        self,
        id: str,
        *,
        url: str | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        events: List[Literal["run.started", "run.completed", "run.failed", "run.waiting_input", "run.cancelled", "tool.requested", "batch.completed", "thread.message", "budget.threshold", "budget.reached", "schedule.missed"]] | NotGiven = NOT_GIVEN,
        workflow_id: str | None | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint. Reactivating it resets its failures; pending deliveries continue."""
        return self._transport.data(
            Call("PATCH", f"/v1/webhooks/{segment(id)}", body={"url": url, "description": description, "events": events, "workflow_id": workflow_id, "active": active}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            WebhookEndpoint,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a webhook endpoint. Deliveries stop at once, and their history is deleted."""
        return self._transport.data(
            Call("DELETE", f"/v1/webhooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def rotate_secret(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpointWithSecret:
        """Rotate the signing secret. For 24 hours, requests are also signed with the old secret."""
        return self._transport.data(
            Call("POST", f"/v1/webhooks/{segment(id)}/rotate-secret"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookEndpointWithSecret,
        )

    def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send a test event. Sends one attempt of type `webhook.test`; its result is in the deliveries."""
        return self._transport.data(
            Call("POST", f"/v1/webhooks/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookDelivery,
        )

    def deliveries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "succeeded", "failed"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[WebhookDelivery]:
        """List the deliveries of an endpoint. Newest first, with every attempt; the 50 most recent by default."""
        return self._transport.page(
            Call("GET", f"/v1/webhooks/{segment(id)}/deliveries", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookDelivery,
        )

    def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDeliveryWithBody:
        """Retrieve a delivery with its body. The body exactly as it is sent."""
        return self._transport.data(
            Call("GET", f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookDeliveryWithBody,
        )

    def redeliver(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send an event again. Sends it at once, whatever its status."""
        return self._transport.data(
            Call("POST", f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/redeliver"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookDelivery,
        )


class ChannelsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Channel]:
        """List channels. All of the account, newest first, without secrets."""
        return self._transport.page(
            Call("GET", "/v1/channels", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Channel,
        )

    def create(
        self,
        *,
        name: str,
        kind: Literal["email", "slack"],
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        recipients: List[str] | NotGiven = NOT_GIVEN,
        slack_channel: str | None | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        token: str | NotGiven = NOT_GIVEN,
        signing_secret: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Channel:
        """Create a channel. Logs in at the mail server or Slack and sends nothing; `state` has the result. Announces cases that start to wait from now on."""
        return self._transport.data(
            Call("POST", "/v1/channels", body={"name": name, "workflow_ids": workflow_ids, "recipients": recipients, "slack_channel": slack_channel, "active": active, "token": token, "signing_secret": signing_secret, "kind": kind}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Channel,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Channel:
        """Retrieve a channel. Its settings and state; never its secrets."""
        return self._transport.data(
            Call("GET", f"/v1/channels/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Channel,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        recipients: List[str] | NotGiven = NOT_GIVEN,
        slack_channel: str | None | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        token: str | NotGiven = NOT_GIVEN,
        signing_secret: str | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Channel:
        """Update a channel. Logs in again if a secret changes."""
        return self._transport.data(
            Call("PATCH", f"/v1/channels/{segment(id)}", body={"name": name, "workflow_ids": workflow_ids, "recipients": recipients, "slack_channel": slack_channel, "active": active, "token": token, "signing_secret": signing_secret}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Channel,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a channel. Its messages are removed, and the links in them stop working."""
        return self._transport.data(
            Call("DELETE", f"/v1/channels/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ChannelTest:
        """Send a test message. To every recipient, at once."""
        return self._transport.data(
            Call("POST", f"/v1/channels/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ChannelTest,
        )


class NotificationsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        channel_id: str | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        pending_id: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "sent", "failed", "dropped"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Notification]:
        """List the messages of channels. Newest first; the 50 most recent by default. With `pending_id`, the notifications about a case."""
        return self._transport.page(
            Call("GET", "/v1/notifications", query={"limit": limit, "after": after, "channel_id": channel_id, "run_id": run_id, "pending_id": pending_id, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Notification,
        )


class MailboxesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Mailbox]:
        """List mailboxes. All of the account, newest first, without passwords."""
        return self._transport.page(
            Call("GET", "/v1/mailboxes", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Mailbox,
        )

    def create(
        self,
        *,
        name: str,
        host: str,
        port: int,
        username: str,
        workflow_id: str,
        password: str,
        secure: Literal["tls", "starttls", "none"] | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        senders: List[str] | None | NotGiven = NOT_GIVEN,
        require_authenticated: bool | NotGiven = NOT_GIVEN,
        authserv_id: str | None | NotGiven = NOT_GIVEN,
        subject_contains: str | None | NotGiven = NOT_GIVEN,
        poll_seconds: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Mailbox:
        """Create a mailbox. Logs in and opens the folder; `state` has the result. Messages that arrive from now on start runs."""
        return self._transport.data(
            Call("POST", "/v1/mailboxes", body={"name": name, "host": host, "port": port, "secure": secure, "username": username, "folder": folder, "workflow_id": workflow_id, "senders": senders, "require_authenticated": require_authenticated, "authserv_id": authserv_id, "subject_contains": subject_contains, "poll_seconds": poll_seconds, "active": active, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Mailbox,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Mailbox:
        """Retrieve a mailbox. Its settings and state; never its password."""
        return self._transport.data(
            Call("GET", f"/v1/mailboxes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Mailbox,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        host: str | NotGiven = NOT_GIVEN,
        port: int | NotGiven = NOT_GIVEN,
        secure: Literal["tls", "starttls", "none"] | NotGiven = NOT_GIVEN,
        username: str | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        senders: List[str] | None | NotGiven = NOT_GIVEN,
        require_authenticated: bool | NotGiven = NOT_GIVEN,
        authserv_id: str | None | NotGiven = NOT_GIVEN,
        subject_contains: str | None | NotGiven = NOT_GIVEN,
        poll_seconds: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        password: str | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Mailbox:
        """Update a mailbox. With another server, user or folder, messages that arrive from now on start runs."""
        return self._transport.data(
            Call("PATCH", f"/v1/mailboxes/{segment(id)}", body={"name": name, "host": host, "port": port, "secure": secure, "username": username, "folder": folder, "workflow_id": workflow_id, "senders": senders, "require_authenticated": require_authenticated, "authserv_id": authserv_id, "subject_contains": subject_contains, "poll_seconds": poll_seconds, "active": active, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Mailbox,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a mailbox. Its messages stay in the folder; Muster deletes its record of them."""
        return self._transport.data(
            Call("DELETE", f"/v1/mailboxes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MailboxTest:
        """Test a mailbox. Logs in and opens the folder without changing anything."""
        return self._transport.data(
            Call("POST", f"/v1/mailboxes/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            MailboxTest,
        )

    def messages(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "started", "ignored", "failed"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[MailboxMessage]:
        """List the messages of a mailbox. Newest first, with their outcome; the 50 most recent by default."""
        return self._transport.page(
            Call("GET", f"/v1/mailboxes/{segment(id)}/messages", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            MailboxMessage,
        )


class AlertsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Alert]:
        """List alerts. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/alerts", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Alert,
        )

    def create(
        self,
        *,
        name: str,
        on: Literal["run.failed", "failure_rate", "waiting_too_long", "schedule.missed", "webhook.disabled", "connector.failing", "model.ending", "budget.threshold"],
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        channel_ids: List[str] | None | NotGiven = NOT_GIVEN,
        minutes: int | None | NotGiven = NOT_GIVEN,
        threshold: float | None | NotGiven = NOT_GIVEN,
        at_most_every_minutes: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Alert:
        """Create an alert. It covers events from now on, and notifies channels within about 15 seconds."""
        return self._transport.data(
            Call("POST", "/v1/alerts", body={"name": name, "workflow_ids": workflow_ids, "channel_ids": channel_ids, "minutes": minutes, "threshold": threshold, "at_most_every_minutes": at_most_every_minutes, "active": active, "on": on}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Alert,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Alert:
        """Retrieve an alert. One alert with its settings."""
        return self._transport.data(
            Call("GET", f"/v1/alerts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Alert,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        channel_ids: List[str] | None | NotGiven = NOT_GIVEN,
        minutes: int | None | NotGiven = NOT_GIVEN,
        threshold: float | None | NotGiven = NOT_GIVEN,
        at_most_every_minutes: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Alert:
        """Update an alert. Changes the given fields."""
        return self._transport.data(
            Call("PATCH", f"/v1/alerts/{segment(id)}", body={"name": name, "workflow_ids": workflow_ids, "channel_ids": channel_ids, "minutes": minutes, "threshold": threshold, "at_most_every_minutes": at_most_every_minutes, "active": active}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Alert,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete an alert. It sends nothing from then on."""
        return self._transport.data(
            Call("DELETE", f"/v1/alerts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class ConnectorsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Connector]:
        """List connectors. All built-in connectors, then the account's MCP servers and HTTP APIs by id."""
        return self._transport.page(
            Call("GET", "/v1/connectors", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Connector,
        )

    def connect(
        self,
        id: str,
        *,
        host: str | NotGiven = NOT_GIVEN,
        port: int | NotGiven = NOT_GIVEN,
        secure: bool | NotGiven = NOT_GIVEN,
        user: str | NotGiven = NOT_GIVEN,
        pass_: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        token: str | NotGiven = NOT_GIVEN,
        search_key: str | NotGiven = NOT_GIVEN,
        kind: Literal["mcp"] | Literal["http"] | Literal["openapi"] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        safe_tools: List[str] | NotGiven = NOT_GIVEN,
        tools: ConnectorsConnectToolsParam | NotGiven = NOT_GIVEN,
        credentials: Literal["account", "person"] | NotGiven = NOT_GIVEN,
        client: ConnectorsConnectClientParam | NotGiven = NOT_GIVEN,
        label: str | NotGiven = NOT_GIVEN,
        base_url: str | NotGiven = NOT_GIVEN,
        auth: ConnectorsConnectAuthParam | NotGiven = NOT_GIVEN,
        actions: List[HttpActionParam] | NotGiven = NOT_GIVEN,
        document: str | dict[str, Any] | NotGiven = NOT_GIVEN,
        document_url: str | NotGiven = NOT_GIVEN,
        operations: ConnectorsConnectOperationsParam | NotGiven = NOT_GIVEN,
        safe: List[str] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Connector:
        """Connect a built-in connector, an MCP server or an HTTP API. Replaces the stored values. Credentials are encrypted and never returned. An MCP server is asked for its tools, and an OpenAPI document is read; connecting again accepts what has changed."""
        return self._transport.data(
            Call("PUT", f"/v1/connectors/{segment(id)}", body={"host": host, "port": port, "secure": secure, "user": user, "pass": pass_, "from": from_, "token": token, "search_key": search_key, "kind": kind, "url": url, "headers": headers, "safe_tools": safe_tools, "tools": tools, "credentials": credentials, "client": client, "label": label, "base_url": base_url, "auth": auth, "actions": actions, "document": document, "document_url": document_url, "operations": operations, "safe": safe}),
            Options(timeout=timeout, max_retries=max_retries),
            Connector,
        )

    def disconnect(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Disconnect a connector. Its credentials and logins are removed. Agents keep their capabilities."""
        return self._transport.data(
            Call("DELETE", f"/v1/connectors/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ConnectorTest:
        """Test a connector. Logs in without sending anything; for an MCP server, it compares the tools, and for an OpenAPI document with an address, the operations."""
        return self._transport.data(
            Call("POST", f"/v1/connectors/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ConnectorTest,
        )

    def authorize(
        self,
        id: str,
        *,
        return_to: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Authorization:
        """Log in at an MCP server. Begins a login by OAuth, which the person finishes in the same browser session. The account's login needs an admin; with `credentials: person` everybody makes their own. API keys have no browser, so they cannot."""
        return self._transport.data(
            Call("POST", f"/v1/connectors/{segment(id)}/authorize", body={"return_to": return_to}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Authorization,
        )

    def try_(
        self,
        id: str,
        *,
        action: str,
        input: dict[str, Any] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ConnectorTried:
        """Call an action of an HTTP API once. Calls the action as an agent would, without an approval: it has its effects. For connectors of the kinds `http` and `openapi`."""
        return self._transport.data(
            Call("POST", f"/v1/connectors/{segment(id)}/try", body={"action": action, "input": input}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ConnectorTried,
        )


class ToolCallsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def claim(
        self,
        *,
        names: List[str] | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        lease_seconds: int | NotGiven = NOT_GIVEN,
        wait_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[ClaimedCall]:
        """Claim calls. Gives the oldest open calls to the caller, for whom they are reserved until their leases end. A call whose lease ends is given out again if it is not `sensitive`; otherwise its outcome is `unknown`, and a person decides."""
        return self._transport.page(
            Call("POST", "/v1/tool-calls/claim", body={"names": names, "limit": limit, "lease_seconds": lease_seconds, "wait_seconds": wait_seconds}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ClaimedCall,
        )

    def heartbeat(
        self,
        id: str,
        *,
        lease: str,
        lease_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RequestedCall:
        """Extend a claim. Holds the call for longer, from now on; 409 `lease_lost` if the lease has ended."""
        return self._transport.data(
            Call("POST", f"/v1/tool-calls/{segment(id)}/heartbeat", body={"lease": lease, "lease_seconds": lease_seconds}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RequestedCall,
        )

    def result(
        self,
        id: str,
        *,
        lease: str | NotGiven = NOT_GIVEN,
        output: Any | NotGiven = NOT_GIVEN,
        error: ToolCallsResultErrorParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RequestedCall:
        """Report the result of a call. The first result counts, with a lease or without one, while the call has none and its time is not over. The same result again is answered with 200; another with 409 `tool_call_answered`. After its time the response is 409 `tool_call_expired`, and `tool_call_cancelled` if the run has ended."""
        return self._transport.data(
            Call("POST", f"/v1/tool-calls/{segment(id)}/result", body={"lease": lease, "output": output, "error": error}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RequestedCall,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["requested", "claimed", "succeeded", "failed", "unknown", "cancelled"] | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[RequestedCall]:
        """List calls of callers' tools. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/tool-calls", query={"limit": limit, "after": after, "status": status, "name": name, "run_id": run_id}),
            Options(timeout=timeout, max_retries=max_retries),
            RequestedCall,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RequestedCall:
        """Retrieve a call. With its arguments and, once it is known, its outcome; never with its lease."""
        return self._transport.data(
            Call("GET", f"/v1/tool-calls/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            RequestedCall,
        )


class ToolWorkersResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[ToolWorker]:
        """List who executes callers' tools. Who asked for calls in the last day, the most recent first."""
        return self._transport.page(
            Call("GET", "/v1/tool-workers", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ToolWorker,
        )


class FineTunesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[FineTune]:
        """List fine-tunes. Newest first, the 100 most recent by default."""
        return self._transport.page(
            Call("GET", "/v1/fine-tunes", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            FineTune,
        )

    def create(
        self,
        *,
        name: str,
        base_model: str,
        source: Literal["upload", "runs"],
        training_data: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        suffix: str | NotGiven = NOT_GIVEN,
        hyperparameters: HyperparametersParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTune:
        """Create a fine-tune. The training set is checked and uploaded first. If the provider refuses the job afterwards, it has `failed`."""
        return self._transport.data(
            Call("POST", "/v1/fine-tunes", body={"name": name, "base_model": base_model, "source": source, "training_data": training_data, "workflow_id": workflow_id, "role": role, "suffix": suffix, "hyperparameters": hyperparameters}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            FineTune,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTune:
        """Retrieve a fine-tune. With the provider's current status, requested at most once a second."""
        return self._transport.data(
            Call("GET", f"/v1/fine-tunes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            FineTune,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a fine-tune. An active job is stopped first; its model can no longer be used."""
        return self._transport.data(
            Call("DELETE", f"/v1/fine-tunes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def events(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[FineTuneEvent]:
        """List the events of a fine-tune's provider. Oldest first. All of them by default, up to the newest 1,000."""
        return self._transport.page(
            Call("GET", f"/v1/fine-tunes/{segment(id)}/events", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            FineTuneEvent,
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTune:
        """Cancel a fine-tune. Stops an active job at its provider; a finished one is returned unchanged."""
        return self._transport.data(
            Call("POST", f"/v1/fine-tunes/{segment(id)}/cancel"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            FineTune,
        )

    def preview(
        self,
        *,
        name: str,
        base_model: str,
        source: Literal["upload", "runs"],
        training_data: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        suffix: str | NotGiven = NOT_GIVEN,
        hyperparameters: HyperparametersParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTunePreview:
        """Preview a fine-tune. Checks a training set and estimates its cost; nothing is sent."""
        return self._transport.data(
            Call("POST", "/v1/fine-tunes/preview", body={"name": name, "base_model": base_model, "source": source, "training_data": training_data, "workflow_id": workflow_id, "role": role, "suffix": suffix, "hyperparameters": hyperparameters}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            FineTunePreview,
        )


class FilesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[StoredFile]:
        """List files. Newest first, 50 a page by default."""
        return self._transport.page(
            Call("GET", "/v1/files", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            StoredFile,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> StoredFile:
        """Retrieve a file. The file's metadata; its content is at `/content`."""
        return self._transport.data(
            Call("GET", f"/v1/files/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            StoredFile,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a file. Refused with 409 `file_in_use` while an unfinished run uses it. Finished runs keep its name."""
        return self._transport.data(
            Call("DELETE", f"/v1/files/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class ModelsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Model]:
        """List models. Available models and those that lack a key, then your own fine-tunes."""
        return self._transport.page(
            Call("GET", "/v1/models", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Model,
        )


class ModelProvidersResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[ModelProvider]:
        """List model providers. Built-in ones, then those of the models file, then the account's compatible servers. Keys are never shown."""
        return self._transport.page(
            Call("GET", "/v1/model-providers", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ModelProvider,
        )

    def set(
        self,
        id: str,
        *,
        api_key: str | None | NotGiven = NOT_GIVEN,
        base_url: str | None | NotGiven = NOT_GIVEN,
        label: str | None | NotGiven = NOT_GIVEN,
        timeout_seconds: float | None | NotGiven = NOT_GIVEN,
        models: List[OwnModelParam] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ModelProvider:
        """Set a key or a server for models. A key for a built-in provider (openai, anthropic, google, mistral), which takes precedence over the server's; under another id, a server with OpenAI's chat completions API. Omitted fields are kept, a stored key only for the same `base_url`. Keys are encrypted and never returned. The provider is tested at once: `state` and `message` have the result."""
        return self._transport.data(
            Call("PUT", f"/v1/model-providers/{segment(id)}", body={"api_key": api_key, "base_url": base_url, "label": label, "timeout_seconds": timeout_seconds, "models": models}),
            Options(timeout=timeout, max_retries=max_retries),
            ModelProvider,
        )

    def remove(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Remove a model provider. Its key and models are removed. A built-in provider then uses the server's key, if there is one that accounts may use. Otherwise workflows that name its models warn (`model_unavailable`), and their runs fail."""
        return self._transport.data(
            Call("DELETE", f"/v1/model-providers/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ModelProviderTest:
        """Test a model provider. A built-in provider is asked for its list of models, with the key. For your own server, its first model gets one short call."""
        return self._transport.data(
            Call("POST", f"/v1/model-providers/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ModelProviderTest,
        )


class SetupResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        token: str,
        email: str,
        name: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Create the first admin. Uses the one-time link printed at the first start, and signs in."""
        return self._transport.data(
            Call("POST", "/v1/setup", body={"token": token, "email": email, "name": name, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )


class SessionResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WaysIn:
        """Retrieve the ways to sign in. For the sign-in page: needs no key."""
        return self._transport.data(
            Call("GET", "/v1/session"),
            Options(timeout=timeout, max_retries=max_retries),
            WaysIn,
        )

    def create(
        self,
        *,
        email: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Sign in with a password. Sets the cookie `muster_session`. Attempts are limited."""
        return self._transport.data(
            Call("POST", "/v1/session", body={"email": email, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )

    def delete(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> EndedSession:
        """Sign out. If the person signed in through OpenID Connect, the provider's session may remain."""
        return self._transport.data(
            Call("DELETE", "/v1/session"),
            Options(timeout=timeout, max_retries=max_retries),
            EndedSession,
        )


class PasswordResetsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        email: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ResetRequested:
        """Request a password reset. If the operator set SMTP, emails a link that works once within 30 minutes. The response is the same whether or not the address has a user. Requests are limited by email and network address."""
        return self._transport.data(
            Call("POST", "/v1/password-resets", body={"email": email}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ResetRequested,
        )

    def accept(
        self,
        *,
        token: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Set a new password with a reset link. Ends all of the person's sessions and the access of their programs, and signs in."""
        return self._transport.data(
            Call("POST", "/v1/password-resets/accept", body={"token": token, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )


class SessionsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Session]:
        """List your sessions. The browsers in which you are signed in."""
        return self._transport.page(
            Call("GET", "/v1/sessions", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Session,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """End one of your sessions. That browser is signed out at once."""
        return self._transport.data(
            Call("DELETE", f"/v1/sessions/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class MeResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Retrieve the signed-in person. You, with your role and your accounts."""
        return self._transport.data(
            Call("GET", "/v1/me"),
            Options(timeout=timeout, max_retries=max_retries),
            Me,
        )

    def update(
        self,
        *,
        name: str | NotGiven = NOT_GIVEN,
        password: str | NotGiven = NOT_GIVEN,
        current_password: str | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Change your name or password. A new password ends the other sessions and the access of programs."""
        return self._transport.data(
            Call("PATCH", "/v1/me", body={"name": name, "password": password, "current_password": current_password}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Me,
        )

    def switch_account(
        self,
        *,
        account_id: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Switch to another of your accounts. Later requests of this session are about that account."""
        return self._transport.data(
            Call("PUT", "/v1/me/account", body={"account_id": account_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Me,
        )


class UsersResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[User]:
        """List the people of the account. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/users", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            User,
        )

    def update(
        self,
        id: str,
        *,
        role: Literal["viewer", "approver", "member", "admin"] | NotGiven = NOT_GIVEN,
        email: str | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> User:
        """Change the role or the address of a person. A new role ends their sessions in the account and withdraws open invitations to their address. The address of a person who also belongs to other accounts cannot be changed here (`shared_user`); with an identity at the provider, it is updated at each sign-in."""
        return self._transport.data(
            Call("PATCH", f"/v1/users/{segment(id)}", body={"role": role, "email": email}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            User,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Remove a person from the account. Withdraws open invitations to their address. If the person belongs to no other account, their identity at the provider is unlinked."""
        return self._transport.data(
            Call("DELETE", f"/v1/users/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def unlink(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Unlink a person's identity at the provider. For a person who was recreated at the provider, or whose provider moved: their next sign-in identifies them by verified address again. Their sessions in the account end."""
        return self._transport.data(
            Call("DELETE", f"/v1/users/{segment(id)}/identity"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class InvitationsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        open: bool | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Invitation]:
        """List invitations. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/invitations", query={"limit": limit, "after": after, "open": open}),
            Options(timeout=timeout, max_retries=max_retries),
            Invitation,
        )

    def create(
        self,
        *,
        email: str,
        role: Literal["viewer", "approver", "member", "admin"],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedInvitation:
        """Invite a person. The link is returned only in this response, and emailed if the operator set SMTP."""
        return self._transport.data(
            Call("POST", "/v1/invitations", body={"email": email, "role": role}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedInvitation,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Withdraw an invitation. Its link no longer works."""
        return self._transport.data(
            Call("DELETE", f"/v1/invitations/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def accept(
        self,
        *,
        token: str,
        name: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Accept an invitation. Uses its one-time link, and signs in."""
        return self._transport.data(
            Call("POST", "/v1/invitations/accept", body={"token": token, "name": name, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )


class GrantsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Grant]:
        """List the programs that act for you. In the account of your session."""
        return self._transport.page(
            Call("GET", "/v1/me/grants", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Grant,
        )

    def create(
        self,
        *,
        request: str,
        account_id: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedGrant:
        """Give a program access. For the consent page. The program acts in your name, within your role, and only over MCP."""
        return self._transport.data(
            Call("POST", "/v1/me/grants", body={"request": request, "account_id": account_id}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedGrant,
        )

    def preview(
        self,
        *,
        request: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> GrantRequest:
        """Read a program's request for access. For the consent page."""
        return self._transport.data(
            Call("POST", "/v1/me/grants/preview", body={"request": request}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            GrantRequest,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """End the access of a program. Its tokens no longer work."""
        return self._transport.data(
            Call("DELETE", f"/v1/me/grants/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class PoliciesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Policies:
        """Retrieve the policies of the account. What the agents of the account may do."""
        return self._transport.data(
            Call("GET", "/v1/policies"),
            Options(timeout=timeout, max_retries=max_retries),
            Policies,
        )

    def update(
        self,
        *,
        approvals_floor: Literal["none", "sensitive", "all"] | NotGiven = NOT_GIVEN,
        four_eyes: bool | NotGiven = NOT_GIVEN,
        require_pending_id: bool | NotGiven = NOT_GIVEN,
        web_fetch_hosts: List[str] | None | NotGiven = NOT_GIVEN,
        sensitive_actions: List[str] | NotGiven = NOT_GIVEN,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        mails_a_day: int | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Policies:
        """Update the policies of the account. Changes the given policies at once, including for runs that have begun."""
        return self._transport.data(
            Call("PATCH", "/v1/policies", body={"approvals_floor": approvals_floor, "four_eyes": four_eyes, "require_pending_id": require_pending_id, "web_fetch_hosts": web_fetch_hosts, "sensitive_actions": sensitive_actions, "rules": rules, "mails_a_day": mails_a_day}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Policies,
        )


class RulesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def test(
        self,
        *,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        level: Literal["account", "agent", "crew_entry"] | NotGiven = NOT_GIVEN,
        pending_id: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        args: dict[str, Any] | NotGiven = NOT_GIVEN,
        agent: RulesTestAgentParam | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        order: int | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RulesTested:
        """Test rules on a call. Shows how the rules of all levels decide about a described or waiting call, and which rule decides. Nothing is called or stored."""
        return self._transport.data(
            Call("POST", "/v1/rules/test", body={"rules": rules, "level": level, "pending_id": pending_id, "action": action, "args": args, "agent": agent, "workflow_id": workflow_id, "order": order, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RulesTested,
        )

    def try_(
        self,
        *,
        rules: List[RuleParam],
        level: Literal["account", "agent", "crew_entry"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        order: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RulesTried:
        """Test rules on past decisions. Applies rules to the last 100 calls of their actions that people decided. Nothing is called or stored. Rules of agents and crew entries apply as they were in those runs."""
        return self._transport.data(
            Call("POST", "/v1/rules/try", body={"rules": rules, "level": level, "agent_id": agent_id, "workflow_id": workflow_id, "order": order}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RulesTried,
        )

    def add(
        self,
        *,
        rule: RuleParam,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleChanged:
        """Add a rule to the account. It is appended, so earlier rules take precedence. Without `expires_at` it expires after 90 days; null means never."""
        return self._transport.data(
            Call("POST", "/v1/rules", body={"rule": rule}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RuleChanged,
        )

    def remove(
        self,
        *,
        rule: RuleParam,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleChanged:
        """Remove a rule from the account. Removes the first rule equal to the given one. Undoes `POST /v1/rules`."""
        return self._transport.data(
            Call("POST", "/v1/rules/remove", body={"rule": rule}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RuleChanged,
        )

    def suggestions(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleSuggestions:
        """List suggested rules. For each action that people approved unchanged at least 20 times in a row, the narrowest rule that allows it, with the decisions as evidence. `POST /v1/rules` accepts one."""
        return self._transport.data(
            Call("GET", "/v1/rules/suggestions"),
            Options(timeout=timeout, max_retries=max_retries),
            RuleSuggestions,
        )

    def propose(
        self,
        *,
        pending_id: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleProposal:
        """Propose a rule for a waiting call. A rule that allows calls like the one that waits: with the same names of arguments, in the same workflow and role. Where the last 200 decisions about the action have approvals of such calls, an argument may have what recurs in them: the same value, addresses at the same domain, a range of numbers, or one of up to 10 values; prose, such as `text`, may be anything. Nothing is stored: `POST /v1/rules` adds a rule."""
        return self._transport.data(
            Call("POST", "/v1/rules/propose", body={"pending_id": pending_id}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RuleProposal,
        )


class OperatorAccountsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[OperatedAccount]:
        """List the accounts. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/operator/accounts", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            OperatedAccount,
        )

    def create(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedAccount:
        """Create an account. Its first admin key is returned only in this response."""
        return self._transport.data(
            Call("POST", "/v1/operator/accounts", body={"name": name}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedAccount,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Retrieve an account with its quotas. For the operator of the service."""
        return self._transport.data(
            Call("GET", f"/v1/operator/accounts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            OperatedAccount,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        max_runs_a_day: int | None | NotGiven = NOT_GIVEN,
        max_mails_a_day: int | None | NotGiven = NOT_GIVEN,
        max_cost_usd_a_day: float | None | NotGiven = NOT_GIVEN,
        max_cost_usd_a_month: float | None | NotGiven = NOT_GIVEN,
        max_stored_bytes: int | None | NotGiven = NOT_GIVEN,
        max_file_bytes: int | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Change the name and the quotas of an account. Quotas apply within a second. Runs beyond `max_runs_a_day` or `max_stored_bytes` are refused with 409 `quota_reached`; at a cost quota, runs are held until the day or month is over."""
        return self._transport.data(
            Call("PATCH", f"/v1/operator/accounts/{segment(id)}", body={"name": name, "max_runs_a_day": max_runs_a_day, "max_mails_a_day": max_mails_a_day, "max_cost_usd_a_day": max_cost_usd_a_day, "max_cost_usd_a_month": max_cost_usd_a_month, "max_stored_bytes": max_stored_bytes, "max_file_bytes": max_file_bytes}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            OperatedAccount,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Delete an account and all its data. Keys and sessions end at once. The rest is deleted in the background: files, jobs and models of fine-tunes at their providers, then every row. The account is gone once it gets 404; the operator's log keeps a record of it."""
        return self._transport.data(
            Call("DELETE", f"/v1/operator/accounts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            OperatedAccount,
        )

    def retrieve_use(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AccountUse:
        """Retrieve an account's usage of its quotas. For the operator of the service: the current use of each quota."""
        return self._transport.data(
            Call("GET", f"/v1/operator/accounts/{segment(id)}/use"),
            Options(timeout=timeout, max_retries=max_retries),
            AccountUse,
        )

    def suspend(
        self,
        id: str,
        *,
        reason: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Suspend an account. Until it is resumed, keys and sessions get 403 `account_suspended`, runs and webhooks are held, and no request expires."""
        return self._transport.data(
            Call("POST", f"/v1/operator/accounts/{segment(id)}/suspend", body={"reason": reason}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            OperatedAccount,
        )

    def resume(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Resume an account. Runs continue where they were, and webhooks are sent."""
        return self._transport.data(
            Call("POST", f"/v1/operator/accounts/{segment(id)}/resume"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            OperatedAccount,
        )


class OperatorLogResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[OperatorEntry]:
        """List operators' actions on accounts. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/operator/log", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            OperatorEntry,
        )


class OperatorResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.accounts = OperatorAccountsResource(transport)
        self.log = OperatorLogResource(transport)


class UsageResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        group_by: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Usage]:
        """List usage. By UTC day, workflow, agent, model or tag, sorted by these; 50 rows by default. Runs and steps count when they end, exactly; they still count after retention deletes them. Runs without the tag are omitted. As CSV with `Accept: text/csv`."""
        return self._transport.page(
            Call("GET", "/v1/usage", query={"limit": limit, "after": after, "from": from_, "to": to, "group_by": group_by, "workflow_id": workflow_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Usage,
        )


class ViewsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[View]:
        """List saved views. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/views", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            View,
        )

    def create(
        self,
        *,
        name: str,
        filters: ViewFiltersParam,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> View:
        """Save a view. Everyone in the account sees it. An account has up to 100."""
        return self._transport.data(
            Call("POST", "/v1/views", body={"name": name, "filters": filters}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            View,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> View:
        """Retrieve a saved view. One view with its filters."""
        return self._transport.data(
            Call("GET", f"/v1/views/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            View,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        filters: ViewFiltersParam | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> View:
        """Update a saved view. Renames the view or replaces its filters."""
        return self._transport.data(
            Call("PATCH", f"/v1/views/{segment(id)}", body={"name": name, "filters": filters}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            View,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a saved view. The runs that it lists stay."""
        return self._transport.data(
            Call("DELETE", f"/v1/views/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class SchedulesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        workflow_id: str,
        name: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        cron: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        every_seconds: int | None | NotGiven = NOT_GIVEN,
        at: str | None | NotGiven = NOT_GIVEN,
        ends_at: str | None | NotGiven = NOT_GIVEN,
        jitter_seconds: int | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue", "cancel_previous", "allow"] | NotGiven = NOT_GIVEN,
        catch_up: Literal["none", "last", "all"] | NotGiven = NOT_GIVEN,
        catch_up_seconds: int | NotGiven = NOT_GIVEN,
        pause_after_failures: int | None | NotGiven = NOT_GIVEN,
        key: str | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Schedule:
        """Create a schedule. Needs one of `cron`, `every_seconds` and `at`. With the `key` of an existing schedule, that one is updated instead, and omitted fields get their defaults. An account has up to 1,000."""
        return self._transport.data(
            Call("POST", "/v1/schedules", body={"name": name, "workflow_id": workflow_id, "version": version, "cron": cron, "time_zone": time_zone, "every_seconds": every_seconds, "at": at, "ends_at": ends_at, "jitter_seconds": jitter_seconds, "input": input, "data": data, "tags": tags, "overlap": overlap, "catch_up": catch_up, "catch_up_seconds": catch_up_seconds, "pause_after_failures": pause_after_failures, "key": key, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Schedule,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused", "ended"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Schedule]:
        """List schedules. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/schedules", query={"limit": limit, "after": after, "workflow_id": workflow_id, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Schedule,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Schedule:
        """Retrieve a schedule. Its timing in words, its next time and its last firing."""
        return self._transport.data(
            Call("GET", f"/v1/schedules/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Schedule,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        cron: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        every_seconds: int | None | NotGiven = NOT_GIVEN,
        at: str | None | NotGiven = NOT_GIVEN,
        ends_at: str | None | NotGiven = NOT_GIVEN,
        jitter_seconds: int | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue", "cancel_previous", "allow"] | NotGiven = NOT_GIVEN,
        catch_up: Literal["none", "last", "all"] | NotGiven = NOT_GIVEN,
        catch_up_seconds: int | NotGiven = NOT_GIVEN,
        pause_after_failures: int | None | NotGiven = NOT_GIVEN,
        key: str | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Schedule:
        """Update a schedule. Changes the given fields. One of `cron`, `every_seconds` and `at` replaces the others. The schedule next fires at its next regular time; missed firings are not caught up."""
        return self._transport.data(
            Call("PATCH", f"/v1/schedules/{segment(id)}", body={"name": name, "workflow_id": workflow_id, "version": version, "cron": cron, "time_zone": time_zone, "every_seconds": every_seconds, "at": at, "ends_at": ends_at, "jitter_seconds": jitter_seconds, "input": input, "data": data, "tags": tags, "overlap": overlap, "catch_up": catch_up, "catch_up_seconds": catch_up_seconds, "pause_after_failures": pause_after_failures, "key": key, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Schedule,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a schedule. Deletes its firings too; its runs are kept."""
        return self._transport.data(
            Call("DELETE", f"/v1/schedules/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def firings(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["due", "fired", "skipped", "missed"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Firing]:
        """List the firings of a schedule. Firings with their outcome, newest first; 50 by default. The newest 1,000 are kept."""
        return self._transport.page(
            Call("GET", f"/v1/schedules/{segment(id)}/firings", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Firing,
        )

    def preview(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> SchedulePreview:
        """Preview a schedule. The next ten firings."""
        return self._transport.data(
            Call("POST", f"/v1/schedules/{segment(id)}/preview"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            SchedulePreview,
        )

    def preview_new(
        self,
        *,
        cron: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        every_seconds: int | None | NotGiven = NOT_GIVEN,
        at: str | None | NotGiven = NOT_GIVEN,
        ends_at: str | None | NotGiven = NOT_GIVEN,
        jitter_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> SchedulePreview:
        """Preview an unsaved schedule. The next ten firings of the given schedule."""
        return self._transport.data(
            Call("POST", "/v1/schedules/preview", body={"cron": cron, "time_zone": time_zone, "every_seconds": every_seconds, "at": at, "ends_at": ends_at, "jitter_seconds": jitter_seconds}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            SchedulePreview,
        )

    def trigger(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Firing:
        """Fire a schedule now. Starts one run, even if the schedule is paused or a previous run is unfinished."""
        return self._transport.data(
            Call("POST", f"/v1/schedules/{segment(id)}/trigger"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Firing,
        )

    def backfill(
        self,
        id: str,
        *,
        from_: str,
        to: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Backfill:
        """Backfill a past period. Starts each firing between `from` and `to` that has no run, up to 100, one after the other unless `overlap` is `allow`."""
        return self._transport.data(
            Call("POST", f"/v1/schedules/{segment(id)}/backfill", body={"from": from_, "to": to}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Backfill,
        )


class HooksResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        workflow_id: str,
        scheme: Literal["standard_webhooks", "github", "stripe", "slack", "hmac_sha256", "none"],
        name: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        signature_header: str | None | NotGiven = NOT_GIVEN,
        event_id_header: str | None | NotGiven = NOT_GIVEN,
        tolerance_seconds: int | NotGiven = NOT_GIVEN,
        dedupe: Literal["event", "none"] | NotGiven = NOT_GIVEN,
        filter: str | None | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        secret: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookWithSecret:
        """Create a hook. Its `url` accepts events by `POST`, without an API key. If you give no `secret`, one is generated and returned only in this response; Stripe and Slack generate their own, so set it here or later. An account has up to 100."""
        return self._transport.data(
            Call("POST", "/v1/hooks", body={"name": name, "workflow_id": workflow_id, "version": version, "signature_header": signature_header, "event_id_header": event_id_header, "tolerance_seconds": tolerance_seconds, "dedupe": dedupe, "filter": filter, "input": input, "data": data, "files": files, "tags": tags, "secret": secret, "status": status, "scheme": scheme}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookWithSecret,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Hook]:
        """List hooks. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/hooks", query={"limit": limit, "after": after, "workflow_id": workflow_id, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Hook,
        )

    def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Hook:
        """Retrieve a hook. Its URL and settings, with the newest delivery; never its secret."""
        return self._transport.data(
            Call("GET", f"/v1/hooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Hook,
        )

    def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        signature_header: str | None | NotGiven = NOT_GIVEN,
        event_id_header: str | None | NotGiven = NOT_GIVEN,
        tolerance_seconds: int | NotGiven = NOT_GIVEN,
        dedupe: Literal["event", "none"] | NotGiven = NOT_GIVEN,
        filter: str | None | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Hook:
        """Update a hook. Changes the given fields, except the scheme; rotate the secret instead."""
        return self._transport.data(
            Call("PATCH", f"/v1/hooks/{segment(id)}", body={"name": name, "workflow_id": workflow_id, "version": version, "signature_header": signature_header, "event_id_header": event_id_header, "tolerance_seconds": tolerance_seconds, "dedupe": dedupe, "filter": filter, "input": input, "data": data, "files": files, "tags": tags, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Hook,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a hook. Deletes its deliveries too; its runs are kept."""
        return self._transport.data(
            Call("DELETE", f"/v1/hooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def rotate_secret(
        self,
        id: str,
        *,
        secret: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookWithSecret:
        """Set or rotate the secret. The old secret is also accepted for 24 hours."""
        return self._transport.data(
            Call("POST", f"/v1/hooks/{segment(id)}/rotate-secret", body={"secret": secret}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookWithSecret,
        )

    def preview(
        self,
        *,
        hook_id: str | NotGiven = NOT_GIVEN,
        delivery_id: str | NotGiven = NOT_GIVEN,
        body: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        filter: str | None | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookPreview:
        """Preview the result of an event. Tests a filter and templates on a stored delivery or a given body. Nothing is stored or started."""
        return self._transport.data(
            Call("POST", "/v1/hooks/preview", body={"hook_id": hook_id, "delivery_id": delivery_id, "body": body, "content_type": content_type, "headers": headers, "filter": filter, "input": input, "data": data, "files": files, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookPreview,
        )

    def deliveries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "started", "filtered", "failed", "answered", "refused"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[HookDelivery]:
        """List the deliveries of a hook. Deliveries with their outcome, newest first; 50 by default. The newest 1,000 are kept, and the newest 100 refused ones."""
        return self._transport.page(
            Call("GET", f"/v1/hooks/{segment(id)}/deliveries", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            HookDelivery,
        )

    def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookDeliveryWithBody:
        """Retrieve a delivery with its body. The event as it came, without signatures and credentials."""
        return self._transport.data(
            Call("GET", f"/v1/hooks/{segment(id)}/deliveries/{segment(delivery_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            HookDeliveryWithBody,
        )

    def send_again(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookDelivery:
        """Send a delivery again. Starts another run from the event, with the current filter and templates."""
        return self._transport.data(
            Call("POST", f"/v1/hooks/{segment(id)}/deliveries/{segment(delivery_id)}/send-again"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookDelivery,
        )


class Api:
    """Every resource of the service."""

    def __init__(self, transport: Transport) -> None:
        self.account = AccountResource(transport)
        self.workers = WorkersResource(transport)
        self.api_keys = ApiKeysResource(transport)
        self.workflows = WorkflowsResource(transport)
        self.pending = PendingResource(transport)
        self.bulk_operations = BulkOperationsResource(transport)
        self.budgets = BudgetsResource(transport)
        self.agents = AgentsResource(transport)
        self.webhooks = WebhooksResource(transport)
        self.channels = ChannelsResource(transport)
        self.notifications = NotificationsResource(transport)
        self.mailboxes = MailboxesResource(transport)
        self.alerts = AlertsResource(transport)
        self.connectors = ConnectorsResource(transport)
        self.tool_calls = ToolCallsResource(transport)
        self.tool_workers = ToolWorkersResource(transport)
        self.fine_tunes = FineTunesResource(transport)
        self.models = ModelsResource(transport)
        self.model_providers = ModelProvidersResource(transport)
        self.setup = SetupResource(transport)
        self.session = SessionResource(transport)
        self.password_resets = PasswordResetsResource(transport)
        self.sessions = SessionsResource(transport)
        self.me = MeResource(transport)
        self.users = UsersResource(transport)
        self.invitations = InvitationsResource(transport)
        self.grants = GrantsResource(transport)
        self.policies = PoliciesResource(transport)
        self.rules = RulesResource(transport)
        self.operator = OperatorResource(transport)
        self.views = ViewsResource(transport)
        self.schedules = SchedulesResource(transport)
        self.hooks = HooksResource(transport)


class AsyncAccountResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Account:
        """Retrieve the account of a key. The account that the key belongs to."""
        return await self._transport.data(
            Call("GET", "/v1/account"),
            Options(timeout=timeout, max_retries=max_retries),
            Account,
        )

    async def update(
        self,
        *,
        name: str,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AccountName:
        """Rename the account. Changes its name, which people see in the console and in messages."""
        return await self._transport.data(
            Call("PATCH", "/v1/account", body={"name": name}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            AccountName,
        )


class AsyncWorkersResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workers:
        """Retrieve the number of workers. Workers serve all accounts. Without any, runs stay queued until one starts."""
        return await self._transport.data(
            Call("GET", "/v1/workers"),
            Options(timeout=timeout, max_retries=max_retries),
            Workers,
        )


class AsyncApiKeysResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[ApiKey]:
        """List API keys. Newest first; 100 by default."""
        return self._transport.page(
            Call("GET", "/v1/api-keys", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ApiKey,
        )

    async def create(
        self,
        *,
        name: str,
        role: Literal["viewer", "approver", "member", "admin", "worker"],
        expires_at: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedApiKey:
        """Create an API key. The key is returned only in this response."""
        return await self._transport.data(
            Call("POST", "/v1/api-keys", body={"name": name, "role": role, "expires_at": expires_at}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedApiKey,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Revoke an API key. It stops working at once, on every process."""
        return await self._transport.data(
            Call("DELETE", f"/v1/api-keys/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncAuditResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        actor_id: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        object_id: str | NotGiven = NOT_GIVEN,
        kind: Literal["changes", "activity"] | NotGiven = NOT_GIVEN,
        created_after: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[AuditEntry]:
        """List who changed what. Newest first; 50 by default. As JSON Lines with `Accept: application/x-ndjson`, as CSV with `Accept: text/csv`."""
        return self._transport.page(
            Call("GET", "/v1/audit", query={"limit": limit, "after": after, "actor_id": actor_id, "action": action, "object_id": object_id, "kind": kind, "created_after": created_after, "created_before": created_before}),
            Options(timeout=timeout, max_retries=max_retries),
            AuditEntry,
        )


class AsyncWorkflowsVersionsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        workflow_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Version]:
        """List the versions of a workflow. Newest first, 50 a page by default. A workflow keeps its newest 10,000 versions, up to 32 MB of them."""
        return self._transport.page(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/versions", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Version,
        )

    async def retrieve(
        self,
        workflow_id: str,
        version: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WorkflowVersion:
        """Retrieve a version of a workflow. With its whole definition."""
        return await self._transport.data(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/versions/{segment(version)}"),
            Options(timeout=timeout, max_retries=max_retries),
            WorkflowVersion,
        )

    async def diff(
        self,
        workflow_id: str,
        version: str,
        *,
        to: int | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> VersionDiff:
        """Compare two versions of a workflow. Field by field, prompts word by word, from this version to another, by default the live one."""
        return await self._transport.data(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/versions/{segment(version)}/diff", query={"to": to}),
            Options(timeout=timeout, max_retries=max_retries),
            VersionDiff,
        )

    async def publish(
        self,
        workflow_id: str,
        version: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workflow:
        """Publish a version of a workflow. Makes a draft or an earlier version live. Its agents and models must still exist. Accepts `If-Match` like an update."""
        return await self._transport.data(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/versions/{segment(version)}/publish"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Workflow,
        )


class AsyncWorkflowsMemoryResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        workflow_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[MemoryEntry]:
        """List the memory of a workflow. Of all its roles or of one; newest first, 200 by default."""
        return self._transport.page(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/memory", query={"limit": limit, "after": after, "q": q, "role": role}),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    async def create(
        self,
        workflow_id: str,
        *,
        role: str,
        content: str,
        pinned: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Add to the memory of a role of a workflow. At 200 entries of the role, the oldest unpinned one is replaced."""
        return await self._transport.data(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/memory", body={"role": role, "content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            MemoryEntry,
        )

    async def retrieve(
        self,
        workflow_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Retrieve a memory entry. One note, with where it comes from and when it was last used."""
        return await self._transport.data(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    async def update(
        self,
        workflow_id: str,
        memory_id: str,
        *,
        content: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Update a memory entry. Changes the given fields."""
        return await self._transport.data(
            Call("PATCH", f"/v1/workflows/{segment(workflow_id)}/memory/{segment(memory_id)}", body={"content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            MemoryEntry,
        )

    async def delete(
        self,
        workflow_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a memory entry. Later runs do not recall it."""
        return await self._transport.data(
            Call("DELETE", f"/v1/workflows/{segment(workflow_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncWorkflowsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.versions = AsyncWorkflowsVersionsResource(transport)
        self.memory = AsyncWorkflowsMemoryResource(transport)

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Workflow]:
        """List workflows. All of the account, most recently updated first."""
        return self._transport.page(
            Call("GET", "/v1/workflows", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Workflow,
        )

    async def create(
        self,
        *,
        name: str,
        description: str | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        crew: List[CrewEntryParam] | NotGiven = NOT_GIVEN,
        input_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        expose_mcp: WorkflowsCreateExposeMcpParam | None | NotGiven = NOT_GIVEN,
        thread: WorkflowsCreateThreadParam | None | NotGiven = NOT_GIVEN,
        human_in_the_loop: WorkflowsCreateHumanInTheLoopParam | NotGiven = NOT_GIVEN,
        limits: WorkflowsCreateLimitsParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedWorkflow:
        """Create a workflow. Without `crew` it gets a planner and a writer."""
        return await self._transport.data(
            Call("POST", "/v1/workflows", body={"name": name, "description": description, "model": model, "fallbacks": fallbacks, "crew": crew, "input_schema": input_schema, "memory_enabled": memory_enabled, "expose_mcp": expose_mcp, "thread": thread, "human_in_the_loop": human_in_the_loop, "limits": limits}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedWorkflow,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workflow:
        """Retrieve a workflow. The live version, with its crew and warnings."""
        return await self._transport.data(
            Call("GET", f"/v1/workflows/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Workflow,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        crew: List[CrewEntryParam] | NotGiven = NOT_GIVEN,
        input_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        expose_mcp: WorkflowsUpdateExposeMcpParam | None | NotGiven = NOT_GIVEN,
        thread: WorkflowsUpdateThreadParam | None | NotGiven = NOT_GIVEN,
        human_in_the_loop: WorkflowsUpdateHumanInTheLoopParam | NotGiven = NOT_GIVEN,
        limits: WorkflowsUpdateLimitsParam | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        model_inherited: bool | NotGiven = NOT_GIVEN,
        draft: bool | NotGiven = NOT_GIVEN,
        note: str | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Workflow:
        """Update a workflow. Changes the given fields and creates a version; with `draft`, it does not go live. Runs that have begun keep their version. With `If-Match`, it is refused with 412 if another version has gone live."""
        return await self._transport.data(
            Call("PATCH", f"/v1/workflows/{segment(id)}", body={"name": name, "description": description, "model": model, "fallbacks": fallbacks, "crew": crew, "input_schema": input_schema, "memory_enabled": memory_enabled, "expose_mcp": expose_mcp, "thread": thread, "human_in_the_loop": human_in_the_loop, "limits": limits, "status": status, "model_inherited": model_inherited, "draft": draft, "note": note}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Workflow,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a workflow. Refused while a run is unfinished. Its runs remain readable by id."""
        return await self._transport.data(
            Call("DELETE", f"/v1/workflows/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncRunsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        workflow_id: str,
        *,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        version: int | NotGiven = NOT_GIVEN,
        agent_versions: dict[str, int] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        deltas: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Trigger a run. The run is stored before the response; execution begins afterwards. If a budget of the account, workflow or tag refuses further calls and is used up, the response is 409 `budget_reached`."""
        return await self._transport.data(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/runs", query={"deltas": deltas}, body={"input": input, "data": data, "version": version, "agent_versions": agent_versions, "tags": tags, "files": files}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    def list(
        self,
        workflow_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "running", "waiting_input", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Run]:
        """List the runs of a workflow. Newest first, without steps; the 50 most recent by default."""
        return self._transport.page(
            Call("GET", f"/v1/workflows/{segment(workflow_id)}/runs", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Run,
        )

    def list_all(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: str | NotGiven = NOT_GIVEN,
        error_code: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        retry_of: str | NotGiven = NOT_GIVEN,
        forked_from: str | NotGiven = NOT_GIVEN,
        thread_id: str | NotGiven = NOT_GIVEN,
        tag: List[str] | NotGiven = NOT_GIVEN,
        has_warnings: bool | NotGiven = NOT_GIVEN,
        min_cost_usd: float | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        created_after: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Run]:
        """List the runs of the account. Over all workflows, newest first, without steps; filters can be combined. As a file of up to 10,000 rows with `Accept: text/csv` or `application/x-ndjson`."""
        return self._transport.page(
            Call("GET", "/v1/runs", query={"limit": limit, "after": after, "status": status, "error_code": error_code, "workflow_id": workflow_id, "agent_id": agent_id, "retry_of": retry_of, "forked_from": forked_from, "thread_id": thread_id, "tag": tag, "has_warnings": has_warnings, "min_cost_usd": min_cost_usd, "q": q, "created_after": created_after, "created_before": created_before}),
            Options(timeout=timeout, max_retries=max_retries),
            Run,
        )

    async def counts(
        self,
        *,
        workflow_id: str | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        retry_of: str | NotGiven = NOT_GIVEN,
        forked_from: str | NotGiven = NOT_GIVEN,
        thread_id: str | NotGiven = NOT_GIVEN,
        tag: List[str] | NotGiven = NOT_GIVEN,
        min_cost_usd: float | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        created_after: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RunCounts:
        """Count the runs of each status. Over all workflows, with the filters of the list. Each count ends at 1,000 and says whether there are more."""
        return await self._transport.data(
            Call("GET", "/v1/runs/counts", query={"workflow_id": workflow_id, "agent_id": agent_id, "retry_of": retry_of, "forked_from": forked_from, "thread_id": thread_id, "tag": tag, "min_cost_usd": min_cost_usd, "q": q, "created_after": created_after, "created_before": created_before}),
            Options(timeout=timeout, max_retries=max_retries),
            RunCounts,
        )

    async def retrieve(
        self,
        id: str,
        *,
        wait: int | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RunWithSteps:
        """Retrieve a run with its steps. With `wait`, the response comes as soon as the run rests or ends, or when the time is over."""
        return await self._transport.data(
            Call("GET", f"/v1/runs/{segment(id)}", query={"wait": wait}),
            Options(timeout=timeout, max_retries=max_retries),
            RunWithSteps,
        )

    def turns(
        self,
        id: str,
        order: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Turn]:
        """List the turns of a step. The messages to and from the model, turn by turn, with the full results of its calls. Oldest first, 50 a page by default, and fewer if a page exceeds 4 MB."""
        return self._transport.page(
            Call("GET", f"/v1/runs/{segment(id)}/steps/{segment(order)}/turns", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Turn,
        )

    async def respond(
        self,
        id: str,
        *,
        action: Literal["input", "approve", "reject"] | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        reason: str | None | NotGiven = NOT_GIVEN,
        pending_id: str | None | NotGiven = NOT_GIVEN,
        tool_input: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        max_cost_usd: float | None | NotGiven = NOT_GIVEN,
        decisions: List[RunsRespondDecisionsParam] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RespondedRun:
        """Answer a waiting request. Answers a question or decides an approval: `approve` runs the action and the agent continues, `reject` skips it and tells the agent why. Only one answer counts; further ones get 409. Several calls of one turn are decided with `decisions`, together or one by one."""
        return await self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/respond", body={"action": action, "input": input, "reason": reason, "pending_id": pending_id, "tool_input": tool_input, "max_cost_usd": max_cost_usd, "decisions": decisions}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RespondedRun,
        )

    async def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Cancel a run. Ends an unfinished run; a finished one is returned unchanged."""
        return await self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/cancel"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    async def retry(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Retry a failed run. Creates a new run that keeps the finished steps and repeats the failed one, with the workflow's live version, whatever version the failed run had."""
        return await self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/retry"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    async def fork(
        self,
        id: str,
        *,
        from_step: int,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        outputs: dict[str, str] | NotGiven = NOT_GIVEN,
        definition: Literal["frozen", "current"] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Run:
        """Fork a run from a step. Creates a new run that copies the steps before `from_step` of a run that has ended or waits, with the given `outputs` replaced, and executes the rest. The executed steps start from scratch: approvals are requested again, and an action is repeated only if an agent requests it again."""
        return await self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/fork", body={"from_step": from_step, "input": input, "data": data, "outputs": outputs, "definition": definition, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Run,
        )

    async def preview_fork(
        self,
        id: str,
        *,
        from_step: int,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        outputs: dict[str, str] | NotGiven = NOT_GIVEN,
        definition: Literal["frozen", "current"] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ForkPreview:
        """Preview a fork. The steps that it would execute, and the actions that it may repeat. Nothing is started."""
        return await self._transport.data(
            Call("POST", f"/v1/runs/{segment(id)}/fork/preview", body={"from_step": from_step, "input": input, "data": data, "outputs": outputs, "definition": definition, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ForkPreview,
        )

    async def compare(
        self,
        id: str,
        other: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RunComparison:
        """Compare two runs. Side by side: inputs and outputs word by word, tokens, cost, time and calls."""
        return await self._transport.data(
            Call("GET", f"/v1/runs/{segment(id)}/compare/{segment(other)}"),
            Options(timeout=timeout, max_retries=max_retries),
            RunComparison,
        )


class AsyncPendingResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        assignee: str | NotGiven = NOT_GIVEN,
        created_before: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[WaitingRun]:
        """List waiting requests. Every waiting request of the account, oldest first; 100 a page by default. Filters can be combined."""
        return self._transport.page(
            Call("GET", "/v1/pending", query={"limit": limit, "after": after, "workflow_id": workflow_id, "action": action, "assignee": assignee, "created_before": created_before, "q": q}),
            Options(timeout=timeout, max_retries=max_retries),
            WaitingRun,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Case:
        """Retrieve a waiting request. With its assignee, notifications and failed deliveries."""
        return await self._transport.data(
            Call("GET", f"/v1/pending/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Case,
        )

    async def assign(
        self,
        id: str,
        *,
        user_id: str | None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Case:
        """Assign a request to a person. Other approvers can still answer. The assignee is notified by email if an email channel covers the workflow."""
        return await self._transport.data(
            Call("PUT", f"/v1/pending/{segment(id)}/assignee", body={"user_id": user_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Case,
        )

    def comments(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Comment]:
        """List the comments on a request. Newest first; the 50 most recent by default. Also available once the request is decided."""
        return self._transport.page(
            Call("GET", f"/v1/pending/{segment(id)}/comments", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Comment,
        )

    async def comment(
        self,
        id: str,
        *,
        text: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Comment:
        """Comment on a request. For other people: agents do not see it, and it does not answer the request."""
        return await self._transport.data(
            Call("POST", f"/v1/pending/{segment(id)}/comments", body={"text": text}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Comment,
        )


class AsyncBatchesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Batch]:
        """List batches. Newest first, 50 a page by default."""
        return self._transport.page(
            Call("GET", "/v1/batches", query={"limit": limit, "after": after, "workflow_id": workflow_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Batch,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Batch:
        """Retrieve a batch. Its progress, at most a few seconds old."""
        return await self._transport.data(
            Call("GET", f"/v1/batches/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Batch,
        )

    def items(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled"] | NotGiven = NOT_GIVEN,
        has_warnings: bool | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[BatchItem]:
        """List the items of a batch. In their order, 50 a page by default."""
        return self._transport.page(
            Call("GET", f"/v1/batches/{segment(id)}/items", query={"limit": limit, "after": after, "status": status, "has_warnings": has_warnings}),
            Options(timeout=timeout, max_retries=max_retries),
            BatchItem,
        )

    async def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Batch:
        """Cancel a batch. No further item starts, and runs in progress are cancelled."""
        return await self._transport.data(
            Call("POST", f"/v1/batches/{segment(id)}/cancel"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Batch,
        )

    async def retry_failed(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Batch:
        """Retry the failed items. Each failed item is retried like a run: it keeps its finished steps and uses the current workflow."""
        return await self._transport.data(
            Call("POST", f"/v1/batches/{segment(id)}/retry-failed"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Batch,
        )

    async def create(
        self,
        workflow_id: str,
        *,
        items: List[BatchItemInputParam] | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        input: str | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        concurrency: int | NotGiven = NOT_GIVEN,
        dry_run: bool | NotGiven = NOT_GIVEN,
        key: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BatchOrEstimate:
        """Start a batch. Items as JSON (up to 8 MB), or as the whole body in JSON Lines (`application/x-ndjson`, one item per line) or CSV (`text/csv`, columns are fields of `data`; comma, semicolon or tab), up to 32 MB, with the other fields in the query. All items are validated before the first run starts."""
        answer: BatchOrEstimate = await self._transport.value(
            Call("POST", f"/v1/workflows/{segment(workflow_id)}/batches", query={"key": key}, body={"items": items, "files": files, "input": input, "name": name, "concurrency": concurrency, "dry_run": dry_run}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            BatchOrEstimate,
        )
        return answer


class AsyncThreadsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        workflow_id: str,
        key: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        title: str | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Create a thread. A conversation with a workflow whose `thread` is set. With a `key` that a thread of the workflow has, that thread is returned, with status 200."""
        return await self._transport.data(
            Call("POST", "/v1/threads", body={"workflow_id": workflow_id, "key": key, "version": version, "title": title, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Thread,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        key: str | NotGiven = NOT_GIVEN,
        status: Literal["open", "closed"] | NotGiven = NOT_GIVEN,
        tag: List[str] | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Thread]:
        """List threads. Most recently changed first, 50 a page by default. Filters can be combined."""
        return self._transport.page(
            Call("GET", "/v1/threads", query={"limit": limit, "after": after, "workflow_id": workflow_id, "key": key, "status": status, "tag": tag, "q": q}),
            Options(timeout=timeout, max_retries=max_retries),
            Thread,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Retrieve a thread. With what it has cost, and what it waits for."""
        return await self._transport.data(
            Call("GET", f"/v1/threads/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Thread,
        )

    async def update(
        self,
        id: str,
        *,
        title: str | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        status: Literal["open", "closed"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Update a thread. Changes its title or tags, closes it, or opens it again."""
        return await self._transport.data(
            Call("PATCH", f"/v1/threads/{segment(id)}", body={"title": title, "tags": tags, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Thread,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a thread. Deletes its messages, its summaries and the runs of its turns. 409 while a turn is in progress."""
        return await self._transport.data(
            Call("DELETE", f"/v1/threads/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def send(
        self,
        id: str,
        *,
        input: str | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        deltas: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ThreadMessage:
        """Send a message. Its turn begins after those of the messages before it. Up to 20 messages wait beside the turn in progress. A message never answers a waiting request."""
        return await self._transport.data(
            Call("POST", f"/v1/threads/{segment(id)}/messages", query={"deltas": deltas}, body={"input": input, "data": data, "files": files}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ThreadMessage,
        )

    def messages(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        order: Literal["asc", "desc"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[ThreadMessage]:
        """List the messages of a thread. By turn, the message before its answer, 50 a page by default; or with `order=desc` the newest first."""
        return self._transport.page(
            Call("GET", f"/v1/threads/{segment(id)}/messages", query={"limit": limit, "after": after, "order": order}),
            Options(timeout=timeout, max_retries=max_retries),
            ThreadMessage,
        )

    async def stop(
        self,
        id: str,
        *,
        queued: Literal["keep", "cancel"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Thread:
        """Stop the turn in progress. Cancels the run of the turn in progress. Messages that wait for their turn are kept, and go on, unless `queued` is `cancel`."""
        return await self._transport.data(
            Call("POST", f"/v1/threads/{segment(id)}/stop", body={"queued": queued}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Thread,
        )

    def summaries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[ThreadSummary]:
        """List the summaries of a thread. Newest first, 50 a page by default."""
        return self._transport.page(
            Call("GET", f"/v1/threads/{segment(id)}/summaries", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ThreadSummary,
        )


class AsyncBulkOperationsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        action: Literal["cancel", "retry"],
        filter: BulkFilterParam,
        dry_run: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkOperation:
        """Cancel or retry many runs. Applies to the runs that match now, up to 10,000. With `dry_run`, they are only counted. Retrying skips runs that were already retried."""
        return await self._transport.data(
            Call("POST", "/v1/runs/bulk", body={"action": action, "filter": filter, "dry_run": dry_run}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            BulkOperation,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkOperation:
        """Retrieve a bulk operation. Its progress, and the runs that were skipped with the reasons."""
        return await self._transport.data(
            Call("GET", f"/v1/bulk-operations/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            BulkOperation,
        )


class AsyncBudgetsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Budget]:
        """List budgets. Newest first, all of them by default, each with its current window."""
        return self._transport.page(
            Call("GET", "/v1/budgets", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Budget,
        )

    async def create(
        self,
        *,
        name: str,
        scope: Literal["account", "workflow", "agent", "thread", "tag"],
        window: Literal["day", "week", "month"],
        cap_usd: float,
        scope_value: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        thresholds: List[float] | NotGiven = NOT_GIVEN,
        on_cap: Literal["hold", "ask", "refuse", "fallback"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Budget:
        """Create a budget. An account has up to 50. Earlier costs of the current window count, from daily totals in UTC."""
        return await self._transport.data(
            Call("POST", "/v1/budgets", body={"name": name, "scope": scope, "scope_value": scope_value, "window": window, "time_zone": time_zone, "cap_usd": cap_usd, "thresholds": thresholds, "on_cap": on_cap}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Budget,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Budget:
        """Retrieve a budget. With the amount spent in its current window."""
        return await self._transport.data(
            Call("GET", f"/v1/budgets/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Budget,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        cap_usd: float | NotGiven = NOT_GIVEN,
        thresholds: List[float] | NotGiven = NOT_GIVEN,
        on_cap: Literal["hold", "ask", "refuse", "fallback"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Budget:
        """Update a budget. Changes the given fields; held runs check again within a minute."""
        return await self._transport.data(
            Call("PATCH", f"/v1/budgets/{segment(id)}", body={"name": name, "cap_usd": cap_usd, "thresholds": thresholds, "on_cap": on_cap}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Budget,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a budget. Its open requests are closed, and the runs that it holds go on."""
        return await self._transport.data(
            Call("DELETE", f"/v1/budgets/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncAgentsVersionsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        agent_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Version]:
        """List the versions of an agent. Newest first, 50 a page by default. An agent keeps its newest 10,000 versions, up to 32 MB of them."""
        return self._transport.page(
            Call("GET", f"/v1/agents/{segment(agent_id)}/versions", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Version,
        )

    async def retrieve(
        self,
        agent_id: str,
        version: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AgentVersion:
        """Retrieve a version of an agent. With its whole definition."""
        return await self._transport.data(
            Call("GET", f"/v1/agents/{segment(agent_id)}/versions/{segment(version)}"),
            Options(timeout=timeout, max_retries=max_retries),
            AgentVersion,
        )

    async def diff(
        self,
        agent_id: str,
        version: str,
        *,
        to: int | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> VersionDiff:
        """Compare two versions of an agent. Field by field, prompts word by word, from this version to another, by default the live one."""
        return await self._transport.data(
            Call("GET", f"/v1/agents/{segment(agent_id)}/versions/{segment(version)}/diff", query={"to": to}),
            Options(timeout=timeout, max_retries=max_retries),
            VersionDiff,
        )

    async def publish(
        self,
        agent_id: str,
        version: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Publish a version of an agent. Makes a draft or an earlier version live. Its models, connectors and capabilities must still exist. Accepts `If-Match` like an update."""
        return await self._transport.data(
            Call("POST", f"/v1/agents/{segment(agent_id)}/versions/{segment(version)}/publish"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Agent,
        )


class AsyncAgentsMemoryResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        agent_id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        q: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[MemoryEntry]:
        """List the memory of an agent. Newest first; all of it, or the best matches of `q`."""
        return self._transport.page(
            Call("GET", f"/v1/agents/{segment(agent_id)}/memory", query={"limit": limit, "after": after, "q": q}),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    async def create(
        self,
        agent_id: str,
        *,
        content: str,
        pinned: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Add to the memory of an agent. At 200 entries, the oldest unpinned one is replaced."""
        return await self._transport.data(
            Call("POST", f"/v1/agents/{segment(agent_id)}/memory", body={"content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            MemoryEntry,
        )

    async def retrieve(
        self,
        agent_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Retrieve a memory entry. One note, with where it comes from and when it was last used."""
        return await self._transport.data(
            Call("GET", f"/v1/agents/{segment(agent_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            MemoryEntry,
        )

    async def update(
        self,
        agent_id: str,
        memory_id: str,
        *,
        content: str | NotGiven = NOT_GIVEN,
        pinned: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MemoryEntry:
        """Update a memory entry. Changes the given fields."""
        return await self._transport.data(
            Call("PATCH", f"/v1/agents/{segment(agent_id)}/memory/{segment(memory_id)}", body={"content": content, "pinned": pinned}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            MemoryEntry,
        )

    async def delete(
        self,
        agent_id: str,
        memory_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a memory entry. Later runs do not recall it."""
        return await self._transport.data(
            Call("DELETE", f"/v1/agents/{segment(agent_id)}/memory/{segment(memory_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncAgentsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.versions = AsyncAgentsVersionsResource(transport)
        self.memory = AsyncAgentsMemoryResource(transport)

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        category: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Agent]:
        """List agents. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/agents", query={"limit": limit, "after": after, "category": category}),
            Options(timeout=timeout, max_retries=max_retries),
            Agent,
        )

    async def create(
        self,
        *,
        name: str,
        role: str,
        systemPrompt: str,
        description: str | None | NotGiven = NOT_GIVEN,
        category: str | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        maxTokens: int | None | NotGiven = NOT_GIVEN,
        connectors: List[str] | NotGiven = NOT_GIVEN,
        capabilities: List[str] | NotGiven = NOT_GIVEN,
        tools: List[CallerToolParam] | NotGiven = NOT_GIVEN,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        output_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Create an agent. An account has up to 1,000."""
        return await self._transport.data(
            Call("POST", "/v1/agents", body={"name": name, "description": description, "category": category, "role": role, "systemPrompt": systemPrompt, "model": model, "fallbacks": fallbacks, "maxTokens": maxTokens, "connectors": connectors, "capabilities": capabilities, "tools": tools, "rules": rules, "output_schema": output_schema, "status": status, "memory_enabled": memory_enabled}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Agent,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Retrieve an agent. The live version."""
        return await self._transport.data(
            Call("GET", f"/v1/agents/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Agent,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        category: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        systemPrompt: str | NotGiven = NOT_GIVEN,
        model: str | None | NotGiven = NOT_GIVEN,
        fallbacks: List[str] | NotGiven = NOT_GIVEN,
        maxTokens: int | None | NotGiven = NOT_GIVEN,
        connectors: List[str] | NotGiven = NOT_GIVEN,
        capabilities: List[str] | NotGiven = NOT_GIVEN,
        tools: List[CallerToolParam] | NotGiven = NOT_GIVEN,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        output_schema: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        memory_enabled: bool | NotGiven = NOT_GIVEN,
        draft: bool | NotGiven = NOT_GIVEN,
        note: str | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Agent:
        """Update an agent. Changes the given fields and creates a version; the next run of every linked workflow uses it. With `draft`, it does not go live. With `If-Match`, it is refused with 412 if another version has gone live."""
        return await self._transport.data(
            Call("PATCH", f"/v1/agents/{segment(id)}", body={"name": name, "description": description, "category": category, "role": role, "systemPrompt": systemPrompt, "model": model, "fallbacks": fallbacks, "maxTokens": maxTokens, "connectors": connectors, "capabilities": capabilities, "tools": tools, "rules": rules, "output_schema": output_schema, "status": status, "memory_enabled": memory_enabled, "draft": draft, "note": note}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Agent,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete an agent. Deletes its memory too. Workflows that link it run the step from their own entry, without tools or memory. Runs are kept."""
        return await self._transport.data(
            Call("DELETE", f"/v1/agents/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncWebhooksResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        url: str,
        events: List[Literal["run.started", "run.completed", "run.failed", "run.waiting_input", "run.cancelled", "tool.requested", "batch.completed", "thread.message", "budget.threshold", "budget.reached", "schedule.missed"]],
        description: str | None | NotGiven = NOT_GIVEN,
        workflow_id: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint. The signing secret is returned only in this response. An account has up to 20."""
        return await self._transport.data(
            Call("POST", "/v1/webhooks", body={"url": url, "description": description, "events": events, "workflow_id": workflow_id}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookEndpointWithSecret,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[WebhookEndpoint]:
        """List webhook endpoints. All of the account, newest first, without secrets."""
        return self._transport.page(
            Call("GET", "/v1/webhooks", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookEndpoint,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpoint:
        """Retrieve a webhook endpoint. Its address, events and state; never its secret."""
        return await self._transport.data(
            Call("GET", f"/v1/webhooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookEndpoint,
        )

    async def update(
        self,
        id: str,
        *,
        url: str | NotGiven = NOT_GIVEN,
        description: str | None | NotGiven = NOT_GIVEN,
        events: List[Literal["run.started", "run.completed", "run.failed", "run.waiting_input", "run.cancelled", "tool.requested", "batch.completed", "thread.message", "budget.threshold", "budget.reached", "schedule.missed"]] | NotGiven = NOT_GIVEN,
        workflow_id: str | None | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint. Reactivating it resets its failures; pending deliveries continue."""
        return await self._transport.data(
            Call("PATCH", f"/v1/webhooks/{segment(id)}", body={"url": url, "description": description, "events": events, "workflow_id": workflow_id, "active": active}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            WebhookEndpoint,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a webhook endpoint. Deliveries stop at once, and their history is deleted."""
        return await self._transport.data(
            Call("DELETE", f"/v1/webhooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def rotate_secret(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookEndpointWithSecret:
        """Rotate the signing secret. For 24 hours, requests are also signed with the old secret."""
        return await self._transport.data(
            Call("POST", f"/v1/webhooks/{segment(id)}/rotate-secret"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookEndpointWithSecret,
        )

    async def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send a test event. Sends one attempt of type `webhook.test`; its result is in the deliveries."""
        return await self._transport.data(
            Call("POST", f"/v1/webhooks/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookDelivery,
        )

    def deliveries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "succeeded", "failed"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[WebhookDelivery]:
        """List the deliveries of an endpoint. Newest first, with every attempt; the 50 most recent by default."""
        return self._transport.page(
            Call("GET", f"/v1/webhooks/{segment(id)}/deliveries", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookDelivery,
        )

    async def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDeliveryWithBody:
        """Retrieve a delivery with its body. The body exactly as it is sent."""
        return await self._transport.data(
            Call("GET", f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            WebhookDeliveryWithBody,
        )

    async def redeliver(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WebhookDelivery:
        """Send an event again. Sends it at once, whatever its status."""
        return await self._transport.data(
            Call("POST", f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/redeliver"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            WebhookDelivery,
        )


class AsyncChannelsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Channel]:
        """List channels. All of the account, newest first, without secrets."""
        return self._transport.page(
            Call("GET", "/v1/channels", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Channel,
        )

    async def create(
        self,
        *,
        name: str,
        kind: Literal["email", "slack"],
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        recipients: List[str] | NotGiven = NOT_GIVEN,
        slack_channel: str | None | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        token: str | NotGiven = NOT_GIVEN,
        signing_secret: str | None | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Channel:
        """Create a channel. Logs in at the mail server or Slack and sends nothing; `state` has the result. Announces cases that start to wait from now on."""
        return await self._transport.data(
            Call("POST", "/v1/channels", body={"name": name, "workflow_ids": workflow_ids, "recipients": recipients, "slack_channel": slack_channel, "active": active, "token": token, "signing_secret": signing_secret, "kind": kind}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Channel,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Channel:
        """Retrieve a channel. Its settings and state; never its secrets."""
        return await self._transport.data(
            Call("GET", f"/v1/channels/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Channel,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        recipients: List[str] | NotGiven = NOT_GIVEN,
        slack_channel: str | None | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        token: str | NotGiven = NOT_GIVEN,
        signing_secret: str | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Channel:
        """Update a channel. Logs in again if a secret changes."""
        return await self._transport.data(
            Call("PATCH", f"/v1/channels/{segment(id)}", body={"name": name, "workflow_ids": workflow_ids, "recipients": recipients, "slack_channel": slack_channel, "active": active, "token": token, "signing_secret": signing_secret}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Channel,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a channel. Its messages are removed, and the links in them stop working."""
        return await self._transport.data(
            Call("DELETE", f"/v1/channels/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ChannelTest:
        """Send a test message. To every recipient, at once."""
        return await self._transport.data(
            Call("POST", f"/v1/channels/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ChannelTest,
        )


class AsyncNotificationsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        channel_id: str | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        pending_id: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "sent", "failed", "dropped"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Notification]:
        """List the messages of channels. Newest first; the 50 most recent by default. With `pending_id`, the notifications about a case."""
        return self._transport.page(
            Call("GET", "/v1/notifications", query={"limit": limit, "after": after, "channel_id": channel_id, "run_id": run_id, "pending_id": pending_id, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Notification,
        )


class AsyncMailboxesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Mailbox]:
        """List mailboxes. All of the account, newest first, without passwords."""
        return self._transport.page(
            Call("GET", "/v1/mailboxes", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Mailbox,
        )

    async def create(
        self,
        *,
        name: str,
        host: str,
        port: int,
        username: str,
        workflow_id: str,
        password: str,
        secure: Literal["tls", "starttls", "none"] | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        senders: List[str] | None | NotGiven = NOT_GIVEN,
        require_authenticated: bool | NotGiven = NOT_GIVEN,
        authserv_id: str | None | NotGiven = NOT_GIVEN,
        subject_contains: str | None | NotGiven = NOT_GIVEN,
        poll_seconds: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Mailbox:
        """Create a mailbox. Logs in and opens the folder; `state` has the result. Messages that arrive from now on start runs."""
        return await self._transport.data(
            Call("POST", "/v1/mailboxes", body={"name": name, "host": host, "port": port, "secure": secure, "username": username, "folder": folder, "workflow_id": workflow_id, "senders": senders, "require_authenticated": require_authenticated, "authserv_id": authserv_id, "subject_contains": subject_contains, "poll_seconds": poll_seconds, "active": active, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Mailbox,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Mailbox:
        """Retrieve a mailbox. Its settings and state; never its password."""
        return await self._transport.data(
            Call("GET", f"/v1/mailboxes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Mailbox,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        host: str | NotGiven = NOT_GIVEN,
        port: int | NotGiven = NOT_GIVEN,
        secure: Literal["tls", "starttls", "none"] | NotGiven = NOT_GIVEN,
        username: str | NotGiven = NOT_GIVEN,
        folder: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        senders: List[str] | None | NotGiven = NOT_GIVEN,
        require_authenticated: bool | NotGiven = NOT_GIVEN,
        authserv_id: str | None | NotGiven = NOT_GIVEN,
        subject_contains: str | None | NotGiven = NOT_GIVEN,
        poll_seconds: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        password: str | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Mailbox:
        """Update a mailbox. With another server, user or folder, messages that arrive from now on start runs."""
        return await self._transport.data(
            Call("PATCH", f"/v1/mailboxes/{segment(id)}", body={"name": name, "host": host, "port": port, "secure": secure, "username": username, "folder": folder, "workflow_id": workflow_id, "senders": senders, "require_authenticated": require_authenticated, "authserv_id": authserv_id, "subject_contains": subject_contains, "poll_seconds": poll_seconds, "active": active, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Mailbox,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a mailbox. Its messages stay in the folder; Muster deletes its record of them."""
        return await self._transport.data(
            Call("DELETE", f"/v1/mailboxes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> MailboxTest:
        """Test a mailbox. Logs in and opens the folder without changing anything."""
        return await self._transport.data(
            Call("POST", f"/v1/mailboxes/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            MailboxTest,
        )

    def messages(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "started", "ignored", "failed"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[MailboxMessage]:
        """List the messages of a mailbox. Newest first, with their outcome; the 50 most recent by default."""
        return self._transport.page(
            Call("GET", f"/v1/mailboxes/{segment(id)}/messages", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            MailboxMessage,
        )


class AsyncAlertsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Alert]:
        """List alerts. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/alerts", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Alert,
        )

    async def create(
        self,
        *,
        name: str,
        on: Literal["run.failed", "failure_rate", "waiting_too_long", "schedule.missed", "webhook.disabled", "connector.failing", "model.ending", "budget.threshold"],
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        channel_ids: List[str] | None | NotGiven = NOT_GIVEN,
        minutes: int | None | NotGiven = NOT_GIVEN,
        threshold: float | None | NotGiven = NOT_GIVEN,
        at_most_every_minutes: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Alert:
        """Create an alert. It covers events from now on, and notifies channels within about 15 seconds."""
        return await self._transport.data(
            Call("POST", "/v1/alerts", body={"name": name, "workflow_ids": workflow_ids, "channel_ids": channel_ids, "minutes": minutes, "threshold": threshold, "at_most_every_minutes": at_most_every_minutes, "active": active, "on": on}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Alert,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Alert:
        """Retrieve an alert. One alert with its settings."""
        return await self._transport.data(
            Call("GET", f"/v1/alerts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Alert,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_ids: List[str] | None | NotGiven = NOT_GIVEN,
        channel_ids: List[str] | None | NotGiven = NOT_GIVEN,
        minutes: int | None | NotGiven = NOT_GIVEN,
        threshold: float | None | NotGiven = NOT_GIVEN,
        at_most_every_minutes: int | NotGiven = NOT_GIVEN,
        active: bool | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Alert:
        """Update an alert. Changes the given fields."""
        return await self._transport.data(
            Call("PATCH", f"/v1/alerts/{segment(id)}", body={"name": name, "workflow_ids": workflow_ids, "channel_ids": channel_ids, "minutes": minutes, "threshold": threshold, "at_most_every_minutes": at_most_every_minutes, "active": active}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Alert,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete an alert. It sends nothing from then on."""
        return await self._transport.data(
            Call("DELETE", f"/v1/alerts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncConnectorsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Connector]:
        """List connectors. All built-in connectors, then the account's MCP servers and HTTP APIs by id."""
        return self._transport.page(
            Call("GET", "/v1/connectors", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Connector,
        )

    async def connect(
        self,
        id: str,
        *,
        host: str | NotGiven = NOT_GIVEN,
        port: int | NotGiven = NOT_GIVEN,
        secure: bool | NotGiven = NOT_GIVEN,
        user: str | NotGiven = NOT_GIVEN,
        pass_: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        token: str | NotGiven = NOT_GIVEN,
        search_key: str | NotGiven = NOT_GIVEN,
        kind: Literal["mcp"] | Literal["http"] | Literal["openapi"] | NotGiven = NOT_GIVEN,
        url: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        safe_tools: List[str] | NotGiven = NOT_GIVEN,
        tools: ConnectorsConnectToolsParam | NotGiven = NOT_GIVEN,
        credentials: Literal["account", "person"] | NotGiven = NOT_GIVEN,
        client: ConnectorsConnectClientParam | NotGiven = NOT_GIVEN,
        label: str | NotGiven = NOT_GIVEN,
        base_url: str | NotGiven = NOT_GIVEN,
        auth: ConnectorsConnectAuthParam | NotGiven = NOT_GIVEN,
        actions: List[HttpActionParam] | NotGiven = NOT_GIVEN,
        document: str | dict[str, Any] | NotGiven = NOT_GIVEN,
        document_url: str | NotGiven = NOT_GIVEN,
        operations: ConnectorsConnectOperationsParam | NotGiven = NOT_GIVEN,
        safe: List[str] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Connector:
        """Connect a built-in connector, an MCP server or an HTTP API. Replaces the stored values. Credentials are encrypted and never returned. An MCP server is asked for its tools, and an OpenAPI document is read; connecting again accepts what has changed."""
        return await self._transport.data(
            Call("PUT", f"/v1/connectors/{segment(id)}", body={"host": host, "port": port, "secure": secure, "user": user, "pass": pass_, "from": from_, "token": token, "search_key": search_key, "kind": kind, "url": url, "headers": headers, "safe_tools": safe_tools, "tools": tools, "credentials": credentials, "client": client, "label": label, "base_url": base_url, "auth": auth, "actions": actions, "document": document, "document_url": document_url, "operations": operations, "safe": safe}),
            Options(timeout=timeout, max_retries=max_retries),
            Connector,
        )

    async def disconnect(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Disconnect a connector. Its credentials and logins are removed. Agents keep their capabilities."""
        return await self._transport.data(
            Call("DELETE", f"/v1/connectors/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ConnectorTest:
        """Test a connector. Logs in without sending anything; for an MCP server, it compares the tools, and for an OpenAPI document with an address, the operations."""
        return await self._transport.data(
            Call("POST", f"/v1/connectors/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ConnectorTest,
        )

    async def authorize(
        self,
        id: str,
        *,
        return_to: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Authorization:
        """Log in at an MCP server. Begins a login by OAuth, which the person finishes in the same browser session. The account's login needs an admin; with `credentials: person` everybody makes their own. API keys have no browser, so they cannot."""
        return await self._transport.data(
            Call("POST", f"/v1/connectors/{segment(id)}/authorize", body={"return_to": return_to}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Authorization,
        )

    async def try_(
        self,
        id: str,
        *,
        action: str,
        input: dict[str, Any] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ConnectorTried:
        """Call an action of an HTTP API once. Calls the action as an agent would, without an approval: it has its effects. For connectors of the kinds `http` and `openapi`."""
        return await self._transport.data(
            Call("POST", f"/v1/connectors/{segment(id)}/try", body={"action": action, "input": input}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ConnectorTried,
        )


class AsyncToolCallsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def claim(
        self,
        *,
        names: List[str] | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        lease_seconds: int | NotGiven = NOT_GIVEN,
        wait_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[ClaimedCall]:
        """Claim calls. Gives the oldest open calls to the caller, for whom they are reserved until their leases end. A call whose lease ends is given out again if it is not `sensitive`; otherwise its outcome is `unknown`, and a person decides."""
        return self._transport.page(
            Call("POST", "/v1/tool-calls/claim", body={"names": names, "limit": limit, "lease_seconds": lease_seconds, "wait_seconds": wait_seconds}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ClaimedCall,
        )

    async def heartbeat(
        self,
        id: str,
        *,
        lease: str,
        lease_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RequestedCall:
        """Extend a claim. Holds the call for longer, from now on; 409 `lease_lost` if the lease has ended."""
        return await self._transport.data(
            Call("POST", f"/v1/tool-calls/{segment(id)}/heartbeat", body={"lease": lease, "lease_seconds": lease_seconds}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RequestedCall,
        )

    async def result(
        self,
        id: str,
        *,
        lease: str | NotGiven = NOT_GIVEN,
        output: Any | NotGiven = NOT_GIVEN,
        error: ToolCallsResultErrorParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RequestedCall:
        """Report the result of a call. The first result counts, with a lease or without one, while the call has none and its time is not over. The same result again is answered with 200; another with 409 `tool_call_answered`. After its time the response is 409 `tool_call_expired`, and `tool_call_cancelled` if the run has ended."""
        return await self._transport.data(
            Call("POST", f"/v1/tool-calls/{segment(id)}/result", body={"lease": lease, "output": output, "error": error}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RequestedCall,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["requested", "claimed", "succeeded", "failed", "unknown", "cancelled"] | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        run_id: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[RequestedCall]:
        """List calls of callers' tools. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/tool-calls", query={"limit": limit, "after": after, "status": status, "name": name, "run_id": run_id}),
            Options(timeout=timeout, max_retries=max_retries),
            RequestedCall,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RequestedCall:
        """Retrieve a call. With its arguments and, once it is known, its outcome; never with its lease."""
        return await self._transport.data(
            Call("GET", f"/v1/tool-calls/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            RequestedCall,
        )


class AsyncToolWorkersResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[ToolWorker]:
        """List who executes callers' tools. Who asked for calls in the last day, the most recent first."""
        return self._transport.page(
            Call("GET", "/v1/tool-workers", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ToolWorker,
        )


class AsyncFineTunesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[FineTune]:
        """List fine-tunes. Newest first, the 100 most recent by default."""
        return self._transport.page(
            Call("GET", "/v1/fine-tunes", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            FineTune,
        )

    async def create(
        self,
        *,
        name: str,
        base_model: str,
        source: Literal["upload", "runs"],
        training_data: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        suffix: str | NotGiven = NOT_GIVEN,
        hyperparameters: HyperparametersParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTune:
        """Create a fine-tune. The training set is checked and uploaded first. If the provider refuses the job afterwards, it has `failed`."""
        return await self._transport.data(
            Call("POST", "/v1/fine-tunes", body={"name": name, "base_model": base_model, "source": source, "training_data": training_data, "workflow_id": workflow_id, "role": role, "suffix": suffix, "hyperparameters": hyperparameters}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            FineTune,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTune:
        """Retrieve a fine-tune. With the provider's current status, requested at most once a second."""
        return await self._transport.data(
            Call("GET", f"/v1/fine-tunes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            FineTune,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a fine-tune. An active job is stopped first; its model can no longer be used."""
        return await self._transport.data(
            Call("DELETE", f"/v1/fine-tunes/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def events(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[FineTuneEvent]:
        """List the events of a fine-tune's provider. Oldest first. All of them by default, up to the newest 1,000."""
        return self._transport.page(
            Call("GET", f"/v1/fine-tunes/{segment(id)}/events", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            FineTuneEvent,
        )

    async def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTune:
        """Cancel a fine-tune. Stops an active job at its provider; a finished one is returned unchanged."""
        return await self._transport.data(
            Call("POST", f"/v1/fine-tunes/{segment(id)}/cancel"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            FineTune,
        )

    async def preview(
        self,
        *,
        name: str,
        base_model: str,
        source: Literal["upload", "runs"],
        training_data: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        role: str | NotGiven = NOT_GIVEN,
        suffix: str | NotGiven = NOT_GIVEN,
        hyperparameters: HyperparametersParam | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> FineTunePreview:
        """Preview a fine-tune. Checks a training set and estimates its cost; nothing is sent."""
        return await self._transport.data(
            Call("POST", "/v1/fine-tunes/preview", body={"name": name, "base_model": base_model, "source": source, "training_data": training_data, "workflow_id": workflow_id, "role": role, "suffix": suffix, "hyperparameters": hyperparameters}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            FineTunePreview,
        )


class AsyncFilesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[StoredFile]:
        """List files. Newest first, 50 a page by default."""
        return self._transport.page(
            Call("GET", "/v1/files", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            StoredFile,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> StoredFile:
        """Retrieve a file. The file's metadata; its content is at `/content`."""
        return await self._transport.data(
            Call("GET", f"/v1/files/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            StoredFile,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a file. Refused with 409 `file_in_use` while an unfinished run uses it. Finished runs keep its name."""
        return await self._transport.data(
            Call("DELETE", f"/v1/files/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncModelsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Model]:
        """List models. Available models and those that lack a key, then your own fine-tunes."""
        return self._transport.page(
            Call("GET", "/v1/models", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Model,
        )


class AsyncModelProvidersResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[ModelProvider]:
        """List model providers. Built-in ones, then those of the models file, then the account's compatible servers. Keys are never shown."""
        return self._transport.page(
            Call("GET", "/v1/model-providers", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            ModelProvider,
        )

    async def set(
        self,
        id: str,
        *,
        api_key: str | None | NotGiven = NOT_GIVEN,
        base_url: str | None | NotGiven = NOT_GIVEN,
        label: str | None | NotGiven = NOT_GIVEN,
        timeout_seconds: float | None | NotGiven = NOT_GIVEN,
        models: List[OwnModelParam] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ModelProvider:
        """Set a key or a server for models. A key for a built-in provider (openai, anthropic, google, mistral), which takes precedence over the server's; under another id, a server with OpenAI's chat completions API. Omitted fields are kept, a stored key only for the same `base_url`. Keys are encrypted and never returned. The provider is tested at once: `state` and `message` have the result."""
        return await self._transport.data(
            Call("PUT", f"/v1/model-providers/{segment(id)}", body={"api_key": api_key, "base_url": base_url, "label": label, "timeout_seconds": timeout_seconds, "models": models}),
            Options(timeout=timeout, max_retries=max_retries),
            ModelProvider,
        )

    async def remove(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Remove a model provider. Its key and models are removed. A built-in provider then uses the server's key, if there is one that accounts may use. Otherwise workflows that name its models warn (`model_unavailable`), and their runs fail."""
        return await self._transport.data(
            Call("DELETE", f"/v1/model-providers/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def test(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ModelProviderTest:
        """Test a model provider. A built-in provider is asked for its list of models, with the key. For your own server, its first model gets one short call."""
        return await self._transport.data(
            Call("POST", f"/v1/model-providers/{segment(id)}/test"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ModelProviderTest,
        )


class AsyncSetupResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        token: str,
        email: str,
        name: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Create the first admin. Uses the one-time link printed at the first start, and signs in."""
        return await self._transport.data(
            Call("POST", "/v1/setup", body={"token": token, "email": email, "name": name, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )


class AsyncSessionResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> WaysIn:
        """Retrieve the ways to sign in. For the sign-in page: needs no key."""
        return await self._transport.data(
            Call("GET", "/v1/session"),
            Options(timeout=timeout, max_retries=max_retries),
            WaysIn,
        )

    async def create(
        self,
        *,
        email: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Sign in with a password. Sets the cookie `muster_session`. Attempts are limited."""
        return await self._transport.data(
            Call("POST", "/v1/session", body={"email": email, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )

    async def delete(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> EndedSession:
        """Sign out. If the person signed in through OpenID Connect, the provider's session may remain."""
        return await self._transport.data(
            Call("DELETE", "/v1/session"),
            Options(timeout=timeout, max_retries=max_retries),
            EndedSession,
        )


class AsyncPasswordResetsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        email: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ResetRequested:
        """Request a password reset. If the operator set SMTP, emails a link that works once within 30 minutes. The response is the same whether or not the address has a user. Requests are limited by email and network address."""
        return await self._transport.data(
            Call("POST", "/v1/password-resets", body={"email": email}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            ResetRequested,
        )

    async def accept(
        self,
        *,
        token: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Set a new password with a reset link. Ends all of the person's sessions and the access of their programs, and signs in."""
        return await self._transport.data(
            Call("POST", "/v1/password-resets/accept", body={"token": token, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )


class AsyncSessionsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Session]:
        """List your sessions. The browsers in which you are signed in."""
        return self._transport.page(
            Call("GET", "/v1/sessions", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Session,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """End one of your sessions. That browser is signed out at once."""
        return await self._transport.data(
            Call("DELETE", f"/v1/sessions/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncMeResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Retrieve the signed-in person. You, with your role and your accounts."""
        return await self._transport.data(
            Call("GET", "/v1/me"),
            Options(timeout=timeout, max_retries=max_retries),
            Me,
        )

    async def update(
        self,
        *,
        name: str | NotGiven = NOT_GIVEN,
        password: str | NotGiven = NOT_GIVEN,
        current_password: str | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Change your name or password. A new password ends the other sessions and the access of programs."""
        return await self._transport.data(
            Call("PATCH", "/v1/me", body={"name": name, "password": password, "current_password": current_password}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Me,
        )

    async def switch_account(
        self,
        *,
        account_id: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Switch to another of your accounts. Later requests of this session are about that account."""
        return await self._transport.data(
            Call("PUT", "/v1/me/account", body={"account_id": account_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Me,
        )


class AsyncUsersResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[User]:
        """List the people of the account. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/users", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            User,
        )

    async def update(
        self,
        id: str,
        *,
        role: Literal["viewer", "approver", "member", "admin"] | NotGiven = NOT_GIVEN,
        email: str | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> User:
        """Change the role or the address of a person. A new role ends their sessions in the account and withdraws open invitations to their address. The address of a person who also belongs to other accounts cannot be changed here (`shared_user`); with an identity at the provider, it is updated at each sign-in."""
        return await self._transport.data(
            Call("PATCH", f"/v1/users/{segment(id)}", body={"role": role, "email": email}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            User,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Remove a person from the account. Withdraws open invitations to their address. If the person belongs to no other account, their identity at the provider is unlinked."""
        return await self._transport.data(
            Call("DELETE", f"/v1/users/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def unlink(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Unlink a person's identity at the provider. For a person who was recreated at the provider, or whose provider moved: their next sign-in identifies them by verified address again. Their sessions in the account end."""
        return await self._transport.data(
            Call("DELETE", f"/v1/users/{segment(id)}/identity"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncInvitationsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        open: bool | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Invitation]:
        """List invitations. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/invitations", query={"limit": limit, "after": after, "open": open}),
            Options(timeout=timeout, max_retries=max_retries),
            Invitation,
        )

    async def create(
        self,
        *,
        email: str,
        role: Literal["viewer", "approver", "member", "admin"],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedInvitation:
        """Invite a person. The link is returned only in this response, and emailed if the operator set SMTP."""
        return await self._transport.data(
            Call("POST", "/v1/invitations", body={"email": email, "role": role}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedInvitation,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Withdraw an invitation. Its link no longer works."""
        return await self._transport.data(
            Call("DELETE", f"/v1/invitations/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def accept(
        self,
        *,
        token: str,
        name: str,
        password: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Me:
        """Accept an invitation. Uses its one-time link, and signs in."""
        return await self._transport.data(
            Call("POST", "/v1/invitations/accept", body={"token": token, "name": name, "password": password}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Me,
        )


class AsyncGrantsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Grant]:
        """List the programs that act for you. In the account of your session."""
        return self._transport.page(
            Call("GET", "/v1/me/grants", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            Grant,
        )

    async def create(
        self,
        *,
        request: str,
        account_id: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedGrant:
        """Give a program access. For the consent page. The program acts in your name, within your role, and only over MCP."""
        return await self._transport.data(
            Call("POST", "/v1/me/grants", body={"request": request, "account_id": account_id}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedGrant,
        )

    async def preview(
        self,
        *,
        request: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> GrantRequest:
        """Read a program's request for access. For the consent page."""
        return await self._transport.data(
            Call("POST", "/v1/me/grants/preview", body={"request": request}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            GrantRequest,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """End the access of a program. Its tokens no longer work."""
        return await self._transport.data(
            Call("DELETE", f"/v1/me/grants/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncPoliciesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Policies:
        """Retrieve the policies of the account. What the agents of the account may do."""
        return await self._transport.data(
            Call("GET", "/v1/policies"),
            Options(timeout=timeout, max_retries=max_retries),
            Policies,
        )

    async def update(
        self,
        *,
        approvals_floor: Literal["none", "sensitive", "all"] | NotGiven = NOT_GIVEN,
        four_eyes: bool | NotGiven = NOT_GIVEN,
        require_pending_id: bool | NotGiven = NOT_GIVEN,
        web_fetch_hosts: List[str] | None | NotGiven = NOT_GIVEN,
        sensitive_actions: List[str] | NotGiven = NOT_GIVEN,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        mails_a_day: int | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Policies:
        """Update the policies of the account. Changes the given policies at once, including for runs that have begun."""
        return await self._transport.data(
            Call("PATCH", "/v1/policies", body={"approvals_floor": approvals_floor, "four_eyes": four_eyes, "require_pending_id": require_pending_id, "web_fetch_hosts": web_fetch_hosts, "sensitive_actions": sensitive_actions, "rules": rules, "mails_a_day": mails_a_day}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Policies,
        )


class AsyncRulesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def test(
        self,
        *,
        rules: List[RuleParam] | NotGiven = NOT_GIVEN,
        level: Literal["account", "agent", "crew_entry"] | NotGiven = NOT_GIVEN,
        pending_id: str | NotGiven = NOT_GIVEN,
        action: str | NotGiven = NOT_GIVEN,
        args: dict[str, Any] | NotGiven = NOT_GIVEN,
        agent: RulesTestAgentParam | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        order: int | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RulesTested:
        """Test rules on a call. Shows how the rules of all levels decide about a described or waiting call, and which rule decides. Nothing is called or stored."""
        return await self._transport.data(
            Call("POST", "/v1/rules/test", body={"rules": rules, "level": level, "pending_id": pending_id, "action": action, "args": args, "agent": agent, "workflow_id": workflow_id, "order": order, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RulesTested,
        )

    async def try_(
        self,
        *,
        rules: List[RuleParam],
        level: Literal["account", "agent", "crew_entry"] | NotGiven = NOT_GIVEN,
        agent_id: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        order: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RulesTried:
        """Test rules on past decisions. Applies rules to the last 100 calls of their actions that people decided. Nothing is called or stored. Rules of agents and crew entries apply as they were in those runs."""
        return await self._transport.data(
            Call("POST", "/v1/rules/try", body={"rules": rules, "level": level, "agent_id": agent_id, "workflow_id": workflow_id, "order": order}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RulesTried,
        )

    async def add(
        self,
        *,
        rule: RuleParam,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleChanged:
        """Add a rule to the account. It is appended, so earlier rules take precedence. Without `expires_at` it expires after 90 days; null means never."""
        return await self._transport.data(
            Call("POST", "/v1/rules", body={"rule": rule}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RuleChanged,
        )

    async def remove(
        self,
        *,
        rule: RuleParam,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleChanged:
        """Remove a rule from the account. Removes the first rule equal to the given one. Undoes `POST /v1/rules`."""
        return await self._transport.data(
            Call("POST", "/v1/rules/remove", body={"rule": rule}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RuleChanged,
        )

    async def suggestions(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleSuggestions:
        """List suggested rules. For each action that people approved unchanged at least 20 times in a row, the narrowest rule that allows it, with the decisions as evidence. `POST /v1/rules` accepts one."""
        return await self._transport.data(
            Call("GET", "/v1/rules/suggestions"),
            Options(timeout=timeout, max_retries=max_retries),
            RuleSuggestions,
        )

    async def propose(
        self,
        *,
        pending_id: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RuleProposal:
        """Propose a rule for a waiting call. A rule that allows calls like the one that waits: with the same names of arguments, in the same workflow and role. Where the last 200 decisions about the action have approvals of such calls, an argument may have what recurs in them: the same value, addresses at the same domain, a range of numbers, or one of up to 10 values; prose, such as `text`, may be anything. Nothing is stored: `POST /v1/rules` adds a rule."""
        return await self._transport.data(
            Call("POST", "/v1/rules/propose", body={"pending_id": pending_id}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            RuleProposal,
        )


class AsyncOperatorAccountsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[OperatedAccount]:
        """List the accounts. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/operator/accounts", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            OperatedAccount,
        )

    async def create(
        self,
        *,
        name: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> CreatedAccount:
        """Create an account. Its first admin key is returned only in this response."""
        return await self._transport.data(
            Call("POST", "/v1/operator/accounts", body={"name": name}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            CreatedAccount,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Retrieve an account with its quotas. For the operator of the service."""
        return await self._transport.data(
            Call("GET", f"/v1/operator/accounts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            OperatedAccount,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        max_runs_a_day: int | None | NotGiven = NOT_GIVEN,
        max_mails_a_day: int | None | NotGiven = NOT_GIVEN,
        max_cost_usd_a_day: float | None | NotGiven = NOT_GIVEN,
        max_cost_usd_a_month: float | None | NotGiven = NOT_GIVEN,
        max_stored_bytes: int | None | NotGiven = NOT_GIVEN,
        max_file_bytes: int | None | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Change the name and the quotas of an account. Quotas apply within a second. Runs beyond `max_runs_a_day` or `max_stored_bytes` are refused with 409 `quota_reached`; at a cost quota, runs are held until the day or month is over."""
        return await self._transport.data(
            Call("PATCH", f"/v1/operator/accounts/{segment(id)}", body={"name": name, "max_runs_a_day": max_runs_a_day, "max_mails_a_day": max_mails_a_day, "max_cost_usd_a_day": max_cost_usd_a_day, "max_cost_usd_a_month": max_cost_usd_a_month, "max_stored_bytes": max_stored_bytes, "max_file_bytes": max_file_bytes}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            OperatedAccount,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Delete an account and all its data. Keys and sessions end at once. The rest is deleted in the background: files, jobs and models of fine-tunes at their providers, then every row. The account is gone once it gets 404; the operator's log keeps a record of it."""
        return await self._transport.data(
            Call("DELETE", f"/v1/operator/accounts/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            OperatedAccount,
        )

    async def retrieve_use(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AccountUse:
        """Retrieve an account's usage of its quotas. For the operator of the service: the current use of each quota."""
        return await self._transport.data(
            Call("GET", f"/v1/operator/accounts/{segment(id)}/use"),
            Options(timeout=timeout, max_retries=max_retries),
            AccountUse,
        )

    async def suspend(
        self,
        id: str,
        *,
        reason: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Suspend an account. Until it is resumed, keys and sessions get 403 `account_suspended`, runs and webhooks are held, and no request expires."""
        return await self._transport.data(
            Call("POST", f"/v1/operator/accounts/{segment(id)}/suspend", body={"reason": reason}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            OperatedAccount,
        )

    async def resume(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> OperatedAccount:
        """Resume an account. Runs continue where they were, and webhooks are sent."""
        return await self._transport.data(
            Call("POST", f"/v1/operator/accounts/{segment(id)}/resume"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            OperatedAccount,
        )


class AsyncOperatorLogResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[OperatorEntry]:
        """List operators' actions on accounts. Newest first; 50 by default."""
        return self._transport.page(
            Call("GET", "/v1/operator/log", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            OperatorEntry,
        )


class AsyncOperatorResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.accounts = AsyncOperatorAccountsResource(transport)
        self.log = AsyncOperatorLogResource(transport)


class AsyncUsageResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        from_: str | NotGiven = NOT_GIVEN,
        to: str | NotGiven = NOT_GIVEN,
        group_by: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Usage]:
        """List usage. By UTC day, workflow, agent, model or tag, sorted by these; 50 rows by default. Runs and steps count when they end, exactly; they still count after retention deletes them. Runs without the tag are omitted. As CSV with `Accept: text/csv`."""
        return self._transport.page(
            Call("GET", "/v1/usage", query={"limit": limit, "after": after, "from": from_, "to": to, "group_by": group_by, "workflow_id": workflow_id}),
            Options(timeout=timeout, max_retries=max_retries),
            Usage,
        )


class AsyncViewsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[View]:
        """List saved views. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/views", query={"limit": limit, "after": after}),
            Options(timeout=timeout, max_retries=max_retries),
            View,
        )

    async def create(
        self,
        *,
        name: str,
        filters: ViewFiltersParam,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> View:
        """Save a view. Everyone in the account sees it. An account has up to 100."""
        return await self._transport.data(
            Call("POST", "/v1/views", body={"name": name, "filters": filters}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            View,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> View:
        """Retrieve a saved view. One view with its filters."""
        return await self._transport.data(
            Call("GET", f"/v1/views/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            View,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        filters: ViewFiltersParam | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> View:
        """Update a saved view. Renames the view or replaces its filters."""
        return await self._transport.data(
            Call("PATCH", f"/v1/views/{segment(id)}", body={"name": name, "filters": filters}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            View,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a saved view. The runs that it lists stay."""
        return await self._transport.data(
            Call("DELETE", f"/v1/views/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )


class AsyncSchedulesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        workflow_id: str,
        name: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        cron: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        every_seconds: int | None | NotGiven = NOT_GIVEN,
        at: str | None | NotGiven = NOT_GIVEN,
        ends_at: str | None | NotGiven = NOT_GIVEN,
        jitter_seconds: int | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue", "cancel_previous", "allow"] | NotGiven = NOT_GIVEN,
        catch_up: Literal["none", "last", "all"] | NotGiven = NOT_GIVEN,
        catch_up_seconds: int | NotGiven = NOT_GIVEN,
        pause_after_failures: int | None | NotGiven = NOT_GIVEN,
        key: str | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Schedule:
        """Create a schedule. Needs one of `cron`, `every_seconds` and `at`. With the `key` of an existing schedule, that one is updated instead, and omitted fields get their defaults. An account has up to 1,000."""
        return await self._transport.data(
            Call("POST", "/v1/schedules", body={"name": name, "workflow_id": workflow_id, "version": version, "cron": cron, "time_zone": time_zone, "every_seconds": every_seconds, "at": at, "ends_at": ends_at, "jitter_seconds": jitter_seconds, "input": input, "data": data, "tags": tags, "overlap": overlap, "catch_up": catch_up, "catch_up_seconds": catch_up_seconds, "pause_after_failures": pause_after_failures, "key": key, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Schedule,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused", "ended"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Schedule]:
        """List schedules. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/schedules", query={"limit": limit, "after": after, "workflow_id": workflow_id, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Schedule,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Schedule:
        """Retrieve a schedule. Its timing in words, its next time and its last firing."""
        return await self._transport.data(
            Call("GET", f"/v1/schedules/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Schedule,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        cron: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        every_seconds: int | None | NotGiven = NOT_GIVEN,
        at: str | None | NotGiven = NOT_GIVEN,
        ends_at: str | None | NotGiven = NOT_GIVEN,
        jitter_seconds: int | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        overlap: Literal["skip", "queue", "cancel_previous", "allow"] | NotGiven = NOT_GIVEN,
        catch_up: Literal["none", "last", "all"] | NotGiven = NOT_GIVEN,
        catch_up_seconds: int | NotGiven = NOT_GIVEN,
        pause_after_failures: int | None | NotGiven = NOT_GIVEN,
        key: str | None | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Schedule:
        """Update a schedule. Changes the given fields. One of `cron`, `every_seconds` and `at` replaces the others. The schedule next fires at its next regular time; missed firings are not caught up."""
        return await self._transport.data(
            Call("PATCH", f"/v1/schedules/{segment(id)}", body={"name": name, "workflow_id": workflow_id, "version": version, "cron": cron, "time_zone": time_zone, "every_seconds": every_seconds, "at": at, "ends_at": ends_at, "jitter_seconds": jitter_seconds, "input": input, "data": data, "tags": tags, "overlap": overlap, "catch_up": catch_up, "catch_up_seconds": catch_up_seconds, "pause_after_failures": pause_after_failures, "key": key, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Schedule,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a schedule. Deletes its firings too; its runs are kept."""
        return await self._transport.data(
            Call("DELETE", f"/v1/schedules/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    def firings(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["due", "fired", "skipped", "missed"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Firing]:
        """List the firings of a schedule. Firings with their outcome, newest first; 50 by default. The newest 1,000 are kept."""
        return self._transport.page(
            Call("GET", f"/v1/schedules/{segment(id)}/firings", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Firing,
        )

    async def preview(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> SchedulePreview:
        """Preview a schedule. The next ten firings."""
        return await self._transport.data(
            Call("POST", f"/v1/schedules/{segment(id)}/preview"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            SchedulePreview,
        )

    async def preview_new(
        self,
        *,
        cron: str | None | NotGiven = NOT_GIVEN,
        time_zone: str | NotGiven = NOT_GIVEN,
        every_seconds: int | None | NotGiven = NOT_GIVEN,
        at: str | None | NotGiven = NOT_GIVEN,
        ends_at: str | None | NotGiven = NOT_GIVEN,
        jitter_seconds: int | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> SchedulePreview:
        """Preview an unsaved schedule. The next ten firings of the given schedule."""
        return await self._transport.data(
            Call("POST", "/v1/schedules/preview", body={"cron": cron, "time_zone": time_zone, "every_seconds": every_seconds, "at": at, "ends_at": ends_at, "jitter_seconds": jitter_seconds}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            SchedulePreview,
        )

    async def trigger(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Firing:
        """Fire a schedule now. Starts one run, even if the schedule is paused or a previous run is unfinished."""
        return await self._transport.data(
            Call("POST", f"/v1/schedules/{segment(id)}/trigger"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Firing,
        )

    async def backfill(
        self,
        id: str,
        *,
        from_: str,
        to: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Backfill:
        """Backfill a past period. Starts each firing between `from` and `to` that has no run, up to 100, one after the other unless `overlap` is `allow`."""
        return await self._transport.data(
            Call("POST", f"/v1/schedules/{segment(id)}/backfill", body={"from": from_, "to": to}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            Backfill,
        )


class AsyncHooksResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        workflow_id: str,
        scheme: Literal["standard_webhooks", "github", "stripe", "slack", "hmac_sha256", "none"],
        name: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        signature_header: str | None | NotGiven = NOT_GIVEN,
        event_id_header: str | None | NotGiven = NOT_GIVEN,
        tolerance_seconds: int | NotGiven = NOT_GIVEN,
        dedupe: Literal["event", "none"] | NotGiven = NOT_GIVEN,
        filter: str | None | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        secret: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookWithSecret:
        """Create a hook. Its `url` accepts events by `POST`, without an API key. If you give no `secret`, one is generated and returned only in this response; Stripe and Slack generate their own, so set it here or later. An account has up to 100."""
        return await self._transport.data(
            Call("POST", "/v1/hooks", body={"name": name, "workflow_id": workflow_id, "version": version, "signature_header": signature_header, "event_id_header": event_id_header, "tolerance_seconds": tolerance_seconds, "dedupe": dedupe, "filter": filter, "input": input, "data": data, "files": files, "tags": tags, "secret": secret, "status": status, "scheme": scheme}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookWithSecret,
        )

    def list(
        self,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[Hook]:
        """List hooks. All of the account, newest first."""
        return self._transport.page(
            Call("GET", "/v1/hooks", query={"limit": limit, "after": after, "workflow_id": workflow_id, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            Hook,
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Hook:
        """Retrieve a hook. Its URL and settings, with the newest delivery; never its secret."""
        return await self._transport.data(
            Call("GET", f"/v1/hooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Hook,
        )

    async def update(
        self,
        id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        workflow_id: str | NotGiven = NOT_GIVEN,
        version: int | None | NotGiven = NOT_GIVEN,
        signature_header: str | None | NotGiven = NOT_GIVEN,
        event_id_header: str | None | NotGiven = NOT_GIVEN,
        tolerance_seconds: int | NotGiven = NOT_GIVEN,
        dedupe: Literal["event", "none"] | NotGiven = NOT_GIVEN,
        filter: str | None | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        status: Literal["active", "paused"] | NotGiven = NOT_GIVEN,
        if_match: str | int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Hook:
        """Update a hook. Changes the given fields, except the scheme; rotate the secret instead."""
        return await self._transport.data(
            Call("PATCH", f"/v1/hooks/{segment(id)}", body={"name": name, "workflow_id": workflow_id, "version": version, "signature_header": signature_header, "event_id_header": event_id_header, "tolerance_seconds": tolerance_seconds, "dedupe": dedupe, "filter": filter, "input": input, "data": data, "files": files, "tags": tags, "status": status}),
            Options(timeout=timeout, max_retries=max_retries, if_match=if_match),
            Hook,
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Deleted:
        """Delete a hook. Deletes its deliveries too; its runs are kept."""
        return await self._transport.data(
            Call("DELETE", f"/v1/hooks/{segment(id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            Deleted,
        )

    async def rotate_secret(
        self,
        id: str,
        *,
        secret: str | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookWithSecret:
        """Set or rotate the secret. The old secret is also accepted for 24 hours."""
        return await self._transport.data(
            Call("POST", f"/v1/hooks/{segment(id)}/rotate-secret", body={"secret": secret}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookWithSecret,
        )

    async def preview(
        self,
        *,
        hook_id: str | NotGiven = NOT_GIVEN,
        delivery_id: str | NotGiven = NOT_GIVEN,
        body: str | NotGiven = NOT_GIVEN,
        content_type: str | NotGiven = NOT_GIVEN,
        headers: dict[str, str] | NotGiven = NOT_GIVEN,
        filter: str | None | NotGiven = NOT_GIVEN,
        input: str | None | NotGiven = NOT_GIVEN,
        data: dict[str, Any] | None | NotGiven = NOT_GIVEN,
        files: List[str] | NotGiven = NOT_GIVEN,
        tags: dict[str, str] | NotGiven = NOT_GIVEN,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookPreview:
        """Preview the result of an event. Tests a filter and templates on a stored delivery or a given body. Nothing is stored or started."""
        return await self._transport.data(
            Call("POST", "/v1/hooks/preview", body={"hook_id": hook_id, "delivery_id": delivery_id, "body": body, "content_type": content_type, "headers": headers, "filter": filter, "input": input, "data": data, "files": files, "tags": tags}),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookPreview,
        )

    def deliveries(
        self,
        id: str,
        *,
        limit: int | NotGiven = NOT_GIVEN,
        after: str | NotGiven = NOT_GIVEN,
        status: Literal["pending", "started", "filtered", "failed", "answered", "refused"] | NotGiven = NOT_GIVEN,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncPages[HookDelivery]:
        """List the deliveries of a hook. Deliveries with their outcome, newest first; 50 by default. The newest 1,000 are kept, and the newest 100 refused ones."""
        return self._transport.page(
            Call("GET", f"/v1/hooks/{segment(id)}/deliveries", query={"limit": limit, "after": after, "status": status}),
            Options(timeout=timeout, max_retries=max_retries),
            HookDelivery,
        )

    async def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookDeliveryWithBody:
        """Retrieve a delivery with its body. The event as it came, without signatures and credentials."""
        return await self._transport.data(
            Call("GET", f"/v1/hooks/{segment(id)}/deliveries/{segment(delivery_id)}"),
            Options(timeout=timeout, max_retries=max_retries),
            HookDeliveryWithBody,
        )

    async def send_again(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> HookDelivery:
        """Send a delivery again. Starts another run from the event, with the current filter and templates."""
        return await self._transport.data(
            Call("POST", f"/v1/hooks/{segment(id)}/deliveries/{segment(delivery_id)}/send-again"),
            Options(timeout=timeout, max_retries=max_retries, idempotency_key=idempotency_key),
            HookDelivery,
        )


class AsyncApi:
    """Every resource of the service."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.account = AsyncAccountResource(transport)
        self.workers = AsyncWorkersResource(transport)
        self.api_keys = AsyncApiKeysResource(transport)
        self.workflows = AsyncWorkflowsResource(transport)
        self.pending = AsyncPendingResource(transport)
        self.bulk_operations = AsyncBulkOperationsResource(transport)
        self.budgets = AsyncBudgetsResource(transport)
        self.agents = AsyncAgentsResource(transport)
        self.webhooks = AsyncWebhooksResource(transport)
        self.channels = AsyncChannelsResource(transport)
        self.notifications = AsyncNotificationsResource(transport)
        self.mailboxes = AsyncMailboxesResource(transport)
        self.alerts = AsyncAlertsResource(transport)
        self.connectors = AsyncConnectorsResource(transport)
        self.tool_calls = AsyncToolCallsResource(transport)
        self.tool_workers = AsyncToolWorkersResource(transport)
        self.fine_tunes = AsyncFineTunesResource(transport)
        self.models = AsyncModelsResource(transport)
        self.model_providers = AsyncModelProvidersResource(transport)
        self.setup = AsyncSetupResource(transport)
        self.session = AsyncSessionResource(transport)
        self.password_resets = AsyncPasswordResetsResource(transport)
        self.sessions = AsyncSessionsResource(transport)
        self.me = AsyncMeResource(transport)
        self.users = AsyncUsersResource(transport)
        self.invitations = AsyncInvitationsResource(transport)
        self.grants = AsyncGrantsResource(transport)
        self.policies = AsyncPoliciesResource(transport)
        self.rules = AsyncRulesResource(transport)
        self.operator = AsyncOperatorResource(transport)
        self.views = AsyncViewsResource(transport)
        self.schedules = AsyncSchedulesResource(transport)
        self.hooks = AsyncHooksResource(transport)
