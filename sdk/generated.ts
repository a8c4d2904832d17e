// Made by `npm run sdk` from the OpenAPI document. Do not edit.
import type { Page } from './page.ts'
import { queryOf, type RequestOptions, type Transport } from './transport.ts'

/** A hint to reload data. */
export type AccountEvent = RunChanged | PendingChanged
/** The batch, or with `dry_run` its estimate. The request says which, so no field does; only a batch has an `id`. */
export type BatchOrEstimate = Batch | BatchEstimate
/** A waiting request, by its `kind`. */
export type Pending = PendingInput | PendingApproval | PendingBudget
/** A waiting request, by its `kind`. */
export type PendingCall = PendingCallInput | PendingCallApproval
/** The credentials of a built-in connector, an MCP server or an HTTP API. The connector in the path says which it is, or `kind` if it is none that is built in. */
export type ConnectConnector =
  | EmailCredentials
  | HubspotCredentials
  | SlackCredentials
  | WebCredentials
  | ConnectMcp
  | ConnectHttp
  | ConnectOpenApi
/** One entry of the event log of a run. Types may be added: ignore unknown ones. */
export type RunEvent =
  | RunQueuedEvent
  | RunStartedEvent
  | StepStartedEvent
  | StepCutEvent
  | StepCompletedEvent
  | StepFailedEvent
  | ToolStartedEvent
  | ToolRequestedEvent
  | ToolCompletedEvent
  | FileWrittenEvent
  | MemoryEvictedEvent
  | RunWaitingInputEvent
  | RunApprovalGivenEvent
  | RunResumedEvent
  | RunCompletedEvent
  | RunFailedEvent
/** An event of a run of the thread, or `message.changed`. */
export type ThreadEvent =
  | MessageChanged
  | (RunEvent & {
      /** The message of the turn. */
      message_id: string
      /** The turn. */
      thread_turn: number
    })

/** Who accepts. */
export interface AcceptInvitation {
  /** Secret part of the one-time link. */
  token: string
  /** Name shown to others, not blank. */
  name: string
  /** A new password; the current one if the address already has a user. */
  password: string
}

/** The owner of the key. */
export interface Account {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
  /** When the account was created. */
  created_at: string
  /** The key of this request. */
  key: {
    /** Key id. */
    id: string
    /** Purpose of the key. */
    name: string
    /** viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers. */
    role: 'viewer' | 'approver' | 'member' | 'admin' | 'worker'
    /** When the key expires; null means never. */
    expires_at: string | null
  }
}

/** A run began, changed or ended. */
export interface RunChanged {
  /** A run changed. */
  type: 'run.changed'
  /** The run. */
  run_id: string
  /** Its current status. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** Number of its newest event. */
  sequence: number
}

/** A run started or stopped waiting for a person. */
export interface PendingChanged {
  /** A run's waiting request changed. */
  type: 'pending.changed'
  /** The run. */
  run_id: string
  /** The waiting request; null if there is none. */
  pending_id: string | null
}

/** An account and its name. */
export interface AccountName {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
}

/** An account's usage. Runs and cost are counted only if it has a quota on them. */
export interface AccountUse {
  /** Runs begun today (UTC). */
  runs_today: number
  /** Emails sent by agents today (UTC). */
  mails_today: number
  /** Cost of model calls today (UTC), in USD. */
  cost_usd_today: number
  /** Cost of model calls this month (UTC), in USD. */
  cost_usd_this_month: number
  /** Bytes stored at the last measurement; null without such a quota. */
  stored_bytes: number | null
  /** When they were measured. */
  stored_bytes_at: string | null
  /** Until when runs are held because the cost quota is used up. */
  held_until: string | null
}

/** A rule of the account. */
export interface AddRule {
  rule: Rule
}

/** A rule about calls of agents. */
export interface Rule {
  /** An action such as `email.send`, all of a connector, `slack.*`, or all, `*`. */
  action: string
  /** A CEL condition: `args.amount <= 100.0`. It sees `args`, `action`, `agent.id`, `agent.role`, `workflow.id`, `run.id` and `run.tags`. A call on which it fails is asked about. Null for every call. */
  when?: string | null
  /** `allow` makes the call without asking, unless `approvals_floor` wants a person; `ask` asks a person; `block` refuses the call. */
  decision: 'allow' | 'ask' | 'block'
  /** Arguments that the rule sets, by name: `{"channel": "#ops"}`. Models are not shown them, and neither they nor an edit can set another value. They hold for every call of the action, whichever rule decides. With `fixed`, `when` may name `agent`, `workflow` and `run` alone. A call of an action without such an argument is asked about. */
  fixed?: {
    [k: string]: unknown
  } | null
  /** Why, for people and agents. */
  reason?: string | null
  /** The rule counts until then; null for ever. */
  expires_at?: string | null
}

/** A reusable role with its own instructions, tools and memory. */
export interface Agent {
  /** Agent id; `agentId` of a crew entry. */
  id: string
  /** Name of the agent. */
  name: string
  /** Description. */
  description: string | null
  /** Free text to group agents by. */
  category: string
  /** Name of its steps in workflows and runs. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model id, one of `GET /v1/models`; null uses the workflow's model. */
  model: string | null
  /**
   * Fallback models, tried in order while the model's provider is unavailable; an empty list uses the workflow's.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** Maximum output tokens of one model turn; null sets no limit. */
  maxTokens: number | null
  /**
   * Connectors that the agent may use; duplicates are ignored.
   *
   *
   * Items: A connector id.
   */
  connectors: string[]
  /**
   * Actions that the agent may use; duplicates are ignored.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities: string[]
  /** Tools that processes of your own execute. The agent needs no capability for them. */
  tools: CallerTool[]
  /** Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies. */
  rules: Rule[]
  /** JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text. */
  output_schema: {
    [k: string]: unknown
  } | null
  /** A run that reaches a step of a paused agent fails. */
  status: 'active' | 'paused'
  /** Whether the agent has memory across runs, in all its workflows. */
  memory_enabled: boolean
  /** The live version: its number, and the `ETag`. */
  version: number
  /** The newest version; a draft if it was never published. */
  last_version: number
  /** When the agent was created. */
  created_at: string
  /** When the agent was last changed. */
  updated_at: string
}

/** A tool that a process of your own executes; see `POST /v1/tool-calls/claim`. */
export interface CallerTool {
  /** A letter a-z and up to 39 more of a-z 0-9 _, such as `lookup_order`; the action is `app.<name>`. */
  name: string
  /** What the tool does, for the model. */
  description: string
  /** JSON Schema of its arguments, up to 32 KB, with an object at its root. */
  input_schema: {
    [k: string]: unknown
  }
  /** How long a call may take, from its request to its result. */
  timeout_seconds?: number
  /** Whether it has an effect. A sensitive call needs approval by default and is never repeated by itself. */
  sensitive?: boolean
}

/** The definition in a version of an agent; it can be sent as an update. */
export interface AgentDefinition {
  /** Name of the agent. */
  name: string
  /** Description. */
  description: string | null
  /** Free text to group agents by. */
  category: string
  /** Name of its steps in workflows and runs. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model id, one of `GET /v1/models`; null uses the workflow's model. */
  model: string | null
  /**
   * Fallback models, tried in order while the model's provider is unavailable; an empty list uses the workflow's.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** Maximum output tokens of one model turn; null sets no limit. */
  maxTokens: number | null
  /**
   * Connectors that the agent may use; duplicates are ignored.
   *
   *
   * Items: A connector id.
   */
  connectors: string[]
  /**
   * Actions that the agent may use; duplicates are ignored.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities: string[]
  /** Tools that processes of your own execute. The agent needs no capability for them. */
  tools: CallerTool[]
  /** Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies. */
  rules: Rule[]
  /** JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text. */
  output_schema: {
    [k: string]: unknown
  } | null
  /** Whether the agent has memory across runs, in all its workflows. */
  memory_enabled: boolean
}

/** A version with its definition. */
export interface AgentVersion {
  /** Its number, from 1. */
  version: number
  /** `live`: used by runs. `draft`: never live. `earlier`: live before. */
  state: 'live' | 'draft' | 'earlier'
  /** Who created it; null if unknown. */
  author: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** The author's note, if any. */
  note: string | null
  /** The version that was live when it was created; null for the first. */
  base_version: number | null
  /** Fields that differ from `base_version`, up to 50. */
  changed: string[]
  /** When it was created. */
  created_at: string
  /** When it last went live; null for a draft. */
  published_at: string | null
  definition: AgentDefinition
}

export interface AgentsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only agents of this category. */
  category?: string
}

export interface AgentsMemoryListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only entries that share a word with this text, best match first, on one page. */
  q?: string
}

export interface AgentsVersionsDiffQuery {
  /** Number of the other version. */
  to?: number
}

export interface AgentsVersionsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A message that channels send when something goes wrong. */
export interface Alert {
  /** Alert id. */
  id: string
  /** `run.failed`: a run failed; cancelled runs do not count. `failure_rate`: at least the share `threshold` of the runs that ended in the last `minutes` failed; needs at least five runs. `waiting_too_long`: a request has waited for `minutes`. `schedule.missed`: a schedule missed a firing. `webhook.disabled`: an endpoint was disabled. `connector.failing`: a connector, model provider or channel is failing. `model.ending`: a workflow's model shuts down within 90 days. `budget.threshold`: a budget reached one of its thresholds or its cap. */
  on:
    | 'run.failed'
    | 'failure_rate'
    | 'waiting_too_long'
    | 'schedule.missed'
    | 'webhook.disabled'
    | 'connector.failing'
    | 'model.ending'
    | 'budget.threshold'
  /** Display name, not blank. */
  name: string
  /** Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`. */
  workflow_ids: string[] | null
  /** Channels that send it; null means all active channels. */
  channel_ids: string[] | null
  /** For `failure_rate` and `waiting_too_long`; null means 60. */
  minutes: number | null
  /** For `failure_rate`: the share of failed runs; null means 0.5. */
  threshold: number | null
  /** Minimum interval between messages; anything that happens in between is combined into the next one. 60 by default. */
  at_most_every_minutes: number
  /** An inactive alert sends nothing. */
  active: boolean
  /** When it was last sent. */
  last_fired_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

export interface AlertsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** An API key without its secret. */
export interface ApiKey {
  /** Key id. */
  id: string
  /** Purpose of the key. */
  name: string
  /** viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers. */
  role: 'viewer' | 'approver' | 'member' | 'admin' | 'worker'
  /** The first characters of the key, to identify it. */
  prefix: string
  /** When the key was created. */
  created_at: string
  /** When the key expires; null means never. */
  expires_at: string | null
  /** Last use, to the minute; null before the first. */
  last_used_at: string | null
}

export interface ApiKeysListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A person's approval of an action that needs several. */
export interface Approval {
  /** User id. */
  id: string
  /** Their name at that time. */
  name: string
  /** Their reason, if given. */
  reason: string | null
  /** When they approved. */
  at: string
}

/** The assignee of a case. */
export interface AssignCase {
  /** A user of the account who may answer; null removes the assignment. */
  user_id: string | null
}

/** One change, recorded in the same transaction and never altered. */
export interface AuditEntry {
  /** Audit entry id. */
  id: string
  /** When the change was made. */
  created_at: string
  /** Who made the change. */
  actor: {
    /** `system`: an operator on the server, or the service itself. */
    type: 'key' | 'user' | 'system'
    /** Id of the key or user; null for the system. */
    id: string | null
    /** Its name at that time. */
    name: string
  }
  /** What happened, such as `workflow.updated`. */
  action: string
  /** The changed object. */
  object: {
    /** Type of object, such as `workflow`. */
    type: string
    /** Its id. */
    id: string
  }
  /** The changed fields before, with long texts cut and without secrets; null if the object was created. */
  before: {
    [k: string]: unknown
  } | null
  /** The same fields after; null if the object was deleted. */
  after: {
    [k: string]: unknown
  } | null
  /** Network address of the caller. */
  address: string | null
  /** `X-Request-Id` of the request. */
  request_id: string | null
}

export interface AuditListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only changes by this key or user. */
  actor_id?: string
  /** Only changes of this kind: account.created, account.deleted, account.resumed, account.suspended, account.updated, agent.created, agent.deleted, agent.drafted, agent.published, agent.updated, alert.created, alert.deleted, alert.updated, api_key.created, api_key.deleted, batch.cancelled, batch.created, batch.retried, budget.created, budget.deleted, budget.updated, bulk_operation.created, channel.created, channel.deleted, channel.tested, channel.updated, connector.connected, connector.disconnected, connector.logged_in, connector.login_begun, connector.login_ended, connector.tested, connector.tried, file.deleted, file.uploaded, file.written, fine_tune.cancelled, fine_tune.created, fine_tune.deleted, fine_tune.discarded, grant.created, grant.deleted, grant.ended, hook.created, hook.deleted, hook.delivery_sent_again, hook.secret_rotated, hook.updated, invitation.accepted, invitation.created, invitation.deleted, mailbox.created, mailbox.deleted, mailbox.tested, mailbox.updated, memory_entry.created, memory_entry.deleted, memory_entry.updated, model_provider.removed, model_provider.set, model_provider.tested, pending.assigned, pending.commented, policies.updated, rule.added, rule.removed, run.cancelled, run.forked, run.responded, run.retried, run.triggered, schedule.backfilled, schedule.created, schedule.deleted, schedule.paused, schedule.triggered, schedule.updated, session.created, session.deleted, session.updated, thread.created, thread.deleted, thread.message_sent, thread.stopped, thread.updated, tool_call.answered, tool_call.claimed, user.created, user.password_reset, user.removed, user.reset_requested, user.updated, view.created, view.deleted, view.updated, webhook.created, webhook.deleted, webhook.disabled, webhook.redelivered, webhook.secret_rotated, webhook.tested, webhook.updated, workflow.created, workflow.deleted, workflow.drafted, workflow.published, workflow.updated. */
  action?: string
  /** Only changes of this object. */
  object_id?: string
  /** `activity`: triggered runs, uploaded or written files, and claimed or answered calls of callers' tools; `changes`: everything else. */
  kind?: 'changes' | 'activity'
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later changes. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier changes. */
  created_before?: string
}

/** A login that has begun. */
export interface Authorization {
  /** Address to open in the same browser session; it leads to the server's login. */
  authorize_url: string
  /** When the login must be finished. */
  expires_at: string
}

/** Where the login leads to. */
export interface AuthorizeConnector {
  /** Console path to open after the login, such as `/workflows`; `/connectors` by default. */
  return_to?: string
}

/** The result of a backfill. */
export interface Backfill {
  /** Firings that start now, one after the other. */
  due: number
  /** Firings that already have a run or wait for one. */
  already: number
}

/** The period to backfill. */
export interface BackfillSchedule {
  /** The start of the period. */
  from: string
  /** The end of the period, not in the future. */
  to: string
}

/** One workflow run on many inputs, with one run for each. */
export interface Batch {
  /** Batch id. Its runs have it as the tag `batch`. */
  id: string
  /** The workflow. */
  workflow_id: string
  /** Display name. */
  name: string | null
  /** Maximum runs in progress at once. */
  concurrency: number
  /** `completed` once every item has ended, even if some failed. */
  status: 'running' | 'cancelling' | 'cancelled' | 'completed'
  /** Why no further item can start at present; null otherwise. */
  held: string | null
  /** Items in all. */
  total: number
  /** Items that have not started. */
  queued: number
  /** Items whose run is in progress. */
  running: number
  /** Items whose run waits for a person. */
  waiting: number
  /** Items whose run completed. */
  completed: number
  /** Items of these whose run has warnings, such as an action that failed. */
  completed_with_warnings: number
  /** Items that failed. */
  failed: number
  /** Items that were cancelled. */
  cancelled: number
  /** Cost of its finished runs, in US dollars. */
  cost_usd: number
  /** Model calls of its finished runs with a model whose price is unknown; the cost counts them as 0. */
  calls_without_price: number
  /** Who started it. */
  created_by: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** When it was started. */
  created_at: string
  /** When its last item ended; null before. */
  finished_at: string | null
}

/** Estimated cost and time of a batch, from the workflow's latest runs. */
export interface BatchEstimate {
  /** Items in all. */
  total: number
  /** Completed runs on which the estimate is based, up to 100. */
  sampled_runs: number
  /** Cost in US dollars, if each item costs as much as the median run; null where no run has completed yet. */
  cost_usd_p50: number | null
  /** The same with the 95th percentile; null where no run has completed yet. */
  cost_usd_p95: number | null
  /** Model calls of these runs with a model whose price is unknown; the cost counts them as 0. */
  calls_without_price: number
  /** Seconds until the last item ends, if each takes as long as the median run; null where no run has completed yet. */
  seconds_p50: number | null
  /** The same with the 95th percentile; null where no run has completed yet. */
  seconds_p95: number | null
}

/** An item of a batch. */
export interface BatchItem {
  /** Position in the batch, from 0. */
  position: number
  /** Your own identifier, or the name of its file, made unique in the batch. */
  key: string | null
  /** Name of its first file when the batch was started; null for none. */
  file: string | null
  /** Id of that file. */
  file_id: string | null
  /** As of the last check of its run. */
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'
  /** Its run; null before it has started. */
  run_id: string | null
  /** The item's previous, failed run. */
  retry_of: string | null
  /** The structured output of its run, up to 4 KB of JSON; null for larger ones, which are in the results. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why it failed, or why its start is tried again. */
  error: string | null
  /** Whether its run completed with warnings, such as an action that failed. */
  run_has_warnings: boolean
  /** Cost of its runs, in US dollars. */
  cost_usd: number
  /** Model calls of its runs with a model whose price is unknown; the cost counts them as 0. */
  calls_without_price: number
}

/** The input of one run of a batch. */
export interface BatchItemInput {
  /** Your own identifier of the item, unique in the batch and included in the results. */
  key?: string
  /** The input text for the crew. Optional if `data` is given. */
  input?: string
  /** An input object for the crew, up to 64 KB of JSON, which must match the workflow's `input_schema`. Agents read it as JSON, after the input. */
  data?: {
    [k: string]: unknown
  } | null
  /** Version of the workflow to run, such as a draft; by default the live one when the run begins. */
  version?: number
  /** Versions of the crew's agents to use, such as drafts, by agent id; other agents use the live version. The versions of such a run are fixed when it is triggered. */
  agent_versions?: {
    [k: string]: number
  }
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /**
   * Input files for the crew, up to 20, without duplicates; see `POST /v1/files`.
   *
   *
   * Items: File id.
   */
  files?: string[]
}

export interface BatchesCreateQuery {
  /** Display name. */
  name?: string
  /** Maximum runs in progress at once; half of the account's slots by default. */
  concurrency?: number
  /** Only validate the items and estimate cost and time. */
  dry_run?: boolean
  /** Input of items without `input` and `data`; by default a reference to the file. */
  input?: string
  /** CSV only: the column with the items' keys. */
  key?: string
}

export interface BatchesItemsQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only items in this status. */
  status?: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'
  /** If true, only items whose run completed with warnings; false is the same as leaving it out. */
  has_warnings?: boolean
}

export interface BatchesListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only batches of this workflow. */
  workflow_id?: string
}

/** A limit on the cost of model calls. */
export interface Budget {
  /** Budget id. */
  id: string
  /** Display name, not blank. */
  name: string
  /** Which model calls count towards the budget. */
  scope: 'account' | 'workflow' | 'agent' | 'thread' | 'tag'
  /** Id of the workflow, agent or thread, or `key:value` of the tag; null for the whole account. */
  scope_value: string | null
  /** Resets at midnight in the time zone; a week begins on Monday. */
  window: 'day' | 'week' | 'month'
  /** IANA name, such as Europe/Berlin; UTC by default. */
  time_zone: string
  /** Maximum cost of model calls in a window, in US dollars. */
  cap_usd: number
  /**
   * Shares at which the event `budget.threshold` is sent, once per window.
   *
   *
   * Items: A share of the cap.
   */
  thresholds: number[]
  /** `hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it continue beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once it is reached no run starts. `fallback`: the run continues beyond the cap on cheaper fallback models; without any, it is held. */
  on_cap: 'hold' | 'ask' | 'refuse' | 'fallback'
  /** Name of the workflow or agent, or title of the thread; null otherwise. */
  scope_name: string | null
  /** Beginning of the current window. */
  starts_at: string
  /** End of the current window. */
  ends_at: string
  /** Cost of its calls so far. */
  spent_usd: number
  /** Estimated cost of calls in progress. */
  reserved_usd: number
  /** Whether it has had no room for a call in this window, apart from calls in progress. Raising the cap ends that. */
  reached: boolean
  /** Projected cost at the end of the window, at the current rate. */
  projected_usd: number
  /**
   * Current warnings; usually empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `price_unknown`: it covers models without a price, whose calls it does not count. More codes may be added. */
    code: 'price_unknown'
    /** The warning as text. */
    message: string
  }[]
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

export interface BudgetsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** The filters of `GET /v1/runs`, with arrays for lists. At least one is required. */
export interface BulkFilter {
  /**
   * Only runs in one of these statuses.
   *
   *
   * Items: A status.
   */
  status?: ('queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | 'cancelled')[]
  /**
   * Only runs that failed with one of these codes.
   *
   *
   * Items: A code.
   */
  error_code?: (
    | 'step_failed'
    | 'agent_paused'
    | 'wait_expired'
    | 'cancelled'
    | 'budget_exceeded'
    | 'internal'
    | 'output_invalid'
  )[]
  /** Only runs of this workflow. */
  workflow_id?: string
  /** Only runs in which this agent has started a step. */
  agent_id?: string
  /** Only retries of this run. */
  retry_of?: string
  /** Only forks of this run. */
  forked_from?: string
  /** Only turns of this thread. */
  thread_id?: string
  /**
   * Only runs with this tag, `key:value`; may be repeated to require several tags.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** If true, only runs with warnings, such as an action that failed; false is the same as leaving it out. */
  has_warnings?: boolean
  /** Only runs that cost at least this, in US dollars. */
  min_cost_usd?: number
  /** The start of a run id, or up to 5 whole words, ignoring case, that must all occur in the input, the output, the error or tag values. Inputs and outputs are searchable within 5 seconds of a run's end: the first 300 different words in 16,000 characters of each. */
  q?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs. */
  created_before?: string
  /**
   * Only these runs; no other filter may be set.
   *
   *
   * Items: Run id.
   */
  run_ids?: string[]
}

/** One action on many runs. */
export interface BulkOperation {
  /** Id of the operation; empty for a dry run. */
  id: string
  /** The action on each run. */
  action: 'cancel' | 'retry'
  /** Status of the operation. */
  status: 'dry_run' | 'running' | 'completed'
  /** Runs that matched the filter at the start. */
  matched: number
  /** Runs that were cancelled or retried. */
  done: number
  /** Skipped runs: they had ended, had not failed, were already retried, or cannot be retried. */
  skipped: number
  /** Why the remaining runs wait, such as a paused workflow; null if none does. */
  held: string | null
  /** The first skipped runs, about 100, with the reasons. */
  problems: {
    /** The skipped run. */
    run_id: string
    /** Why it was skipped. */
    why: string
  }[]
  /** Who started it. */
  created_by: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** When it was started. */
  created_at: string
  /** When it finished; null before. */
  finished_at: string | null
}

/** A request that awaits a human, with its assignee and comments. */
export interface Case {
  /** The run that waits. */
  run_id: string
  /** Its workflow. */
  workflow_id: string
  /** Name of the workflow. */
  workflow_name: string
  /** The first 120 characters of the run's input, on one line. */
  input_preview: string
  /** The waiting request. */
  pending: Pending
  /** The assignee; null if any approver may answer. */
  assignee: {
    /** User id. */
    id: string
    /** Name. */
    name: string
  } | null
  /** Its notifications, with failed deliveries. */
  notifications: Notification[]
}

/** A request of the kind `input`. */
export interface PendingInput {
  /** Id of the request; send it as `pending_id`. */
  id: string
  /** `input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`. */
  kind: 'input'
  /** The question, or a short summary of the action or of the cost. */
  prompt: string
  tool?: never
  tool_input?: never
  tool_version?: never
  tool_changed?: never
  approvals?: never
  /** Position of the step that asks. */
  step_order: number
  /** Role of the agent that asks. */
  role: string
  /** The tool call of the request; the kind `budget` has none. */
  call_id: string
  cost?: never
  /** Who may answer: each of the users, and everyone with one of the roles. */
  approvers: {
    /**
     * People of the account, by id.
     *
     *
     * Items: A user id.
     */
    users: string[]
    /**
     * Roles, of people and keys.
     *
     *
     * Items: A role.
     */
    roles: ('approver' | 'member' | 'admin')[]
  }
  /** Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer. */
  case_id?: string
  /** Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`. */
  calls?: PendingCall[]
  /** Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks. */
  excluded?: string[]
  /** When the run began to wait. */
  created_at: string
  /** When the request expires; null means never. */
  expires_at: string | null
}

/** A request of the kind `input`. */
export interface PendingCallInput {
  /** Id of the request; send it as `pending_id` of a decision. */
  id: string
  /** `input`: a question. `approval`: an action that needs approval. */
  kind: 'input'
  /** The question, or a short summary of the action. */
  prompt: string
  /** The tool call of the request. */
  call_id: string
  tool?: never
  tool_input?: never
  tool_version?: never
  tool_changed?: never
  approvals?: never
}

/** A request of the kind `approval`. */
export interface PendingCallApproval {
  /** Id of the request; send it as `pending_id` of a decision. */
  id: string
  /** `input`: a question. `approval`: an action that needs approval. */
  kind: 'approval'
  /** The question, or a short summary of the action. */
  prompt: string
  /** The tool call of the request. */
  call_id: string
  /** Approvals only: the action. */
  tool: string
  /** Approvals only: the exact arguments. */
  tool_input: {
    [k: string]: unknown
  }
  /** Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested. */
  tool_version?: string
  /** Set if the action or its connection changed after the agent asked. */
  tool_changed?: {
    /** Its current description. */
    description: string
    /** Its arguments' current JSON Schema; null if it is over 8 KB. */
    input_schema: {
      [k: string]: unknown
    } | null
  }
  /** Approvals only: the approvals so far. */
  approvals?: {
    /** How many different people have to approve. */
    required: number
    /** How many have approved. */
    given: number
    /** Who has approved. */
    by: Approval[]
  }
}

/** A request of the kind `approval`. */
export interface PendingApproval {
  /** Id of the request; send it as `pending_id`. */
  id: string
  /** `input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`. */
  kind: 'approval'
  /** The question, or a short summary of the action or of the cost. */
  prompt: string
  /** Approvals only: the action. */
  tool: string
  /** Approvals only: the exact arguments. */
  tool_input: {
    [k: string]: unknown
  }
  /** Approvals only: what the approval is bound to besides the arguments. If the action or its connection changes before the call is made, a new approval is requested. */
  tool_version?: string
  /** Set if the action or its connection changed after the agent asked. */
  tool_changed?: {
    /** Its current description. */
    description: string
    /** Its arguments' current JSON Schema; null if it is over 8 KB. */
    input_schema: {
      [k: string]: unknown
    } | null
  }
  /** Approvals only: the approvals so far. */
  approvals?: {
    /** How many different people have to approve. */
    required: number
    /** How many have approved. */
    given: number
    /** Who has approved. */
    by: Approval[]
  }
  /** Position of the step that asks. */
  step_order: number
  /** Role of the agent that asks. */
  role: string
  /** The tool call of the request; the kind `budget` has none. */
  call_id: string
  cost?: never
  /** Who may answer: each of the users, and everyone with one of the roles. */
  approvers: {
    /**
     * People of the account, by id.
     *
     *
     * Items: A user id.
     */
    users: string[]
    /**
     * Roles, of people and keys.
     *
     *
     * Items: A role.
     */
    roles: ('approver' | 'member' | 'admin')[]
  }
  /** Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer. */
  case_id?: string
  /** Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`. */
  calls?: PendingCall[]
  /** Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks. */
  excluded?: string[]
  /** When the run began to wait. */
  created_at: string
  /** When the request expires; null means never. */
  expires_at: string | null
}

/** A request of the kind `budget`. */
export interface PendingBudget {
  /** Id of the request; send it as `pending_id`. */
  id: string
  /** `input`: a question. `approval`: an action that needs approval. `budget`: the next model call exceeds a limit; only if the workflow's `limits.on_cost` or a budget's `on_cap` is `ask`. */
  kind: 'budget'
  /** The question, or a short summary of the action or of the cost. */
  prompt: string
  tool?: never
  tool_input?: never
  tool_version?: never
  tool_changed?: never
  approvals?: never
  /** Position of the step that asks. */
  step_order: number
  /** Role of the agent that asks. */
  role: string
  call_id?: never
  /** Kind `budget` only: the amounts. */
  cost: {
    /** The amount spent by the run, or in the budget's window. */
    spent_usd: number
    /** The limit: `limits.max_cost_usd`, or the budget's cap. */
    limit_usd: number
    /** Maximum cost of the next call: the whole prompt and the longest answer. */
    estimate_usd: number
    /** The cost of the run so far. */
    run_cost_usd: number
    /** The budget that asks; absent if the run's own limit asks. */
    budget?: {
      /** Budget id. */
      id: string
      /** Its name. */
      name: string
      /** `day`, `week` or `month`. */
      window: string
      /** When the next window begins. */
      ends_at: string
    }
  }
  /** Who may answer: each of the users, and everyone with one of the roles. */
  approvers: {
    /**
     * People of the account, by id.
     *
     *
     * Items: A user id.
     */
    users: string[]
    /**
     * Roles, of people and keys.
     *
     *
     * Items: A role.
     */
    roles: ('approver' | 'member' | 'admin')[]
  }
  /** Only if several calls of a turn wait or waited: the id of their case, which stays the same while they are decided one by one. Use it in `/v1/pending/{id}`, not in an answer. */
  case_id?: string
  /** Only if several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Decide each with `decisions`, or with an answer that has its id as `pending_id`. */
  calls?: PendingCall[]
  /** Ids of keys and users who may not approve because they triggered the run and the account's policy is four eyes; absent otherwise, and in webhooks. */
  excluded?: string[]
  /** When the run began to wait. */
  created_at: string
  /** When the request expires; null means never. */
  expires_at: string | null
}

/** A message to one recipient of a channel. */
export interface Notification {
  /** Notification id. */
  id: string
  /** The channel it is sent through. */
  channel_id: string
  /** Its subject. */
  kind: 'case' | 'reminder' | 'escalation' | 'assignment' | 'alert'
  /** The run it is about; null if none. */
  run_id: string | null
  /** The request it is about; null for an alert. */
  pending_id: string | null
  /** Email address or Slack channel. */
  recipient: string
  /** `pending`: not sent yet. `dropped`: the request was answered before sending. `failed`: every try failed. */
  status: 'pending' | 'sent' | 'failed' | 'dropped'
  /** Tries that failed. */
  tries: number
  /** Why the last try failed; null if none did. */
  error: string | null
  /** When it is tried next; null if there is nothing to send. */
  next_attempt_at: string | null
  /** When the mail server or Slack accepted it. */
  sent_at: string | null
  /** When it was written. */
  created_at: string
}

/** The fields to update. */
export interface ChangeMe {
  /** Name shown to others, not blank. */
  name?: string
  /** Stored as an argon2id hash. */
  password?: string
  /** The password. */
  current_password?: string
}

/** Where people are notified of requests. */
export interface Channel {
  /** Channel id. */
  id: string
  /** Display name, not blank. */
  name: string
  /** `email` sends through the account's email connector, or else the operator's mail server. `slack` posts to one Slack channel. */
  kind: 'email' | 'slack'
  /** Notify about these workflows only; null means all. */
  workflow_ids: string[] | null
  /**
   * Email only: the recipients, who each get their own email. A recipient who is a user of the account with the role approver or above can answer from the email; others get a link to the console.
   *
   *
   * Items: An email address.
   */
  recipients: string[]
  /** Slack only: channel id such as C0123456789, or name such as #approvals. */
  slack_channel: string | null
  /** An inactive channel sends nothing. */
  active: boolean
  /** Slack only: whether messages can be answered in Slack. */
  has_buttons: boolean
  /** Slack only: the request URL to enter under "Interactivity" in the Slack app. */
  interactivity_url: string | null
  /** Result of the last test or use; `saved` before the first. */
  state: 'saved' | 'working' | 'failing'
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it is failing; null if it is not. */
  failing_since: string | null
  /** A description of the result. */
  message: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** Whether a test message was accepted for every recipient. */
export interface ChannelTest {
  /** Whether it works. */
  ok: boolean
  /** A description of the result. */
  message: string
}

export interface ChannelsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** Which calls to claim. */
export interface ClaimCalls {
  /**
   * Only calls of these tools; by default of any.
   *
   *
   * Items: Name of a tool, without `app.`.
   */
  names?: string[]
  /** Maximum number of calls. */
  limit?: number
  /** How long the claim holds, from now. */
  lease_seconds?: number
  /** How long to wait for a call if there is none. */
  wait_seconds?: number
}

/** A call that its claimer executes. */
export interface ClaimedCall {
  /** Tool call id. */
  id: string
  /** The run. */
  run_id: string
  /** Its workflow. */
  workflow_id: string
  /** Position of the step, from 0. */
  step_order: number
  /** The standing agent that asks; null for a plain entry. */
  agent_id: string | null
  /** Name of the tool, without `app.`. */
  name: string
  /** The arguments, which fit the tool's `input_schema`. */
  input: {
    [k: string]: unknown
  }
  /** How often the call was given to a worker. */
  try: number
  /** When it was requested. */
  requested_at: string
  /** When the time for a result is over. */
  expires_at: string
  /** When the claim ends, unless it is renewed. */
  lease_expires_at: string
  /** Token of the claim. */
  lease: string
}

/** A person's comment on a request. Agents do not see it. */
export interface Comment {
  /** Comment id. */
  id: string
  /** The request that it is about. */
  pending_id: string
  /** The run of that request. */
  run_id: string
  /** Who wrote it. */
  author: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** The text. */
  text: string
  /** When it was written. */
  created_at: string
}

/** One of two runs. */
export interface ComparedRun {
  /** Run id. */
  id: string
  /** The workflow. */
  workflow_id: string
  /** Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs older than versions. */
  workflow_version: number | null
  /** `completed` and `failed` are final. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** Whether it has warnings, such as an action that failed. */
  has_warnings: boolean
  /** Why the run failed, naming the step; null unless failed. */
  error: string | null
  /** When the run was triggered. */
  created_at: string
  /** Input tokens, as counted by the provider. */
  tokens_in: number
  /** Output tokens, as counted by the provider. */
  tokens_out: number
  /** Cost in US dollars, at the catalog's prices. */
  cost_usd: number
  /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
  calls_without_price: number
  /** Run time without waits; null unless it has ended. */
  duration_ms: number | null
  /** Calls of all its steps. */
  tool_calls: number
}

/** How email is sent. */
export interface EmailCredentials {
  /** Name or address of the SMTP server, such as smtp.example.com. */
  host: string
  /** 465 with TLS from the start, else 587, 25 or 2525; others only in allowed networks. */
  port: number
  /** TLS from the first byte: by default on port 465 alone, others use STARTTLS. An explicit `false` allows a server in an allowed network to have neither. */
  secure?: boolean
  /** User name; left out, there is no login. */
  user?: string
  /** Password of the user. */
  pass?: string
  /** Sender: an address, or a name with it in angle brackets, such as Ops <ops@example.com>. */
  from: string
}

/** How HubSpot is reached. */
export interface HubspotCredentials {
  /** Access token of a HubSpot private app, `pat-…`. */
  token: string
}

/** How Slack is reached. */
export interface SlackCredentials {
  /** Bot token of a Slack app with the scope chat:write, `xoxb-…`. */
  token: string
}

/** How the web is searched. */
export interface WebCredentials {
  /** Key of the Brave Search API. */
  search_key: string
}

/** An MCP server to connect, or to accept with its current tools. */
export interface ConnectMcp {
  /** Always mcp. */
  kind: 'mcp'
  /** Address of the server (Streamable HTTP), https unless in an allowed network. */
  url: string
  /** Sent with every request, such as Authorization. If omitted, those stored for the same url are kept. */
  headers?: {
    /** printable ASCII */
    [k: string]: string
  }
  /**
   * Tools that you know to be read-only; none by default.
   *
   *
   * Items: Name of a tool.
   */
  safe_tools?: string[]
  /** MCP: the tools to offer to agents, by one of the two lists; all by default. */
  tools?: {
    /**
     * Only these tools; may be empty.
     *
     *
     * Items: Name of a tool.
     */
    only?: string[]
    /**
     * All tools except these, including tools added later.
     *
     *
     * Items: Name of a tool.
     */
    except?: string[]
  }
  /** For a server that demands a login: one login of the account (the default), or one of each person, which calls of their own runs use. */
  credentials?: 'account' | 'person'
  /** The client that you registered at the authorization server, if Muster cannot register itself. If omitted, the one stored for the same url is kept. */
  client?: {
    /** Client id. */
    id: string
    /** Client secret, if the client has one. */
    secret?: string
  }
}

/** An HTTP API whose actions are described one by one. */
export interface ConnectHttp {
  /** Always http. */
  kind: 'http'
  /** Display name, its id by default, not blank. */
  label?: string
  /** Address that all paths are below, https unless in an allowed network. No call goes to another host. */
  base_url: string
  /** How calls log in. If omitted, the stored login is kept while the host of `base_url` is the same. */
  auth?: {
    /** Kind of login: `bearer` {token}, `basic` {username, password}, `header` or `query` {name, value}, `oauth2` {token_url, client_id, client_secret, scopes, audience} for client credentials; `none` removes it. */
    type: 'none' | 'bearer' | 'basic' | 'header' | 'query' | 'oauth2'
    /** bearer: the token, printable ASCII. */
    token?: string
    /** basic: the user name. */
    username?: string
    /** basic: the password. */
    password?: string
    /** header or query: its name. */
    name?: string
    /** header or query: its value, printable ASCII. */
    value?: string
    /** oauth2: address of the token endpoint. */
    token_url?: string
    /** oauth2: id of the client. */
    client_id?: string
    /** oauth2: secret of the client. */
    client_secret?: string
    /** oauth2: scopes to ask for. */
    scopes?: string[]
    /** oauth2: audience to ask for. */
    audience?: string
  }
  /** Sent with every request. If omitted, those stored for the same host of `base_url` are kept. */
  headers?: {
    /** printable ASCII */
    [k: string]: string
  }
  /** Its actions. */
  actions: HttpAction[]
}

/** An action of an HTTP API. */
export interface HttpAction {
  /** Name of the action: `<connector>.<name>`. */
  name: string
  /** The description that models see. */
  description: string
  /** Method of the request. */
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below `base_url`, such as `/orders/{id}`; `{…}` is a field of the input. */
  path: string
  /** JSON Schema of the input, an object, up to 32 KB; by default texts for the fields of `path` and `query`. */
  input_schema?: {
    [k: string]: unknown
  }
  /** Fields of the input that go into the query. */
  query?: string[]
  /** How the remaining fields are sent; by default `json` for POST, PUT and PATCH, else `none`. */
  body?: 'json' | 'form' | 'none'
  /** Whether it needs no approval and may be repeated; only for GET and HEAD, where it is the default. */
  safe?: boolean
}

/** An HTTP API by its OpenAPI document (3.0 or 3.1), or the acceptance of its current document. */
export interface ConnectOpenApi {
  /** Always openapi. */
  kind: 'openapi'
  /** Display name, its id by default, not blank. */
  label?: string
  /** The document, as text (JSON or YAML) or as an object, up to 5 MB. */
  document?:
    | string
    | {
        [k: string]: unknown
      }
  /** Address of the document, read again by tests and once a day. If neither is given, the stored address is read. */
  document_url?: string
  /** Address that all paths are below; the document's first server by default. */
  base_url?: string
  /** How calls log in. If omitted, the stored login is kept while the host of `base_url` is the same. */
  auth?: {
    /** Kind of login: `bearer` {token}, `basic` {username, password}, `header` or `query` {name, value}, `oauth2` {token_url, client_id, client_secret, scopes, audience} for client credentials; `none` removes it. */
    type: 'none' | 'bearer' | 'basic' | 'header' | 'query' | 'oauth2'
    /** bearer: the token, printable ASCII. */
    token?: string
    /** basic: the user name. */
    username?: string
    /** basic: the password. */
    password?: string
    /** header or query: its name. */
    name?: string
    /** header or query: its value, printable ASCII. */
    value?: string
    /** oauth2: address of the token endpoint. */
    token_url?: string
    /** oauth2: id of the client. */
    client_id?: string
    /** oauth2: secret of the client. */
    client_secret?: string
    /** oauth2: scopes to ask for. */
    scopes?: string[]
    /** oauth2: audience to ask for. */
    audience?: string
  }
  /** Sent with every request. If omitted, those stored for the same host of `base_url` are kept. */
  headers?: {
    /** printable ASCII */
    [k: string]: string
  }
  /** The operations to offer to agents, up to 100, by one of the two lists; all by default. An operation is named by its `operationId`, else `METHOD /path`. */
  operations?: {
    /**
     * Only these operations; may be empty.
     *
     *
     * Items: Name of an operation.
     */
    only?: string[]
    /**
     * All operations except these, including operations added later.
     *
     *
     * Items: Name of an operation.
     */
    except?: string[]
  }
  /**
   * Operations that you know to be read-only and that need no approval; none by default.
   *
   *
   * Items: Name of an operation.
   */
  safe?: string[]
}

/** A connection through which agents act in other systems. */
export interface Connector {
  /** Connector id. */
  id: string
  /** Display name. */
  label: string
  /** Built in, an MCP server, or an HTTP API by its actions or its OpenAPI document. */
  kind: 'builtin' | 'mcp' | 'http' | 'openapi'
  /** Whether at least one action can be called. */
  connected: boolean
  /** Whether the account has connected it. If not, there is nothing to test or disconnect, even if actions work without credentials or with the operator's. */
  stored: boolean
  /** Result of the last test or use; `saved` before the first, null if nothing is stored. `needs_login`: an admin, or with `credentials: person` you, must log in (`POST /v1/connectors/{id}/authorize`). */
  state: 'saved' | 'working' | 'failing' | 'needs_login' | null
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it is failing; null if it is not. */
  failing_since: string | null
  /** A description of the result. */
  message: string | null
  /** Its actions. */
  actions: ConnectorAction[]
  /** Built-in: JSON Schema of its credentials; secrets are `writeOnly`. Absent if it needs none. */
  credentials_schema?: {
    [k: string]: unknown
  }
  /** Built-in: the stored fields that are not secret, such as `host` and `from`. */
  settings?: {
    [k: string]: unknown
  }
  /** MCP: origin of its address. */
  url?: string
  /** MCP and HTTP API: names of the headers that are sent. */
  header_names?: string[]
  /** MCP: tools that need no approval. */
  safe_tools?: string[]
  /** MCP: the tools to offer to agents, by one of the two lists; all by default. */
  tools?: {
    /**
     * Only these tools; may be empty.
     *
     *
     * Items: Name of a tool.
     */
    only?: string[]
    /**
     * All tools except these, including tools added later.
     *
     *
     * Items: Name of a tool.
     */
    except?: string[]
  }
  /** MCP: tools that are not offered to agents. */
  other_tools?: OtherTool[]
  /** MCP with a login: whose login calls use, the account's or that of the person who triggered the run. */
  credentials?: 'account' | 'person'
  /** MCP and OpenAPI: tools that changed or disappeared; refused until the connector is connected again. */
  changed_tools?: string[]
  /** HTTP API: address that all paths are below. */
  base_url?: string
  /** HTTP API: how calls log in, without secrets. */
  auth?: {
    [k: string]: unknown
  }
  /** OpenAPI: the accepted document. */
  document?: {
    /** Origin of its address; null if it has none. */
    origin: string | null
    /** Its title. */
    title: string
    /** Its version. */
    version: string
    /** Operations that it has, listed or not. */
    operations: number
  }
  /** The operations to offer to agents, up to 100, by one of the two lists; all by default. An operation is named by its `operationId`, else `METHOD /path`. */
  operations?: {
    /**
     * Only these operations; may be empty.
     *
     *
     * Items: Name of an operation.
     */
    only?: string[]
    /**
     * All operations except these, including operations added later.
     *
     *
     * Items: Name of an operation.
     */
    except?: string[]
  }
  /** OpenAPI: operations that need no approval. */
  safe?: string[]
  /** OpenAPI: the operations of the document, up to 1,000, the picked ones always. */
  listed_operations?: ListedOperation[]
  /** OpenAPI: how the document differs from the accepted one, up to 200 differences. */
  changes?: DocumentChange[]
}

/** An action that agents may use. */
export interface ConnectorAction {
  /** Capability of agents, `<connector>.<action>`. */
  id: string
  /** The description that models see. */
  description: string
  /** JSON Schema of its arguments. */
  input_schema: {
    [k: string]: unknown
  }
  /** Whether it changes, or could change, another system and therefore waits for approval. */
  sensitive: boolean
  /** Changes with its description, its arguments and its connection. */
  version: string
  /** Why it cannot be called now; null otherwise. */
  unavailable: string | null
  /** HTTP API: method of the request. */
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** HTTP API: path below `base_url`. */
  path?: string
  /** HTTP API: fields that go into the query. */
  query?: string[]
  /** HTTP API: how the remaining fields are sent. */
  body?: 'json' | 'form' | 'none'
  /** HTTP API: whether it is safe, whatever the account's policies say. */
  safe?: boolean
}

/** A tool of an MCP server that is not offered to agents. */
export interface OtherTool {
  /** Name of the tool. */
  name: string
  /** The beginning of its description. */
  description: string
}

/** An operation of an OpenAPI document. */
export interface ListedOperation {
  /** Its `operationId`, else `METHOD /path`. */
  name: string
  /** Capability of agents if it is picked. */
  action: string
  /** Method of the request. */
  method: string
  /** Path below `base_url`. */
  path: string
  /** The beginning of its description. */
  description: string
  /** Whether it was picked. */
  picked: boolean
  /** Whether agents can be offered it. */
  available: boolean
  /** Why it cannot be offered. */
  reason?: string
  /** Whether it needs no approval. */
  safe: boolean
}

/** A difference between the accepted and the current document. */
export interface DocumentChange {
  /** Name of the operation. */
  operation: string
  /** What happened to it since the document was accepted. */
  change: 'added' | 'changed' | 'removed'
  /** What differs in a changed operation. */
  fields?: {
    /** `description`, `input_schema`, `request` or `available`. */
    field: string
    /** As accepted; the size alone of a large value. */
    before: {
      [k: string]: unknown
    }
    /** In the current document. */
    after: {
      [k: string]: unknown
    }
  }[]
}

/** The result of a test. */
export interface ConnectorTest {
  /** Whether it works. */
  ok: boolean
  /** A description of the result. */
  message: string
  /** MCP and OpenAPI: tools that changed or disappeared. */
  changed_tools?: string[]
  /** OpenAPI: how the document differs from the accepted one, up to 200 differences. */
  changes?: DocumentChange[]
}

/** The result of an action. */
export interface ConnectorTried {
  /** As of a call of an agent. */
  status: 'succeeded' | 'failed' | 'unknown'
  /** What an agent would get, up to 64 KB. */
  output: string
}

export interface ConnectorsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** The account to create. */
export interface CreateAccount {
  /** Account name, not blank. */
  name: string
}

/** The agent to create. */
export interface CreateAgent {
  /** Name of the agent. */
  name: string
  /** Description. */
  description?: string | null
  /** Free text to group agents by. */
  category?: string
  /** Name of its steps in workflows and runs. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model id, one of `GET /v1/models`; null uses the workflow's model. */
  model?: string | null
  /**
   * Fallback models, tried in order while the model's provider is unavailable; an empty list uses the workflow's.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** Maximum output tokens of one model turn; null sets no limit. */
  maxTokens?: number | null
  /**
   * Connectors that the agent may use; duplicates are ignored.
   *
   *
   * Items: A connector id.
   */
  connectors?: string[]
  /**
   * Actions that the agent may use; duplicates are ignored.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities?: string[]
  /** Tools that processes of your own execute. The agent needs no capability for them. */
  tools?: CallerTool[]
  /** Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies. */
  rules?: Rule[]
  /** JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text. */
  output_schema?: {
    [k: string]: unknown
  } | null
  /** A run that reaches a step of a paused agent fails. */
  status?: 'active' | 'paused'
  /** Whether the agent has memory across runs, in all its workflows. */
  memory_enabled?: boolean
}

/** The entry to add. */
export interface CreateAgentMemory {
  /** Visible text; invisible characters are removed before counting. */
  content: string
  /** Whether it is always shown, and never replaced by newer entries. */
  pinned?: boolean
}

/** The alert to create. It covers events from now on. */
export interface CreateAlert {
  /** Display name, not blank. */
  name: string
  /** Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`. */
  workflow_ids?: string[] | null
  /** Channels that send it; null means all active channels. */
  channel_ids?: string[] | null
  /** For `failure_rate` and `waiting_too_long`; null means 60. */
  minutes?: number | null
  /** For `failure_rate`: the share of failed runs; null means 0.5. */
  threshold?: number | null
  /** Minimum interval between messages; anything that happens in between is combined into the next one. 60 by default. */
  at_most_every_minutes?: number
  /** An inactive alert sends nothing. */
  active?: boolean
  /** `run.failed`: a run failed; cancelled runs do not count. `failure_rate`: at least the share `threshold` of the runs that ended in the last `minutes` failed; needs at least five runs. `waiting_too_long`: a request has waited for `minutes`. `schedule.missed`: a schedule missed a firing. `webhook.disabled`: an endpoint was disabled. `connector.failing`: a connector, model provider or channel is failing. `model.ending`: a workflow's model shuts down within 90 days. `budget.threshold`: a budget reached one of its thresholds or its cap. */
  on:
    | 'run.failed'
    | 'failure_rate'
    | 'waiting_too_long'
    | 'schedule.missed'
    | 'webhook.disabled'
    | 'connector.failing'
    | 'model.ending'
    | 'budget.threshold'
}

/** The API key to create. */
export interface CreateApiKey {
  /** Purpose of the key, not blank. */
  name: string
  /** viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers. */
  role: 'viewer' | 'approver' | 'member' | 'admin' | 'worker'
  /** ISO 8601 time in the future, such as 2027-01-01T00:00:00Z, or null. */
  expires_at?: string | null
}

/** The batch to start. */
export interface CreateBatch {
  /** One run for each item. Set either `items` or `files`. */
  items?: BatchItemInput[]
  /**
   * One run for each file, with its name as key; further files of one name get ` (2)` and so on behind it.
   *
   *
   * Items: File id.
   */
  files?: string[]
  /** Input of items without `input` and `data`; by default a reference to the file. */
  input?: string
  /** Display name. */
  name?: string
  /** Maximum runs in progress at once; half of the account's slots by default. */
  concurrency?: number
  /** Only validate the items and estimate cost and time. */
  dry_run?: boolean
}

/** The budget to create. */
export interface CreateBudget {
  /** Display name, not blank. */
  name: string
  /** Which model calls count towards the budget. */
  scope: 'account' | 'workflow' | 'agent' | 'thread' | 'tag'
  /** Id of the workflow, agent or thread, or `key:value` of the tag; null for the whole account. */
  scope_value?: string | null
  /** Resets at midnight in the time zone; a week begins on Monday. */
  window: 'day' | 'week' | 'month'
  /** IANA name, such as Europe/Berlin; UTC by default. */
  time_zone?: string
  /** Maximum cost of model calls in a window, in US dollars. */
  cap_usd: number
  /**
   * Shares at which the event `budget.threshold` is sent, once per window.
   *
   *
   * Items: A share of the cap.
   */
  thresholds?: number[]
  /** `hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it continue beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once it is reached no run starts. `fallback`: the run continues beyond the cap on cheaper fallback models; without any, it is held. */
  on_cap?: 'hold' | 'ask' | 'refuse' | 'fallback'
}

/** The action and the runs it applies to. */
export interface CreateBulkOperation {
  /** The action on each run. */
  action: 'cancel' | 'retry'
  filter: BulkFilter
  /** Only count the runs. */
  dry_run?: boolean
}

/** The channel to create. */
export interface CreateChannel {
  /** Display name, not blank. */
  name: string
  /** Notify about these workflows only; null means all. */
  workflow_ids?: string[] | null
  /**
   * Email only: the recipients, who each get their own email. A recipient who is a user of the account with the role approver or above can answer from the email; others get a link to the console.
   *
   *
   * Items: An email address.
   */
  recipients?: string[]
  /** Slack only: channel id such as C0123456789, or name such as #approvals. */
  slack_channel?: string | null
  /** An inactive channel sends nothing. */
  active?: boolean
  /** Slack only: bot token with the scopes chat:write and users:read.email, `xoxb-…`. */
  token?: string
  /** Slack only: signing secret of the app. With it messages have buttons, without it a link. */
  signing_secret?: string | null
  /** `email` sends through the account's email connector, or else the operator's mail server. `slack` posts to one Slack channel. */
  kind: 'email' | 'slack'
}

/** The comment to add. */
export interface CreateComment {
  /** The comment, not blank. */
  text: string
}

/** The training job to create. */
export interface CreateFineTune {
  /** Display name. */
  name: string
  /** Id of the model to tune. */
  base_model: string
  /** Where the examples come from. */
  source: 'upload' | 'runs'
  /** With `upload`: JSONL of at most 20 MB and at least 10 lines, each with chat-format `messages` or an `input` and an `output`. */
  training_data?: string
  /** With `runs`: the workflow. */
  workflow_id?: string
  /** With `runs`: only the steps of this role; recommended. */
  role?: string
  /** 1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id */
  suffix?: string
  hyperparameters?: Hyperparameters
}

/** Omitted fields have the provider's defaults. */
export interface Hyperparameters {
  /** Passes over the data; OpenAI. */
  epochs?: number
  /** Training steps; Mistral. */
  training_steps?: number
  /** Learning rate; Mistral. */
  learning_rate?: number
}

/** The person's consent. */
export interface CreateGrant {
  /** The parameter `request` of the consent page's address. */
  request: string
  /** The account that the person was shown; refused if the session has switched to another one. */
  account_id: string
}

/** The hook to create. */
export interface CreateHook {
  /** Display name; the workflow's name by default, not blank. */
  name?: string
  /** Workflow to run. */
  workflow_id: string
  /** Version of the workflow; null for the live one at that time. */
  version?: number | null
  /** `hmac_sha256` only: the header with the signature, in hexadecimal digits or base64, with or without `sha256=`; `X-Signature-256` by default. */
  signature_header?: string | null
  /** `hmac_sha256` and `none` only: the header with the event's id; without it, the same body is the same event. */
  event_id_header?: string | null
  /** Maximum age of a signature in seconds, if the scheme signs the time (`standard_webhooks`, `stripe`, `slack`); 300 by default. */
  tolerance_seconds?: number
  /** `event`, the default: the same event within 72 hours starts one run. Without an event id, the same body is the same event. `none`: each request is an event of its own, also if the sender repeats it. */
  dedupe?: 'event' | 'none'
  /** Only events for which this CEL condition is true start a run: `body.action == "opened"`. It can use `body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events. */
  filter?: string | null
  /** Input of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ event.id }}`. Without `input` and `data`, the run gets the body itself. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates. A text that is a single path, such as `"{{ body.issue }}"`, becomes the value itself: a number stays a number, an object an object. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Templates of ids of files that were uploaded before; empty results are omitted.
   *
   *
   * Items: Template of a file id.
   */
  files?: string[]
  /** Tags of each run, up to 16 pairs; their values are Liquid templates. */
  tags?: {
    [k: string]: string
  }
  /** Signing secret, if the sender chose it: Stripe and Slack show theirs. For `standard_webhooks`, `whsec_` and at least 24 bytes as base64. */
  secret?: string
  /** A paused hook answers 202 and stores nothing. */
  status?: 'active' | 'paused'
  /** How senders sign requests: like Standard Webhooks, GitHub, Stripe or Slack, with an HMAC-SHA256 of the body, or not at all. With `none`, anyone who knows the URL can send. */
  scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
}

/** The person to invite. */
export interface CreateInvitation {
  /** Email address; compared without case. */
  email: string
  /** The person's role in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
}

/** The mailbox to create. Messages that arrive from now on start runs. */
export interface CreateMailbox {
  /** Display name, not blank. */
  name: string
  /** Name or address of the IMAP server. */
  host: string
  /** 993 with implicit TLS, 143 with STARTTLS; others only in allowed networks. */
  port: number
  /** `tls`: TLS from the start, the default on port 993. `starttls`: the default on other ports; without it nothing is sent. `none`: the password is sent unencrypted, only in allowed networks. */
  secure?: 'tls' | 'starttls' | 'none'
  /** User name, usually the email address. */
  username: string
  /** Folder to read; INBOX by default. */
  folder?: string
  /** Workflow to run for each message. */
  workflow_id: string
  /** Only messages from these senders; null means all. */
  senders?: string[] | null
  /** Only messages whose sender the mail server has authenticated (`dmarc=pass` in `Authentication-Results`); false by default. */
  require_authenticated?: boolean
  /** The name in `Authentication-Results` of the mail server that receives your email, such as mx.example.com. Results of others do not count. Null means the topmost result. */
  authserv_id?: string | null
  /** Only messages whose subject contains this text, ignoring case; null means all. */
  subject_contains?: string | null
  /** How often the folder is read; 60 by default. */
  poll_seconds?: number
  /** An inactive mailbox is not read. */
  active?: boolean
  /** Password, or an app password. Encrypted and never returned. */
  password: string
}

/** The message to send. */
export interface CreateMessage {
  /** The input text for the crew. Optional if `data` is given. */
  input?: string
  /** An input object for the crew, up to 64 KB of JSON, which must match the workflow's `input_schema`. Agents read it as JSON, after the input. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Input files for the crew, up to 20, without duplicates; see `POST /v1/files`.
   *
   *
   * Items: File id.
   */
  files?: string[]
}

/** The run to trigger. */
export interface CreateRun {
  /** The input text for the crew. Optional if `data` is given. */
  input?: string
  /** An input object for the crew, up to 64 KB of JSON, which must match the workflow's `input_schema`. Agents read it as JSON, after the input. */
  data?: {
    [k: string]: unknown
  } | null
  /** Version of the workflow to run, such as a draft; by default the live one when the run begins. */
  version?: number
  /** Versions of the crew's agents to use, such as drafts, by agent id; other agents use the live version. The versions of such a run are fixed when it is triggered. */
  agent_versions?: {
    [k: string]: number
  }
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /**
   * Input files for the crew, up to 20, without duplicates; see `POST /v1/files`.
   *
   *
   * Items: File id.
   */
  files?: string[]
}

/** The schedule to create. */
export interface CreateSchedule {
  /** Display name; the workflow's name by default, not blank. */
  name?: string
  /** Workflow to run. */
  workflow_id: string
  /** Version of the workflow; null for the live one at that time. */
  version?: number | null
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`, or a word such as `@daily`. Setting one of `cron`, `every_seconds` and `at` replaces the other two. */
  cron?: string | null
  /** IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default. */
  time_zone?: string
  /** Interval in seconds, counted from when it was set. */
  every_seconds?: number | null
  /** One time, in the future. */
  at?: string | null
  /** The last time at which it may fire; null for no end. */
  ends_at?: string | null
  /** Spreads starts: each is delayed by up to this time, always equally for the same firing. */
  jitter_seconds?: number
  /** Input of each run, a Liquid template: `{{ scheduled_at }}`, `{{ schedule.name }}`, `{{ last_run.output }}`. Required without `data`. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates like `input`. */
  data?: {
    [k: string]: unknown
  } | null
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /** What happens if the previous run is unfinished: the new one is skipped, waits for it, replaces it, or runs beside it. */
  overlap?: 'skip' | 'queue' | 'cancel_previous' | 'allow'
  /** Which firings start late after a time without workers: none, the last one due, or all. The others are `missed`. A firing up to two minutes late starts in any case. */
  catch_up?: 'none' | 'last' | 'all'
  /** How late a run may start; 3,600 by default. */
  catch_up_seconds?: number
  /** Pauses the schedule after this many failed runs in a row; null means never. */
  pause_after_failures?: number | null
  /** Your own unique identifier. Creating a schedule with an existing key updates that one, so a file can be applied again. */
  key?: string | null
  /** A paused schedule does not fire; missed firings are not caught up. */
  status?: 'active' | 'paused'
}

/** The thread to create. */
export interface CreateThread {
  /** Workflow that answers; its `thread` has to be set. */
  workflow_id: string
  /** Your own identifier, unique among the threads of the workflow: a repeated one gives the thread that exists. */
  key?: string
  /** Version of the workflow for all turns; null for the live one of each turn. */
  version?: number | null
  /** Title; null for none. */
  title?: string | null
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
}

/** The view to create. */
export interface CreateView {
  /** Display name, unique in the account, not blank. */
  name: string
  filters: ViewFilters
}

/** The filters of `GET /v1/runs`, with arrays for lists; none means every run. */
export interface ViewFilters {
  /**
   * Only runs in one of these statuses.
   *
   *
   * Items: A status.
   */
  status?: ('queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | 'cancelled')[]
  /**
   * Only runs that failed with one of these codes.
   *
   *
   * Items: A code.
   */
  error_code?: (
    | 'step_failed'
    | 'agent_paused'
    | 'wait_expired'
    | 'cancelled'
    | 'budget_exceeded'
    | 'internal'
    | 'output_invalid'
  )[]
  /** Only runs of this workflow. */
  workflow_id?: string
  /** Only runs in which this agent has started a step. */
  agent_id?: string
  /** Only retries of this run. */
  retry_of?: string
  /** Only forks of this run. */
  forked_from?: string
  /** Only turns of this thread. */
  thread_id?: string
  /**
   * Only runs with this tag, `key:value`; may be repeated to require several tags.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** If true, only runs with warnings, such as an action that failed; false is the same as leaving it out. */
  has_warnings?: boolean
  /** Only runs that cost at least this, in US dollars. */
  min_cost_usd?: number
  /** The start of a run id, or up to 5 whole words, ignoring case, that must all occur in the input, the output, the error or tag values. Inputs and outputs are searchable within 5 seconds of a run's end: the first 300 different words in 16,000 characters of each. */
  q?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs. */
  created_before?: string
  /** Only runs created at most this long before the list is read. For `GET /v1/runs`, make `created_after` of it. */
  created_within_seconds?: number
}

/** The endpoint to create. */
export interface CreateWebhook {
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url: string
  /** Display name. */
  description?: string | null
  /**
   * Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is subscribed to, and as `run.failed` otherwise.
   *
   *
   * Items: An event type.
   */
  events: (
    | 'run.started'
    | 'run.completed'
    | 'run.failed'
    | 'run.waiting_input'
    | 'run.cancelled'
    | 'tool.requested'
    | 'batch.completed'
    | 'thread.message'
    | 'budget.threshold'
    | 'budget.reached'
    | 'schedule.missed'
  )[]
  /** Only runs of this workflow are delivered; null means all. */
  workflow_id?: string | null
}

/** The workflow to create. */
export interface CreateWorkflow {
  /** Name of the workflow. */
  name: string
  /** Description. */
  description?: string | null
  /** Model of agents that set none; null always uses the server's current default. */
  model?: string | null
  /**
   * Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** The agents, in order of execution. */
  crew?: CrewEntry[]
  /** JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none. */
  input_schema?: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles have memory across runs. */
  memory_enabled?: boolean
  /** Makes the workflow a tool of the MCP server at `/mcp`; null ends that. The `input_schema` may then not have the properties `wait_seconds` and `thread`, which the tool has itself. */
  expose_mcp?: {
    /** Name of the tool, unique in the account; made of the name of the workflow by default. */
    name?: string
    /** What models read about the tool. */
    description?: string | null
  } | null
  /** How turns of threads see the earlier ones; omitted fields get their default. Null for no threads. */
  thread?: {
    /** What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing. */
    context?: 'transcript' | 'last_output' | 'none'
    /** Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary. */
    max_tokens?: number
    /** Model that writes summaries; null for the model of the workflow. */
    summary_model?: string | null
  } | null
  /** Omitted fields keep their value, or their default. */
  human_in_the_loop?: {
    /** Whether runs may pause for a human. */
    enabled?: boolean
    /** Whether agents may ask questions. */
    allow_input?: boolean
    /** Which actions wait for approval: sensitive ones, all, or none. */
    approvals?: 'sensitive' | 'all' | 'never'
    /** How long one pause may last, in seconds; null means no limit. */
    timeout_seconds?: number | null
    /** What happens on a timeout: the run fails, or continues as if the action was rejected. */
    on_timeout?: 'fail' | 'reject'
    /** Who may answer. Replaced as a whole: an omitted list is empty. */
    approvers?: {
      /**
       * People of the account, by id.
       *
       *
       * Items: A user id.
       */
      users?: string[]
      /**
       * Roles, of people and keys.
       *
       *
       * Items: A role.
       */
      roles?: ('approver' | 'member' | 'admin')[]
    }
    /** How many different people have to approve an action. Above 1, keys do not count. */
    required_approvals?: number
    /** Channels send one reminder of a request that waits this long. null means never. */
    remind_after_minutes?: number | null
    /** A request that waits this long is escalated once, to `escalate_to`. It keeps waiting. null means never. */
    escalate_after_minutes?: number | null
    /** Who is notified when a request escalates. Replaced as a whole: an omitted list is empty. */
    escalate_to?: {
      /**
       * People of the account, by id.
       *
       *
       * Items: A user id.
       */
      users?: string[]
      /**
       * Roles, of people and keys.
       *
       *
       * Items: A role.
       */
      roles?: ('approver' | 'member' | 'admin')[]
    }
  }
  /** Omitted fields keep their value, or their default. */
  limits?: {
    /** Maximum model turns of one step. */
    max_turns_per_step?: number
    /** Maximum run time in seconds; waiting for a human or a worker does not count. */
    max_run_seconds?: number
    /** How long a run is held during a provider outage before it fails; this time counts towards no other limit. */
    max_outage_seconds?: number
    /** Maximum cost of one run in US dollars; null means no limit. */
    max_cost_usd?: number | null
    /** `fail`: a run that exceeds `max_cost_usd` fails. `ask`: it pauses before the call that would exceed it, and a person may allow a higher cost. */
    on_cost?: 'fail' | 'ask'
  }
}

/** One agent of a crew. With `agentId`, the standing agent's tools and `maxTokens` replace the entry's, and the stricter rule of both applies. */
export interface CrewEntry {
  /** Role of the agent; names its step. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model of this agent only. */
  model?: string
  /** Standing agent whose live definition replaces this entry. */
  agentId?: string
  /** Maximum output tokens of one model turn; null sets no limit. */
  maxTokens?: number | null
  /**
   * Connectors that the agent may use; duplicates are ignored.
   *
   *
   * Items: A connector id.
   */
  connectors?: string[]
  /**
   * Actions that the agent may use; duplicates are ignored.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities?: string[]
  /** Tools that processes of your own execute. The agent needs no capability for them. */
  tools?: CallerTool[]
  /** Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies. */
  rules?: Rule[]
  /** JSON Schema of the agent's output, up to 32 KB, with an object at its root; overrides the agent's own. Null or omitted for none. */
  output_schema?: {
    [k: string]: unknown
  } | null
}

/** The entry to add for a role. */
export interface CreateWorkflowMemory {
  /** A role of the crew. */
  role: string
  /** Visible text; invisible characters are removed before counting. */
  content: string
  /** Whether it is always shown, and never replaced by newer entries. */
  pinned?: boolean
}

/** A new account. */
export interface CreatedAccount {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
  /** Its first admin key, shown only once. */
  admin_key: string
}

/** A new API key with its secret. */
export interface CreatedApiKey {
  /** Key id. */
  id: string
  /** Purpose of the key. */
  name: string
  /** viewer reads; approver also answers requests; member also writes; admin also manages keys and connectors; worker only executes tools of callers. */
  role: 'viewer' | 'approver' | 'member' | 'admin' | 'worker'
  /** The first characters of the key, to identify it. */
  prefix: string
  /** When the key was created. */
  created_at: string
  /** When the key expires; null means never. */
  expires_at: string | null
  /** Last use, to the minute; null before the first. */
  last_used_at: string | null
  /** The key itself, shown only once. */
  key: string
}

/** The grant, and where the browser goes on. */
export interface CreatedGrant {
  /** Grant id. */
  id: string
  /** Address to go on to; contains the code for the program. */
  redirect_url: string
}

/** A new invitation with its link. */
export interface CreatedInvitation {
  /** Invitation id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** The person's role in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** User or key that invited; null for an operator. */
  invited_by: string | null
  /** When it was created. */
  created_at: string
  /** When its link expires. */
  expires_at: string
  /** When it was accepted; null if it is open. */
  accepted_at: string | null
  /** The one-time link, shown only once. */
  link: string
  /** Whether a mail server accepted the email. */
  mailed: boolean
}

/** A new workflow. */
export interface CreatedWorkflow {
  /** Workflow id. */
  id: string
  /** Name of the workflow. */
  name: string
  /** Description. */
  description: string | null
  /** Model of agents that set none; the server's current default if it is inherited. */
  model: string
  /**
   * Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** The agents, in order of execution. */
  crew: CrewEntry[]
  /** JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none. */
  input_schema: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles have memory across runs. */
  memory_enabled: boolean
  /** The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none. */
  expose_mcp: {
    /** Name of the tool. */
    name: string
    /** What models read about the tool; null for the workflow's description. */
    description: string | null
  } | null
  /** How turns of threads see the earlier ones; null if the workflow takes no threads. */
  thread: {
    /** What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing. */
    context: 'transcript' | 'last_output' | 'none'
    /** Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary. */
    max_tokens: number
    /** Model that writes summaries; null for the model of the workflow. */
    summary_model: string | null
  } | null
  /** Whether `model` is the server's current default. Setting it to true is the same as `model` null; setting it to false pins the current model. */
  model_inherited: boolean
  /**
   * Current warnings, such as what it still needs before it can do its work; usually empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as `#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. `model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no key here, or was removed; runs fail there. More codes may be added. */
    code:
      | 'action_refused'
      | 'action_unavailable'
      | 'demo_model'
      | 'model_ends'
      | 'model_unavailable'
      | 'placeholder_left'
    /** The warning as text. */
    message: string
  }[]
  /** A paused workflow accepts no new runs. */
  status: 'active' | 'paused'
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  /** The live version: its number, and the `ETag`. */
  version: number
  /** The newest version; a draft if it was never published. */
  last_version: number
  /** When the workflow was created. */
  created_at: string
}

/** When runs of a workflow wait for people. */
export interface HumanInTheLoop {
  /** Whether runs may pause for a human. */
  enabled: boolean
  /** Whether agents may ask questions. */
  allow_input: boolean
  /** Which actions wait for approval: sensitive ones, all, or none. */
  approvals: 'sensitive' | 'all' | 'never'
  /** How long one pause may last, in seconds; null means no limit. */
  timeout_seconds: number | null
  /** What happens on a timeout: the run fails, or continues as if the action was rejected. */
  on_timeout: 'fail' | 'reject'
  /** Who may answer: each of the users, and everyone with one of the roles. */
  approvers: {
    /**
     * People of the account, by id.
     *
     *
     * Items: A user id.
     */
    users: string[]
    /**
     * Roles, of people and keys.
     *
     *
     * Items: A role.
     */
    roles: ('approver' | 'member' | 'admin')[]
  }
  /** How many different people have to approve an action. Above 1, keys do not count. */
  required_approvals: number
  /** Channels send one reminder of a request that waits this long. null means never. */
  remind_after_minutes: number | null
  /** A request that waits this long is escalated once, to `escalate_to`. It keeps waiting. null means never. */
  escalate_after_minutes: number | null
  /** Who gets an email when a request escalates. `approvers` decides who may answer. */
  escalate_to: {
    /**
     * People of the account, by id.
     *
     *
     * Items: A user id.
     */
    users: string[]
    /**
     * Roles, of people and keys.
     *
     *
     * Items: A role.
     */
    roles: ('approver' | 'member' | 'admin')[]
  }
}

/** A run that exceeds a limit fails with `budget_exceeded`, or with `step_failed` for `max_outage_seconds`. */
export interface Limits {
  /** Maximum model turns of one step. */
  max_turns_per_step: number
  /** Maximum run time in seconds; waiting for a human or a worker does not count. */
  max_run_seconds: number
  /** How long a run is held during a provider outage before it fails; this time counts towards no other limit. */
  max_outage_seconds: number
  /** Maximum cost of one run in US dollars; null means no limit. */
  max_cost_usd: number | null
  /** `fail`: a run that exceeds `max_cost_usd` fails. `ask`: it pauses before the call that would exceed it, and a person may allow a higher cost. */
  on_cost: 'fail' | 'ask'
}

/** The rule that decided about a call. */
export interface DecidingRule {
  /** The rule's level. */
  level: 'account' | 'agent' | 'crew_entry'
  /** Its position in the list at that time, from 0. */
  position: number
  /** The rule's action. */
  action: string
  /** The rule's decision. */
  decision: 'allow' | 'ask' | 'block'
  /** The rule's reason, or the error of its condition. */
  reason: string | null
}

/** The deleted object. */
export interface Deleted {
  /** Id of the deleted object. */
  id: string
  /** Always true. */
  deleted: true
}

/** One delivery attempt. */
export interface DeliveryAttempt {
  /** When the attempt began. */
  at: string
  /** HTTP status; 0 means no response. */
  response_status: number
  /** The first 1,000 characters of the response. */
  response_body: string
  /** How long it took, in milliseconds. */
  duration_ms: number
  /** Why it failed; null when it succeeded. */
  error: string | null
  /** What triggered it. */
  trigger: 'scheduled' | 'manual'
}

/** A session that ended. */
export interface EndedSession {
  /** The session that ended. */
  id: string
  /** Always true. */
  deleted: true
  /** URL that also ends the session at the OpenID Connect provider; null if there is none. */
  end_session_url: string | null
}

/** Sessions that ended. */
export interface EndedSessions {
  /** How many sessions have ended. */
  ended: number
}

/** The body of every error response. */
export interface ErrorBody {
  /** The error. */
  error: {
    /** Type of the error. */
    type:
      | 'invalid_request'
      | 'unauthenticated'
      | 'forbidden'
      | 'not_found'
      | 'conflict'
      | 'payload_too_large'
      | 'rate_limited'
      | 'unavailable'
      | 'internal'
    /** Stable identifier of the cause. More codes may be added. */
    code:
      | 'required'
      | 'invalid_type'
      | 'invalid_value'
      | 'invalid_format'
      | 'invalid_characters'
      | 'string_too_short'
      | 'string_too_long'
      | 'number_too_small'
      | 'number_too_large'
      | 'array_too_short'
      | 'array_too_long'
      | 'unknown_field'
      | 'invalid_json'
      | 'action_mismatch'
      | 'invalid_schema'
      | 'invalid_data'
      | 'invalid_arguments'
      | 'invalid_cursor'
      | 'unknown_model'
      | 'unknown_role'
      | 'unknown_agent'
      | 'unknown_user'
      | 'unknown_call'
      | 'unknown_connector'
      | 'unknown_capability'
      | 'connector_refused'
      | 'invalid_request'
      | 'method_not_allowed'
      | 'unsupported_media_type'
      | 'unknown_version'
      | 'unknown_channel'
      | 'unknown_workflow'
      | 'invalid_url'
      | 'invalid_cron'
      | 'unknown_time_zone'
      | 'unknown_rule'
      | 'invalid_template'
      | 'invalid_expression'
      | 'unknown_base_model'
      | 'provider_refused'
      | 'invalid_training_data'
      | 'too_few_examples'
      | 'invalid_file'
      | 'unknown_file'
      | 'idempotency_key_reused'
      | 'missing_api_key'
      | 'invalid_api_key'
      | 'invalid_credentials'
      | 'session_ended'
      | 'sign_in_failed'
      | 'invalid_link'
      | 'sign_in_refused'
      | 'no_account'
      | 'user_required'
      | 'cross_origin'
      | 'role_required'
      | 'insufficient_scope'
      | 'key_expires'
      | 'account_suspended'
      | 'invalid_signature'
      | 'sign_in_required'
      | 'not_an_approver'
      | 'four_eyes'
      | 'not_found'
      | 'route_not_found'
      | 'workflow_paused'
      | 'too_many_workflows'
      | 'too_many_agents'
      | 'quota_reached'
      | 'too_many_batches'
      | 'budget_reached'
      | 'too_many_budgets'
      | 'too_many_bulk_operations'
      | 'threads_disabled'
      | 'thread_full'
      | 'thread_closed'
      | 'thread_busy'
      | 'batch_not_ended'
      | 'too_many_keys'
      | 'too_many_bytes'
      | 'memory_full'
      | 'workflow_in_use'
      | 'workflow_deleted'
      | 'version_conflict'
      | 'crew_changed'
      | 'run_not_waiting'
      | 'pending_mismatch'
      | 'call_decided'
      | 'already_approved'
      | 'run_not_at_rest'
      | 'run_not_failed'
      | 'user_exists'
      | 'shared_user'
      | 'last_admin'
      | 'too_many_users'
      | 'too_many_comments'
      | 'too_many_alerts'
      | 'too_many_views'
      | 'name_taken'
      | 'too_many_mailboxes'
      | 'too_many_channels'
      | 'too_many_webhooks'
      | 'too_many_model_providers'
      | 'too_many_schedules'
      | 'blocked_by_rule'
      | 'too_many_rules'
      | 'too_many_hooks'
      | 'tool_call_answered'
      | 'tool_call_expired'
      | 'tool_call_cancelled'
      | 'lease_lost'
      | 'delivery_pending'
      | 'delivery_refused'
      | 'too_many_connectors'
      | 'connector_changed'
      | 'too_many_fine_tunes'
      | 'too_many_files'
      | 'file_in_use'
      | 'file_deleted'
      | 'webhook_inactive'
      | 'too_many_attempts'
      | 'last_admin_key'
      | 'idempotency_in_progress'
      | 'answer_not_kept'
      | 'body_too_large'
      | 'file_too_large'
      | 'training_data_too_large'
      | 'too_many_sign_ins'
      | 'rate_limited'
      | 'too_many_held_requests'
      | 'database_unavailable'
      | 'shutting_down'
      | 'provider_not_configured'
      | 'provider_unavailable'
      | 'file_contents_lost'
      | 'files_unavailable'
      | 'too_many_uploads'
      | 'too_busy'
      | 'secret_key_missing'
      | 'secret_unreadable'
      | 'identity_provider_unavailable'
      | 'internal'
    /** What is wrong, where, and what is expected. */
    message: string
    /** Path of the invalid field. */
    param?: string
    /** Invalid line of the training data, from 1. */
    line?: number
    /** Finds the request in the logs. */
    request_id: string
  }
}

/** The claim to renew. */
export interface ExtendClaim {
  /** The token of the claim. */
  lease: string
  /** How long the claim holds, from now. */
  lease_seconds?: number
}

/** An agent wrote a file. */
export interface FileWrittenEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'file.written'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** The file. */
    file_id: string
    /** Its name. */
    name: string
    /** Its size. */
    bytes: number
    /** The tool call. */
    call_id: string
  }
}

export interface FilesListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A training job at a provider. */
export interface FineTune {
  /** Fine-tune id. */
  id: string
  /** Display name. */
  name: string
  /** Who trains. */
  provider: string
  /** Its display name. */
  provider_label: string
  /** Id of the model to tune. */
  base_model: string
  /** Its display name. */
  base_model_label: string
  /** `succeeded`, `failed`, `cancelled` are final. */
  status: 'queued' | 'validating' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  /** Where the examples come from. */
  source: 'upload' | 'runs'
  /** Number of examples. */
  example_count: number
  /** Size of the training set as sent. */
  training_bytes: number
  hyperparameters: Hyperparameters
  /** Model id for workflows and agents; null until succeeded. */
  fine_tuned_model: string | null
  /** Tokens trained; null until known. */
  trained_tokens: number | null
  /** US dollars per 1,000,000 tokens of the tuned model; null if unknown. */
  inference_rate: {
    /** Input tokens. */
    in: number
    /** Output tokens. */
    out: number
  } | null
  /** Why it failed; null unless failed. */
  error: string | null
  /** When the job was created. */
  created_at: string
  /** 1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id */
  suffix?: string
  /** The provider's own name for the status. */
  provider_status?: string
  /** Workflow whose runs are the examples. */
  source_workflow_id?: string
  /** The role whose steps are used. */
  source_role?: string
  /** The provider's id of the job. */
  provider_job_id?: string
  /** Cost in US dollars; omitted if the rate is unknown. */
  cost_usd?: number
  /** US dollars per 1,000,000 trained tokens, if known. */
  training_rate?: number
  /** When training began. */
  started_at?: string
  /** When the job ended. */
  finished_at?: string
  /** When the provider last reported its status. */
  last_synced_at?: string
}

/** An entry of the provider's log. */
export interface FineTuneEvent {
  /** When it happened. */
  at: string
  /** `info`, `warn` or `error`. */
  level: string
  /** The provider's message. */
  message: string
}

/** The examples that would be used for training. */
export interface FineTunePreview {
  /** Usable lines. */
  example_count: number
  /** Tokens of one pass; an estimate unless the tokenizer is OpenAI's. */
  token_count: number
  /** Size of the training set as it would be sent. */
  training_bytes: number
  /** Estimate in US dollars; null if the rate is unknown. */
  estimated_cost_usd: number | null
  /**
   * The first three examples.
   *
   * Items: One example.
   */
  examples: {
    /**
     * The conversation.
     *
     * Items: One message.
     */
    messages: {
      /** Who the message is from. */
      role: string
      /** Content of the message. */
      content?: string | null
      [k: string]: unknown
    }[]
  }[]
  /**
   * The first ten problems; with any of them, creating the fine-tune is refused.
   *
   * Items: One problem.
   */
  problems: {
    /** Line number from 1; null for the whole set. */
    line: number | null
    /** The problem. */
    message: string
  }[]
}

export interface FineTunesEventsQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface FineTunesListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** One firing of a schedule, with its outcome. */
export interface Firing {
  /** Firing id. */
  id: string
  /** Whether it was due, requested by a person, or part of a backfill. */
  kind: 'scheduled' | 'manual' | 'backfill'
  /** When it was due; for a manual one, the time of the request. */
  due_at: string
  /** Set if too many were missed to list each: all firings up to this time were missed too. */
  missed_until: string | null
  /** `due`: starting, or waiting, see `why`. `fired`: it started a run. `skipped` and `missed`: it started none. */
  status: 'due' | 'fired' | 'skipped' | 'missed'
  /** Why there is no run, or not yet. */
  why: string | null
  /** The run; null if there is none. */
  run_id: string | null
  /** Status of the run; null if there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** Whether the run has warnings, such as an action that failed. */
  run_has_warnings: boolean
  /** When its outcome was decided, with or without a run. */
  settled_at: string | null
}

/** A preview of a fork. */
export interface ForkPreview {
  /** Steps that are copied, at no cost. */
  reused_steps: number
  /**
   * Roles of the steps to execute, in order.
   *
   * Items: A role.
   */
  executed_steps: string[]
  /** Version to execute; null if unknown. */
  workflow_version: number | null
  /**
   * Actions on other systems that the run performed, or may have performed, in the steps that the fork executes again: its agents may request them again. Up to 100.
   *
   * Items: An action.
   */
  actions: {
    /** Tool call id, in the run that made it. */
    id: string
    /** Its step, from 0. */
    step_order: number
    /** Role of the step. */
    role: string
    /** The action. */
    tool: string
    /** Its arguments. */
    input: {
      [k: string]: unknown
    }
    /** Its outcome. */
    status: 'proposed' | 'approved' | 'rejected' | 'executing' | 'succeeded' | 'failed' | 'unknown'
    /** What happens if an agent of the fork requests it again. */
    outcome: 'asks_again' | 'done_again' | 'refused'
  }[]
}

/** The fork to start. */
export interface ForkRun {
  /** The first step to execute, from 0; earlier steps are copied. */
  from_step: number
  /** Replaces the run's input. */
  input?: string
  /** Replaces the run's data, up to 64 KB of JSON; null for none. */
  data?: {
    [k: string]: unknown
  } | null
  /** Outputs of steps before `from_step`, by their order, such as `{"0": "…"}`, which replace the run's. */
  outputs?: {
    /** An output. */
    [k: string]: string
  }
  /** What the fork executes: the run's own definition, or the workflow's live version. */
  definition?: 'frozen' | 'current'
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
}

/** A program that acts for a person over MCP. */
export interface Grant {
  /** Grant id. */
  id: string
  /** The program. */
  client: {
    /** What the program calls itself; its host if it has no name. */
    name: string
    /** Host of the program's metadata document or, if it registered itself, of the address to which its code is sent. */
    host: string
  }
  /**
   * Scopes that the person allowed; their role may allow less.
   *
   * Items: `run` starts and cancels runs, `read` reads, `answer` answers requests in the inbox.
   */
  scopes: ('run' | 'read' | 'answer')[]
  /** When the person allowed it. */
  created_at: string
  /** When the program last used it, to the minute. */
  last_used_at: string | null
  /** When it ends: 30 days after the program last renewed its access, 90 days after the consent at the latest. */
  expires_at: string
}

/** A program's request for access, as the consent page shows it. */
export interface GrantRequest {
  /** The program that asks. */
  client: {
    /** The program's id: an address, or the id of its registration. */
    id: string
    /** What the program calls itself; its host if it has no name. */
    name: string
    /** Host of the program's metadata document or, if it registered itself, of the address to which its code is sent. */
    host: string
    /** `document`: the host vouches for the name. `registered`: the program registered itself, and nobody checked its name. */
    kind: 'document' | 'registered'
  }
  /** Host to which the browser goes on. */
  redirect_host: string
  /** Whether the browser goes on to a program on the person's own computer. */
  is_local: boolean
  /**
   * Scopes that the person allowed; their role may allow less.
   *
   * Items: `run` starts and cancels runs, `read` reads, `answer` answers requests in the inbox.
   */
  scopes: ('run' | 'read' | 'answer')[]
  /** When the request expires. */
  expires_at: string
  /** Address to go on to if the person denies. */
  denial_url: string
}

export interface GrantsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A URL to which another service sends events that start runs. */
export interface Hook {
  /** Hook id. */
  id: string
  /** Display name. */
  name: string
  /** The workflow to run. */
  workflow_id: string
  /** Its version; null for the live one. */
  version: number | null
  /** How senders sign requests: like Standard Webhooks, GitHub, Stripe or Slack, with an HMAC-SHA256 of the body, or not at all. With `none`, anyone who knows the URL can send. */
  scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
  /** Header of the signature; null for the default. */
  signature_header: string | null
  /** Header of the event id; null for none. */
  event_id_header: string | null
  /** Maximum age of a signature in seconds. */
  tolerance_seconds: number
  /** Whether the same event within 72 hours starts one run (`event`) or each request one. */
  dedupe: 'event' | 'none'
  /** CEL condition; null for all events. */
  filter: string | null
  /** Template of each run's input. */
  input: string | null
  /** Data of each run, with templates. */
  data: {
    [k: string]: unknown
  } | null
  /**
   * Templates of each run's files.
   *
   * Items: Template of a file id.
   */
  files: string[]
  /** Templates of each run's tags. */
  tags: {
    [k: string]: string
  }
  /** A paused hook answers 202 and stores nothing. */
  status: 'active' | 'paused'
  /** Until when the previous secret is also accepted; null without one. */
  previous_secret_expires_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** URL to send events to; null for a viewer or approver, because with the scheme `none` the URL is enough to send. */
  url: string | null
  /** Whether there is a secret; without one, all requests are refused. */
  has_secret: boolean
  /** The newest delivery; null before the first. */
  last_delivery: HookDelivery | null
}

/** One event that was sent to a hook, with its outcome. */
export interface HookDelivery {
  /** Delivery id. */
  id: string
  /** The hook. */
  hook_id: string
  /** The sender's event id; null if it has none. */
  event_id: string | null
  /** Type of the event, such as `issues`; null if it has none. */
  event_type: string | null
  /** `pending`: being routed, or waiting, see `why`. `started`: it started a run. `filtered`: it did not pass the filter. `failed`: it started no run, see `why`. `answered`: it only verified the URL. `refused`: its signature was missing or wrong. */
  status: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
  /** Why there is no run, or not yet. */
  why: string | null
  /** The run; null if there is none. */
  run_id: string | null
  /** Status of the run; null if there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** Whether the run has warnings, such as an action that failed. */
  run_has_warnings: boolean
  /** When its outcome was decided, with or without a run. */
  settled_at: string | null
  /** How often the same event was repeated within 72 hours. */
  repeats: number
  /** Media type given by the sender; may be empty. */
  content_type: string
  /** Size of the body; 0 for one that was refused. */
  bytes: number
  /** When it was received. */
  received_at: string
}

/** A delivery with its headers and body. */
export interface HookDeliveryWithBody {
  /** Delivery id. */
  id: string
  /** The hook. */
  hook_id: string
  /** The sender's event id; null if it has none. */
  event_id: string | null
  /** Type of the event, such as `issues`; null if it has none. */
  event_type: string | null
  /** `pending`: being routed, or waiting, see `why`. `started`: it started a run. `filtered`: it did not pass the filter. `failed`: it started no run, see `why`. `answered`: it only verified the URL. `refused`: its signature was missing or wrong. */
  status: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
  /** Why there is no run, or not yet. */
  why: string | null
  /** The run; null if there is none. */
  run_id: string | null
  /** Status of the run; null if there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** Whether the run has warnings, such as an action that failed. */
  run_has_warnings: boolean
  /** When its outcome was decided, with or without a run. */
  settled_at: string | null
  /** How often the same event was repeated within 72 hours. */
  repeats: number
  /** Media type given by the sender; may be empty. */
  content_type: string
  /** Size of the body; 0 for one that was refused. */
  bytes: number
  /** When it was received. */
  received_at: string
  /** Headers, without signatures and credentials. */
  headers: {
    [k: string]: string
  }
  /** The body as text; empty for one that was refused. */
  body: string
}

/** The result of a filter and templates for an event. */
export interface HookPreview {
  /** Whether the event passes the filter; null if the filter fails. */
  passes: boolean | null
  /** The input of the run, as the body of a trigger. Null if a template fails. */
  run: {
    [k: string]: unknown
  } | null
  /**
   * Why the delivery would fail.
   *
   * Items: A problem.
   */
  problems: {
    /** Invalid field, such as `filter`. */
    field: string
    /** The problem and its position. */
    why: string
  }[]
  /** The values available to filter and templates: `body`, `headers`, `event`, `hook`. */
  values: {
    [k: string]: unknown
  }
}

/** A hook with its generated secret. */
export interface HookWithSecret {
  /** Hook id. */
  id: string
  /** Display name. */
  name: string
  /** The workflow to run. */
  workflow_id: string
  /** Its version; null for the live one. */
  version: number | null
  /** How senders sign requests: like Standard Webhooks, GitHub, Stripe or Slack, with an HMAC-SHA256 of the body, or not at all. With `none`, anyone who knows the URL can send. */
  scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
  /** Header of the signature; null for the default. */
  signature_header: string | null
  /** Header of the event id; null for none. */
  event_id_header: string | null
  /** Maximum age of a signature in seconds. */
  tolerance_seconds: number
  /** Whether the same event within 72 hours starts one run (`event`) or each request one. */
  dedupe: 'event' | 'none'
  /** CEL condition; null for all events. */
  filter: string | null
  /** Template of each run's input. */
  input: string | null
  /** Data of each run, with templates. */
  data: {
    [k: string]: unknown
  } | null
  /**
   * Templates of each run's files.
   *
   * Items: Template of a file id.
   */
  files: string[]
  /** Templates of each run's tags. */
  tags: {
    [k: string]: string
  }
  /** A paused hook answers 202 and stores nothing. */
  status: 'active' | 'paused'
  /** Until when the previous secret is also accepted; null without one. */
  previous_secret_expires_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** URL to send events to; null for a viewer or approver, because with the scheme `none` the URL is enough to send. */
  url: string | null
  /** Whether there is a secret; without one, all requests are refused. */
  has_secret: boolean
  /** The newest delivery; null before the first. */
  last_delivery: HookDelivery | null
  /** The generated secret, shown only once; null if you gave it or there is none. */
  secret: string | null
}

export interface HooksDeliveriesQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only deliveries in this status. */
  status?: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
}

export interface HooksListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only for this workflow. */
  workflow_id?: string
  /** Only with this status. */
  status?: 'active' | 'paused'
}

/** An invitation without its link. */
export interface Invitation {
  /** Invitation id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** The person's role in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** User or key that invited; null for an operator. */
  invited_by: string | null
  /** When it was created. */
  created_at: string
  /** When its link expires. */
  expires_at: string
  /** When it was accepted; null if it is open. */
  accepted_at: string | null
}

export interface InvitationsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Omit accepted invitations; expired ones are included. */
  open?: boolean
}

/** The person whom the provider signs out. */
export interface LogoutToken {
  /** A JWT signed by the provider. */
  logout_token: string
}

/** An IMAP folder whose new messages start runs. */
export interface Mailbox {
  /** Mailbox id. */
  id: string
  /** Display name, not blank. */
  name: string
  /** Name or address of the IMAP server. */
  host: string
  /** 993 with implicit TLS, 143 with STARTTLS; others only in allowed networks. */
  port: number
  /** `tls`: TLS from the start, the default on port 993. `starttls`: the default on other ports; without it nothing is sent. `none`: the password is sent unencrypted, only in allowed networks. */
  secure: 'tls' | 'starttls' | 'none'
  /** User name, usually the email address. */
  username: string
  /** Folder to read; INBOX by default. */
  folder: string
  /** Workflow to run for each message. */
  workflow_id: string
  /** Only messages from these senders; null means all. */
  senders: string[] | null
  /** Only messages whose sender the mail server has authenticated (`dmarc=pass` in `Authentication-Results`); false by default. */
  require_authenticated: boolean
  /** The name in `Authentication-Results` of the mail server that receives your email, such as mx.example.com. Results of others do not count. Null means the topmost result. */
  authserv_id: string | null
  /** Only messages whose subject contains this text, ignoring case; null means all. */
  subject_contains: string | null
  /** How often the folder is read; 60 by default. */
  poll_seconds: number
  /** An inactive mailbox is not read. */
  active: boolean
  /** Result of the last test or use; `saved` before the first. */
  state: 'saved' | 'working' | 'failing'
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it is failing; null if it is not. */
  failing_since: string | null
  /** A description of the result. */
  message: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A message with its outcome. */
export interface MailboxMessage {
  /** Id here. */
  id: string
  /** The mailbox. */
  mailbox_id: string
  /** Its Message-ID, or a hash if it has none. */
  message_id: string
  /** Address of the sender. */
  sender: string
  /** Subject, up to 300 characters. */
  subject: string
  /** `pending`: its run has not started yet, see `why`, such as a paused workflow. `started`: it started `run_id`. `ignored`: it starts no run, see `why`. `failed`: the run was refused. */
  status: 'pending' | 'started' | 'ignored' | 'failed'
  /** Why it started no run; null if it did. */
  why: string | null
  /** The run; null if there is none. */
  run_id: string | null
  /** Status of the run; null if there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** Whether the run has warnings, such as an action that failed. */
  run_has_warnings: boolean
  /** When the server received it. */
  received_at: string | null
  /** When Muster saw it. */
  created_at: string
}

/** Whether the server accepted the login and has the folder. */
export interface MailboxTest {
  /** Whether it works. */
  ok: boolean
  /** A description of the result. */
  message: string
}

export interface MailboxesListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface MailboxesMessagesQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** With this status. */
  status?: 'pending' | 'started' | 'ignored' | 'failed'
}

/** The person who is signed in. */
export interface Me {
  /** User id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** Name shown to others, not blank. */
  name: string
  /** Whether the user has a password; false for people who only sign in through a provider. */
  has_password: boolean
  /** The session of this request. */
  session_id: string
  /** The account that the session acts in. */
  account: {
    /** Account id. */
    id: string
    /** Its name. */
    name: string
  }
  /** The person's role in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** All accounts that the user belongs to. */
  accounts: {
    /** Account id. */
    id: string
    /** Its name. */
    name: string
    /** The person's role in the account. */
    role: 'viewer' | 'approver' | 'member' | 'admin'
  }[]
}

/** A memory entry of an agent or of a workflow's role. */
export interface MemoryEntry {
  /** Memory entry id. */
  id: string
  /** The agent; null for a role of a workflow. */
  agent_id: string | null
  /** The workflow; null for an agent. */
  workflow_id: string | null
  /** The role in the workflow; null for an agent. */
  role: string | null
  /** Visible text; invisible characters are removed before counting. */
  content: string
  /** Whether it is always shown, and never replaced by newer entries. */
  pinned: boolean
  /** Who wrote it. */
  source: 'user' | 'agent'
  /** The run in which an agent wrote it; null if a person did. */
  run_id: string | null
  /** When it was written. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it was last shown to a step, to the minute. */
  last_used_at: string | null
}

/** A new memory entry replaced the oldest unpinned one. */
export interface MemoryEvictedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'memory.evicted'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** The entry that was replaced. */
    entry_id: string
    /** The new entry. */
    made_room_for: string
  }
}

/** A message has another status; with its answer, once it is answered. */
export interface MessageChanged {
  /** A message changed its status. */
  type: 'message.changed'
  /** Its turn. */
  thread_turn: number
  /** The message. */
  message_id: string
  message: ThreadMessage
  answer?: ThreadMessage
}

/** A message of a thread. */
export interface ThreadMessage {
  /** Message id. */
  id: string
  /** Its thread. */
  thread_id: string
  /** Number of its turn, from 1. */
  turn: number
  /** `user` for what was written to the workflow, `assistant` for its answer. */
  role: 'user' | 'assistant'
  /** Its text; empty if it has only data. */
  text: string
  /** Its object; null for none. */
  data: {
    [k: string]: unknown
  } | null
  /**
   * Its files.
   *
   * Items: A file.
   */
  files: {
    /** File id. */
    id: string
    /** Its name. */
    name: string
  }[]
  /** The run of its turn; null if there is none, or not yet. */
  run_id: string | null
  /** `queued`: it waits for its turn. `running` and `waiting_input`: its run is in progress, or waits for a person. `answered`, `failed` and `cancelled`: how its run ended, or that it was cancelled before. `refused`: no run was begun. */
  status: 'queued' | 'running' | 'waiting_input' | 'answered' | 'failed' | 'cancelled' | 'refused'
  /** Why it waits, or has no answer. */
  why: string | null
  /** Who it comes from. */
  author: {
    /** `external` is someone who is no user, such as the sender of an email. */
    type: 'key' | 'user' | 'system' | 'external'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** When it was written. */
  created_at: string
}

/** A language model. */
export interface Model {
  /** Value for `model` of a workflow or crew entry. */
  id: string
  /** Its provider. */
  provider: string
  /** Display name. */
  label: string
  /** Maximum tokens of prompt and answer; null if unknown. */
  context_window: number | null
  /** US dollars per 1,000,000 input tokens; null if unknown. */
  price_in: number | null
  /** US dollars per 1,000,000 output tokens; null if unknown. */
  price_out: number | null
  /** US dollars per 1,000,000 input tokens read from the provider's cache; if null, they count as other input. */
  price_cached: number | null
  /** US dollars per 1,000,000 input tokens written to the provider's cache; if null, they count as other input. */
  price_cache_write: number | null
  /** Surcharge on all prices of a call with a long prompt; null if none is known. */
  long_prompt: {
    /** Input tokens. */
    over: number
    /** Factor for input prices. */
    in: number
    /** Factor for the output price. */
    out: number
  } | null
  /** The day on which the provider shuts it down, or the earliest one announced; null if unknown. */
  shutdown_date: string | null
  /** Source of the prices; null if they come from the deployment or a fine-tune. */
  source: {
    /** The provider's pricing page. */
    url: string
    /** When the prices were checked. */
    date: string
    /** The provider's page of shutdown dates. */
    ends?: string
    /** The provider's page of supported inputs. */
    inputs?: string
    /** Caveats: what could not be checked or will change. */
    note?: string
  } | null
  /** Whether its provider enforces `output_schema`. Other models get the schema as text; answers are checked in every case. */
  structured_output: boolean
  /**
   * Media types of files that it accepts. Of other files it gets the text, or reads them with tools.
   *
   * Items: Such as `image/png`.
   */
  input_types: string[]
  /** Whether it can run on this deployment. */
  available: boolean
  /** Whether it is the current default model. */
  default: boolean
  /** Its origin. */
  kind: 'catalog' | 'fine_tuned'
}

/** A provider that runs models. */
export interface ModelProvider {
  /** Provider id. */
  id: string
  /** Display name. */
  label: string
  /** Built in, or a server with OpenAI's API. */
  kind: 'builtin' | 'compatible'
  /** Whether its models are available to this account. */
  available: boolean
  /** Whose key or server is used; null if there is none. */
  source: 'account' | 'server' | null
  /** Whether the account has set it up. If not, there is nothing to test or remove. */
  stored: boolean
  /** Whether the account has stored a key. */
  has_key: boolean
  /** Address set by the account; null otherwise. */
  base_url: string | null
  /** How long the provider may stay silent, in seconds; null for the default. */
  timeout_seconds: number | null
  /** Models of the account's own server. */
  models: OwnModel[]
  /** Result of the last test or use; `saved` before the first, null if nothing is stored. */
  state: 'saved' | 'working' | 'failing' | null
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it is failing; null if it is not. */
  failing_since: string | null
  /** A description of the result. */
  message: string | null
}

/** A model of an account's own server. */
export interface OwnModel {
  /** The server's own id, visible ASCII characters. */
  id: string
  /** Display name; the id by default. */
  label?: string
  /** Maximum tokens of prompt and answer. */
  context_window?: number
  /** US dollars per 1,000,000 input tokens; unknown and counted as 0 if omitted. */
  price_in?: number
  /** US dollars per 1,000,000 output tokens; unknown and counted as 0 if omitted. */
  price_out?: number
  /** Whether the server accepts a JSON Schema as `response_format`. */
  structured_output?: boolean
  /**
   * File types that the model accepts.
   *
   *
   * Items: A media type.
   */
  input_types?: ('image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'application/pdf')[]
}

/** The result of a test. */
export interface ModelProviderTest {
  /** Whether it works. */
  ok: boolean
  /** A description of the result. */
  message: string
}

export interface ModelProvidersListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface ModelsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface NotificationsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Of this channel. */
  channel_id?: string
  /** About this run. */
  run_id?: string
  /** About this request. */
  pending_id?: string
  /** With this status. */
  status?: 'pending' | 'sent' | 'failed' | 'dropped'
}

/** An account as the operator of the service sees it. */
export interface OperatedAccount {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
  /** When the account was created. */
  created_at: string
  /** `suspended`: keys get 403, runs and webhooks are held. `deleting`: see DELETE. */
  status: 'active' | 'suspended' | 'deleting'
  /** When it was suspended; null if it is not. */
  suspended_at: string | null
  /** Why, for operators. */
  suspension_reason: string | null
  /** When its deletion was requested. */
  deleted_at: string | null
  /** Maximum runs triggered or retried per day (UTC). null means no limit. */
  max_runs_a_day: number | null
  /** Maximum emails that agents may send per day (UTC). The stricter of this and the policy applies. null means no limit. */
  max_mails_a_day: number | null
  /** Maximum cost of model calls per day (UTC), in USD. null means no limit. */
  max_cost_usd_a_day: number | null
  /** Maximum cost of model calls per month (UTC), in USD. null means no limit. */
  max_cost_usd_a_month: number | null
  /** Maximum bytes stored before runs and uploads are refused. Measured every ten minutes, and every minute above half of it. null means no limit. */
  max_stored_bytes: number | null
  /** Maximum total size of its files in bytes. null uses the service's default. */
  max_file_bytes: number | null
}

export interface OperatorAccountsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** An operator's action on an account. The entry outlives the account. */
export interface OperatorEntry {
  /** Entry id. */
  id: string
  /** When it was done. */
  created_at: string
  /** What was done, such as `account.suspended`. */
  action: string
  /** Account id. */
  object_id: string
  /** The changed fields before. */
  before: {
    [k: string]: unknown
  } | null
  /** The same fields after. */
  after: {
    [k: string]: unknown
  } | null
  /** Network address of the caller; null for the command line. */
  address: string | null
  /** `X-Request-Id` of the request. */
  request_id: string | null
}

export interface OperatorLogListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface PendingCommentsQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface PendingListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only requests of this workflow. */
  workflow_id?: string
  /** Only approvals of this action, such as `email.send`; `input` and `budget` find that kind. */
  action?: string
  /** Only requests that are assigned to this user. */
  assignee?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only requests that wait since then or longer. */
  created_before?: string
  /** Only requests with this text in their workflow's name, role, prompt, arguments or the first 1,000 characters of the run's input, ignoring the case of A to Z. */
  q?: string
}

/** Settings that apply to all workflows of the account. */
export interface Policies {
  /** The minimum that needs approval, whatever a workflow says. The stricter of the two applies. */
  approvals_floor: 'none' | 'sensitive' | 'all'
  /** The user or key that triggered a run may not approve its actions, nor may who is behind the schedule, hook, mailbox or batch that did. */
  four_eyes: boolean
  /** An answer to a run must name its request in `pending_id`. */
  require_pending_id: boolean
  /** Hosts that `web.fetch` may reach without approval, in lower case: `docs.example.com`, or `*.example.com` for all names below. An empty list means none. null means any host; an address that only an agent wrote then waits for approval once its run has read private data. */
  web_fetch_hosts: string[] | null
  /**
   * Actions that are sensitive whatever their connector says.
   *
   *
   * Items: `<connector>.<action>`.
   */
  sensitive_actions: string[]
  /** Rules about agents' calls, in order: the first match decides instead of the workflow's `approvals`. `approvals_floor` cannot be lowered. */
  rules: Rule[]
  /** Maximum emails that agents may send per day (UTC); null sets no limit. */
  mails_a_day: number | null
  /** When they were last changed; null if never. */
  updated_at: string | null
}

/** A request for access. */
export interface PreviewGrant {
  /** The parameter `request` of the consent page's address. */
  request: string
}

/** An event, with the filter and templates to test on it. */
export interface PreviewHook {
  /** A hook whose fields are used if this request omits them. */
  hook_id?: string
  /** A delivery of that hook, instead of `body`. */
  delivery_id?: string
  /** A sample body. */
  body?: string
  /** Its media type; `application/json` by default. */
  content_type?: string
  /** Headers of the event. */
  headers?: {
    /** A value. */
    [k: string]: string
  }
  /** Only events for which this CEL condition is true start a run: `body.action == "opened"`. It can use `body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events. */
  filter?: string | null
  /** Input of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ event.id }}`. Without `input` and `data`, the run gets the body itself. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates. A text that is a single path, such as `"{{ body.issue }}"`, becomes the value itself: a number stays a number, an object an object. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Templates of ids of files that were uploaded before; empty results are omitted.
   *
   *
   * Items: Template of a file id.
   */
  files?: string[]
  /** Tags of each run, up to 16 pairs; their values are Liquid templates. */
  tags?: {
    [k: string]: string
  }
}

/** When a schedule would fire. */
export interface PreviewSchedule {
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`, or a word such as `@daily`. Setting one of `cron`, `every_seconds` and `at` replaces the other two. */
  cron?: string | null
  /** IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default. */
  time_zone?: string
  /** Interval in seconds, counted from when it was set. */
  every_seconds?: number | null
  /** One time, in the future. */
  at?: string | null
  /** The last time at which it may fire; null for no end. */
  ends_at?: string | null
  /** Spreads starts: each is delayed by up to this time, always equally for the same firing. */
  jitter_seconds?: number
}

/** A call that a rule should allow. */
export interface ProposeRule {
  /** The call that waits for approval. */
  pending_id: string
}

/** A new name. */
export interface RenameAccount {
  /** Account name, not blank. */
  name: string
}

/** The output of a call, or its error. */
export interface ReportResult {
  /** The token of the claim. */
  lease?: string
  /** The output, any JSON up to 1 MB; null for none. */
  output?: {
    [k: string]: unknown
  }
  /** Why the call failed, instead of an output. */
  error?: {
    /** What went wrong, for the agent. */
    message: string
    /** Nothing happened, and another try may work: the call is given out again, up to 5 times in its time. */
    retryable?: boolean
  }
}

/** The person who forgot their password. */
export interface RequestReset {
  /** Email address; compared without case. */
  email: string
}

/** A call of a caller's tool. */
export interface RequestedCall {
  /** Tool call id. */
  id: string
  /** The run. */
  run_id: string
  /** Its workflow. */
  workflow_id: string
  /** Position of the step, from 0. */
  step_order: number
  /** The standing agent that asks; null for a plain entry. */
  agent_id: string | null
  /** Name of the tool, without `app.`. */
  name: string
  /** The arguments, which fit the tool's `input_schema`. */
  input: {
    [k: string]: unknown
  }
  /** How often the call was given to a worker. */
  try: number
  /** When it was requested. */
  requested_at: string
  /** When the time for a result is over. */
  expires_at: string
  /** Whether it may have an effect, and is therefore never repeated by itself. */
  sensitive: boolean
  /** `requested`: open to claims. `claimed`: a worker has it. `unknown`: it may have been done; a person decides whether to repeat it. `cancelled`: its run ended before. The others are final. */
  status: 'requested' | 'claimed' | 'succeeded' | 'failed' | 'unknown' | 'cancelled'
  /** When the claim ends; null unless claimed. */
  lease_expires_at: string | null
  /** Who claimed it last; null if no one did. */
  claimed_by: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** When it was claimed last; null if it was not. */
  claimed_at: string | null
  /** The reported output; of one over 64 KB, which is a file of the run, the first 64 KB as text. Null before. */
  output: {
    [k: string]: unknown
  }
  /** The reported error; null if there is none. */
  error: string | null
  /** When the outcome was known; null before. */
  finished_at: string | null
}

/** A new password. */
export interface ResetPassword {
  /** Secret part of the one-time link. */
  token: string
  /** Stored as an argon2id hash. */
  password: string
}

/** The same whether or not the address has a user. */
export interface ResetRequested {
  /** Always true. */
  requested: true
}

/** The answer to a waiting request. Null and "" count as absent. */
export interface RespondToRun {
  /** `input` answers a question; `approve` and `reject` decide an approval or a budget. Required without `decisions`. If several calls wait, it applies to the first, or to the one named by `pending_id`. */
  action?: 'input' | 'approve' | 'reject'
  /** The answer; required when the action is `input`, refused otherwise. */
  input?: string | null
  /** Stored with the decision; for a rejection, the agent sees it. */
  reason?: string | null
  /** The request to answer; if another one is waiting, the answer is refused with 409. */
  pending_id?: string | null
  /** With `approve`: arguments that replace the agent's, recorded as edited. */
  tool_input?: {
    [k: string]: unknown
  } | null
  /** Required with `approve` of a pending budget: the run's new total limit, above what it has cost. */
  max_cost_usd?: number | null
  /**
   * Replaces all other fields: decisions for some or all calls of `pending.calls`. Either all of them take effect, or none.
   *
   *
   * Items: A decision about one call.
   */
  decisions?: {
    /** The call: one of `pending.calls`, or the call of `pending` itself. */
    call_id: string
    /** `input` answers a question; `approve` and `reject` decide an approval. */
    action: 'input' | 'approve' | 'reject'
    /** The answer; required when the action is `input`, refused otherwise. */
    input?: string | null
    /** Stored with the decision; for a rejection, the agent sees it. */
    reason?: string | null
    /** The request to answer; if another one is waiting, the answer is refused with 409. */
    pending_id?: string | null
    /** With `approve`: arguments that replace the agent's, recorded as edited. */
    tool_input?: {
      [k: string]: unknown
    } | null
  }[]
}

/** The result of an answer. */
export interface RespondedRun {
  /** Run id. */
  id: string
  /** `running`: it continues, and waits again if other calls are left. `waiting_input`: others have to approve too. `failed`: it ended because a pending budget was rejected. */
  status: 'running' | 'waiting_input' | 'failed'
  /** Set if others have to approve too. */
  approvals?: {
    /** How many people have approved. */
    given: number
    /** How many have to approve. */
    required: number
  }
  /** After `decisions`: the result of each, in order. */
  decisions?: {
    /** The call. */
    call_id: string
    /** The decision. */
    decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused'
    /** Set if others have to approve too. */
    approvals?: {
      /** How many people have approved. */
      given: number
      /** How many have to approve. */
      required: number
    }
  }[]
}

/** The new secret; generated if omitted. */
export interface RotateHookSecret {
  /** Signing secret, if the sender chose it: Stripe and Slack show theirs. For `standard_webhooks`, `whsec_` and at least 24 bytes as base64. */
  secret?: string
}

/** A rule of the account that was added or removed. */
export interface RuleChanged {
  rule: Rule
}

/** A rule that allows calls like one that waits, made of what recurs in past calls. */
export interface RuleProposal {
  rule: Rule
  /** `execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, because a rule blocks it, or because it needs approval and the workflow's runs may not pause. Null without a workflow. */
  outcome: 'execute' | 'ask' | 'refuse' | null
  /** Number of earlier approvals that it would have made unnecessary; may be 0. */
  count: number
  /** Calls that a person rejected or edited, but that it would have allowed. */
  rejected_allowed: number
  /**
   * These approvals, newest first.
   *
   * Items: An approval.
   */
  decisions: {
    /** The run. */
    run_id: string
    /** The call. */
    call_id: string
    /** When it was decided. */
    decided_at: string
    /** API key or user that decided; null if the request expired. */
    decided_by: string | null
    /** Their name at that time. */
    decider: string | null
  }[]
}

/** A rule that would allow calls that people approved many times in a row, with the evidence. */
export interface RuleSuggestion {
  rule: Rule
  /** Number of decisions it is based on. */
  count: number
  /** When the first of them was made. */
  first_decided_at: string
  /** When the last of them was made. */
  last_decided_at: string
  /**
   * The approvals it is based on, newest first.
   *
   * Items: An approval.
   */
  decisions: {
    /** The run. */
    run_id: string
    /** The call. */
    call_id: string
    /** When it was decided. */
    decided_at: string
    /** API key or user that decided; null if the request expired. */
    decided_by: string | null
    /** Their name at that time. */
    decider: string | null
  }[]
}

/** Rules suggested by past decisions. */
export interface RuleSuggestions {
  /** One for each action. */
  suggestions: RuleSuggestion[]
}

/** How rules decide about a call. */
export interface RulesTested {
  /** The rule that decides; null if none matches and the workflow decides. */
  rule: DecidingRule | null
  /** The arguments, including those set by rules. */
  args: {
    [k: string]: unknown
  }
  /** `execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, because a rule blocks it, or because it needs approval and the workflow's runs may not pause. Null without a workflow. */
  outcome: 'execute' | 'ask' | 'refuse' | null
}

/** The results of rules for the last 100 decided calls of their actions. */
export interface RulesTried {
  /** Calls that would have been made without approval. */
  allowed: number
  /** Calls that would have needed approval. */
  asked: number
  /** Calls that would have been refused. */
  blocked: number
  /** Calls that a person rejected or edited, but that would have been made. */
  rejected_allowed: number
  /**
   * All tested calls, newest first.
   *
   * Items: A past decision, and the result with the tested rules.
   */
  decisions: {
    /** The run. */
    run_id: string
    /** The call. */
    call_id: string
    /** When it was decided. */
    decided_at: string
    /** API key or user that decided; null if the request expired. */
    decided_by: string | null
    /** Their name at that time. */
    decider: string | null
    /** The action. */
    action: string
    /** A one-line summary of the call. */
    summary: string
    /** The decision. */
    decision: 'approved' | 'edited' | 'rejected' | 'expired'
    /** The result for the call with these rules and the `approvals_floor`. */
    outcome: 'allow' | 'ask' | 'block'
    /** The rule that decides; null if none matches and the workflow decides. */
    rule: DecidingRule | null
  }[]
}

/** One execution of a workflow, without its steps. */
export interface Run {
  /** Run id. */
  id: string
  /** The workflow. */
  workflow_id: string
  /** Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs older than versions. */
  workflow_version: number | null
  /** `completed` and `failed` are final. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** The input text of the run. */
  input: string
  /** The input object of the run; null for none. */
  data: {
    [k: string]: unknown
  } | null
  /** The last agent's output; null until completed. */
  output: string | null
  /** The output as an object, if the last agent has an `output_schema`; null otherwise. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why the run failed, naming the step; null unless failed. */
  error: string | null
  /** Code of the failure; null unless failed. */
  error_code:
    | 'step_failed'
    | 'agent_paused'
    | 'wait_expired'
    | 'cancelled'
    | 'budget_exceeded'
    | 'internal'
    | 'output_invalid'
    | null
  /** Finished steps, including a failed one. */
  total_steps: number
  /** Input tokens, as counted by the provider. */
  tokens_in: number
  /** Output tokens, as counted by the provider. */
  tokens_out: number
  /** Cost in US dollars, at the catalog's prices. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
  calls_without_price: number
  /** Run that this one retries. */
  retry_of: string | null
  /** The run that this one was forked from; null for others. */
  forked_from: {
    /** Run that this one continues. */
    run_id: string
    /** The step at which it began, from 0. */
    step: number
  } | null
  /** Who triggered or retried it; null if no one did. */
  triggered_by: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
    /**
     * Who is behind a schedule, hook, mailbox or batch: who created it, last changed it, or asked for this run. Left out for no one else.
     *
     * Items: A user or a key.
     */
    on_behalf_of?: {
      /** `system` is the service itself, for the schedule, hook or batch in `id`. */
      type: 'key' | 'user' | 'system'
      /** Their id. */
      id: string
      /** Their name at that time. */
      name: string
    }[]
  } | null
  /** Thread of which it is a turn; null for none. */
  thread_id: string | null
  /** Number of the turn in its thread, from 1; null for none. */
  turn: number | null
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /**
   * Warnings that did not make the run fail; usually empty. A completed run with warnings may not have done all that its agents requested.
   *
   * Items: A warning.
   */
  warnings: {
    /** `answer_cut`: a step reached a limit of output tokens, and its output is incomplete. `action_refused`: an action that an agent requested was refused: it needs an approval and the runs of the workflow may not pause, a rule blocks it, or a limit is used up. `action_failed`: an action failed, or no one approved it in time, and no later call did it. `action_unknown`: it is unknown whether an action was done. `tool_calls_unparsed`: the model's server left tool calls in the text, so they were not made. `demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model shuts down within 90 days, or has shut down. `model_unavailable`: its key was removed. More codes may be added. */
    code:
      | 'answer_cut'
      | 'action_refused'
      | 'action_failed'
      | 'action_unknown'
      | 'tool_calls_unparsed'
      | 'demo_model'
      | 'model_ends'
      | 'model_unavailable'
    /** The warning as text. */
    message: string
    /** The step, from 0. */
    step_order: number
  }[]
  /** The waiting request; null unless the status is `waiting_input`. */
  pending: Pending | null
  /** When the run was triggered. */
  created_at: string
  /** When execution began; null while queued. */
  started_at: string | null
  /** When the run ended; null before. */
  finished_at: string | null
}

/** A person approved, and others have to approve too. */
export interface RunApprovalGivenEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.approval_given'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Id of the request. */
    pending_id: string
    /** The tool call; absent for a request of the kind `budget`. */
    call_id?: string
    /** The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown. */
    decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | 'withdrawn'
    /** The reason, if given. */
    reason?: string
    /** Approvals so far; only if others have to approve too. */
    given?: number
    /** Approvals required. */
    required?: number
    /** The key or user that decided; null if the request expired. */
    decided_by: string | null
    /**
     * All decisions, if several requests were decided together.
     *
     * Items: One decision.
     */
    decisions?: {
      /** Id of the request. */
      pending_id: string
      /** The tool call; absent for a request of the kind `budget`. */
      call_id?: string
      /** The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown. */
      decision:
        'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | 'withdrawn'
      /** The reason, if given. */
      reason?: string
      /** Approvals so far. */
      given?: number
      /** Approvals required. */
      required?: number
      /** Null if the request expired. */
      decided_by?: string | null
    }[]
  }
}

/** Two runs side by side. */
export interface RunComparison {
  before: ComparedRun
  after: ComparedRun
  /** Differences of their inputs, word by word; null if they are equal. */
  input:
    | {
        /** Whether the text is in both, or only before or after. */
        kind: 'same' | 'removed' | 'added'
        /** A part of the text. */
        text: string
      }[]
    | null
  /** Differences of their outputs; null if they are equal. */
  output:
    | {
        /** Whether the text is in both, or only before or after. */
        kind: 'same' | 'removed' | 'added'
        /** A part of the text. */
        text: string
      }[]
    | null
  /**
   * The steps of both runs, in order.
   *
   * Items: A step of both runs.
   */
  steps: {
    /** Position of the step, from 0. */
    order: number
    /** The step of the first run; null if it has none. */
    before: {
      /** Role of the agent. */
      role: string
      /** The model used. */
      model: string
      /** Version of the standing agent. */
      agent_version: number | null
      /** Why it failed; null otherwise. */
      error: string | null
      /** Run from which it was copied; null if it was executed. */
      reused_from: string | null
      /** Whether its output was given with the fork. */
      output_given: boolean
      /** Input tokens, as counted by the provider. */
      tokens_in: number
      /** Output tokens, as counted by the provider. */
      tokens_out: number
      /** Cost in US dollars, at the catalog's prices. */
      cost_usd: number
      /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
      calls_without_price: number
      /** Null if it was not executed or has not ended. */
      duration_ms: number | null
      /**
       * Its calls, in order.
       *
       * Items: An action.
       */
      tools: string[]
    } | null
    /** The step of the other run; null if it has none. */
    after: {
      /** Role of the agent. */
      role: string
      /** The model used. */
      model: string
      /** Version of the standing agent. */
      agent_version: number | null
      /** Why it failed; null otherwise. */
      error: string | null
      /** Run from which it was copied; null if it was executed. */
      reused_from: string | null
      /** Whether its output was given with the fork. */
      output_given: boolean
      /** Input tokens, as counted by the provider. */
      tokens_in: number
      /** Output tokens, as counted by the provider. */
      tokens_out: number
      /** Cost in US dollars, at the catalog's prices. */
      cost_usd: number
      /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
      calls_without_price: number
      /** Null if it was not executed or has not ended. */
      duration_ms: number | null
      /**
       * Its calls, in order.
       *
       * Items: An action.
       */
      tools: string[]
    } | null
    /** Differences of the step's outputs; null if they are equal. */
    output:
      | {
          /** Whether the text is in both, or only before or after. */
          kind: 'same' | 'removed' | 'added'
          /** A part of the text. */
          text: string
        }[]
      | null
  }[]
}

/** A run completed. The last event of its log. */
export interface RunCompletedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.completed'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {}
}

/** How many runs are in each status. */
export interface RunCounts {
  /** Queued runs. */
  queued: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
  /** Running runs. */
  running: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
  /** Runs that wait for a person. */
  waiting_input: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
  /** Completed runs, with or without warnings. */
  completed: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
  /** Of the completed runs, those with warnings. */
  with_warnings: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
  /** Failed runs, without cancelled ones. */
  failed: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
  /** Cancelled runs. */
  cancelled: {
    /** How many there are, up to 1000. */
    count: number
    /** Whether there are more than 1000. */
    more: boolean
  }
}

/** A run was triggered. */
export interface RunQueuedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.queued'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Its labels from the trigger; a retry keeps them. */
    tags?: {
      [k: string]: string
    }
    /** The run that this one retries. */
    retry_of?: string
    /** The run that this one was forked from. */
    forked_from?: string
    /** The step at which a fork begins. */
    from_step?: number
  }
}

/** A run began. */
export interface RunStartedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.started'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {}
}

/** A step began. */
export interface StepStartedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'step.started'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** Model id. */
    model: string
  }
}

/** The output of a step was cut off at the limit of output tokens. */
export interface StepCutEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'step.cut'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** Model id. */
    model: string
    /** The agent's limit; null for the model's own. */
    max_tokens: number | null
  }
}

/** A step completed. */
export interface StepCompletedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'step.completed'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** Model id. */
    model: string
    /** Input tokens of the step. */
    tokens_in: number
    /** Output tokens of the step. */
    tokens_out: number
    /** Cost of the step in US dollars. */
    cost_usd: number
    /** Model calls that `cost_usd` counts as 0; absent for none. */
    calls_without_price?: number
    /** Why the model stopped. */
    finish_reason?: 'stop' | 'length' | 'other'
  }
}

/** A step failed. */
export interface StepFailedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'step.failed'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** Model id. */
    model: string
    /** Input tokens of the step. */
    tokens_in: number
    /** Output tokens of the step. */
    tokens_out: number
    /** Cost of the step in US dollars. */
    cost_usd: number
    /** Model calls that `cost_usd` counts as 0; absent for none. */
    calls_without_price?: number
    /** Why it failed. */
    error: string
  }
}

/** A tool call began. */
export interface ToolStartedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'tool.started'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** The tool call. */
    call_id: string
    /** Its tool. */
    tool: string
  }
}

/** A call of a caller's tool was requested of the account's workers. */
export interface ToolRequestedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'tool.requested'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** The tool call. */
    call_id: string
    /** Its tool. */
    tool: string
    /** The run. */
    run_id: string
    /** Name of the tool, without `app.`. */
    name: string
    /** The arguments. */
    input: {
      [k: string]: unknown
    }
    /** When the time for a result is over. */
    expires_at: string
  }
}

/** A tool call ended. */
export interface ToolCompletedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'tool.completed'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /** The tool call. */
    call_id: string
    /** Its tool. */
    tool: string
    /** Status of the call. */
    status: 'proposed' | 'approved' | 'rejected' | 'executing' | 'succeeded' | 'failed' | 'unknown'
  }
}

/** A run began to wait for a person. */
export interface RunWaitingInputEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.waiting_input'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Id of the request. */
    pending_id: string
    /** Its kind. */
    kind: 'input' | 'approval' | 'budget'
    /** Approvals only: the action. */
    tool?: string
    /** The tool call; the kind `budget` has none. */
    call_id?: string
    /** Position of the step, from 0. */
    order: number
    /** Role of its agent. */
    role: string
    /**
     * All requests, if several calls wait; the first is also in the event itself.
     *
     * Items: One request.
     */
    calls?: {
      /** Id of the request. */
      pending_id: string
      /** Its kind. */
      kind: 'input' | 'approval' | 'budget'
      /** Approvals only: the action. */
      tool?: string
      /** The tool call; the kind `budget` has none. */
      call_id?: string
    }[]
    /** The question; only for the kind `budget`. */
    prompt?: string
  }
}

/** A waiting run continues: its request was answered, withdrawn, or expired. */
export interface RunResumedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.resumed'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Id of the request. */
    pending_id: string
    /** The tool call; absent for a request of the kind `budget`. */
    call_id?: string
    /** The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown. */
    decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | 'withdrawn'
    /** The reason, if given. */
    reason?: string
    /** Approvals so far; only if others have to approve too. */
    given?: number
    /** Approvals required. */
    required?: number
    /** The key or user that decided; null if the request expired. */
    decided_by: string | null
    /**
     * All decisions, if several requests were decided together.
     *
     * Items: One decision.
     */
    decisions?: {
      /** Id of the request. */
      pending_id: string
      /** The tool call; absent for a request of the kind `budget`. */
      call_id?: string
      /** The decision; `withdrawn` if the budget that asked was raised or deleted, or if a worker reported the outcome that was unknown. */
      decision:
        'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | 'withdrawn'
      /** The reason, if given. */
      reason?: string
      /** Approvals so far. */
      given?: number
      /** Approvals required. */
      required?: number
      /** Null if the request expired. */
      decided_by?: string | null
    }[]
    /** Requests of the kind `budget`: who decided. */
    decider?: {
      /** `system` is the service itself, for the schedule, hook or batch in `id`. */
      type: 'key' | 'user' | 'system'
      /** Their id. */
      id: string
      /** Their name at that time. */
      name: string
    }
    /** Requests of the kind `budget`: the new limit. */
    max_cost_usd?: number
  }
}

/** A run failed or was cancelled. The last event of its log. */
export interface RunFailedEvent {
  /** Event id. */
  id: string
  /** Type of the event. */
  type: 'run.failed'
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** The details. */
  data: {
    /** Why it failed. */
    error: string
    /** Code of the failure. */
    error_code:
      | 'step_failed'
      | 'agent_paused'
      | 'wait_expired'
      | 'cancelled'
      | 'budget_exceeded'
      | 'internal'
      | 'output_invalid'
  }
}

/** An input file of a run, or one that an agent wrote. */
export interface RunFile {
  /** File id. */
  id: string
  /** Its name. */
  name: string
  /** Type of its content. */
  media_type: string
  /** Size in bytes. */
  bytes: number
  /** Pages of a PDF; null otherwise. */
  pages: number | null
  /** Whether its text can be read, as in the file's `text_status`. */
  text_status: 'complete' | 'cut' | 'none' | null
  /** Characters of its text; null for images. */
  text_chars: number | null
  /** Whether the file is deleted; its metadata is then null. */
  deleted: boolean
}

/** One execution of a workflow. */
export interface RunWithSteps {
  /** Run id. */
  id: string
  /** The workflow. */
  workflow_id: string
  /** Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs older than versions. */
  workflow_version: number | null
  /** `completed` and `failed` are final. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** The input text of the run. */
  input: string
  /** The input object of the run; null for none. */
  data: {
    [k: string]: unknown
  } | null
  /** The last agent's output; null until completed. */
  output: string | null
  /** The output as an object, if the last agent has an `output_schema`; null otherwise. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why the run failed, naming the step; null unless failed. */
  error: string | null
  /** Code of the failure; null unless failed. */
  error_code:
    | 'step_failed'
    | 'agent_paused'
    | 'wait_expired'
    | 'cancelled'
    | 'budget_exceeded'
    | 'internal'
    | 'output_invalid'
    | null
  /** Finished steps, including a failed one. */
  total_steps: number
  /** Input tokens, as counted by the provider. */
  tokens_in: number
  /** Output tokens, as counted by the provider. */
  tokens_out: number
  /** Cost in US dollars, at the catalog's prices. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
  calls_without_price: number
  /** Run that this one retries. */
  retry_of: string | null
  /** The run that this one was forked from; null for others. */
  forked_from: {
    /** Run that this one continues. */
    run_id: string
    /** The step at which it began, from 0. */
    step: number
  } | null
  /** Who triggered or retried it; null if no one did. */
  triggered_by: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
    /**
     * Who is behind a schedule, hook, mailbox or batch: who created it, last changed it, or asked for this run. Left out for no one else.
     *
     * Items: A user or a key.
     */
    on_behalf_of?: {
      /** `system` is the service itself, for the schedule, hook or batch in `id`. */
      type: 'key' | 'user' | 'system'
      /** Their id. */
      id: string
      /** Their name at that time. */
      name: string
    }[]
  } | null
  /** Thread of which it is a turn; null for none. */
  thread_id: string | null
  /** Number of the turn in its thread, from 1; null for none. */
  turn: number | null
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /**
   * Warnings that did not make the run fail; usually empty. A completed run with warnings may not have done all that its agents requested.
   *
   * Items: A warning.
   */
  warnings: {
    /** `answer_cut`: a step reached a limit of output tokens, and its output is incomplete. `action_refused`: an action that an agent requested was refused: it needs an approval and the runs of the workflow may not pause, a rule blocks it, or a limit is used up. `action_failed`: an action failed, or no one approved it in time, and no later call did it. `action_unknown`: it is unknown whether an action was done. `tool_calls_unparsed`: the model's server left tool calls in the text, so they were not made. `demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model shuts down within 90 days, or has shut down. `model_unavailable`: its key was removed. More codes may be added. */
    code:
      | 'answer_cut'
      | 'action_refused'
      | 'action_failed'
      | 'action_unknown'
      | 'tool_calls_unparsed'
      | 'demo_model'
      | 'model_ends'
      | 'model_unavailable'
    /** The warning as text. */
    message: string
    /** The step, from 0. */
    step_order: number
  }[]
  /** The waiting request; null unless the status is `waiting_input`. */
  pending: Pending | null
  /** When the run was triggered. */
  created_at: string
  /** When execution began; null while queued. */
  started_at: string | null
  /** When the run ended; null before. */
  finished_at: string | null
  /** Time since it began that it spent waiting for people, for workers or to repeat a model call. */
  waited_ms: number
  /** Why the run cannot continue at present; null if it can, has ended, or waits for a person. Not in lists. */
  held: {
    /** `caller_tool`: it waits for a result from the account's own workers. More codes may be added. */
    reason: 'provider_unavailable' | 'account_at_limit' | 'budget' | 'no_worker' | 'caller_tool'
    /** Since when; null if unknown. */
    since: string | null
    /** When it is tried again; null if that depends on others. */
    next_try_at: string | null
    /** The warning as text. */
    message: string
  } | null
  /** For a failed run: the version since which the workflow fails, if an earlier one worked; null otherwise. Not in lists. */
  failing_since: {
    /** Version of the first run that failed. */
    version: number
    /** Version of the last run that completed before this one was triggered. */
    last_worked_version: number
    /** That run. */
    last_worked_run_id: string
    /** Path of the diff between the two versions. */
    diff: string
  } | null
  /** Files of the run; not in lists. */
  files: {
    /** The run's input files. */
    inputs: RunFile[]
    /** Files that its agents wrote. */
    outputs: RunFile[]
  }
  /** Steps in order of execution. */
  steps: Step[]
}

/** The work of one agent in a run. */
export interface Step {
  /** Step id. */
  id: string
  /** Position in the crew, from 0. */
  order: number
  /** Role of the agent. */
  role: string
  /** The linked standing agent; null for a plain entry. */
  agent_id: string | null
  /** Version of the standing agent that was live when the run began; null for a plain entry, and for steps older than versions. */
  agent_version: number | null
  /** The model used. */
  model: string
  /** Prompt of the agent: the run's input, then earlier outputs. */
  input: string
  /** The agent's output; null if unfinished or failed. */
  output: string | null
  /** The output as an object, if the agent has an `output_schema`; null otherwise. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why the step failed; null otherwise. */
  error: string | null
  /** Why the model stopped: `length` means that it reached a limit of output tokens and the output is incomplete. Null unless finished. */
  finish_reason: 'stop' | 'length' | 'other' | null
  /** Input tokens, as counted by the provider. */
  tokens_in: number
  /** Output tokens, as counted by the provider. */
  tokens_out: number
  /** Cost in US dollars, at the catalog's prices. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
  calls_without_price: number
  /** In the order of the calls. */
  tool_calls: ToolCall[]
  /** Ids of the memory entries shown to the agent. */
  memory: string[]
  /** Run from which a retry or fork copied this finished step; it cost nothing here. */
  reused_from: string | null
  /** Whether the output was given with the fork and replaces the agent's. */
  output_given: boolean
  /** When the step began. */
  started_at: string | null
  /** When the step ended; null while in progress. */
  finished_at: string | null
}

/** A tool call of an agent, with its outcome. */
export interface ToolCall {
  /** Tool call id. */
  id: string
  /** The action, such as `email.send`, or a built-in tool. */
  tool: string
  /** What an approval is bound to besides the arguments: it changes with the action and its connection; null for tools of Muster itself. */
  tool_version: string | null
  /** The exact arguments; null if the model wrote no JSON object. */
  input: {
    [k: string]: unknown
  }
  /** The model's arguments, if a person edited them; null otherwise. */
  proposed_input: {
    [k: string]: unknown
  }
  /** `unknown`: it may or may not have been done, and is not repeated without approval. */
  status: 'proposed' | 'approved' | 'rejected' | 'executing' | 'succeeded' | 'failed' | 'unknown'
  /** The result given to the agent; null while open. Here its first 2,000 characters; the step's turns have all of it. */
  output: string | null
  /** Size of the whole output, as UTF-8. */
  output_bytes: number | null
  /** Why its outcome is unknown, with the other system's message if any; null otherwise. */
  unknown_reason: string | null
  /** How it was decided: by a person (`approved`, `edited`, `rejected`, `answered`), by a timeout (`expired`) or by policy (`refused`); null if no one was asked. */
  decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | null
  /** The rule that decided whether a person is asked; null if none did. */
  rule: DecidingRule | null
  /** API key or user that decided; null if no one did. */
  decided_by: string | null
  /** Who decided; null if no one did. */
  decider: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** The reason for the decision, if given. */
  reason: string | null
  /** Who approved it, if several approvals were needed; empty otherwise. */
  approvals: Approval[]
  /** When it was decided. */
  decided_at: string | null
  /** When the call was made; null if it was not. */
  started_at: string | null
  /** When its outcome was known. */
  finished_at: string | null
}

export interface RunsCountsQuery {
  /** Only runs of this workflow. */
  workflow_id?: string
  /** Only runs in which this agent has started a step. */
  agent_id?: string
  /** Only retries of this run. */
  retry_of?: string
  /** Only forks of this run. */
  forked_from?: string
  /** Only turns of this thread. */
  thread_id?: string
  /**
   * Only runs with this tag, `key:value`; may be repeated to require several tags.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** Only runs that cost at least this, in US dollars. */
  min_cost_usd?: number
  /** The start of a run id, or up to 5 whole words, ignoring case, that must all occur in the input, the output, the error or tag values. Inputs and outputs are searchable within 5 seconds of a run's end: the first 300 different words in 16,000 characters of each. */
  q?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs. */
  created_before?: string
}

export interface RunsCreateQuery {
  /** Announces that the run's events will be streamed with `deltas`, so that its first model call is streamed too. */
  deltas?: boolean
}

export interface RunsListAllQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only runs in one of these statuses; `failed` includes cancelled runs, and `cancelled` finds only those: queued, running, waiting_input, completed, failed, cancelled, separated by commas. */
  status?: string
  /** Only runs that failed with one of these codes: step_failed, agent_paused, wait_expired, cancelled, budget_exceeded, internal, output_invalid, separated by commas. */
  error_code?: string
  /** Only runs of this workflow. */
  workflow_id?: string
  /** Only runs in which this agent has started a step. */
  agent_id?: string
  /** Only retries of this run. */
  retry_of?: string
  /** Only forks of this run. */
  forked_from?: string
  /** Only turns of this thread. */
  thread_id?: string
  /**
   * Only runs with this tag, `key:value`; may be repeated to require several tags.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** If true, only runs with warnings, such as an action that failed; false is the same as leaving it out. */
  has_warnings?: boolean
  /** Only runs that cost at least this, in US dollars. */
  min_cost_usd?: number
  /** The start of a run id, or up to 5 whole words, ignoring case, that must all occur in the input, the output, the error or tag values. Inputs and outputs are searchable within 5 seconds of a run's end: the first 300 different words in 16,000 characters of each. */
  q?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs. */
  created_before?: string
}

export interface RunsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only runs in this status; `cancelled` ones are `failed` as well. */
  status?: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | 'cancelled'
}

export interface RunsRetrieveQuery {
  /** Respond as soon as the run ends or waits, or after this many seconds. */
  wait?: number
}

export interface RunsTurnsQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A schedule that starts runs of a workflow at set times. */
export interface Schedule {
  /** Schedule id. */
  id: string
  /** Your own unique identifier; null for none. */
  key: string | null
  /** Display name. */
  name: string
  /** The workflow to run. */
  workflow_id: string
  /** Its version; null for the live one. */
  version: number | null
  /** Cron pattern of five fields. */
  cron: string | null
  /** IANA time zone in which `cron` is read. */
  time_zone: string
  /** Interval in seconds. */
  every_seconds: number | null
  /** The one time. */
  at: string | null
  /** Template of each run's input. */
  input: string | null
  /** Data of each run, with templates. */
  data: {
    [k: string]: unknown
  } | null
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** What happens if the previous run is unfinished: the new one is skipped, waits for it, replaces it, or runs beside it. */
  overlap: 'skip' | 'queue' | 'cancel_previous' | 'allow'
  /** Which firings start late after a time without workers: none, the last one due, or all. The others are `missed`. A firing up to two minutes late starts in any case. */
  catch_up: 'none' | 'last' | 'all'
  /** How late a run may start. */
  catch_up_seconds: number
  /** Each start is delayed by up to this time. */
  jitter_seconds: number
  /** The last time at which it may fire. */
  ends_at: string | null
  /** Failed runs in a row that pause it; null means never. */
  pause_after_failures: number | null
  /** `ended`: it will not fire again. */
  status: 'active' | 'paused' | 'ended'
  /** Why it was paused automatically; null otherwise. */
  paused_reason: string | null
  /** When it is due next; null unless active. */
  next_due_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When it fires, in English: "Every Monday at 09:00 (Europe/Berlin)". */
  in_words: string
  /**
   * Current warnings, such as what it still needs before it can do its work; usually empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as `#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. `model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no key here, or was removed; runs fail there. More codes may be added. */
    code:
      | 'action_refused'
      | 'action_unavailable'
      | 'demo_model'
      | 'model_ends'
      | 'model_unavailable'
      | 'placeholder_left'
    /** The warning as text. */
    message: string
  }[]
  /** The newest firing; null before the first. */
  last_firing: Firing | null
}

/** When a schedule is due next. */
export interface SchedulePreview {
  /** When it fires, in English: "Every Monday at 09:00 (Europe/Berlin)". */
  in_words: string
  /**
   * The next ten firings, or fewer if it ends.
   *
   * Items: A moment.
   */
  due: string[]
}

export interface SchedulesFiringsQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only firings in this status. */
  status?: 'due' | 'fired' | 'skipped' | 'missed'
}

export interface SchedulesListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only for this workflow. */
  workflow_id?: string
  /** Only with this status. */
  status?: 'active' | 'paused' | 'ended'
}

/** A signed-in browser. */
export interface Session {
  /** Session id. */
  id: string
  /** Whether it is the session of this request. */
  current: boolean
  /** When it began. */
  created_at: string
  /** Last use, to the minute; seven days later it ends. */
  last_seen_at: string
  /** When it expires at the latest. */
  expires_at: string
  /** Network address where it began. */
  address: string | null
  /** Browser in which it began. */
  user_agent: string | null
}

export interface SessionsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A key for a built-in provider, or a compatible server. */
export interface SetModelProvider {
  /** Key of visible ASCII characters; null for a server without a key. */
  api_key?: string | null
  /** Address of a server with OpenAI's chat completions API, the part before `/chat/completions`; https unless in an allowed network. Required for your own server; for a built-in provider, null is its usual address. If omitted, the stored one is kept. */
  base_url?: string | null
  /** Display name. If omitted, the stored one is kept. */
  label?: string | null
  /** Seconds that the provider may stay silent before a call fails. Null means 120; raise it for slow local models. If omitted, the stored value is kept. */
  timeout_seconds?: number | null
  /** Models of your own server, which workflows name `<provider>/<id>`. If omitted, stored ones are kept; if there are none, the server is asked for its list. The first one is tested. */
  models?: OwnModel[]
}

/** The first admin. */
export interface SetUp {
  /** Secret part of the one-time link. */
  token: string
  /** Email address; compared without case. */
  email: string
  /** Name shown to others, not blank. */
  name: string
  /** Stored as an argon2id hash. */
  password: string
}

/** The credentials. */
export interface SignIn {
  /** Email address; compared without case. */
  email: string
  /** The password. */
  password: string
}

/** What to stop. */
export interface StopThread {
  /** Whether messages that wait for their turn are kept, or cancelled too. */
  queued?: 'keep' | 'cancel'
}

/** A file that can be an input of runs. */
export interface StoredFile {
  /** File id. */
  id: string
  /** As uploaded, without folders and invisible characters. */
  name: string
  /** Type of its content: `text/plain`, `text/markdown`, `text/csv`, `application/json`, `application/pdf`, `application/vnd.openxmlformats-officedocument.wordprocessingml.document`, `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`, `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
  media_type: string
  /** Size in bytes. */
  bytes: number
  /** Hash of the bytes, in hexadecimal. */
  sha256: string
  /** Pages of a PDF; null otherwise. */
  pages: number | null
  /** Of an image, in pixels; null otherwise. */
  width: number | null
  /** Of an image, in pixels; null otherwise. */
  height: number | null
  /** `complete`: all text can be read. `cut`: only the beginning, because the text is too long. `none`: there is no text, as in a scan. null for images. */
  text_status: 'complete' | 'cut' | 'none' | null
  /** Characters of the text that can be read; null for images. */
  text_chars: number | null
  /** When it was created. */
  created_at: string
}

/** Why it is suspended. */
export interface SuspendAccount {
  /** Why, for operators. */
  reason?: string
}

/** The account to switch to. */
export interface SwitchAccount {
  /** One of the user's accounts. */
  account_id: string
}

/** A call, and the rules to test on it. */
export interface TestRules {
  /** Rules to test instead of those of `level`; the current ones by default. */
  rules?: Rule[]
  /** The level of these rules; `account` by default. */
  level?: 'account' | 'agent' | 'crew_entry'
  /** A call that waits for approval, instead of a described one. */
  pending_id?: string
  /** Action of the call, such as `email.send`; required without `pending_id`. */
  action?: string
  /** Its arguments. */
  args?: {
    [k: string]: unknown
  }
  /** The agent that calls. */
  agent?: {
    /** A standing agent whose rules apply; by default the crew entry's. */
    id?: string
    /** Its role; by default the agent's. */
    role?: string
  }
  /** Workflow of the run. */
  workflow_id?: string
  /** Position of the crew entry whose rules apply, from 0. */
  order?: number
  /** Tags of the run. */
  tags?: {
    /** A value. */
    [k: string]: string
  }
}

/** A conversation with a workflow. Each turn is a run. */
export interface Thread {
  /** Thread id. */
  id: string
  /** The workflow that answers. */
  workflow_id: string
  /** Version of the workflow in all turns; null for the live one of each turn. */
  version: number | null
  /** Your own identifier, unique among the threads of the workflow. */
  key: string | null
  /** Title; by default the beginning of the first message. */
  title: string | null
  /** Its labels from the trigger; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** A closed thread accepts no messages. */
  status: 'open' | 'closed'
  /** Number of turns: one for each message of a person. */
  turns: number
  /** When the newest message was written; null for none. */
  last_message_at: string | null
  /** Id of the request that its turn in progress waits for; null for none. */
  waiting: string | null
  /** Cost of its ended turns and summaries in US dollars. */
  cost_usd: number
  /** Input tokens of these. */
  tokens_in: number
  /** Output tokens of these. */
  tokens_out: number
  /** Who created it. */
  created_by: {
    /** `external` is someone who is no user, such as the sender of an email. */
    type: 'key' | 'user' | 'system' | 'external'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** When it was created. */
  created_at: string
  /** When it, or the state of a message, last changed. */
  updated_at: string
}

/** A summary of the first turns of a thread, for turns after them. */
export interface ThreadSummary {
  /** Summary id. */
  id: string
  /** The last turn that it covers, from the first. */
  through_turn: number
  /** The summary. */
  text: string
  /** Estimated tokens of what it replaces. */
  tokens_before: number
  /** Estimated tokens of the summary. */
  tokens_after: number
  /** The model that wrote it. */
  model: string
  /** What it cost, in US dollars. */
  cost_usd: number
  /** When it was written. */
  created_at: string
}

export interface ThreadsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only threads with this workflow. */
  workflow_id?: string
  /** Only threads with this key. */
  key?: string
  /** Only threads in this status. */
  status?: 'open' | 'closed'
  /**
   * Only threads with this tag, `key:value`; may be repeated.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** Up to 5 whole words, ignoring case, that must all occur in the title, the key or the first message. */
  q?: string
}

export interface ThreadsMessagesQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** `asc` begins with the first turn, `desc` with the newest. */
  order?: 'asc' | 'desc'
}

export interface ThreadsSendQuery {
  /** Announces that the events will be streamed with `deltas`, so that the first model call is streamed too. */
  deltas?: boolean
}

export interface ThreadsSummariesQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface ToolCallsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only calls in this status. */
  status?: 'requested' | 'claimed' | 'succeeded' | 'failed' | 'unknown' | 'cancelled'
  /** Only calls of this tool, without `app.`. */
  name?: string
  /** Only calls of this run. */
  run_id?: string
}

/** Someone who executes callers' tools. */
export interface ToolWorker {
  /** Identifies the entry. */
  id: string
  /** The key or user that asks for calls. */
  key: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** The tools that it serves; null for all. */
  names: string[] | null
  /** Its network address. */
  address: string | null
  /** Since when it has asked for calls without a long break. */
  since: string
  /** When it asked last, to about ten seconds. */
  last_seen_at: string
}

export interface ToolWorkersListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** An action to call once, with its effects. */
export interface TryConnector {
  /** The action, with or without the id of the connector in front. */
  action: string
  /** Its arguments, `{}` by default. */
  input?: {
    [k: string]: unknown
  }
}

/** Rules to test on past decisions. */
export interface TryRules {
  /** Rules to test instead of those of `level`. */
  rules: Rule[]
  /** The level of these rules; `account` by default. */
  level?: 'account' | 'agent' | 'crew_entry'
  /** With `level` `agent`: the agent; only decisions about its calls are used. */
  agent_id?: string
  /** With `level` `crew_entry`: the workflow; only decisions in its runs are used. */
  workflow_id?: string
  /** With `level` `crew_entry`: position of the entry in the crew, from 0. */
  order?: number
}

/** One turn of a model: its messages and its answer. */
export interface Turn {
  /** Number within the step, from 0. */
  number: number
  /** Model that answered. */
  model: string
  /**
   * The first messages to the model: its instructions with the memory, and the prompt. Later turns also send all earlier turns with the results of their calls; their list is empty.
   *
   * Items: A message.
   */
  messages: {
    /** The author of the message. */
    role: 'system' | 'user'
    /** The text. */
    text: string
  }[]
  /**
   * Tools offered to the model.
   *
   * Items: A tool.
   */
  tools: {
    /** Name shown to the model. */
    name: string
    /** Its description. */
    description: string
    /** JSON Schema of its arguments. */
    input_schema: {
      [k: string]: unknown
    }
  }[]
  /** JSON Schema for its answer, enforced by the provider or given after its instructions. Null for none. */
  output_schema: {
    [k: string]: unknown
  } | null
  /** The model's text; null if retention deleted it. */
  text: string | null
  /** The problem with the answer, as sent to the model for its next turn; null otherwise. */
  problem: string | null
  /** The model's reasoning, as far as it returned any; null for none. */
  reasoning: string | null
  /** Its tool calls, with their full results as sent to the next turn. */
  calls: ToolCall[]
  /** Input tokens, as counted by the provider. */
  tokens_in: number
  /** Output tokens, as counted by the provider. */
  tokens_out: number
  /** Cost in US dollars, at the catalog's prices. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. Also 0 if the provider does not report it. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Model calls with a model whose price is unknown; `cost_usd` counts them as 0. */
  calls_without_price: number
  /** Duration of the model call that answered. */
  duration_ms: number | null
  /** The provider's request id, if any. */
  request_id: string | null
}

/** The fields to update. */
export interface UpdateAccount {
  /** Account name, not blank. */
  name?: string
  /** Maximum runs triggered or retried per day (UTC). null means no limit. */
  max_runs_a_day?: number | null
  /** Maximum emails that agents may send per day (UTC). The stricter of this and the policy applies. null means no limit. */
  max_mails_a_day?: number | null
  /** Maximum cost of model calls per day (UTC), in USD. null means no limit. */
  max_cost_usd_a_day?: number | null
  /** Maximum cost of model calls per month (UTC), in USD. null means no limit. */
  max_cost_usd_a_month?: number | null
  /** Maximum bytes stored before runs and uploads are refused. Measured every ten minutes, and every minute above half of it. null means no limit. */
  max_stored_bytes?: number | null
  /** Maximum total size of its files in bytes. null uses the service's default. */
  max_file_bytes?: number | null
}

/** The fields to update. */
export interface UpdateAgent {
  /** Name of the agent. */
  name?: string
  /** Description. */
  description?: string | null
  /** Free text to group agents by. */
  category?: string
  /** Name of its steps in workflows and runs. */
  role?: string
  /** Instructions of the agent. */
  systemPrompt?: string
  /** Model id, one of `GET /v1/models`; null uses the workflow's model. */
  model?: string | null
  /**
   * Fallback models, tried in order while the model's provider is unavailable; an empty list uses the workflow's.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** Maximum output tokens of one model turn; null sets no limit. */
  maxTokens?: number | null
  /**
   * Connectors that the agent may use; duplicates are ignored.
   *
   *
   * Items: A connector id.
   */
  connectors?: string[]
  /**
   * Actions that the agent may use; duplicates are ignored.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities?: string[]
  /** Tools that processes of your own execute. The agent needs no capability for them. */
  tools?: CallerTool[]
  /** Rules about the agent's calls, in order: the first match decides. If rules of the account, the agent and the crew entry differ, the strictest applies. */
  rules?: Rule[]
  /** JSON Schema of the agent's output, up to 32 KB, with an object at its root; null for free text. */
  output_schema?: {
    [k: string]: unknown
  } | null
  /** A run that reaches a step of a paused agent fails. */
  status?: 'active' | 'paused'
  /** Whether the agent has memory across runs, in all its workflows. */
  memory_enabled?: boolean
  /** Create a version that is not live: runs use it if they are triggered with its number, or once it is published. `last_version` is its number. */
  draft?: boolean
  /** Note on the version, shown in the history. */
  note?: string | null
}

/** The fields to update. */
export interface UpdateAlert {
  /** Display name, not blank. */
  name?: string
  /** Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`. */
  workflow_ids?: string[] | null
  /** Channels that send it; null means all active channels. */
  channel_ids?: string[] | null
  /** For `failure_rate` and `waiting_too_long`; null means 60. */
  minutes?: number | null
  /** For `failure_rate`: the share of failed runs; null means 0.5. */
  threshold?: number | null
  /** Minimum interval between messages; anything that happens in between is combined into the next one. 60 by default. */
  at_most_every_minutes?: number
  /** An inactive alert sends nothing. */
  active?: boolean
}

/** The fields to update. */
export interface UpdateBudget {
  /** Display name, not blank. */
  name?: string
  /** Maximum cost of model calls in a window, in US dollars. */
  cap_usd?: number
  /**
   * Shares at which the event `budget.threshold` is sent, once per window.
   *
   *
   * Items: A share of the cap.
   */
  thresholds?: number[]
  /** `hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it continue beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once it is reached no run starts. `fallback`: the run continues beyond the cap on cheaper fallback models; without any, it is held. */
  on_cap?: 'hold' | 'ask' | 'refuse' | 'fallback'
}

/** The fields to update; omitted secrets are kept. */
export interface UpdateChannel {
  /** Display name, not blank. */
  name?: string
  /** Notify about these workflows only; null means all. */
  workflow_ids?: string[] | null
  /**
   * Email only: the recipients, who each get their own email. A recipient who is a user of the account with the role approver or above can answer from the email; others get a link to the console.
   *
   *
   * Items: An email address.
   */
  recipients?: string[]
  /** Slack only: channel id such as C0123456789, or name such as #approvals. */
  slack_channel?: string | null
  /** An inactive channel sends nothing. */
  active?: boolean
  /** Slack only: bot token with the scopes chat:write and users:read.email, `xoxb-…`. */
  token?: string
  /** Slack only: signing secret of the app. With it messages have buttons, without it a link. */
  signing_secret?: string | null
}

/** The fields to update. */
export interface UpdateHook {
  /** Display name; the workflow's name by default, not blank. */
  name?: string
  /** Workflow to run. */
  workflow_id?: string
  /** Version of the workflow; null for the live one at that time. */
  version?: number | null
  /** `hmac_sha256` only: the header with the signature, in hexadecimal digits or base64, with or without `sha256=`; `X-Signature-256` by default. */
  signature_header?: string | null
  /** `hmac_sha256` and `none` only: the header with the event's id; without it, the same body is the same event. */
  event_id_header?: string | null
  /** Maximum age of a signature in seconds, if the scheme signs the time (`standard_webhooks`, `stripe`, `slack`); 300 by default. */
  tolerance_seconds?: number
  /** `event`, the default: the same event within 72 hours starts one run. Without an event id, the same body is the same event. `none`: each request is an event of its own, also if the sender repeats it. */
  dedupe?: 'event' | 'none'
  /** Only events for which this CEL condition is true start a run: `body.action == "opened"`. It can use `body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events. */
  filter?: string | null
  /** Input of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ event.id }}`. Without `input` and `data`, the run gets the body itself. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates. A text that is a single path, such as `"{{ body.issue }}"`, becomes the value itself: a number stays a number, an object an object. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Templates of ids of files that were uploaded before; empty results are omitted.
   *
   *
   * Items: Template of a file id.
   */
  files?: string[]
  /** Tags of each run, up to 16 pairs; their values are Liquid templates. */
  tags?: {
    [k: string]: string
  }
  /** A paused hook answers 202 and stores nothing. */
  status?: 'active' | 'paused'
}

/** The fields to update; with another server or user, the password must be given again. */
export interface UpdateMailbox {
  /** Display name, not blank. */
  name?: string
  /** Name or address of the IMAP server. */
  host?: string
  /** 993 with implicit TLS, 143 with STARTTLS; others only in allowed networks. */
  port?: number
  /** `tls`: TLS from the start, the default on port 993. `starttls`: the default on other ports; without it nothing is sent. `none`: the password is sent unencrypted, only in allowed networks. */
  secure?: 'tls' | 'starttls' | 'none'
  /** User name, usually the email address. */
  username?: string
  /** Folder to read; INBOX by default. */
  folder?: string
  /** Workflow to run for each message. */
  workflow_id?: string
  /** Only messages from these senders; null means all. */
  senders?: string[] | null
  /** Only messages whose sender the mail server has authenticated (`dmarc=pass` in `Authentication-Results`); false by default. */
  require_authenticated?: boolean
  /** The name in `Authentication-Results` of the mail server that receives your email, such as mx.example.com. Results of others do not count. Null means the topmost result. */
  authserv_id?: string | null
  /** Only messages whose subject contains this text, ignoring case; null means all. */
  subject_contains?: string | null
  /** How often the folder is read; 60 by default. */
  poll_seconds?: number
  /** An inactive mailbox is not read. */
  active?: boolean
  /** Password, or an app password. Encrypted and never returned. */
  password?: string
}

/** The fields to update. */
export interface UpdateMemory {
  /** Visible text; invisible characters are removed before counting. */
  content?: string
  /** Whether it is always shown, and never replaced by newer entries. */
  pinned?: boolean
}

/** The policies to update. */
export interface UpdatePolicies {
  /** The minimum that needs approval, whatever a workflow says. The stricter of the two applies. */
  approvals_floor?: 'none' | 'sensitive' | 'all'
  /** The user or key that triggered a run may not approve its actions, nor may who is behind the schedule, hook, mailbox or batch that did. */
  four_eyes?: boolean
  /** An answer to a run must name its request in `pending_id`. */
  require_pending_id?: boolean
  /** Hosts that `web.fetch` may reach without approval, in lower case: `docs.example.com`, or `*.example.com` for all names below. An empty list means none. null means any host; an address that only an agent wrote then waits for approval once its run has read private data. */
  web_fetch_hosts?: string[] | null
  /**
   * Actions that are sensitive whatever their connector says.
   *
   *
   * Items: `<connector>.<action>`.
   */
  sensitive_actions?: string[]
  /** Rules about agents' calls, in order: the first match decides instead of the workflow's `approvals`. `approvals_floor` cannot be lowered. */
  rules?: Rule[]
  /** Maximum emails that agents may send per day (UTC); null sets no limit. */
  mails_a_day?: number | null
}

/** The fields to update. */
export interface UpdateSchedule {
  /** Display name; the workflow's name by default, not blank. */
  name?: string
  /** Workflow to run. */
  workflow_id?: string
  /** Version of the workflow; null for the live one at that time. */
  version?: number | null
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`, or a word such as `@daily`. Setting one of `cron`, `every_seconds` and `at` replaces the other two. */
  cron?: string | null
  /** IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default. */
  time_zone?: string
  /** Interval in seconds, counted from when it was set. */
  every_seconds?: number | null
  /** One time, in the future. */
  at?: string | null
  /** The last time at which it may fire; null for no end. */
  ends_at?: string | null
  /** Spreads starts: each is delayed by up to this time, always equally for the same firing. */
  jitter_seconds?: number
  /** Input of each run, a Liquid template: `{{ scheduled_at }}`, `{{ schedule.name }}`, `{{ last_run.output }}`. Required without `data`. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates like `input`. */
  data?: {
    [k: string]: unknown
  } | null
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /** What happens if the previous run is unfinished: the new one is skipped, waits for it, replaces it, or runs beside it. */
  overlap?: 'skip' | 'queue' | 'cancel_previous' | 'allow'
  /** Which firings start late after a time without workers: none, the last one due, or all. The others are `missed`. A firing up to two minutes late starts in any case. */
  catch_up?: 'none' | 'last' | 'all'
  /** How late a run may start; 3,600 by default. */
  catch_up_seconds?: number
  /** Pauses the schedule after this many failed runs in a row; null means never. */
  pause_after_failures?: number | null
  /** Your own unique identifier. Creating a schedule with an existing key updates that one, so a file can be applied again. */
  key?: string | null
  /** A paused schedule does not fire; missed firings are not caught up. */
  status?: 'active' | 'paused'
}

/** The fields to update. */
export interface UpdateThread {
  /** Title; null for none. */
  title?: string | null
  /** Labels for finding runs and grouping usage: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /** A closed thread accepts no messages. */
  status?: 'open' | 'closed'
}

/** A new role, which ends the person's sessions in the account, or a new address. */
export interface UpdateUser {
  /** The person's role in the account. */
  role?: 'viewer' | 'approver' | 'member' | 'admin'
  /** Email address; compared without case. */
  email?: string
}

/** The fields to update. */
export interface UpdateView {
  /** Display name, unique in the account, not blank. */
  name?: string
  filters?: ViewFilters
}

/** The fields to update. */
export interface UpdateWebhook {
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url?: string
  /** Display name. */
  description?: string | null
  /**
   * Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is subscribed to, and as `run.failed` otherwise.
   *
   *
   * Items: An event type.
   */
  events?: (
    | 'run.started'
    | 'run.completed'
    | 'run.failed'
    | 'run.waiting_input'
    | 'run.cancelled'
    | 'tool.requested'
    | 'batch.completed'
    | 'thread.message'
    | 'budget.threshold'
    | 'budget.reached'
    | 'schedule.missed'
  )[]
  /** Only runs of this workflow are delivered; null means all. */
  workflow_id?: string | null
  /** False pauses deliveries; true resets the failures. */
  active?: boolean
}

/** The fields to update. */
export interface UpdateWorkflow {
  /** Name of the workflow. */
  name?: string
  /** Description. */
  description?: string | null
  /** Model of agents that set none; null always uses the server's current default. */
  model?: string | null
  /**
   * Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** The agents, in order of execution. */
  crew?: CrewEntry[]
  /** JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none. */
  input_schema?: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles have memory across runs. */
  memory_enabled?: boolean
  /** Makes the workflow a tool of the MCP server at `/mcp`; null ends that. The `input_schema` may then not have the properties `wait_seconds` and `thread`, which the tool has itself. */
  expose_mcp?: {
    /** Name of the tool, unique in the account; made of the name of the workflow by default. */
    name?: string
    /** What models read about the tool. */
    description?: string | null
  } | null
  /** How turns of threads see the earlier ones; omitted fields get their default. Null for no threads. */
  thread?: {
    /** What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing. */
    context?: 'transcript' | 'last_output' | 'none'
    /** Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary. */
    max_tokens?: number
    /** Model that writes summaries; null for the model of the workflow. */
    summary_model?: string | null
  } | null
  /** Omitted fields keep their value, or their default. */
  human_in_the_loop?: {
    /** Whether runs may pause for a human. */
    enabled?: boolean
    /** Whether agents may ask questions. */
    allow_input?: boolean
    /** Which actions wait for approval: sensitive ones, all, or none. */
    approvals?: 'sensitive' | 'all' | 'never'
    /** How long one pause may last, in seconds; null means no limit. */
    timeout_seconds?: number | null
    /** What happens on a timeout: the run fails, or continues as if the action was rejected. */
    on_timeout?: 'fail' | 'reject'
    /** Who may answer. Replaced as a whole: an omitted list is empty. */
    approvers?: {
      /**
       * People of the account, by id.
       *
       *
       * Items: A user id.
       */
      users?: string[]
      /**
       * Roles, of people and keys.
       *
       *
       * Items: A role.
       */
      roles?: ('approver' | 'member' | 'admin')[]
    }
    /** How many different people have to approve an action. Above 1, keys do not count. */
    required_approvals?: number
    /** Channels send one reminder of a request that waits this long. null means never. */
    remind_after_minutes?: number | null
    /** A request that waits this long is escalated once, to `escalate_to`. It keeps waiting. null means never. */
    escalate_after_minutes?: number | null
    /** Who is notified when a request escalates. Replaced as a whole: an omitted list is empty. */
    escalate_to?: {
      /**
       * People of the account, by id.
       *
       *
       * Items: A user id.
       */
      users?: string[]
      /**
       * Roles, of people and keys.
       *
       *
       * Items: A role.
       */
      roles?: ('approver' | 'member' | 'admin')[]
    }
  }
  /** Omitted fields keep their value, or their default. */
  limits?: {
    /** Maximum model turns of one step. */
    max_turns_per_step?: number
    /** Maximum run time in seconds; waiting for a human or a worker does not count. */
    max_run_seconds?: number
    /** How long a run is held during a provider outage before it fails; this time counts towards no other limit. */
    max_outage_seconds?: number
    /** Maximum cost of one run in US dollars; null means no limit. */
    max_cost_usd?: number | null
    /** `fail`: a run that exceeds `max_cost_usd` fails. `ask`: it pauses before the call that would exceed it, and a person may allow a higher cost. */
    on_cost?: 'fail' | 'ask'
  }
  /** A paused workflow accepts no new runs. */
  status?: 'active' | 'paused'
  /** Whether `model` is the server's current default. Setting it to true is the same as `model` null; setting it to false pins the current model. */
  model_inherited?: boolean
  /** Create a version that is not live: runs use it if they are triggered with its number, or once it is published. `last_version` is its number. */
  draft?: boolean
  /** Note on the version, shown in the history. */
  note?: string | null
}

/** The file to upload. */
export interface UploadFile {
  /** The file with its name, up to 32 MB. */
  file: string
}

/** Usage of one day, workflow, agent, model, thread or tag. */
export interface Usage {
  /** Only when grouped by day: the day, in UTC. */
  day?: string
  /** Only when grouped by workflow: its id. */
  workflow?: string
  /** Only when grouped by agent: its id, null for steps without an agent. */
  agent?: string | null
  /** Only when grouped by model: its id. */
  model?: string
  /** Only when grouped by thread: its id. */
  thread?: string
  /** Only when grouped by a tag: its value. */
  tag?: string
  /** Only when grouped by workflow, agent or thread: its name or title, null if it has none or was deleted. */
  name?: string | null
  /** Runs that ended. Null by agent or model, because a run may have several. */
  runs: number | null
  /** Of these, completed. Null by agent or model, because a run may have several. */
  completed: number | null
  /** Of these, failed. Null by agent or model, because a run may have several. */
  failed: number | null
  /** Of these, cancelled. Null by agent or model, because a run may have several. */
  cancelled: number | null
  /** Steps that ended, without those kept by a retry. */
  steps: number
  /** Input tokens of these steps. */
  tokens_in: number
  /** Output tokens of these steps. */
  tokens_out: number
  /** Cost of these steps in US dollars. */
  cost_usd: number
  /** Median duration in milliseconds, within 5 %: of finished runs, without waiting time; by agent or model, of the steps. Null without any. */
  duration_p50_ms: number | null
  /** 95th percentile of the duration in milliseconds, within 5 %: of finished runs, without waiting time; by agent or model, of the steps. Null without any. */
  duration_p95_ms: number | null
  /** Model calls of these steps with a model whose price is unknown; `cost_usd` counts them as 0. */
  calls_without_price: number
}

export interface UsageListQuery {
  /** Maximum rows of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** First day, in UTC, such as 2026-11-01; 29 days before the last one by default. */
  from?: string
  /** Day after the last one, up to 400 days later; tomorrow by default. */
  to?: string
  /** `day` (default), `workflow`, `agent`, `model`, `thread`, or `tag:` and a key. */
  group_by?: string
  /** Only runs of this workflow and their steps; only by day. */
  workflow_id?: string
}

/** A person of the account. */
export interface User {
  /** User id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** Name shown to others, not blank. */
  name: string
  /** The person's role in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** When the user joined the account. */
  created_at: string
  /** Last sign-in to any account. */
  last_signed_in_at: string | null
  /** The person's identity at the provider; null before the first sign-in there. */
  identity: {
    /** The OpenID Connect provider. */
    issuer: string
    /** The person's id at the provider. */
    subject: string
  } | null
}

export interface UsersListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A version of a workflow or an agent, without its definition. */
export interface Version {
  /** Its number, from 1. */
  version: number
  /** `live`: used by runs. `draft`: never live. `earlier`: live before. */
  state: 'live' | 'draft' | 'earlier'
  /** Who created it; null if unknown. */
  author: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** The author's note, if any. */
  note: string | null
  /** The version that was live when it was created; null for the first. */
  base_version: number | null
  /** Fields that differ from `base_version`, up to 50. */
  changed: string[]
  /** When it was created. */
  created_at: string
  /** When it last went live; null for a draft. */
  published_at: string | null
}

/** What differs between two versions. */
export interface VersionDiff {
  /** Its number, from 1. */
  from: number
  /** Its number, from 1. */
  to: number
  /**
   * Fields that differ, in the order of the definition.
   *
   * Items: A field that differs.
   */
  changes: {
    /** Path of the field, such as `crew[1].systemPrompt`, with positions after the change, or before it if an agent was removed. */
    field: string
    /** Role of the crew's agent; null for other fields. */
    agent: string | null
    /** Its value before; null if it had none. */
    before: {
      [k: string]: unknown
    }
    /** Its value after; null if it has none. */
    after: {
      [k: string]: unknown
    }
    /** Differences of texts word by word, of schemas line by line; one part for each side if they have little in common. Null for other values. */
    parts:
      | {
          /** Whether the text is in both, or only before or after. */
          kind: 'same' | 'removed' | 'added'
          /** A part of the text. */
          text: string
        }[]
      | null
  }[]
}

/** Filters of the list of runs, saved under a name. */
export interface View {
  /** View id. */
  id: string
  /** Display name, unique in the account, not blank. */
  name: string
  filters: ViewFilters
  /** Who created it. */
  created_by: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

export interface ViewsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** A run that waits for a human. */
export interface WaitingRun {
  /** The run that waits. */
  run_id: string
  /** Its workflow. */
  workflow_id: string
  /** Name of the workflow. */
  workflow_name: string
  /** The first 120 characters of the run's input, on one line. */
  input_preview: string
  /** The waiting request. */
  pending: Pending
}

/** The available ways to sign in. */
export interface WaysIn {
  /** Whether people can sign in with a password. */
  password: boolean
  /** Whether an OpenID Connect provider is configured. */
  oidc: boolean
  /** URL at which a browser starts signing in through the provider, under `MUSTER_PUBLIC_URL`; null if none is configured. */
  oidc_url: string | null
  /** Whether a forgotten password can be reset by email. */
  password_reset: boolean
  /** Whether no user exists yet: the link printed at the first start creates the first admin. */
  setup_required: boolean
}

/** The delivery of one event to one endpoint. */
export interface WebhookDelivery {
  /** Delivery id. */
  id: string
  /** Event id, sent as `webhook-id` by every attempt. */
  event_id: string
  /** Event type; `webhook.test` for a test event. */
  event_type: string
  /** The run; null if the event is not about a single run. */
  run_id: string | null
  /** The workflow of the run or batch; null for events that are about none. */
  workflow: {
    /** Workflow id. */
    id: string
    /** Its name when the event happened; null if it had been deleted. */
    name: string | null
  } | null
  /** Status of the delivery. */
  status: 'pending' | 'succeeded' | 'failed'
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[]
  /** When it is tried next; null if there are no more attempts. */
  next_attempt_at: string | null
  /** When the event happened. */
  created_at: string
}

/** A delivery with its body. */
export interface WebhookDeliveryWithBody {
  /** Delivery id. */
  id: string
  /** Event id, sent as `webhook-id` by every attempt. */
  event_id: string
  /** Event type; `webhook.test` for a test event. */
  event_type: string
  /** The run; null if the event is not about a single run. */
  run_id: string | null
  /** The workflow of the run or batch; null for events that are about none. */
  workflow: {
    /** Workflow id. */
    id: string
    /** Its name when the event happened; null if it had been deleted. */
    name: string | null
  } | null
  /** Status of the delivery. */
  status: 'pending' | 'succeeded' | 'failed'
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[]
  /** When it is tried next; null if there are no more attempts. */
  next_attempt_at: string | null
  /** When the event happened. */
  created_at: string
  /** The exact JSON that every attempt sends. */
  body: string
}

/** A URL that receives signed events. */
export interface WebhookEndpoint {
  /** Endpoint id. */
  id: string
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url: string
  /** Display name. */
  description: string | null
  /**
   * Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is subscribed to, and as `run.failed` otherwise.
   *
   *
   * Items: An event type.
   */
  events: (
    | 'run.started'
    | 'run.completed'
    | 'run.failed'
    | 'run.waiting_input'
    | 'run.cancelled'
    | 'tool.requested'
    | 'batch.completed'
    | 'thread.message'
    | 'budget.threshold'
    | 'budget.reached'
    | 'schedule.missed'
  )[]
  /** Only runs of this workflow are delivered; null means all. */
  workflow_id: string | null
  /** An inactive endpoint receives nothing. */
  active: boolean
  /** Events that failed every attempt since the last success. */
  consecutive_failures: number
  /** When the endpoint was disabled automatically. */
  disabled_at: string | null
  /** Why it was disabled automatically. */
  disabled_reason: string | null
  /** Most recent attempt. */
  last_delivery_at: string | null
  /** HTTP status of that attempt; 0 means no response. */
  last_delivery_status: number | null
  /** When the endpoint was created. */
  created_at: string
  /** When the endpoint was last changed. */
  updated_at: string
}

/** An endpoint with its signing secret. */
export interface WebhookEndpointWithSecret {
  /** Endpoint id. */
  id: string
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url: string
  /** Display name. */
  description: string | null
  /**
   * Subscribed event types; duplicates are ignored. A cancelled run is sent as `run.cancelled` if that is subscribed to, and as `run.failed` otherwise.
   *
   *
   * Items: An event type.
   */
  events: (
    | 'run.started'
    | 'run.completed'
    | 'run.failed'
    | 'run.waiting_input'
    | 'run.cancelled'
    | 'tool.requested'
    | 'batch.completed'
    | 'thread.message'
    | 'budget.threshold'
    | 'budget.reached'
    | 'schedule.missed'
  )[]
  /** Only runs of this workflow are delivered; null means all. */
  workflow_id: string | null
  /** An inactive endpoint receives nothing. */
  active: boolean
  /** Events that failed every attempt since the last success. */
  consecutive_failures: number
  /** When the endpoint was disabled automatically. */
  disabled_at: string | null
  /** Why it was disabled automatically. */
  disabled_reason: string | null
  /** Most recent attempt. */
  last_delivery_at: string | null
  /** HTTP status of that attempt; 0 means no response. */
  last_delivery_status: number | null
  /** When the endpoint was created. */
  created_at: string
  /** When the endpoint was last changed. */
  updated_at: string
  /** Signing secret, shown only once. */
  secret: string
}

export interface WebhooksDeliveriesQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only deliveries in this status. */
  status?: 'pending' | 'succeeded' | 'failed'
}

export interface WebhooksListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

/** The worker processes. */
export interface Workers {
  /** Worker processes seen within the last 18 seconds. */
  alive: number
  /** When a worker was last seen; null if none is known. */
  last_seen_at: string | null
}

/** A reusable, ordered crew. */
export interface Workflow {
  /** Workflow id. */
  id: string
  /** Name of the workflow. */
  name: string
  /** Description. */
  description: string | null
  /** Model of agents that set none; the server's current default if it is inherited. */
  model: string
  /**
   * Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** The agents, in order of execution. */
  crew: CrewEntry[]
  /** JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none. */
  input_schema: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles have memory across runs. */
  memory_enabled: boolean
  /** The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none. */
  expose_mcp: {
    /** Name of the tool. */
    name: string
    /** What models read about the tool; null for the workflow's description. */
    description: string | null
  } | null
  /** How turns of threads see the earlier ones; null if the workflow takes no threads. */
  thread: {
    /** What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing. */
    context: 'transcript' | 'last_output' | 'none'
    /** Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary. */
    max_tokens: number
    /** Model that writes summaries; null for the model of the workflow. */
    summary_model: string | null
  } | null
  /** Whether `model` is the server's current default. Setting it to true is the same as `model` null; setting it to false pins the current model. */
  model_inherited: boolean
  /**
   * Current warnings, such as what it still needs before it can do its work; usually empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `action_refused`: an agent has an action that needs approval, but the workflow's runs may not pause, so it will be refused. `action_unavailable`: an agent has an action that cannot be called, because its connector is not connected or the tool changed. `placeholder_left`: a text of a template, such as `#CHANNEL`, still has to be replaced. `demo_model`: the offline stand-in is used although a provider has a key. `model_ends`: a model shuts down within 90 days, or has shut down. `model_unavailable`: a model has no key here, or was removed; runs fail there. More codes may be added. */
    code:
      | 'action_refused'
      | 'action_unavailable'
      | 'demo_model'
      | 'model_ends'
      | 'model_unavailable'
      | 'placeholder_left'
    /** The warning as text. */
    message: string
  }[]
  /** A paused workflow accepts no new runs. */
  status: 'active' | 'paused'
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  /** The live version: its number, and the `ETag`. */
  version: number
  /** The newest version; a draft if it was never published. */
  last_version: number
  /** When the workflow was created. */
  created_at: string
  /** When the workflow was last changed. */
  updated_at: string
}

/** The definition in a version of a workflow; it can be sent as an update. */
export interface WorkflowDefinition {
  /** Name of the workflow. */
  name: string
  /** Description. */
  description: string | null
  /** Model of agents that set none; null uses the server's default. */
  model: string | null
  /**
   * Fallback models, tried in order while the provider of an agent's model is unavailable. An agent's own list takes precedence.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** The agents, in order of execution. */
  crew: CrewEntry[]
  /** JSON Schema of a run's `data`, up to 32 KB, with an object at its root; null for none. */
  input_schema: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles have memory across runs. */
  memory_enabled: boolean
  /** The tool of the MCP server at `/mcp` that runs the workflow while it is active; null for none. */
  expose_mcp: {
    /** Name of the tool. */
    name: string
    /** What models read about the tool; null for the workflow's description. */
    description: string | null
  } | null
  /** How turns of threads see the earlier ones; null if the workflow takes no threads. */
  thread: {
    /** What the first agent of a turn is sent of the earlier ones: `transcript`, their messages and final outputs; `last_output`, the newest output alone; `none`, nothing. */
    context: 'transcript' | 'last_output' | 'none'
    /** Maximum size of that, in estimated tokens. Turns that do not fit are folded into a summary. */
    max_tokens: number
    /** Model that writes summaries; null for the model of the workflow. */
    summary_model: string | null
  } | null
  human_in_the_loop: HumanInTheLoop
  limits: Limits
}

/** A version with its definition. */
export interface WorkflowVersion {
  /** Its number, from 1. */
  version: number
  /** `live`: used by runs. `draft`: never live. `earlier`: live before. */
  state: 'live' | 'draft' | 'earlier'
  /** Who created it; null if unknown. */
  author: {
    /** `system` is the service itself, for the schedule, hook or batch in `id`. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** The author's note, if any. */
  note: string | null
  /** The version that was live when it was created; null for the first. */
  base_version: number | null
  /** Fields that differ from `base_version`, up to 50. */
  changed: string[]
  /** When it was created. */
  created_at: string
  /** When it last went live; null for a draft. */
  published_at: string | null
  definition: WorkflowDefinition
}

export interface WorkflowsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}

export interface WorkflowsMemoryListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
  /** Only entries that share a word with this text, best match first, on one page. */
  q?: string
  /** Only entries of this role. */
  role?: string
}

export interface WorkflowsVersionsDiffQuery {
  /** Number of the other version. */
  to?: number
}

export interface WorkflowsVersionsListQuery {
  /** Maximum items of this page. */
  limit?: number
  /** Cursor of the previous page, from its `Link` header. */
  after?: string
}
export class AccountResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the account of a key. The account that the key belongs to. */
  retrieve(options: RequestOptions = {}): Promise<Account> {
    return this.transport.data({ method: 'GET', path: '/v1/account' }, options)
  }

  /** Rename the account. Changes its name, which people see in the console and in messages. */
  update(body: RenameAccount, options: RequestOptions = {}): Promise<AccountName> {
    return this.transport.data({ method: 'PATCH', path: '/v1/account', body }, options)
  }
}

export class WorkersResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the number of workers. Workers serve all accounts. Without any, runs stay queued until one starts. */
  retrieve(options: RequestOptions = {}): Promise<Workers> {
    return this.transport.data({ method: 'GET', path: '/v1/workers' }, options)
  }
}

export class ApiKeysResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List API keys. Newest first; 100 by default. */
  list(options: ApiKeysListQuery & RequestOptions = {}): Promise<Page<ApiKey>> {
    return this.transport.page({ method: 'GET', path: '/v1/api-keys', query: queryOf(options) }, options)
  }

  /** Create an API key. The key is returned only in this response. */
  create(body: CreateApiKey, options: RequestOptions = {}): Promise<CreatedApiKey> {
    return this.transport.data({ method: 'POST', path: '/v1/api-keys', body }, options)
  }

  /** Revoke an API key. It stops working at once, on every process. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/api-keys/${encodeURIComponent(id)}` }, options)
  }
}

export class AuditResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List who changed what. Newest first; 50 by default. As JSON Lines with `Accept: application/x-ndjson`, as CSV with `Accept: text/csv`. */
  list(options: AuditListQuery & RequestOptions = {}): Promise<Page<AuditEntry>> {
    return this.transport.page({ method: 'GET', path: '/v1/audit', query: queryOf(options) }, options)
  }
}

export class WorkflowsResource {
  protected readonly transport: Transport
  readonly versions: WorkflowsVersionsResource
  readonly memory: WorkflowsMemoryResource

  constructor(transport: Transport) {
    this.transport = transport
    this.versions = new WorkflowsVersionsResource(transport)
    this.memory = new WorkflowsMemoryResource(transport)
  }

  /** List workflows. All of the account, most recently updated first. */
  list(options: WorkflowsListQuery & RequestOptions = {}): Promise<Page<Workflow>> {
    return this.transport.page({ method: 'GET', path: '/v1/workflows', query: queryOf(options) }, options)
  }

  /** Create a workflow. Without `crew` it gets a planner and a writer. */
  create(body: CreateWorkflow, options: RequestOptions = {}): Promise<CreatedWorkflow> {
    return this.transport.data({ method: 'POST', path: '/v1/workflows', body }, options)
  }

  /** Retrieve a workflow. The live version, with its crew and warnings. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Workflow> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(id)}` }, options)
  }

  /** Update a workflow. Changes the given fields and creates a version; with `draft`, it does not go live. Runs that have begun keep their version. With `If-Match`, it is refused with 412 if another version has gone live. */
  update(id: string, body: UpdateWorkflow, options: RequestOptions = {}): Promise<Workflow> {
    return this.transport.data({ method: 'PATCH', path: `/v1/workflows/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a workflow. Refused while a run is unfinished. Its runs remain readable by id. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/workflows/${encodeURIComponent(id)}` }, options)
  }
}

export class WorkflowsVersionsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the versions of a workflow. Newest first, 50 a page by default. A workflow keeps its newest 10,000 versions, up to 32 MB of them. */
  list(workflowId: string, options: WorkflowsVersionsListQuery & RequestOptions = {}): Promise<Page<Version>> {
    return this.transport.page({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/versions`, query: queryOf(options) }, options)
  }

  /** Retrieve a version of a workflow. With its whole definition. */
  retrieve(workflowId: string, version: string, options: RequestOptions = {}): Promise<WorkflowVersion> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/versions/${encodeURIComponent(version)}` }, options)
  }

  /** Compare two versions of a workflow. Field by field, prompts word by word, from this version to another, by default the live one. */
  diff(workflowId: string, version: string, options: WorkflowsVersionsDiffQuery & RequestOptions = {}): Promise<VersionDiff> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/versions/${encodeURIComponent(version)}/diff`, query: queryOf(options) }, options)
  }

  /** Publish a version of a workflow. Makes a draft or an earlier version live. Its agents and models must still exist. Accepts `If-Match` like an update. */
  publish(workflowId: string, version: string, options: RequestOptions = {}): Promise<Workflow> {
    return this.transport.data({ method: 'POST', path: `/v1/workflows/${encodeURIComponent(workflowId)}/versions/${encodeURIComponent(version)}/publish` }, options)
  }
}

export class WorkflowsMemoryResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the memory of a workflow. Of all its roles or of one; newest first, 200 by default. */
  list(workflowId: string, options: WorkflowsMemoryListQuery & RequestOptions = {}): Promise<Page<MemoryEntry>> {
    return this.transport.page({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory`, query: queryOf(options) }, options)
  }

  /** Add to the memory of a role of a workflow. At 200 entries of the role, the oldest unpinned one is replaced. */
  create(workflowId: string, body: CreateWorkflowMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'POST', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory`, body }, options)
  }

  /** Retrieve a memory entry. One note, with where it comes from and when it was last used. */
  retrieve(workflowId: string, memoryId: string, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }

  /** Update a memory entry. Changes the given fields. */
  update(workflowId: string, memoryId: string, body: UpdateMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'PATCH', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory/${encodeURIComponent(memoryId)}`, body }, options)
  }

  /** Delete a memory entry. Later runs do not recall it. */
  delete(workflowId: string, memoryId: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }
}

export class RunsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Trigger a run. The run is stored before the response; execution begins afterwards. If a budget of the account, workflow or tag refuses further calls and is used up, the response is 409 `budget_reached`. */
  create(workflowId: string, body: CreateRun = {}, options: RunsCreateQuery & RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/workflows/${encodeURIComponent(workflowId)}/runs`, query: queryOf(options), body }, options)
  }

  /** List the runs of a workflow. Newest first, without steps; the 50 most recent by default. */
  list(workflowId: string, options: RunsListQuery & RequestOptions = {}): Promise<Page<Run>> {
    return this.transport.page({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/runs`, query: queryOf(options) }, options)
  }

  /** List the runs of the account. Over all workflows, newest first, without steps; filters can be combined. As a file of up to 10,000 rows with `Accept: text/csv` or `application/x-ndjson`. */
  list_all(options: RunsListAllQuery & RequestOptions = {}): Promise<Page<Run>> {
    return this.transport.page({ method: 'GET', path: '/v1/runs', query: queryOf(options) }, options)
  }

  /** Count the runs of each status. Over all workflows, with the filters of the list. Each count ends at 1,000 and says whether there are more. */
  counts(options: RunsCountsQuery & RequestOptions = {}): Promise<RunCounts> {
    return this.transport.data({ method: 'GET', path: '/v1/runs/counts', query: queryOf(options) }, options)
  }

  /** Retrieve a run with its steps. With `wait`, the response comes as soon as the run rests or ends, or when the time is over. */
  retrieve(id: string, options: RunsRetrieveQuery & RequestOptions = {}): Promise<RunWithSteps> {
    return this.transport.data({ method: 'GET', path: `/v1/runs/${encodeURIComponent(id)}`, query: queryOf(options) }, options)
  }

  /** List the turns of a step. The messages to and from the model, turn by turn, with the full results of its calls. Oldest first, 50 a page by default, and fewer if a page exceeds 4 MB. */
  turns(id: string, order: string, options: RunsTurnsQuery & RequestOptions = {}): Promise<Page<Turn>> {
    return this.transport.page({ method: 'GET', path: `/v1/runs/${encodeURIComponent(id)}/steps/${encodeURIComponent(order)}/turns`, query: queryOf(options) }, options)
  }

  /** Answer a waiting request. Answers a question or decides an approval: `approve` runs the action and the agent continues, `reject` skips it and tells the agent why. Only one answer counts; further ones get 409. Several calls of one turn are decided with `decisions`, together or one by one. */
  respond(id: string, body: RespondToRun = {}, options: RequestOptions = {}): Promise<RespondedRun> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/respond`, body }, options)
  }

  /** Cancel a run. Ends an unfinished run; a finished one is returned unchanged. */
  cancel(id: string, options: RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/cancel` }, options)
  }

  /** Retry a failed run. Creates a new run that keeps the finished steps and repeats the failed one, with the workflow's live version, whatever version the failed run had. */
  retry(id: string, options: RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/retry` }, options)
  }

  /** Fork a run from a step. Creates a new run that copies the steps before `from_step` of a run that has ended or waits, with the given `outputs` replaced, and executes the rest. The executed steps start from scratch: approvals are requested again, and an action is repeated only if an agent requests it again. */
  fork(id: string, body: ForkRun, options: RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/fork`, body }, options)
  }

  /** Preview a fork. The steps that it would execute, and the actions that it may repeat. Nothing is started. */
  preview_fork(id: string, body: ForkRun, options: RequestOptions = {}): Promise<ForkPreview> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/fork/preview`, body }, options)
  }

  /** Compare two runs. Side by side: inputs and outputs word by word, tokens, cost, time and calls. */
  compare(id: string, other: string, options: RequestOptions = {}): Promise<RunComparison> {
    return this.transport.data({ method: 'GET', path: `/v1/runs/${encodeURIComponent(id)}/compare/${encodeURIComponent(other)}` }, options)
  }
}

export class PendingResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List waiting requests. Every waiting request of the account, oldest first; 100 a page by default. Filters can be combined. */
  list(options: PendingListQuery & RequestOptions = {}): Promise<Page<WaitingRun>> {
    return this.transport.page({ method: 'GET', path: '/v1/pending', query: queryOf(options) }, options)
  }

  /** Retrieve a waiting request. With its assignee, notifications and failed deliveries. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Case> {
    return this.transport.data({ method: 'GET', path: `/v1/pending/${encodeURIComponent(id)}` }, options)
  }

  /** Assign a request to a person. Other approvers can still answer. The assignee is notified by email if an email channel covers the workflow. */
  assign(id: string, body: AssignCase, options: RequestOptions = {}): Promise<Case> {
    return this.transport.data({ method: 'PUT', path: `/v1/pending/${encodeURIComponent(id)}/assignee`, body }, options)
  }

  /** List the comments on a request. Newest first; the 50 most recent by default. Also available once the request is decided. */
  comments(id: string, options: PendingCommentsQuery & RequestOptions = {}): Promise<Page<Comment>> {
    return this.transport.page({ method: 'GET', path: `/v1/pending/${encodeURIComponent(id)}/comments`, query: queryOf(options) }, options)
  }

  /** Comment on a request. For other people: agents do not see it, and it does not answer the request. */
  comment(id: string, body: CreateComment, options: RequestOptions = {}): Promise<Comment> {
    return this.transport.data({ method: 'POST', path: `/v1/pending/${encodeURIComponent(id)}/comments`, body }, options)
  }
}

export class BatchesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List batches. Newest first, 50 a page by default. */
  list(options: BatchesListQuery & RequestOptions = {}): Promise<Page<Batch>> {
    return this.transport.page({ method: 'GET', path: '/v1/batches', query: queryOf(options) }, options)
  }

  /** Retrieve a batch. Its progress, at most a few seconds old. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Batch> {
    return this.transport.data({ method: 'GET', path: `/v1/batches/${encodeURIComponent(id)}` }, options)
  }

  /** List the items of a batch. In their order, 50 a page by default. */
  items(id: string, options: BatchesItemsQuery & RequestOptions = {}): Promise<Page<BatchItem>> {
    return this.transport.page({ method: 'GET', path: `/v1/batches/${encodeURIComponent(id)}/items`, query: queryOf(options) }, options)
  }

  /** Cancel a batch. No further item starts, and runs in progress are cancelled. */
  cancel(id: string, options: RequestOptions = {}): Promise<Batch> {
    return this.transport.data({ method: 'POST', path: `/v1/batches/${encodeURIComponent(id)}/cancel` }, options)
  }

  /** Retry the failed items. Each failed item is retried like a run: it keeps its finished steps and uses the current workflow. */
  retry_failed(id: string, options: RequestOptions = {}): Promise<Batch> {
    return this.transport.data({ method: 'POST', path: `/v1/batches/${encodeURIComponent(id)}/retry-failed` }, options)
  }

  /** Start a batch. Items as JSON (up to 8 MB), or as the whole body in JSON Lines (`application/x-ndjson`, one item per line) or CSV (`text/csv`, columns are fields of `data`; comma, semicolon or tab), up to 32 MB, with the other fields in the query. All items are validated before the first run starts. */
  create(workflowId: string, body: CreateBatch = {}, options: BatchesCreateQuery & RequestOptions = {}): Promise<BatchOrEstimate> {
    return this.transport.data({ method: 'POST', path: `/v1/workflows/${encodeURIComponent(workflowId)}/batches`, query: queryOf(options), body }, options)
  }
}

export class ThreadsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a thread. A conversation with a workflow whose `thread` is set. With a `key` that a thread of the workflow has, that thread is returned, with status 200. */
  create(body: CreateThread, options: RequestOptions = {}): Promise<Thread> {
    return this.transport.data({ method: 'POST', path: '/v1/threads', body }, options)
  }

  /** List threads. Most recently changed first, 50 a page by default. Filters can be combined. */
  list(options: ThreadsListQuery & RequestOptions = {}): Promise<Page<Thread>> {
    return this.transport.page({ method: 'GET', path: '/v1/threads', query: queryOf(options) }, options)
  }

  /** Retrieve a thread. With what it has cost, and what it waits for. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Thread> {
    return this.transport.data({ method: 'GET', path: `/v1/threads/${encodeURIComponent(id)}` }, options)
  }

  /** Update a thread. Changes its title or tags, closes it, or opens it again. */
  update(id: string, body: UpdateThread, options: RequestOptions = {}): Promise<Thread> {
    return this.transport.data({ method: 'PATCH', path: `/v1/threads/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a thread. Deletes its messages, its summaries and the runs of its turns. 409 while a turn is in progress. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/threads/${encodeURIComponent(id)}` }, options)
  }

  /** Send a message. Its turn begins after those of the messages before it. Up to 20 messages wait beside the turn in progress. A message never answers a waiting request. */
  send(id: string, body: CreateMessage = {}, options: ThreadsSendQuery & RequestOptions = {}): Promise<ThreadMessage> {
    return this.transport.data({ method: 'POST', path: `/v1/threads/${encodeURIComponent(id)}/messages`, query: queryOf(options), body }, options)
  }

  /** List the messages of a thread. By turn, the message before its answer, 50 a page by default; or with `order=desc` the newest first. */
  messages(id: string, options: ThreadsMessagesQuery & RequestOptions = {}): Promise<Page<ThreadMessage>> {
    return this.transport.page({ method: 'GET', path: `/v1/threads/${encodeURIComponent(id)}/messages`, query: queryOf(options) }, options)
  }

  /** Stop the turn in progress. Cancels the run of the turn in progress. Messages that wait for their turn are kept, and go on, unless `queued` is `cancel`. */
  stop(id: string, body: StopThread = {}, options: RequestOptions = {}): Promise<Thread> {
    return this.transport.data({ method: 'POST', path: `/v1/threads/${encodeURIComponent(id)}/stop`, body }, options)
  }

  /** List the summaries of a thread. Newest first, 50 a page by default. */
  summaries(id: string, options: ThreadsSummariesQuery & RequestOptions = {}): Promise<Page<ThreadSummary>> {
    return this.transport.page({ method: 'GET', path: `/v1/threads/${encodeURIComponent(id)}/summaries`, query: queryOf(options) }, options)
  }
}

export class BulkOperationsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Cancel or retry many runs. Applies to the runs that match now, up to 10,000. With `dry_run`, they are only counted. Retrying skips runs that were already retried. */
  create(body: CreateBulkOperation, options: RequestOptions = {}): Promise<BulkOperation> {
    return this.transport.data({ method: 'POST', path: '/v1/runs/bulk', body }, options)
  }

  /** Retrieve a bulk operation. Its progress, and the runs that were skipped with the reasons. */
  retrieve(id: string, options: RequestOptions = {}): Promise<BulkOperation> {
    return this.transport.data({ method: 'GET', path: `/v1/bulk-operations/${encodeURIComponent(id)}` }, options)
  }
}

export class BudgetsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List budgets. Newest first, all of them by default, each with its current window. */
  list(options: BudgetsListQuery & RequestOptions = {}): Promise<Page<Budget>> {
    return this.transport.page({ method: 'GET', path: '/v1/budgets', query: queryOf(options) }, options)
  }

  /** Create a budget. An account has up to 50. Earlier costs of the current window count, from daily totals in UTC. */
  create(body: CreateBudget, options: RequestOptions = {}): Promise<Budget> {
    return this.transport.data({ method: 'POST', path: '/v1/budgets', body }, options)
  }

  /** Retrieve a budget. With the amount spent in its current window. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Budget> {
    return this.transport.data({ method: 'GET', path: `/v1/budgets/${encodeURIComponent(id)}` }, options)
  }

  /** Update a budget. Changes the given fields; held runs check again within a minute. */
  update(id: string, body: UpdateBudget, options: RequestOptions = {}): Promise<Budget> {
    return this.transport.data({ method: 'PATCH', path: `/v1/budgets/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a budget. Its open requests are closed, and the runs that it holds go on. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/budgets/${encodeURIComponent(id)}` }, options)
  }
}

export class AgentsResource {
  protected readonly transport: Transport
  readonly versions: AgentsVersionsResource
  readonly memory: AgentsMemoryResource

  constructor(transport: Transport) {
    this.transport = transport
    this.versions = new AgentsVersionsResource(transport)
    this.memory = new AgentsMemoryResource(transport)
  }

  /** List agents. All of the account, newest first. */
  list(options: AgentsListQuery & RequestOptions = {}): Promise<Page<Agent>> {
    return this.transport.page({ method: 'GET', path: '/v1/agents', query: queryOf(options) }, options)
  }

  /** Create an agent. An account has up to 1,000. */
  create(body: CreateAgent, options: RequestOptions = {}): Promise<Agent> {
    return this.transport.data({ method: 'POST', path: '/v1/agents', body }, options)
  }

  /** Retrieve an agent. The live version. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Agent> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(id)}` }, options)
  }

  /** Update an agent. Changes the given fields and creates a version; the next run of every linked workflow uses it. With `draft`, it does not go live. With `If-Match`, it is refused with 412 if another version has gone live. */
  update(id: string, body: UpdateAgent, options: RequestOptions = {}): Promise<Agent> {
    return this.transport.data({ method: 'PATCH', path: `/v1/agents/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete an agent. Deletes its memory too. Workflows that link it run the step from their own entry, without tools or memory. Runs are kept. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/agents/${encodeURIComponent(id)}` }, options)
  }
}

export class AgentsVersionsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the versions of an agent. Newest first, 50 a page by default. An agent keeps its newest 10,000 versions, up to 32 MB of them. */
  list(agentId: string, options: AgentsVersionsListQuery & RequestOptions = {}): Promise<Page<Version>> {
    return this.transport.page({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/versions`, query: queryOf(options) }, options)
  }

  /** Retrieve a version of an agent. With its whole definition. */
  retrieve(agentId: string, version: string, options: RequestOptions = {}): Promise<AgentVersion> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/versions/${encodeURIComponent(version)}` }, options)
  }

  /** Compare two versions of an agent. Field by field, prompts word by word, from this version to another, by default the live one. */
  diff(agentId: string, version: string, options: AgentsVersionsDiffQuery & RequestOptions = {}): Promise<VersionDiff> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/versions/${encodeURIComponent(version)}/diff`, query: queryOf(options) }, options)
  }

  /** Publish a version of an agent. Makes a draft or an earlier version live. Its models, connectors and capabilities must still exist. Accepts `If-Match` like an update. */
  publish(agentId: string, version: string, options: RequestOptions = {}): Promise<Agent> {
    return this.transport.data({ method: 'POST', path: `/v1/agents/${encodeURIComponent(agentId)}/versions/${encodeURIComponent(version)}/publish` }, options)
  }
}

export class AgentsMemoryResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the memory of an agent. Newest first; all of it, or the best matches of `q`. */
  list(agentId: string, options: AgentsMemoryListQuery & RequestOptions = {}): Promise<Page<MemoryEntry>> {
    return this.transport.page({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/memory`, query: queryOf(options) }, options)
  }

  /** Add to the memory of an agent. At 200 entries, the oldest unpinned one is replaced. */
  create(agentId: string, body: CreateAgentMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'POST', path: `/v1/agents/${encodeURIComponent(agentId)}/memory`, body }, options)
  }

  /** Retrieve a memory entry. One note, with where it comes from and when it was last used. */
  retrieve(agentId: string, memoryId: string, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }

  /** Update a memory entry. Changes the given fields. */
  update(agentId: string, memoryId: string, body: UpdateMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'PATCH', path: `/v1/agents/${encodeURIComponent(agentId)}/memory/${encodeURIComponent(memoryId)}`, body }, options)
  }

  /** Delete a memory entry. Later runs do not recall it. */
  delete(agentId: string, memoryId: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/agents/${encodeURIComponent(agentId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }
}

export class WebhooksResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a webhook endpoint. The signing secret is returned only in this response. An account has up to 20. */
  create(body: CreateWebhook, options: RequestOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.transport.data({ method: 'POST', path: '/v1/webhooks', body }, options)
  }

  /** List webhook endpoints. All of the account, newest first, without secrets. */
  list(options: WebhooksListQuery & RequestOptions = {}): Promise<Page<WebhookEndpoint>> {
    return this.transport.page({ method: 'GET', path: '/v1/webhooks', query: queryOf(options) }, options)
  }

  /** Retrieve a webhook endpoint. Its address, events and state; never its secret. */
  retrieve(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.transport.data({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(id)}` }, options)
  }

  /** Update a webhook endpoint. Reactivating it resets its failures; pending deliveries continue. */
  update(id: string, body: UpdateWebhook, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.transport.data({ method: 'PATCH', path: `/v1/webhooks/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a webhook endpoint. Deliveries stop at once, and their history is deleted. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/webhooks/${encodeURIComponent(id)}` }, options)
  }

  /** Rotate the signing secret. For 24 hours, requests are also signed with the old secret. */
  rotate_secret(id: string, options: RequestOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.transport.data({ method: 'POST', path: `/v1/webhooks/${encodeURIComponent(id)}/rotate-secret` }, options)
  }

  /** Send a test event. Sends one attempt of type `webhook.test`; its result is in the deliveries. */
  test(id: string, options: RequestOptions = {}): Promise<WebhookDelivery> {
    return this.transport.data({ method: 'POST', path: `/v1/webhooks/${encodeURIComponent(id)}/test` }, options)
  }

  /** List the deliveries of an endpoint. Newest first, with every attempt; the 50 most recent by default. */
  deliveries(id: string, options: WebhooksDeliveriesQuery & RequestOptions = {}): Promise<Page<WebhookDelivery>> {
    return this.transport.page({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries`, query: queryOf(options) }, options)
  }

  /** Retrieve a delivery with its body. The body exactly as it is sent. */
  delivery(id: string, deliveryId: string, options: RequestOptions = {}): Promise<WebhookDeliveryWithBody> {
    return this.transport.data({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}` }, options)
  }

  /** Send an event again. Sends it at once, whatever its status. */
  redeliver(id: string, deliveryId: string, options: RequestOptions = {}): Promise<WebhookDelivery> {
    return this.transport.data({ method: 'POST', path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver` }, options)
  }
}

export class ChannelsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List channels. All of the account, newest first, without secrets. */
  list(options: ChannelsListQuery & RequestOptions = {}): Promise<Page<Channel>> {
    return this.transport.page({ method: 'GET', path: '/v1/channels', query: queryOf(options) }, options)
  }

  /** Create a channel. Logs in at the mail server or Slack and sends nothing; `state` has the result. Announces cases that start to wait from now on. */
  create(body: CreateChannel, options: RequestOptions = {}): Promise<Channel> {
    return this.transport.data({ method: 'POST', path: '/v1/channels', body }, options)
  }

  /** Retrieve a channel. Its settings and state; never its secrets. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Channel> {
    return this.transport.data({ method: 'GET', path: `/v1/channels/${encodeURIComponent(id)}` }, options)
  }

  /** Update a channel. Logs in again if a secret changes. */
  update(id: string, body: UpdateChannel, options: RequestOptions = {}): Promise<Channel> {
    return this.transport.data({ method: 'PATCH', path: `/v1/channels/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a channel. Its messages are removed, and the links in them stop working. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/channels/${encodeURIComponent(id)}` }, options)
  }

  /** Send a test message. To every recipient, at once. */
  test(id: string, options: RequestOptions = {}): Promise<ChannelTest> {
    return this.transport.data({ method: 'POST', path: `/v1/channels/${encodeURIComponent(id)}/test` }, options)
  }
}

export class NotificationsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the messages of channels. Newest first; the 50 most recent by default. With `pending_id`, the notifications about a case. */
  list(options: NotificationsListQuery & RequestOptions = {}): Promise<Page<Notification>> {
    return this.transport.page({ method: 'GET', path: '/v1/notifications', query: queryOf(options) }, options)
  }
}

export class MailboxesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List mailboxes. All of the account, newest first, without passwords. */
  list(options: MailboxesListQuery & RequestOptions = {}): Promise<Page<Mailbox>> {
    return this.transport.page({ method: 'GET', path: '/v1/mailboxes', query: queryOf(options) }, options)
  }

  /** Create a mailbox. Logs in and opens the folder; `state` has the result. Messages that arrive from now on start runs. */
  create(body: CreateMailbox, options: RequestOptions = {}): Promise<Mailbox> {
    return this.transport.data({ method: 'POST', path: '/v1/mailboxes', body }, options)
  }

  /** Retrieve a mailbox. Its settings and state; never its password. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Mailbox> {
    return this.transport.data({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}` }, options)
  }

  /** Update a mailbox. With another server, user or folder, messages that arrive from now on start runs. */
  update(id: string, body: UpdateMailbox, options: RequestOptions = {}): Promise<Mailbox> {
    return this.transport.data({ method: 'PATCH', path: `/v1/mailboxes/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a mailbox. Its messages stay in the folder; Muster deletes its record of them. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/mailboxes/${encodeURIComponent(id)}` }, options)
  }

  /** Test a mailbox. Logs in and opens the folder without changing anything. */
  test(id: string, options: RequestOptions = {}): Promise<MailboxTest> {
    return this.transport.data({ method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/test` }, options)
  }

  /** List the messages of a mailbox. Newest first, with their outcome; the 50 most recent by default. */
  messages(id: string, options: MailboxesMessagesQuery & RequestOptions = {}): Promise<Page<MailboxMessage>> {
    return this.transport.page({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/messages`, query: queryOf(options) }, options)
  }
}

export class AlertsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List alerts. All of the account, newest first. */
  list(options: AlertsListQuery & RequestOptions = {}): Promise<Page<Alert>> {
    return this.transport.page({ method: 'GET', path: '/v1/alerts', query: queryOf(options) }, options)
  }

  /** Create an alert. It covers events from now on, and notifies channels within about 15 seconds. */
  create(body: CreateAlert, options: RequestOptions = {}): Promise<Alert> {
    return this.transport.data({ method: 'POST', path: '/v1/alerts', body }, options)
  }

  /** Retrieve an alert. One alert with its settings. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Alert> {
    return this.transport.data({ method: 'GET', path: `/v1/alerts/${encodeURIComponent(id)}` }, options)
  }

  /** Update an alert. Changes the given fields. */
  update(id: string, body: UpdateAlert, options: RequestOptions = {}): Promise<Alert> {
    return this.transport.data({ method: 'PATCH', path: `/v1/alerts/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete an alert. It sends nothing from then on. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/alerts/${encodeURIComponent(id)}` }, options)
  }
}

export class ConnectorsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List connectors. All built-in connectors, then the account's MCP servers and HTTP APIs by id. */
  list(options: ConnectorsListQuery & RequestOptions = {}): Promise<Page<Connector>> {
    return this.transport.page({ method: 'GET', path: '/v1/connectors', query: queryOf(options) }, options)
  }

  /** Connect a built-in connector, an MCP server or an HTTP API. Replaces the stored values. Credentials are encrypted and never returned. An MCP server is asked for its tools, and an OpenAPI document is read; connecting again accepts what has changed. */
  connect(id: string, body: ConnectConnector, options: RequestOptions = {}): Promise<Connector> {
    return this.transport.data({ method: 'PUT', path: `/v1/connectors/${encodeURIComponent(id)}`, body }, options)
  }

  /** Disconnect a connector. Its credentials and logins are removed. Agents keep their capabilities. */
  disconnect(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/connectors/${encodeURIComponent(id)}` }, options)
  }

  /** Test a connector. Logs in without sending anything; for an MCP server, it compares the tools, and for an OpenAPI document with an address, the operations. */
  test(id: string, options: RequestOptions = {}): Promise<ConnectorTest> {
    return this.transport.data({ method: 'POST', path: `/v1/connectors/${encodeURIComponent(id)}/test` }, options)
  }

  /** Log in at an MCP server. Begins a login by OAuth, which the person finishes in the same browser session. The account's login needs an admin; with `credentials: person` everybody makes their own. API keys have no browser, so they cannot. */
  authorize(id: string, body: AuthorizeConnector = {}, options: RequestOptions = {}): Promise<Authorization> {
    return this.transport.data({ method: 'POST', path: `/v1/connectors/${encodeURIComponent(id)}/authorize`, body }, options)
  }

  /** Call an action of an HTTP API once. Calls the action as an agent would, without an approval: it has its effects. For connectors of the kinds `http` and `openapi`. */
  try(id: string, body: TryConnector, options: RequestOptions = {}): Promise<ConnectorTried> {
    return this.transport.data({ method: 'POST', path: `/v1/connectors/${encodeURIComponent(id)}/try`, body }, options)
  }
}

export class ToolCallsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Claim calls. Gives the oldest open calls to the caller, for whom they are reserved until their leases end. A call whose lease ends is given out again if it is not `sensitive`; otherwise its outcome is `unknown`, and a person decides. */
  claim(body: ClaimCalls = {}, options: RequestOptions = {}): Promise<Page<ClaimedCall>> {
    return this.transport.page({ method: 'POST', path: '/v1/tool-calls/claim', body }, options)
  }

  /** Extend a claim. Holds the call for longer, from now on; 409 `lease_lost` if the lease has ended. */
  heartbeat(id: string, body: ExtendClaim, options: RequestOptions = {}): Promise<RequestedCall> {
    return this.transport.data({ method: 'POST', path: `/v1/tool-calls/${encodeURIComponent(id)}/heartbeat`, body }, options)
  }

  /** Report the result of a call. The first result counts, with a lease or without one, while the call has none and its time is not over. The same result again is answered with 200; another with 409 `tool_call_answered`. After its time the response is 409 `tool_call_expired`, and `tool_call_cancelled` if the run has ended. */
  result(id: string, body: ReportResult = {}, options: RequestOptions = {}): Promise<RequestedCall> {
    return this.transport.data({ method: 'POST', path: `/v1/tool-calls/${encodeURIComponent(id)}/result`, body }, options)
  }

  /** List calls of callers' tools. Newest first; 50 by default. */
  list(options: ToolCallsListQuery & RequestOptions = {}): Promise<Page<RequestedCall>> {
    return this.transport.page({ method: 'GET', path: '/v1/tool-calls', query: queryOf(options) }, options)
  }

  /** Retrieve a call. With its arguments and, once it is known, its outcome; never with its lease. */
  retrieve(id: string, options: RequestOptions = {}): Promise<RequestedCall> {
    return this.transport.data({ method: 'GET', path: `/v1/tool-calls/${encodeURIComponent(id)}` }, options)
  }
}

export class ToolWorkersResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List who executes callers' tools. Who asked for calls in the last day, the most recent first. */
  list(options: ToolWorkersListQuery & RequestOptions = {}): Promise<Page<ToolWorker>> {
    return this.transport.page({ method: 'GET', path: '/v1/tool-workers', query: queryOf(options) }, options)
  }
}

export class FineTunesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List fine-tunes. Newest first, the 100 most recent by default. */
  list(options: FineTunesListQuery & RequestOptions = {}): Promise<Page<FineTune>> {
    return this.transport.page({ method: 'GET', path: '/v1/fine-tunes', query: queryOf(options) }, options)
  }

  /** Create a fine-tune. The training set is checked and uploaded first. If the provider refuses the job afterwards, it has `failed`. */
  create(body: CreateFineTune, options: RequestOptions = {}): Promise<FineTune> {
    return this.transport.data({ method: 'POST', path: '/v1/fine-tunes', body }, options)
  }

  /** Retrieve a fine-tune. With the provider's current status, requested at most once a second. */
  retrieve(id: string, options: RequestOptions = {}): Promise<FineTune> {
    return this.transport.data({ method: 'GET', path: `/v1/fine-tunes/${encodeURIComponent(id)}` }, options)
  }

  /** Delete a fine-tune. An active job is stopped first; its model can no longer be used. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/fine-tunes/${encodeURIComponent(id)}` }, options)
  }

  /** List the events of a fine-tune's provider. Oldest first. All of them by default, up to the newest 1,000. */
  events(id: string, options: FineTunesEventsQuery & RequestOptions = {}): Promise<Page<FineTuneEvent>> {
    return this.transport.page({ method: 'GET', path: `/v1/fine-tunes/${encodeURIComponent(id)}/events`, query: queryOf(options) }, options)
  }

  /** Cancel a fine-tune. Stops an active job at its provider; a finished one is returned unchanged. */
  cancel(id: string, options: RequestOptions = {}): Promise<FineTune> {
    return this.transport.data({ method: 'POST', path: `/v1/fine-tunes/${encodeURIComponent(id)}/cancel` }, options)
  }

  /** Preview a fine-tune. Checks a training set and estimates its cost; nothing is sent. */
  preview(body: CreateFineTune, options: RequestOptions = {}): Promise<FineTunePreview> {
    return this.transport.data({ method: 'POST', path: '/v1/fine-tunes/preview', body }, options)
  }
}

export class FilesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List files. Newest first, 50 a page by default. */
  list(options: FilesListQuery & RequestOptions = {}): Promise<Page<StoredFile>> {
    return this.transport.page({ method: 'GET', path: '/v1/files', query: queryOf(options) }, options)
  }

  /** Retrieve a file. The file's metadata; its content is at `/content`. */
  retrieve(id: string, options: RequestOptions = {}): Promise<StoredFile> {
    return this.transport.data({ method: 'GET', path: `/v1/files/${encodeURIComponent(id)}` }, options)
  }

  /** Delete a file. Refused with 409 `file_in_use` while an unfinished run uses it. Finished runs keep its name. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/files/${encodeURIComponent(id)}` }, options)
  }
}

export class ModelsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List models. Available models and those that lack a key, then your own fine-tunes. */
  list(options: ModelsListQuery & RequestOptions = {}): Promise<Page<Model>> {
    return this.transport.page({ method: 'GET', path: '/v1/models', query: queryOf(options) }, options)
  }
}

export class ModelProvidersResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List model providers. Built-in ones, then those of the models file, then the account's compatible servers. Keys are never shown. */
  list(options: ModelProvidersListQuery & RequestOptions = {}): Promise<Page<ModelProvider>> {
    return this.transport.page({ method: 'GET', path: '/v1/model-providers', query: queryOf(options) }, options)
  }

  /** Set a key or a server for models. A key for a built-in provider (openai, anthropic, google, mistral), which takes precedence over the server's; under another id, a server with OpenAI's chat completions API. Omitted fields are kept, a stored key only for the same `base_url`. Keys are encrypted and never returned. The provider is tested at once: `state` and `message` have the result. */
  set(id: string, body: SetModelProvider, options: RequestOptions = {}): Promise<ModelProvider> {
    return this.transport.data({ method: 'PUT', path: `/v1/model-providers/${encodeURIComponent(id)}`, body }, options)
  }

  /** Remove a model provider. Its key and models are removed. A built-in provider then uses the server's key, if there is one that accounts may use. Otherwise workflows that name its models warn (`model_unavailable`), and their runs fail. */
  remove(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/model-providers/${encodeURIComponent(id)}` }, options)
  }

  /** Test a model provider. A built-in provider is asked for its list of models, with the key. For your own server, its first model gets one short call. */
  test(id: string, options: RequestOptions = {}): Promise<ModelProviderTest> {
    return this.transport.data({ method: 'POST', path: `/v1/model-providers/${encodeURIComponent(id)}/test` }, options)
  }
}

export class SetupResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create the first admin. Uses the one-time link printed at the first start, and signs in. */
  create(body: SetUp, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/setup', body }, options)
  }
}

export class SessionResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the ways to sign in. For the sign-in page: needs no key. */
  retrieve(options: RequestOptions = {}): Promise<WaysIn> {
    return this.transport.data({ method: 'GET', path: '/v1/session' }, options)
  }

  /** Sign in with a password. Sets the cookie `muster_session`. Attempts are limited. */
  create(body: SignIn, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/session', body }, options)
  }

  /** Sign out. If the person signed in through OpenID Connect, the provider's session may remain. */
  delete(options: RequestOptions = {}): Promise<EndedSession> {
    return this.transport.data({ method: 'DELETE', path: '/v1/session' }, options)
  }
}

export class PasswordResetsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Request a password reset. If the operator set SMTP, emails a link that works once within 30 minutes. The response is the same whether or not the address has a user. Requests are limited by email and network address. */
  create(body: RequestReset, options: RequestOptions = {}): Promise<ResetRequested> {
    return this.transport.data({ method: 'POST', path: '/v1/password-resets', body }, options)
  }

  /** Set a new password with a reset link. Ends all of the person's sessions and the access of their programs, and signs in. */
  accept(body: ResetPassword, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/password-resets/accept', body }, options)
  }
}

export class SessionsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List your sessions. The browsers in which you are signed in. */
  list(options: SessionsListQuery & RequestOptions = {}): Promise<Page<Session>> {
    return this.transport.page({ method: 'GET', path: '/v1/sessions', query: queryOf(options) }, options)
  }

  /** End one of your sessions. That browser is signed out at once. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/sessions/${encodeURIComponent(id)}` }, options)
  }
}

export class MeResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the signed-in person. You, with your role and your accounts. */
  retrieve(options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'GET', path: '/v1/me' }, options)
  }

  /** Change your name or password. A new password ends the other sessions and the access of programs. */
  update(body: ChangeMe, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'PATCH', path: '/v1/me', body }, options)
  }

  /** Switch to another of your accounts. Later requests of this session are about that account. */
  switch_account(body: SwitchAccount, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'PUT', path: '/v1/me/account', body }, options)
  }
}

export class UsersResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the people of the account. Newest first; 50 by default. */
  list(options: UsersListQuery & RequestOptions = {}): Promise<Page<User>> {
    return this.transport.page({ method: 'GET', path: '/v1/users', query: queryOf(options) }, options)
  }

  /** Change the role or the address of a person. A new role ends their sessions in the account and withdraws open invitations to their address. The address of a person who also belongs to other accounts cannot be changed here (`shared_user`); with an identity at the provider, it is updated at each sign-in. */
  update(id: string, body: UpdateUser, options: RequestOptions = {}): Promise<User> {
    return this.transport.data({ method: 'PATCH', path: `/v1/users/${encodeURIComponent(id)}`, body }, options)
  }

  /** Remove a person from the account. Withdraws open invitations to their address. If the person belongs to no other account, their identity at the provider is unlinked. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/users/${encodeURIComponent(id)}` }, options)
  }

  /** Unlink a person's identity at the provider. For a person who was recreated at the provider, or whose provider moved: their next sign-in identifies them by verified address again. Their sessions in the account end. */
  unlink(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/users/${encodeURIComponent(id)}/identity` }, options)
  }
}

export class InvitationsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List invitations. Newest first; 50 by default. */
  list(options: InvitationsListQuery & RequestOptions = {}): Promise<Page<Invitation>> {
    return this.transport.page({ method: 'GET', path: '/v1/invitations', query: queryOf(options) }, options)
  }

  /** Invite a person. The link is returned only in this response, and emailed if the operator set SMTP. */
  create(body: CreateInvitation, options: RequestOptions = {}): Promise<CreatedInvitation> {
    return this.transport.data({ method: 'POST', path: '/v1/invitations', body }, options)
  }

  /** Withdraw an invitation. Its link no longer works. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/invitations/${encodeURIComponent(id)}` }, options)
  }

  /** Accept an invitation. Uses its one-time link, and signs in. */
  accept(body: AcceptInvitation, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/invitations/accept', body }, options)
  }
}

export class GrantsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the programs that act for you. In the account of your session. */
  list(options: GrantsListQuery & RequestOptions = {}): Promise<Page<Grant>> {
    return this.transport.page({ method: 'GET', path: '/v1/me/grants', query: queryOf(options) }, options)
  }

  /** Give a program access. For the consent page. The program acts in your name, within your role, and only over MCP. */
  create(body: CreateGrant, options: RequestOptions = {}): Promise<CreatedGrant> {
    return this.transport.data({ method: 'POST', path: '/v1/me/grants', body }, options)
  }

  /** Read a program's request for access. For the consent page. */
  preview(body: PreviewGrant, options: RequestOptions = {}): Promise<GrantRequest> {
    return this.transport.data({ method: 'POST', path: '/v1/me/grants/preview', body }, options)
  }

  /** End the access of a program. Its tokens no longer work. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/me/grants/${encodeURIComponent(id)}` }, options)
  }
}

export class PoliciesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the policies of the account. What the agents of the account may do. */
  retrieve(options: RequestOptions = {}): Promise<Policies> {
    return this.transport.data({ method: 'GET', path: '/v1/policies' }, options)
  }

  /** Update the policies of the account. Changes the given policies at once, including for runs that have begun. */
  update(body: UpdatePolicies, options: RequestOptions = {}): Promise<Policies> {
    return this.transport.data({ method: 'PATCH', path: '/v1/policies', body }, options)
  }
}

export class RulesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Test rules on a call. Shows how the rules of all levels decide about a described or waiting call, and which rule decides. Nothing is called or stored. */
  test(body: TestRules = {}, options: RequestOptions = {}): Promise<RulesTested> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/test', body }, options)
  }

  /** Test rules on past decisions. Applies rules to the last 100 calls of their actions that people decided. Nothing is called or stored. Rules of agents and crew entries apply as they were in those runs. */
  try(body: TryRules, options: RequestOptions = {}): Promise<RulesTried> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/try', body }, options)
  }

  /** Add a rule to the account. It is appended, so earlier rules take precedence. Without `expires_at` it expires after 90 days; null means never. */
  add(body: AddRule, options: RequestOptions = {}): Promise<RuleChanged> {
    return this.transport.data({ method: 'POST', path: '/v1/rules', body }, options)
  }

  /** Remove a rule from the account. Removes the first rule equal to the given one. Undoes `POST /v1/rules`. */
  remove(body: AddRule, options: RequestOptions = {}): Promise<RuleChanged> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/remove', body }, options)
  }

  /** List suggested rules. For each action that people approved unchanged at least 20 times in a row, the narrowest rule that allows it, with the decisions as evidence. `POST /v1/rules` accepts one. */
  suggestions(options: RequestOptions = {}): Promise<RuleSuggestions> {
    return this.transport.data({ method: 'GET', path: '/v1/rules/suggestions' }, options)
  }

  /** Propose a rule for a waiting call. A rule that allows calls like the one that waits: with the same names of arguments, in the same workflow and role. Where the last 200 decisions about the action have approvals of such calls, an argument may have what recurs in them: the same value, addresses at the same domain, a range of numbers, or one of up to 10 values; prose, such as `text`, may be anything. Nothing is stored: `POST /v1/rules` adds a rule. */
  propose(body: ProposeRule, options: RequestOptions = {}): Promise<RuleProposal> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/propose', body }, options)
  }
}

export class OperatorResource {
  protected readonly transport: Transport
  readonly accounts: OperatorAccountsResource
  readonly log: OperatorLogResource

  constructor(transport: Transport) {
    this.transport = transport
    this.accounts = new OperatorAccountsResource(transport)
    this.log = new OperatorLogResource(transport)
  }
}

export class OperatorAccountsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List the accounts. Newest first; 50 by default. */
  list(options: OperatorAccountsListQuery & RequestOptions = {}): Promise<Page<OperatedAccount>> {
    return this.transport.page({ method: 'GET', path: '/v1/operator/accounts', query: queryOf(options) }, options)
  }

  /** Create an account. Its first admin key is returned only in this response. */
  create(body: CreateAccount, options: RequestOptions = {}): Promise<CreatedAccount> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/accounts', body }, options)
  }

  /** Retrieve an account with its quotas. For the operator of the service. */
  retrieve(id: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'GET', path: `/v1/operator/accounts/${encodeURIComponent(id)}` }, options)
  }

  /** Change the name and the quotas of an account. Quotas apply within a second. Runs beyond `max_runs_a_day` or `max_stored_bytes` are refused with 409 `quota_reached`; at a cost quota, runs are held until the day or month is over. */
  update(id: string, body: UpdateAccount, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'PATCH', path: `/v1/operator/accounts/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete an account and all its data. Keys and sessions end at once. The rest is deleted in the background: files, jobs and models of fine-tunes at their providers, then every row. The account is gone once it gets 404; the operator's log keeps a record of it. */
  delete(id: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'DELETE', path: `/v1/operator/accounts/${encodeURIComponent(id)}` }, options)
  }

  /** Retrieve an account's usage of its quotas. For the operator of the service: the current use of each quota. */
  retrieve_use(id: string, options: RequestOptions = {}): Promise<AccountUse> {
    return this.transport.data({ method: 'GET', path: `/v1/operator/accounts/${encodeURIComponent(id)}/use` }, options)
  }

  /** Suspend an account. Until it is resumed, keys and sessions get 403 `account_suspended`, runs and webhooks are held, and no request expires. */
  suspend(id: string, body: SuspendAccount = {}, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'POST', path: `/v1/operator/accounts/${encodeURIComponent(id)}/suspend`, body }, options)
  }

  /** Resume an account. Runs continue where they were, and webhooks are sent. */
  resume(id: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'POST', path: `/v1/operator/accounts/${encodeURIComponent(id)}/resume` }, options)
  }
}

export class OperatorLogResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List operators' actions on accounts. Newest first; 50 by default. */
  list(options: OperatorLogListQuery & RequestOptions = {}): Promise<Page<OperatorEntry>> {
    return this.transport.page({ method: 'GET', path: '/v1/operator/log', query: queryOf(options) }, options)
  }
}

export class UsageResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List usage. By UTC day, workflow, agent, model or tag, sorted by these; 50 rows by default. Runs and steps count when they end, exactly; they still count after retention deletes them. Runs without the tag are omitted. As CSV with `Accept: text/csv`. */
  list(options: UsageListQuery & RequestOptions = {}): Promise<Page<Usage>> {
    return this.transport.page({ method: 'GET', path: '/v1/usage', query: queryOf(options) }, options)
  }
}

export class ViewsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List saved views. All of the account, newest first. */
  list(options: ViewsListQuery & RequestOptions = {}): Promise<Page<View>> {
    return this.transport.page({ method: 'GET', path: '/v1/views', query: queryOf(options) }, options)
  }

  /** Save a view. Everyone in the account sees it. An account has up to 100. */
  create(body: CreateView, options: RequestOptions = {}): Promise<View> {
    return this.transport.data({ method: 'POST', path: '/v1/views', body }, options)
  }

  /** Retrieve a saved view. One view with its filters. */
  retrieve(id: string, options: RequestOptions = {}): Promise<View> {
    return this.transport.data({ method: 'GET', path: `/v1/views/${encodeURIComponent(id)}` }, options)
  }

  /** Update a saved view. Renames the view or replaces its filters. */
  update(id: string, body: UpdateView, options: RequestOptions = {}): Promise<View> {
    return this.transport.data({ method: 'PATCH', path: `/v1/views/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a saved view. The runs that it lists stay. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/views/${encodeURIComponent(id)}` }, options)
  }
}

export class SchedulesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a schedule. Needs one of `cron`, `every_seconds` and `at`. With the `key` of an existing schedule, that one is updated instead, and omitted fields get their defaults. An account has up to 1,000. */
  create(body: CreateSchedule, options: RequestOptions = {}): Promise<Schedule> {
    return this.transport.data({ method: 'POST', path: '/v1/schedules', body }, options)
  }

  /** List schedules. All of the account, newest first. */
  list(options: SchedulesListQuery & RequestOptions = {}): Promise<Page<Schedule>> {
    return this.transport.page({ method: 'GET', path: '/v1/schedules', query: queryOf(options) }, options)
  }

  /** Retrieve a schedule. Its timing in words, its next time and its last firing. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Schedule> {
    return this.transport.data({ method: 'GET', path: `/v1/schedules/${encodeURIComponent(id)}` }, options)
  }

  /** Update a schedule. Changes the given fields. One of `cron`, `every_seconds` and `at` replaces the others. The schedule next fires at its next regular time; missed firings are not caught up. */
  update(id: string, body: UpdateSchedule, options: RequestOptions = {}): Promise<Schedule> {
    return this.transport.data({ method: 'PATCH', path: `/v1/schedules/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a schedule. Deletes its firings too; its runs are kept. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/schedules/${encodeURIComponent(id)}` }, options)
  }

  /** List the firings of a schedule. Firings with their outcome, newest first; 50 by default. The newest 1,000 are kept. */
  firings(id: string, options: SchedulesFiringsQuery & RequestOptions = {}): Promise<Page<Firing>> {
    return this.transport.page({ method: 'GET', path: `/v1/schedules/${encodeURIComponent(id)}/firings`, query: queryOf(options) }, options)
  }

  /** Preview a schedule. The next ten firings. */
  preview(id: string, options: RequestOptions = {}): Promise<SchedulePreview> {
    return this.transport.data({ method: 'POST', path: `/v1/schedules/${encodeURIComponent(id)}/preview` }, options)
  }

  /** Preview an unsaved schedule. The next ten firings of the given schedule. */
  preview_new(body: PreviewSchedule = {}, options: RequestOptions = {}): Promise<SchedulePreview> {
    return this.transport.data({ method: 'POST', path: '/v1/schedules/preview', body }, options)
  }

  /** Fire a schedule now. Starts one run, even if the schedule is paused or a previous run is unfinished. */
  trigger(id: string, options: RequestOptions = {}): Promise<Firing> {
    return this.transport.data({ method: 'POST', path: `/v1/schedules/${encodeURIComponent(id)}/trigger` }, options)
  }

  /** Backfill a past period. Starts each firing between `from` and `to` that has no run, up to 100, one after the other unless `overlap` is `allow`. */
  backfill(id: string, body: BackfillSchedule, options: RequestOptions = {}): Promise<Backfill> {
    return this.transport.data({ method: 'POST', path: `/v1/schedules/${encodeURIComponent(id)}/backfill`, body }, options)
  }
}

export class HooksResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a hook. Its `url` accepts events by `POST`, without an API key. If you give no `secret`, one is generated and returned only in this response; Stripe and Slack generate their own, so set it here or later. An account has up to 100. */
  create(body: CreateHook, options: RequestOptions = {}): Promise<HookWithSecret> {
    return this.transport.data({ method: 'POST', path: '/v1/hooks', body }, options)
  }

  /** List hooks. All of the account, newest first. */
  list(options: HooksListQuery & RequestOptions = {}): Promise<Page<Hook>> {
    return this.transport.page({ method: 'GET', path: '/v1/hooks', query: queryOf(options) }, options)
  }

  /** Retrieve a hook. Its URL and settings, with the newest delivery; never its secret. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Hook> {
    return this.transport.data({ method: 'GET', path: `/v1/hooks/${encodeURIComponent(id)}` }, options)
  }

  /** Update a hook. Changes the given fields, except the scheme; rotate the secret instead. */
  update(id: string, body: UpdateHook, options: RequestOptions = {}): Promise<Hook> {
    return this.transport.data({ method: 'PATCH', path: `/v1/hooks/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a hook. Deletes its deliveries too; its runs are kept. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/hooks/${encodeURIComponent(id)}` }, options)
  }

  /** Set or rotate the secret. The old secret is also accepted for 24 hours. */
  rotate_secret(id: string, body: RotateHookSecret = {}, options: RequestOptions = {}): Promise<HookWithSecret> {
    return this.transport.data({ method: 'POST', path: `/v1/hooks/${encodeURIComponent(id)}/rotate-secret`, body }, options)
  }

  /** Preview the result of an event. Tests a filter and templates on a stored delivery or a given body. Nothing is stored or started. */
  preview(body: PreviewHook = {}, options: RequestOptions = {}): Promise<HookPreview> {
    return this.transport.data({ method: 'POST', path: '/v1/hooks/preview', body }, options)
  }

  /** List the deliveries of a hook. Deliveries with their outcome, newest first; 50 by default. The newest 1,000 are kept, and the newest 100 refused ones. */
  deliveries(id: string, options: HooksDeliveriesQuery & RequestOptions = {}): Promise<Page<HookDelivery>> {
    return this.transport.page({ method: 'GET', path: `/v1/hooks/${encodeURIComponent(id)}/deliveries`, query: queryOf(options) }, options)
  }

  /** Retrieve a delivery with its body. The event as it came, without signatures and credentials. */
  delivery(id: string, deliveryId: string, options: RequestOptions = {}): Promise<HookDeliveryWithBody> {
    return this.transport.data({ method: 'GET', path: `/v1/hooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}` }, options)
  }

  /** Send a delivery again. Starts another run from the event, with the current filter and templates. */
  send_again(id: string, deliveryId: string, options: RequestOptions = {}): Promise<HookDelivery> {
    return this.transport.data({ method: 'POST', path: `/v1/hooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/send-again` }, options)
  }
}

/** Every resource of the service. */
export class Api {
  readonly account: AccountResource
  readonly workers: WorkersResource
  readonly api_keys: ApiKeysResource
  readonly audit: AuditResource
  readonly workflows: WorkflowsResource
  readonly runs: RunsResource
  readonly pending: PendingResource
  readonly batches: BatchesResource
  readonly threads: ThreadsResource
  readonly bulk_operations: BulkOperationsResource
  readonly budgets: BudgetsResource
  readonly agents: AgentsResource
  readonly webhooks: WebhooksResource
  readonly channels: ChannelsResource
  readonly notifications: NotificationsResource
  readonly mailboxes: MailboxesResource
  readonly alerts: AlertsResource
  readonly connectors: ConnectorsResource
  readonly tool_calls: ToolCallsResource
  readonly tool_workers: ToolWorkersResource
  readonly fine_tunes: FineTunesResource
  readonly files: FilesResource
  readonly models: ModelsResource
  readonly model_providers: ModelProvidersResource
  readonly setup: SetupResource
  readonly session: SessionResource
  readonly password_resets: PasswordResetsResource
  readonly sessions: SessionsResource
  readonly me: MeResource
  readonly users: UsersResource
  readonly invitations: InvitationsResource
  readonly grants: GrantsResource
  readonly policies: PoliciesResource
  readonly rules: RulesResource
  readonly operator: OperatorResource
  readonly usage: UsageResource
  readonly views: ViewsResource
  readonly schedules: SchedulesResource
  readonly hooks: HooksResource

  constructor(transport: Transport) {
    this.account = new AccountResource(transport)
    this.workers = new WorkersResource(transport)
    this.api_keys = new ApiKeysResource(transport)
    this.audit = new AuditResource(transport)
    this.workflows = new WorkflowsResource(transport)
    this.runs = new RunsResource(transport)
    this.pending = new PendingResource(transport)
    this.batches = new BatchesResource(transport)
    this.threads = new ThreadsResource(transport)
    this.bulk_operations = new BulkOperationsResource(transport)
    this.budgets = new BudgetsResource(transport)
    this.agents = new AgentsResource(transport)
    this.webhooks = new WebhooksResource(transport)
    this.channels = new ChannelsResource(transport)
    this.notifications = new NotificationsResource(transport)
    this.mailboxes = new MailboxesResource(transport)
    this.alerts = new AlertsResource(transport)
    this.connectors = new ConnectorsResource(transport)
    this.tool_calls = new ToolCallsResource(transport)
    this.tool_workers = new ToolWorkersResource(transport)
    this.fine_tunes = new FineTunesResource(transport)
    this.files = new FilesResource(transport)
    this.models = new ModelsResource(transport)
    this.model_providers = new ModelProvidersResource(transport)
    this.setup = new SetupResource(transport)
    this.session = new SessionResource(transport)
    this.password_resets = new PasswordResetsResource(transport)
    this.sessions = new SessionsResource(transport)
    this.me = new MeResource(transport)
    this.users = new UsersResource(transport)
    this.invitations = new InvitationsResource(transport)
    this.grants = new GrantsResource(transport)
    this.policies = new PoliciesResource(transport)
    this.rules = new RulesResource(transport)
    this.operator = new OperatorResource(transport)
    this.usage = new UsageResource(transport)
    this.views = new ViewsResource(transport)
    this.schedules = new SchedulesResource(transport)
    this.hooks = new HooksResource(transport)
  }
}
