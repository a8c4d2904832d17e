// Made by `npm run sdk` from the OpenAPI document. Do not edit.
import type { Page } from './page.ts'
import { queryOf, type RequestOptions, type Transport } from './transport.ts'

/** A hint to read something again. */
export type AccountEvent = RunChanged | PendingChanged
/** The batch, or with `dry_run` its estimate. */
export type BatchOrEstimate = Batch | BatchEstimate
/** The credentials of the built-in connector, or an MCP server. */
export type ConnectConnector =
  EmailCredentials | HubspotCredentials | SlackCredentials | WebCredentials | ConnectMcp

/** Who accepts. */
export interface AcceptInvitation {
  /** Secret part of the one-time link. */
  token: string
  /** Name as others see it, more than blanks. */
  name: string
  /** A new password; that of the user where the address has one already. */
  password: string
}

/** Who the key belongs to. */
export interface Account {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
  /** When the account was made. */
  created_at: string
  /** The key that asks. */
  key: {
    /** Key id. */
    id: string
    /** What the key is for. */
    name: string
    /** viewer reads; approver also answers what waits for people; member also writes; admin also manages keys and connectors. */
    role: 'viewer' | 'approver' | 'member' | 'admin'
    /** When the key expires; null means never. */
    expires_at: string | null
  }
}

/** A run began, moved or ended. */
export interface RunChanged {
  /** A run moved. */
  type: 'run.changed'
  /** The run. */
  run_id: string
  /** As it stands now. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** Number of its newest event. */
  sequence: number
}

/** A run waits for a person, or no longer does. */
export interface PendingChanged {
  /** What a run waits for changed. */
  type: 'pending.changed'
  /** The run. */
  run_id: string
  /** What it waits for now; null when for nothing. */
  pending_id: string | null
}

/** An account and what it is called. */
export interface AccountName {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
}

/** What an account has used. Runs and cost are counted where it has a quota on them. */
export interface AccountUse {
  /** Runs begun today (UTC). */
  runs_today: number
  /** Emails that agents began to send today (UTC). */
  mails_today: number
  /** Cost of model calls today (UTC), in USD. */
  cost_usd_today: number
  /** And in this month (UTC). */
  cost_usd_this_month: number
  /** As last measured; null where there is no such quota. */
  stored_bytes: number | null
  /** When that was. */
  stored_bytes_at: string | null
  /** Until when runs rest because the cost quota is used up. */
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

/** A standing role with its own instructions, tools and memory. */
export interface Agent {
  /** Agent id; `agentId` of a crew entry. */
  id: string
  /** Name of the agent. */
  name: string
  /** What it is for. */
  description: string | null
  /** Free text to sort agents by. */
  category: string
  /** Names its steps in workflows and runs. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model id, one of `GET /v1/models`; null takes the model of the workflow. */
  model: string | null
  /**
   * Models that are tried in order while the provider of the first is unavailable; an empty list takes those of the workflow.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** Most output tokens of one model turn; null sets no limit of its own. */
  maxTokens: number | null
  /**
   * Connectors that the agent may use; repeats are dropped.
   *
   *
   * Items: A connector id.
   */
  connectors: string[]
  /**
   * Actions that the agent may take; repeats are dropped.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities: string[]
  /** Rules about the agent's calls, in their order: the first that matches decides. Between these, those of the account and those of a crew entry the stricter counts. */
  rules: Rule[]
  /** JSON Schema of the object that the agent answers with, up to 32 KB, an object at its root; null for any text. */
  output_schema: {
    [k: string]: unknown
  } | null
  /** A run that reaches a step of a paused agent fails. */
  status: 'active' | 'paused'
  /** Whether the agent keeps memory between runs, in all its workflows. */
  memory_enabled: boolean
  /** The live version: its number, and the `ETag`. */
  version: number
  /** The newest version; a draft where it is not the live one and was never published. */
  last_version: number
  /** When the agent was made. */
  created_at: string
  /** When the agent was last changed. */
  updated_at: string
}

/** What a version of an agent defines; it can be sent back as an update. */
export interface AgentDefinition {
  /** Name of the agent. */
  name: string
  /** What it is for. */
  description: string | null
  /** Free text to sort agents by. */
  category: string
  /** Names its steps in workflows and runs. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model id, one of `GET /v1/models`; null takes the model of the workflow. */
  model: string | null
  /**
   * Models that are tried in order while the provider of the first is unavailable; an empty list takes those of the workflow.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** Most output tokens of one model turn; null sets no limit of its own. */
  maxTokens: number | null
  /**
   * Connectors that the agent may use; repeats are dropped.
   *
   *
   * Items: A connector id.
   */
  connectors: string[]
  /**
   * Actions that the agent may take; repeats are dropped.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities: string[]
  /** Rules about the agent's calls, in their order: the first that matches decides. Between these, those of the account and those of a crew entry the stricter counts. */
  rules: Rule[]
  /** JSON Schema of the object that the agent answers with, up to 32 KB, an object at its root; null for any text. */
  output_schema: {
    [k: string]: unknown
  } | null
  /** Whether the agent keeps memory between runs, in all its workflows. */
  memory_enabled: boolean
}

/** A version with its definition. */
export interface AgentVersion {
  /** Its number, from 1. */
  version: number
  /** `live` is what runs use, `draft` was never live, `earlier` was. */
  state: 'live' | 'draft' | 'earlier'
  /** Who made it; null where that is not known. */
  author: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** Why it was made, where its author said so. */
  note: string | null
  /** The version that was live when it was made; null for the first. */
  base_version: number | null
  /** Fields that differ from `base_version`, up to 50. */
  changed: string[]
  /** When it was made. */
  created_at: string
  /** When it last went live; null for a draft. */
  published_at: string | null
  definition: AgentDefinition
}

export interface AgentsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only agents of this category. */
  category?: string
}

export interface AgentsMemoryListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only entries that share a word with it, best match first, in one page. */
  q?: string
}

export interface AgentsVersionsDiffQuery {
  /** Number of the other version. */
  to?: number
}

export interface AgentsVersionsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** What channels tell when something goes wrong. */
export interface Alert {
  /** Alert id. */
  id: string
  /** `run.failed`: a run failed, cancelled ones apart. `failure_rate`: of the runs that ended in the last `minutes`, at least five, the share `threshold` failed. `waiting_too_long`: a request has waited for `minutes`. `schedule.missed`: a moment of a schedule was missed. `webhook.disabled`: an endpoint was disabled. `connector.failing`: a connector, model provider or channel fails. `model.ending`: a model of a workflow ends within 90 days. `budget.threshold`: a budget has reached one of its thresholds, or its cap. */
  on:
    | 'run.failed'
    | 'failure_rate'
    | 'waiting_too_long'
    | 'schedule.missed'
    | 'webhook.disabled'
    | 'connector.failing'
    | 'model.ending'
    | 'budget.threshold'
  /** Label for people, more than blanks. */
  name: string
  /** Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`. */
  workflow_ids: string[] | null
  /** Channels that tell it; null means every active channel. */
  channel_ids: string[] | null
  /** For `failure_rate` and `waiting_too_long`; null means 60. */
  minutes: number | null
  /** For `failure_rate`: the share of failed runs; null means 0.5. */
  threshold: number | null
  /** Pause after each message; what happens meanwhile is told together in the next one. 60 by default. */
  at_most_every_minutes: number
  /** An inactive alert tells nothing. */
  active: boolean
  /** When it was told last. */
  last_fired_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

export interface AlertsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** An API key without its secret. */
export interface ApiKey {
  /** Key id. */
  id: string
  /** What the key is for. */
  name: string
  /** viewer reads; approver also answers what waits for people; member also writes; admin also manages keys and connectors. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** The first characters of the key, to tell keys apart. */
  prefix: string
  /** When the key was made. */
  created_at: string
  /** When the key expires; null means never. */
  expires_at: string | null
  /** Last use, to the minute; null before the first. */
  last_used_at: string | null
}

export interface ApiKeysListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** A person's approval of an action that needs several. */
export interface Approval {
  /** User id. */
  id: string
  /** Their name at that time. */
  name: string
  /** Why, where they said so. */
  reason: string | null
  /** When they approved. */
  at: string
}

/** Whose a case becomes. */
export interface AssignCase {
  /** A user of the account who may answer; null takes the assignment back. */
  user_id: string | null
}

/** One change, written together with it and never altered. */
export interface AuditEntry {
  /** Audit entry id. */
  id: string
  /** When it was changed. */
  created_at: string
  /** Who changed it. */
  actor: {
    /** `system`: an operator at the machine, or the service on its own. */
    type: 'key' | 'user' | 'system'
    /** Id of the key or user; null for the system. */
    id: string | null
    /** Its name at that time. */
    name: string
  }
  /** What happened, such as `workflow.updated`. */
  action: string
  /** What was changed. */
  object: {
    /** Kind of object, such as `workflow`. */
    type: string
    /** Its id. */
    id: string
  }
  /** The changed fields before, long texts cut, without secrets; null where there was no object. */
  before: {
    [k: string]: unknown
  } | null
  /** The same fields after; null where the object is gone. */
  after: {
    [k: string]: unknown
  } | null
  /** Network address of the caller. */
  address: string | null
  /** `X-Request-Id` of the request. */
  request_id: string | null
}

export interface AuditListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only changes by this key or user. */
  actor_id?: string
  /** Only changes of this kind: account.created, account.deleted, account.resumed, account.suspended, account.updated, agent.created, agent.deleted, agent.drafted, agent.published, agent.updated, alert.created, alert.deleted, alert.updated, api_key.created, api_key.deleted, batch.cancelled, batch.created, batch.retried, budget.created, budget.deleted, budget.updated, bulk_operation.created, channel.created, channel.deleted, channel.tested, channel.updated, connector.connected, connector.disconnected, connector.tested, file.deleted, file.uploaded, file.written, fine_tune.cancelled, fine_tune.created, fine_tune.deleted, fine_tune.discarded, hook.created, hook.deleted, hook.delivery_sent_again, hook.secret_rotated, hook.updated, invitation.accepted, invitation.created, invitation.deleted, mailbox.created, mailbox.deleted, mailbox.tested, mailbox.updated, memory_entry.created, memory_entry.deleted, memory_entry.updated, model_provider.removed, model_provider.set, model_provider.tested, pending.assigned, pending.commented, policies.updated, rule.added, rule.removed, run.cancelled, run.forked, run.responded, run.retried, run.triggered, schedule.backfilled, schedule.created, schedule.deleted, schedule.paused, schedule.triggered, schedule.updated, session.created, session.deleted, session.updated, user.created, user.password_reset, user.removed, user.reset_requested, user.updated, webhook.created, webhook.deleted, webhook.disabled, webhook.redelivered, webhook.secret_rotated, webhook.tested, webhook.updated, workflow.created, workflow.deleted, workflow.drafted, workflow.published, workflow.updated. */
  action?: string
  /** Only changes of this object. */
  object_id?: string
  /** `activity` is runs that were triggered and files that were uploaded or written; `changes` is all else. */
  kind?: 'changes' | 'activity'
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later changes. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier changes. */
  created_before?: string
}

/** What a backfill starts. */
export interface Backfill {
  /** Firings that start now, one after the other. */
  due: number
  /** Moments that have a run, or wait for one, already. */
  already: number
}

/** The time to make up for. */
export interface BackfillSchedule {
  /** The first moment that may count. */
  from: string
  /** The last one, not in the future. */
  to: string
}

/** One workflow over many inputs, one run for each. */
export interface Batch {
  /** Batch id. Its runs have it as the tag `batch`. */
  id: string
  /** The workflow. */
  workflow_id: string
  /** For people. */
  name: string | null
  /** Runs in progress at once. */
  concurrency: number
  /** `completed` once every item has ended, also where some failed. */
  status: 'running' | 'cancelling' | 'cancelled' | 'completed'
  /** Why no further item can start for now; null otherwise. */
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
  /** Items that failed. */
  failed: number
  /** Items that were cancelled. */
  cancelled: number
  /** Cost of the runs that ended, in US dollars. */
  cost_usd: number
  /** Who started it. */
  created_by: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
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

/** What a batch would cost and take, from the workflow's latest runs. */
export interface BatchEstimate {
  /** Items in all. */
  total: number
  /** Completed runs that the estimate stands on, up to 100. */
  sampled_runs: number
  /** Cost in US dollars, if each item costs what the median run cost; null where no run has completed yet. */
  cost_usd_p50: number | null
  /** The same with the 95th percentile; null where no run has completed yet. */
  cost_usd_p95: number | null
  /** Seconds until the last item ends, if each takes what the median run took; null where no run has completed yet. */
  seconds_p50: number | null
  /** The same with the 95th percentile; null where no run has completed yet. */
  seconds_p95: number | null
}

/** An item of a batch. */
export interface BatchItem {
  /** Place in the batch, from 0. */
  position: number
  /** Your name for it. */
  key: string | null
  /** As of the last look at its run. */
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'
  /** Its run; null before it has started. */
  run_id: string | null
  /** The run of this item that failed before. */
  retry_of: string | null
  /** Why it failed. */
  error: string | null
  /** Cost of its runs, in US dollars. */
  cost_usd: number
}

/** What one run of a batch is given. */
export interface BatchItemInput {
  /** Your name for the item, unique in the batch: results are found by it. */
  key?: string
  /** The text that the crew works on. May be left out where `data` is given. */
  input?: string
  /** An object for the crew, up to 64 KB of JSON; it has to fit the `input_schema` of the workflow. Agents read it as JSON, after the input. */
  data?: {
    [k: string]: unknown
  } | null
  /** Version of the workflow to run, such as a draft; by default the one that is live when the run begins. */
  version?: number
  /** Versions of agents of the crew to run, such as drafts, by agent id; other agents run the version that is live. Such a run is fixed when it is triggered. */
  agent_versions?: {
    [k: string]: number
  }
  /** Labels, by which runs are found and usage is grouped: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /**
   * Files for the crew, up to 20, each once; see `POST /v1/files`.
   *
   *
   * Items: File id.
   */
  files?: string[]
}

export interface BatchesCreateQuery {
  /** For people. */
  name?: string
  /** Runs in progress at once; half of the account's slots by default. */
  concurrency?: number
  /** Only check the items, and estimate cost and time. */
  dry_run?: boolean
  /** For items without `input` and `data`; by default a hint at the file. */
  input?: string
  /** Of a CSV: the column that is the key of its items. */
  key?: string
}

export interface BatchesItemsQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only items in this status. */
  status?: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'
}

export interface BatchesListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only batches of this workflow. */
  workflow_id?: string
}

/** A bound for the cost of model calls. */
export interface Budget {
  /** Budget id. */
  id: string
  /** For people, more than blanks. */
  name: string
  /** Which model calls count. */
  scope: 'account' | 'workflow' | 'agent' | 'tag'
  /** Id of the workflow or agent, or `key:value` of the tag; null for the whole account. */
  scope_value: string | null
  /** Begins anew at midnight of the time zone; a week on Monday. */
  window: 'day' | 'week' | 'month'
  /** IANA name, such as Europe/Berlin; UTC by default. */
  time_zone: string
  /** What the calls of a window may cost, in US dollars. */
  cap_usd: number
  /**
   * Shares at which the event `budget.threshold` comes, once a window.
   *
   *
   * Items: A share of the cap.
   */
  thresholds: number[]
  /** `hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it go on beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once the cap is spent no run starts. `fallback`: the fallback models that are cheaper go on, beyond the cap; without any the run is held. */
  on_cap: 'hold' | 'ask' | 'refuse' | 'fallback'
  /** Name of the workflow or agent; null otherwise. */
  scope_name: string | null
  /** Beginning of the current window. */
  starts_at: string
  /** Its end, when the budget begins anew. */
  ends_at: string
  /** What its calls have cost. */
  spent_usd: number
  /** Estimates of the calls in progress. */
  reserved_usd: number
  /** What it would be by the end, if the calls go on as they did in this window. */
  projected_usd: number
  /** When it was set. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

export interface BudgetsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** The filters of `GET /v1/runs`, with arrays for lists. At least one is needed. */
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
  /** Only runs in which this agent has begun a step. */
  agent_id?: string
  /** Only retries of this run. */
  retry_of?: string
  /** Only forks of this run. */
  forked_from?: string
  /**
   * Only runs with this tag, `key:value`; given more than once, with all of them.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** Only runs that cost at least this, in US dollars. */
  min_cost_usd?: number
  /** The start of a run id, or words of the input, the output, the error and the values of tags: whole words in any case, of which a run has all. Up to 5 words count. Words of the input and the output are found within 5 seconds of the end of the run; of each text the first 300 different words within 16,000 characters. */
  q?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs. */
  created_before?: string
  /**
   * Exactly these runs, without any other field of the filter.
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
  /** What is done to each run. */
  action: 'cancel' | 'retry'
  /** How far it is. */
  status: 'dry_run' | 'running' | 'completed'
  /** Runs that matched the filter when it was started. */
  matched: number
  /** Runs that were cancelled or retried. */
  done: number
  /** Runs left as they are: they had ended, or had not failed, or were retried before, or their workflow cannot take them. */
  skipped: number
  /** Who started it. */
  created_by: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** When it was started. */
  created_at: string
  /** When it was over; null before. */
  finished_at: string | null
}

/** A request that awaits a human, with what people noted about it. */
export interface Case {
  /** The run that waits. */
  run_id: string
  /** Its workflow. */
  workflow_id: string
  /** Name of the workflow. */
  workflow_name: string
  /** The first 120 characters of the input of the run, on one line. */
  input_preview: string
  /** What it waits for. */
  pending: {
    /** Id of the request; send it back as `pending_id`. */
    id: string
    /** `input`: a question. `approval`: an action that awaits a go-ahead. `budget`: the next model call has no room; only where `limits.on_cost` of the workflow or `on_cap` of a budget is `ask`. */
    kind: 'input' | 'approval' | 'budget'
    /** The question, or a short summary of the action or of the cost. */
    prompt: string
    /** Approvals only: the action. */
    tool?: string
    /** Approvals only: the exact arguments. */
    tool_input?: {
      [k: string]: unknown
    }
    /** Approvals only: what the approval is bound to besides the arguments. Where the action or its connection changes before it is done, it is asked for anew. */
    tool_version?: string
    /** Only where the action or its connection changed after the agent asked. */
    tool_changed?: {
      /** What it says of itself now. */
      description: string
      /** JSON Schema of its arguments now; null where it is over 8 KB. */
      input_schema: {
        [k: string]: unknown
      } | null
    }
    /** Approvals only: how far it is. */
    approvals?: {
      /** How many different people have to approve. */
      required: number
      /** How many have. */
      given: number
      /** Those who have. */
      by: Approval[]
    }
    /** Position of the step that asks. */
    step_order: number
    /** Role of the agent that asks. */
    role: string
    /** The tool call that asks; the kind `budget` has none. */
    call_id?: string
    /** Kind `budget` only: why the run asks. */
    cost?: {
      /** What was spent: by the run, or in the window of the budget. */
      spent_usd: number
      /** What may be: `limits.max_cost_usd`, or the cap of the budget. */
      limit_usd: number
      /** What the next call may cost: the whole prompt and the longest answer. */
      estimate_usd: number
      /** What the run has cost. */
      run_cost_usd: number
      /** The budget that asks; absent where the run's own limit does. */
      budget?: {
        /** Budget id. */
        id: string
        /** Its name. */
        name: string
        /** `day`, `week` or `month`. */
        window: string
        /** When it begins anew. */
        ends_at: string
      }
    }
    /** Who may answer: each of the users, and whoever has one of the roles. */
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
    /** Only where several calls of a turn wait, or did: the id of their case, which stays while they are decided one by one. It names the case in `/v1/pending/{id}`, not in an answer. */
    case_id?: string
    /** Only where several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Each is decided by `decisions`, or by an answer with its id as `pending_id`. */
    calls?: PendingCall[]
    /** Ids of keys and users who may not approve, because they triggered the run and the account demands four eyes; absent otherwise, and in webhooks. */
    excluded?: string[]
    /** When the run began to wait. */
    created_at: string
    /** When the wait expires; null means never. */
    expires_at: string | null
  }
  /** Whose it is to answer; null for everybody who may. */
  assignee: {
    /** User id. */
    id: string
    /** Name. */
    name: string
  } | null
  /** Who was told of it, and what could not be delivered. */
  notifications: Notification[]
}

/** One of several calls of a turn that await a human. */
export interface PendingCall {
  /** Id of the request; a decision sends it as `pending_id`. */
  id: string
  /** `input`: a question. `approval`: an action that awaits a go-ahead. */
  kind: 'input' | 'approval'
  /** The question, or a short summary of the action. */
  prompt: string
  /** The tool call that asks. */
  call_id: string
  /** Approvals only: the action. */
  tool?: string
  /** Approvals only: the exact arguments. */
  tool_input?: {
    [k: string]: unknown
  }
  /** Approvals only: what the approval is bound to besides the arguments. Where the action or its connection changes before it is done, it is asked for anew. */
  tool_version?: string
  /** Only where the action or its connection changed after the agent asked. */
  tool_changed?: {
    /** What it says of itself now. */
    description: string
    /** JSON Schema of its arguments now; null where it is over 8 KB. */
    input_schema: {
      [k: string]: unknown
    } | null
  }
  /** Approvals only: how far it is. */
  approvals?: {
    /** How many different people have to approve. */
    required: number
    /** How many have. */
    given: number
    /** Those who have. */
    by: Approval[]
  }
}

/** A message to one recipient of a channel. */
export interface Notification {
  /** Notification id. */
  id: string
  /** The channel that it goes through. */
  channel_id: string
  /** What it tells. */
  kind: 'case' | 'reminder' | 'escalation' | 'assignment' | 'alert'
  /** The run that it is about; null where it is about none. */
  run_id: string | null
  /** The request that it is about; null for an alert. */
  pending_id: string | null
  /** Email address or Slack channel. */
  recipient: string
  /** `pending`: not sent yet. `dropped`: answered before it was sent. `failed`: every try failed. */
  status: 'pending' | 'sent' | 'failed' | 'dropped'
  /** Tries that failed. */
  tries: number
  /** Why the last try failed; null if none did. */
  error: string | null
  /** When it is tried next; null when there is nothing to send. */
  next_attempt_at: string | null
  /** When the mail server or Slack took it. */
  sent_at: string | null
  /** When it was written. */
  created_at: string
}

/** What to change of oneself. */
export interface ChangeMe {
  /** Name as others see it, more than blanks. */
  name?: string
  /** Stored as an argon2id hash. */
  password?: string
  /** The password. */
  current_password?: string
}

/** Where people are told what waits for them. */
export interface Channel {
  /** Channel id. */
  id: string
  /** Label for people, more than blanks. */
  name: string
  /** `email` sends through the email connector of the account, or else the mail server of the operator. `slack` posts to one Slack channel. */
  kind: 'email' | 'slack'
  /** Only these workflows are announced; null means all. */
  workflow_ids: string[] | null
  /**
   * Email only: who gets each message, one email each. A recipient who is a user of the account with the role approver or above can answer from the email; others are led to the console.
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
  /** What its last test or use found; `saved` before the first. */
  state: 'saved' | 'working' | 'failing'
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it fails; null unless it does. */
  failing_since: string | null
  /** What works, or what is wrong, in words. */
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
  /** What works, or what is wrong, in words. */
  message: string
}

export interface ChannelsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** What a person noted about a request. Agents do not see it. */
export interface Comment {
  /** Comment id. */
  id: string
  /** The request that it is about. */
  pending_id: string
  /** The run of that request. */
  run_id: string
  /** Who wrote it. */
  author: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  }
  /** What it says. */
  text: string
  /** When it was written. */
  created_at: string
}

/** One of two runs. */
export interface ComparedRun {
  /** Run id. */
  id: string
  /** Workflow that was run. */
  workflow_id: string
  /** Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs from before there were versions. */
  workflow_version: number | null
  /** `completed` and `failed` are final. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** Why the run failed, naming the step; null unless failed. */
  error: string | null
  /** When the run was triggered. */
  created_at: string
  /** Input tokens, by the provider's count. */
  tokens_in: number
  /** Output tokens, by the provider's count. */
  tokens_out: number
  /** Cost in US dollars, by the prices of the catalog. */
  cost_usd: number
  /** Time at work, without waits; null unless it has ended. */
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
  /** TLS from the first byte: by default on port 465 alone, others use STARTTLS. */
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

/** An MCP server to connect, or to accept again. */
export interface ConnectMcp {
  /** Always mcp. */
  kind: 'mcp'
  /** Address of the server (Streamable HTTP), https unless in an allowed network. */
  url: string
  /** Sent with every request, such as Authorization. Left out, those stored for the same url stay. */
  headers?: {
    /** printable ASCII */
    [k: string]: string
  }
  /**
   * Tools that only read, by your own judgement; none by default.
   *
   *
   * Items: Name of a tool.
   */
  safe_tools?: string[]
  /** MCP: which tools agents may be offered, by one of the two; left out, all. */
  tools?: {
    /**
     * These tools and no others; may be empty.
     *
     *
     * Items: Name of a tool.
     */
    only?: string[]
    /**
     * All tools but these, also ones that the server gets later.
     *
     *
     * Items: Name of a tool.
     */
    except?: string[]
  }
}

/** A way for agents to act outside. */
export interface Connector {
  /** Connector id. */
  id: string
  /** Name for people. */
  label: string
  /** Comes with Muster, or MCP server. */
  kind: 'builtin' | 'mcp'
  /** Whether at least one action can be called. */
  connected: boolean
  /** Whether the account has connected it. Otherwise there is nothing to test or to disconnect, also where actions can be called without credentials or with those of the operator. */
  stored: boolean
  /** What its last test or use found; `saved` before the first, null where nothing is stored. */
  state: 'saved' | 'working' | 'failing' | null
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it fails; null unless it does. */
  failing_since: string | null
  /** What works, or what is wrong, in words. */
  message: string | null
  /** What it can do. */
  actions: ConnectorAction[]
  /** Built-in: JSON Schema of what it is connected with; its secrets are `writeOnly`. Absent where it takes nothing. */
  credentials_schema?: {
    [k: string]: unknown
  }
  /** Built-in: the stored fields that are no secret, such as `host` and `from`. */
  settings?: {
    [k: string]: unknown
  }
  /** MCP: origin of its address. */
  url?: string
  /** MCP: names of the headers that are sent. */
  header_names?: string[]
  /** MCP: tools that need no approval. */
  safe_tools?: string[]
  /** MCP: which tools agents may be offered, by one of the two; left out, all. */
  tools?: {
    /**
     * These tools and no others; may be empty.
     *
     *
     * Items: Name of a tool.
     */
    only?: string[]
    /**
     * All tools but these, also ones that the server gets later.
     *
     *
     * Items: Name of a tool.
     */
    except?: string[]
  }
  /** MCP: tools that were not picked. */
  other_tools?: OtherTool[]
  /** MCP: tools found changed or gone; refused until the server is connected again. */
  changed_tools?: string[]
}

/** Something that an agent may do. */
export interface ConnectorAction {
  /** Capability of agents, `<connector>.<action>`. */
  id: string
  /** The description that models see. */
  description: string
  /** JSON Schema of its arguments. */
  input_schema: {
    [k: string]: unknown
  }
  /** It writes outside, or could: it waits for approval. */
  sensitive: boolean
  /** Changes with its description, its arguments and its connection. */
  version: string
  /** Why it cannot be called now; else null. */
  unavailable: string | null
}

/** A tool of an MCP server that was not picked. */
export interface OtherTool {
  /** Name of the tool. */
  name: string
  /** The beginning of its description. */
  description: string
}

/** The result of a test. */
export interface ConnectorTest {
  /** Whether it works. */
  ok: boolean
  /** What works, or what is wrong, in words. */
  message: string
  /** MCP: tools that changed or are gone. */
  changed_tools?: string[]
}

export interface ConnectorsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** An account to make. */
export interface CreateAccount {
  /** Account name, more than blanks. */
  name: string
}

/** An agent to make. */
export interface CreateAgent {
  /** Name of the agent. */
  name: string
  /** What it is for. */
  description?: string | null
  /** Free text to sort agents by. */
  category?: string
  /** Names its steps in workflows and runs. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model id, one of `GET /v1/models`; null takes the model of the workflow. */
  model?: string | null
  /**
   * Models that are tried in order while the provider of the first is unavailable; an empty list takes those of the workflow.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** Most output tokens of one model turn; null sets no limit of its own. */
  maxTokens?: number | null
  /**
   * Connectors that the agent may use; repeats are dropped.
   *
   *
   * Items: A connector id.
   */
  connectors?: string[]
  /**
   * Actions that the agent may take; repeats are dropped.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities?: string[]
  /** Rules about the agent's calls, in their order: the first that matches decides. Between these, those of the account and those of a crew entry the stricter counts. */
  rules?: Rule[]
  /** JSON Schema of the object that the agent answers with, up to 32 KB, an object at its root; null for any text. */
  output_schema?: {
    [k: string]: unknown
  } | null
  /** A run that reaches a step of a paused agent fails. */
  status?: 'active' | 'paused'
  /** Whether the agent keeps memory between runs, in all its workflows. */
  memory_enabled?: boolean
}

/** A note to add. */
export interface CreateAgentMemory {
  /** Visible text, counted without characters that nobody sees. */
  content: string
  /** Whether it is always shown, and never makes room for others. */
  pinned?: boolean
}

/** An alert to create. It tells what happens from now on. */
export interface CreateAlert {
  /** Label for people, more than blanks. */
  name: string
  /** Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`. */
  workflow_ids?: string[] | null
  /** Channels that tell it; null means every active channel. */
  channel_ids?: string[] | null
  /** For `failure_rate` and `waiting_too_long`; null means 60. */
  minutes?: number | null
  /** For `failure_rate`: the share of failed runs; null means 0.5. */
  threshold?: number | null
  /** Pause after each message; what happens meanwhile is told together in the next one. 60 by default. */
  at_most_every_minutes?: number
  /** An inactive alert tells nothing. */
  active?: boolean
  /** `run.failed`: a run failed, cancelled ones apart. `failure_rate`: of the runs that ended in the last `minutes`, at least five, the share `threshold` failed. `waiting_too_long`: a request has waited for `minutes`. `schedule.missed`: a moment of a schedule was missed. `webhook.disabled`: an endpoint was disabled. `connector.failing`: a connector, model provider or channel fails. `model.ending`: a model of a workflow ends within 90 days. `budget.threshold`: a budget has reached one of its thresholds, or its cap. */
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

/** A key to make. */
export interface CreateApiKey {
  /** What the key is for, more than blanks. */
  name: string
  /** viewer reads; approver also answers what waits for people; member also writes; admin also manages keys and connectors. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** ISO 8601 time in the future, such as 2027-01-01T00:00:00Z, or null. */
  expires_at?: string | null
}

/** A batch to start. */
export interface CreateBatch {
  /** One run for each. Either these or `files`. */
  items?: BatchItemInput[]
  /**
   * One run for each file, with its id as key.
   *
   *
   * Items: File id.
   */
  files?: string[]
  /** For items without `input` and `data`; by default a hint at the file. */
  input?: string
  /** For people. */
  name?: string
  /** Runs in progress at once; half of the account's slots by default. */
  concurrency?: number
  /** Only check the items, and estimate cost and time. */
  dry_run?: boolean
}

/** A budget to set. */
export interface CreateBudget {
  /** For people, more than blanks. */
  name: string
  /** Which model calls count. */
  scope: 'account' | 'workflow' | 'agent' | 'tag'
  /** Id of the workflow or agent, or `key:value` of the tag; null for the whole account. */
  scope_value?: string | null
  /** Begins anew at midnight of the time zone; a week on Monday. */
  window: 'day' | 'week' | 'month'
  /** IANA name, such as Europe/Berlin; UTC by default. */
  time_zone?: string
  /** What the calls of a window may cost, in US dollars. */
  cap_usd: number
  /**
   * Shares at which the event `budget.threshold` comes, once a window.
   *
   *
   * Items: A share of the cap.
   */
  thresholds?: number[]
  /** `hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it go on beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once the cap is spent no run starts. `fallback`: the fallback models that are cheaper go on, beyond the cap; without any the run is held. */
  on_cap?: 'hold' | 'ask' | 'refuse' | 'fallback'
}

/** What to do to which runs. */
export interface CreateBulkOperation {
  /** What is done to each run. */
  action: 'cancel' | 'retry'
  filter: BulkFilter
  /** Only count the runs. */
  dry_run?: boolean
}

/** A channel to create. */
export interface CreateChannel {
  /** Label for people, more than blanks. */
  name: string
  /** Only these workflows are announced; null means all. */
  workflow_ids?: string[] | null
  /**
   * Email only: who gets each message, one email each. A recipient who is a user of the account with the role approver or above can answer from the email; others are led to the console.
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
  /** `email` sends through the email connector of the account, or else the mail server of the operator. `slack` posts to one Slack channel. */
  kind: 'email' | 'slack'
}

/** A comment to write. */
export interface CreateComment {
  /** The comment, more than blanks. */
  text: string
}

/** A training job to make. */
export interface CreateFineTune {
  /** Name for people. */
  name: string
  /** Id of the model to tune. */
  base_model: string
  /** Where the examples come from. */
  source: 'upload' | 'runs'
  /** With `upload`: JSONL of at most 20 MB, a chat-format `messages` or an `input` and an `output` on each line, 10 lines at least. */
  training_data?: string
  /** With `runs`: the workflow. */
  workflow_id?: string
  /** With `runs`: only the steps of this role; recommended. */
  role?: string
  /** 1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id */
  suffix?: string
  hyperparameters?: Hyperparameters
}

/** Fields left out have the provider's defaults. */
export interface Hyperparameters {
  /** Passes over the data; OpenAI. */
  epochs?: number
  /** Training steps; Mistral. */
  training_steps?: number
  /** Learning rate; Mistral. */
  learning_rate?: number
}

/** A hook to make. */
export interface CreateHook {
  /** Name for people; that of the workflow by default, more than blanks. */
  name?: string
  /** Workflow to run. */
  workflow_id: string
  /** Version of the workflow; null for the one that is live then. */
  version?: number | null
  /** `hmac_sha256` only: the header of the signature, in hexadecimal digits or base64, with or without `sha256=`; `X-Signature-256` by default. */
  signature_header?: string | null
  /** `hmac_sha256` and `none` only: the header of the id of an event; without it the same body is the same event. */
  event_id_header?: string | null
  /** How old a signature may be, where the scheme signs the time (`standard_webhooks`, `stripe`, `slack`); 300 by default. */
  tolerance_seconds?: number
  /** Only events for which this CEL condition is true start a run: `body.action == "opened"`. It sees `body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events. */
  filter?: string | null
  /** Text of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ event.id }}`. Without `input` and `data` a run gets the body itself. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates. A text that is one path, such as `"{{ body.issue }}"`, becomes the value itself: a number stays a number, an object an object. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Templates of ids of files that were uploaded before; those that are empty are left out.
   *
   *
   * Items: Template of a file id.
   */
  files?: string[]
  /** Tags of each run, up to 16 pairs; their values are Liquid templates. */
  tags?: {
    [k: string]: string
  }
  /** Secret of the signatures, where the sender chose it: Stripe and Slack show theirs. */
  secret?: string
  /** A paused hook answers 202 and keeps nothing. */
  status?: 'active' | 'paused'
  /** How senders sign: as Standard Webhooks, GitHub, Stripe or Slack do, by an HMAC-SHA256 of the body, or not at all. With `none` whoever knows the address can send. */
  scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
}

/** Whom to invite. */
export interface CreateInvitation {
  /** Email address; compared without case. */
  email: string
  /** What the person may do in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
}

/** A mailbox to read. Messages that arrive from now on start runs. */
export interface CreateMailbox {
  /** Label for people, more than blanks. */
  name: string
  /** Name or address of the IMAP server. */
  host: string
  /** 993 with TLS from the first byte, 143 with STARTTLS; others only in allowed networks. */
  port: number
  /** User name, mostly the email address. */
  username: string
  /** Folder that is read; INBOX by default. */
  folder?: string
  /** Workflow that each message runs. */
  workflow_id: string
  /** Only messages of these senders; null means all. */
  senders?: string[] | null
  /** Only messages whose subject has this text, in any case; null means all. */
  subject_contains?: string | null
  /** How often the folder is read; 60 by default. */
  poll_seconds?: number
  /** An inactive mailbox is not read. */
  active?: boolean
  /** Password, or an app password. Sealed; it never comes back. */
  password: string
}

/** A run to trigger. */
export interface CreateRun {
  /** The text that the crew works on. May be left out where `data` is given. */
  input?: string
  /** An object for the crew, up to 64 KB of JSON; it has to fit the `input_schema` of the workflow. Agents read it as JSON, after the input. */
  data?: {
    [k: string]: unknown
  } | null
  /** Version of the workflow to run, such as a draft; by default the one that is live when the run begins. */
  version?: number
  /** Versions of agents of the crew to run, such as drafts, by agent id; other agents run the version that is live. Such a run is fixed when it is triggered. */
  agent_versions?: {
    [k: string]: number
  }
  /** Labels, by which runs are found and usage is grouped: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /**
   * Files for the crew, up to 20, each once; see `POST /v1/files`.
   *
   *
   * Items: File id.
   */
  files?: string[]
}

/** A schedule to make. */
export interface CreateSchedule {
  /** Name for people; that of the workflow by default, more than blanks. */
  name?: string
  /** Workflow to run. */
  workflow_id: string
  /** Version of the workflow; null for the one that is live then. */
  version?: number | null
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`. Giving one of `cron`, `every_seconds` and `at` replaces the other two. */
  cron?: string | null
  /** IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default. */
  time_zone?: string
  /** Interval in seconds, counted from when it was set. */
  every_seconds?: number | null
  /** One moment, in the future. */
  at?: string | null
  /** The last moment at which it may fire; null for no end. */
  ends_at?: string | null
  /** Spreads starts: each is delayed by up to this time, by the same for the same moment. */
  jitter_seconds?: number
  /** Text of each run, a Liquid template: `{{ scheduled_at }}`, `{{ schedule.name }}`, `{{ last_run.output }}`. Required where there is no `data`. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates, as `input` is. */
  data?: {
    [k: string]: unknown
  } | null
  /** Labels, by which runs are found and usage is grouped: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /** What happens if the run before is not finished: the new one is skipped, waits for it, replaces it, or runs beside it. */
  overlap?: 'skip' | 'queue' | 'cancel_previous' | 'allow'
  /** What starts late, after a time without workers: nothing, the last of the moments that were due, or each. The others are `missed`. */
  catch_up?: 'none' | 'last' | 'all'
  /** How late a run may start; 3,600 by default. */
  catch_up_seconds?: number
  /** Pauses the schedule when this many of its runs failed in a row; null for never. */
  pause_after_failures?: number | null
  /** Your own unique name. Creating a schedule whose key exists changes that one, so a file can be applied again. */
  key?: string | null
  /** A paused schedule fires nothing; what was due meanwhile is not made up for. */
  status?: 'active' | 'paused'
}

/** An endpoint to make. */
export interface CreateWebhook {
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url: string
  /** Label for people. */
  description?: string | null
  /**
   * Subscribed event types; repeats are dropped. A cancelled run is a `run.cancelled` where that is subscribed to, and a `run.failed` otherwise.
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
    | 'batch.completed'
    | 'budget.threshold'
    | 'budget.reached'
    | 'schedule.missed'
  )[]
  /** Only runs of this workflow are delivered; null means all. */
  workflow_id?: string | null
}

/** A workflow to make. */
export interface CreateWorkflow {
  /** Name of the workflow. */
  name: string
  /** What it is for. */
  description?: string | null
  /** Model of the agents that set none; null takes the server's default, whatever it is. */
  model?: string | null
  /**
   * Models that are tried in order while the provider of an agent's model is unavailable. An agent with a list of its own uses that.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** The agents in the order in which they work. */
  crew?: CrewEntry[]
  /** JSON Schema of the `data` that a run is triggered with, up to 32 KB, an object at its root; null for none. */
  input_schema?: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles keep memory between runs. */
  memory_enabled?: boolean
  /** Fields that are left out keep their value, or their default. */
  human_in_the_loop?: {
    /** Whether runs may pause for a human. */
    enabled?: boolean
    /** Whether agents may ask questions. */
    allow_input?: boolean
    /** Which actions wait for a human: sensitive ones, all, or none. */
    approvals?: 'sensitive' | 'all' | 'never'
    /** How long one pause may last, in seconds; null means without end. */
    timeout_seconds?: number | null
    /** What an unanswered pause does: end the run, or go on as if refused. */
    on_timeout?: 'fail' | 'reject'
    /** Who may answer. Replaced as a whole: a list that is left out is empty. */
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
    /** How many different people have to approve an action. Over 1, keys do not count. */
    required_approvals?: number
    /** Channels remind once of a request that waits this long. null means never. */
    remind_after_minutes?: number | null
    /** A request that waits this long is told to `escalate_to`, once. It goes on waiting. null means never. */
    escalate_after_minutes?: number | null
    /** Who is told when a request escalates. Replaced as a whole: a list that is left out is empty. */
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
  /** Fields that are left out keep their value, or their default. */
  limits?: {
    /** Most model turns of one step. */
    max_turns_per_step?: number
    /** Most seconds at work; waiting for a human, or for a worker, does not count. */
    max_run_seconds?: number
    /** How long a run is held while no provider answers, before it fails; that time counts towards no other limit. */
    max_outage_seconds?: number
    /** Most US dollars that one run may cost; null means no limit. */
    max_cost_usd?: number | null
    /** `fail`: a run that passes `max_cost_usd` fails. `ask`: it pauses before the call that would pass it, and a person may let it cost more. */
    on_cost?: 'fail' | 'ask'
  }
}

/** One agent of a crew. With `agentId` the tools and `maxTokens` of the standing agent count, not those of the entry; of the rules of both the stricter. */
export interface CrewEntry {
  /** Role of the agent; names its step. */
  role: string
  /** Instructions of the agent. */
  systemPrompt: string
  /** Model of this agent alone. */
  model?: string
  /** Standing agent whose live definition runs in place of this entry. */
  agentId?: string
  /** Most output tokens of one model turn; null sets no limit of its own. */
  maxTokens?: number | null
  /**
   * Connectors that the agent may use; repeats are dropped.
   *
   *
   * Items: A connector id.
   */
  connectors?: string[]
  /**
   * Actions that the agent may take; repeats are dropped.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities?: string[]
  /** Rules about the agent's calls, in their order: the first that matches decides. Between these, those of the account and those of a crew entry the stricter counts. */
  rules?: Rule[]
  /** JSON Schema of the object that the agent answers with, up to 32 KB, an object at its root; in place of the agent's own. Null or left out for none. */
  output_schema?: {
    [k: string]: unknown
  } | null
}

/** A note to add for a role. */
export interface CreateWorkflowMemory {
  /** A role of the crew. */
  role: string
  /** Visible text, counted without characters that nobody sees. */
  content: string
  /** Whether it is always shown, and never makes room for others. */
  pinned?: boolean
}

/** A new account. */
export interface CreatedAccount {
  /** Account id. */
  id: string
  /** Account name. */
  name: string
  /** Its first admin key, shown this one time. */
  admin_key: string
}

/** A new API key with its secret. */
export interface CreatedApiKey {
  /** Key id. */
  id: string
  /** What the key is for. */
  name: string
  /** viewer reads; approver also answers what waits for people; member also writes; admin also manages keys and connectors. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** The first characters of the key, to tell keys apart. */
  prefix: string
  /** When the key was made. */
  created_at: string
  /** When the key expires; null means never. */
  expires_at: string | null
  /** Last use, to the minute; null before the first. */
  last_used_at: string | null
  /** The key itself, shown this one time. */
  key: string
}

/** A new invitation with its link. */
export interface CreatedInvitation {
  /** Invitation id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** What the person may do in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** User or key that invited; null for an operator. */
  invited_by: string | null
  /** When it was made. */
  created_at: string
  /** When its link ends. */
  expires_at: string
  /** When it was accepted; null while it is open. */
  accepted_at: string | null
  /** The one-time link, shown this one time. */
  link: string
  /** Whether a mail server took it. */
  mailed: boolean
}

/** A new workflow. */
export interface CreatedWorkflow {
  /** Workflow id. */
  id: string
  /** Name of the workflow. */
  name: string
  /** What it is for. */
  description: string | null
  /** Model of the agents that set none; the server's default of now where it is inherited. */
  model: string
  /**
   * Models that are tried in order while the provider of an agent's model is unavailable. An agent with a list of its own uses that.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** The agents in the order in which they work. */
  crew: CrewEntry[]
  /** JSON Schema of the `data` that a run is triggered with, up to 32 KB, an object at its root; null for none. */
  input_schema: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles keep memory between runs. */
  memory_enabled: boolean
  /** Whether `model` is the server's default of now. Setting it to true is the same as `model` null; to false keeps the model of now. */
  model_inherited: boolean
  /**
   * What is worth knowing of its models and actions today; mostly empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `action_refused`: an agent has an action that needs an approval, and the workflow asks no person, so it will be refused. `demo_model`: the offline stand-in is in use although a provider has a key. `model_ends`: a model ends within 90 days, or has ended. `model_unavailable`: a model has no key here, or was removed; runs fail there. More may come. */
    code: 'action_refused' | 'demo_model' | 'model_ends' | 'model_unavailable'
    /** The same in words. */
    message: string
  }[]
  /** A paused workflow accepts no new runs. */
  status: 'active' | 'paused'
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  /** The live version: its number, and the `ETag`. */
  version: number
  /** The newest version; a draft where it is not the live one and was never published. */
  last_version: number
  /** When the workflow was made. */
  created_at: string
}

/** When runs of a workflow wait for people. */
export interface HumanInTheLoop {
  /** Whether runs may pause for a human. */
  enabled: boolean
  /** Whether agents may ask questions. */
  allow_input: boolean
  /** Which actions wait for a human: sensitive ones, all, or none. */
  approvals: 'sensitive' | 'all' | 'never'
  /** How long one pause may last, in seconds; null means without end. */
  timeout_seconds: number | null
  /** What an unanswered pause does: end the run, or go on as if refused. */
  on_timeout: 'fail' | 'reject'
  /** Who may answer: each of the users, and whoever has one of the roles. */
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
  /** How many different people have to approve an action. Over 1, keys do not count. */
  required_approvals: number
  /** Channels remind once of a request that waits this long. null means never. */
  remind_after_minutes: number | null
  /** A request that waits this long is told to `escalate_to`, once. It goes on waiting. null means never. */
  escalate_after_minutes: number | null
  /** Who is told by email when a request escalates. Who may answer is a matter of `approvers`. */
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

/** Past a limit a run fails with `budget_exceeded`; past `max_outage_seconds` with `step_failed`. */
export interface Limits {
  /** Most model turns of one step. */
  max_turns_per_step: number
  /** Most seconds at work; waiting for a human, or for a worker, does not count. */
  max_run_seconds: number
  /** How long a run is held while no provider answers, before it fails; that time counts towards no other limit. */
  max_outage_seconds: number
  /** Most US dollars that one run may cost; null means no limit. */
  max_cost_usd: number | null
  /** `fail`: a run that passes `max_cost_usd` fails. `ask`: it pauses before the call that would pass it, and a person may let it cost more. */
  on_cost: 'fail' | 'ask'
}

/** The rule that decided about a call. */
export interface DecidingRule {
  /** Where the rule stands. */
  level: 'account' | 'agent' | 'crew_entry'
  /** Its place in the list of then, from 0. */
  position: number
  /** The action that it names. */
  action: string
  /** What it decided. */
  decision: 'allow' | 'ask' | 'block'
  /** Why, as the rule says it, or how its condition failed. */
  reason: string | null
}

/** What was deleted. */
export interface Deleted {
  /** Id of what was deleted. */
  id: string
  /** Always true. */
  deleted: true
}

/** One try to deliver. */
export interface DeliveryAttempt {
  /** When the attempt began. */
  at: string
  /** HTTP status; 0 means no answer. */
  response_status: number
  /** The first 1,000 characters of the answer. */
  response_body: string
  /** How long it took, in milliseconds. */
  duration_ms: number
  /** Why it failed; null when it succeeded. */
  error: string | null
  /** Who asked for it. */
  trigger: 'scheduled' | 'manual'
}

/** A session that ended. */
export interface EndedSession {
  /** The session that ended. */
  id: string
  /** Always true. */
  deleted: true
  /** Where a browser goes to end the session at the OpenID Connect provider as well; null where there is none. */
  end_session_url: string | null
}

/** Sessions that ended. */
export interface EndedSessions {
  /** How many sessions have ended. */
  ended: number
}

/** Every failure has this body. */
export interface ErrorBody {
  /** What went wrong. */
  error: {
    /** Kind of failure. */
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
    /** Stable word for the cause. More may come. */
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
      | 'too_many_mailboxes'
      | 'too_many_channels'
      | 'too_many_webhooks'
      | 'too_many_model_providers'
      | 'too_many_schedules'
      | 'blocked_by_rule'
      | 'too_many_rules'
      | 'too_many_hooks'
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
      | 'secret_key_missing'
      | 'secret_unreadable'
      | 'identity_provider_unavailable'
      | 'internal'
    /** What is wrong, where, and what is expected. */
    message: string
    /** Path of the field at fault. */
    param?: string
    /** Line of the training data at fault, from 1. */
    line?: number
    /** Finds the request in the logs. */
    request_id: string
  }
}

export interface FilesListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** A training job at a provider. */
export interface FineTune {
  /** Fine-tune id. */
  id: string
  /** Name for people. */
  name: string
  /** Who trains. */
  provider: string
  /** Its name for people. */
  provider_label: string
  /** Id of the model to tune. */
  base_model: string
  /** Its name for people. */
  base_model_label: string
  /** `succeeded`, `failed`, `cancelled` are final. */
  status: 'queued' | 'validating' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  /** Where the examples come from. */
  source: 'upload' | 'runs'
  /** Number of examples. */
  example_count: number
  /** Size of the training set as it was sent. */
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
  /** When the job was made. */
  created_at: string
  /** 1 to 18 characters of A-Z a-z 0-9 -, part of the tuned id */
  suffix?: string
  /** The provider's own name for the status. */
  provider_status?: string
  /** Workflow whose runs are the examples. */
  source_workflow_id?: string
  /** The one role whose steps they are. */
  source_role?: string
  /** The provider's id of the job. */
  provider_job_id?: string
  /** Cost in US dollars; left out where the rate is not known. */
  cost_usd?: number
  /** US dollars per 1,000,000 trained tokens, if known. */
  training_rate?: number
  /** When training began. */
  started_at?: string
  /** When the job ended. */
  finished_at?: string
  /** When the provider last told its state. */
  last_synced_at?: string
}

/** An entry of the provider's log. */
export interface FineTuneEvent {
  /** When it happened. */
  at: string
  /** `info`, `warn` or `error`. */
  level: string
  /** The provider's words. */
  message: string
}

/** What would be trained on. */
export interface FineTunePreview {
  /** Lines that can be used. */
  example_count: number
  /** Tokens of one pass; an estimate where the tokenizer is not OpenAI's. */
  token_count: number
  /** Size of the training set as it would be sent. */
  training_bytes: number
  /** Estimate in US dollars; null where the rate is not known. */
  estimated_cost_usd: number | null
  /**
   * The first three.
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
   * The first ten; with any of them a create is refused.
   *
   * Items: One problem.
   */
  problems: {
    /** From 1; null for the set as a whole. */
    line: number | null
    /** What is wrong. */
    message: string
  }[]
}

export interface FineTunesEventsQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface FineTunesListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** What became of one moment at which a schedule was due. */
export interface Firing {
  /** Firing id. */
  id: string
  /** Whether its time came, a person asked for it, or it was made up for. */
  kind: 'scheduled' | 'manual' | 'backfill'
  /** The moment at which it was due; that of the request for one by hand. */
  due_at: string
  /** Set where too many were missed to list each: all moments up to this one were missed too. */
  missed_until: string | null
  /** `due` starts or waits, `fired` made a run, `skipped` and `missed` made none. */
  status: 'due' | 'fired' | 'skipped' | 'missed'
  /** Why there is no run, or not yet, in words. */
  why: string | null
  /** The run; null where there is none. */
  run_id: string | null
  /** Status of the run; null where there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** When it was settled, with a run or without one. */
  settled_at: string | null
}

/** What a fork would do. */
export interface ForkPreview {
  /** Steps that are taken over, at no cost. */
  reused_steps: number
  /**
   * Roles of the steps that are executed, in order.
   *
   * Items: A role.
   */
  executed_steps: string[]
  /** Version that is executed; null where that is not known. */
  workflow_version: number | null
  /**
   * Actions on other systems that the run has made, or may have made, in the steps that the fork executes again: its agents may ask for them once more. Up to 100.
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
    /** What became of it. */
    status: 'proposed' | 'approved' | 'rejected' | 'executing' | 'succeeded' | 'failed' | 'unknown'
    /** What becomes of it if an agent of the fork asks for it again. */
    outcome: 'asks_again' | 'done_again' | 'refused'
  }[]
}

/** A run to start from the steps of another. */
export interface ForkRun {
  /** The first step that is executed, from 0; those before it are taken over. */
  from_step: number
  /** In place of the input of the run. */
  input?: string
  /** In place of the data of the run, up to 64 KB of JSON; null for none. */
  data?: {
    [k: string]: unknown
  } | null
  /** Outputs of steps before `from_step`, by their order, such as `{"0": "…"}`, in place of those of the run. */
  outputs?: {
    /** An output. */
    [k: string]: string
  }
  /** What the fork executes: what the run itself did, or the workflow as it is now. */
  definition?: 'frozen' | 'current'
  /** Labels, by which runs are found and usage is grouped: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
}

/** An address to which another service sends events that start runs. */
export interface Hook {
  /** Hook id. */
  id: string
  /** Name for people. */
  name: string
  /** Workflow that is run. */
  workflow_id: string
  /** Its version; null for the live one. */
  version: number | null
  /** How senders sign: as Standard Webhooks, GitHub, Stripe or Slack do, by an HMAC-SHA256 of the body, or not at all. With `none` whoever knows the address can send. */
  scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
  /** Header of the signature; null for the usual one. */
  signature_header: string | null
  /** Header of the event id; null for none. */
  event_id_header: string | null
  /** How old a signature may be. */
  tolerance_seconds: number
  /** CEL condition; null for all events. */
  filter: string | null
  /** Template of the text of each run. */
  input: string | null
  /** Data of each run, with templates. */
  data: {
    [k: string]: unknown
  } | null
  /**
   * Templates of the files of each run.
   *
   * Items: Template of a file id.
   */
  files: string[]
  /** Templates of the tags of each run. */
  tags: {
    [k: string]: string
  }
  /** A paused hook answers 202 and keeps nothing. */
  status: 'active' | 'paused'
  /** Until when the secret before is taken as well; null without one. */
  previous_secret_expires_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** Address to send events to; null for a viewer or approver, since with the scheme `none` it is all that is needed. */
  url: string | null
  /** Whether there is a secret; without one nothing passes. */
  has_secret: boolean
  /** The newest delivery; null before the first. */
  last_delivery: HookDelivery | null
}

/** One event that was sent to a hook, and what became of it. */
export interface HookDelivery {
  /** Delivery id. */
  id: string
  /** The hook. */
  hook_id: string
  /** Id that the sender gave the event; null where it gave none. */
  event_id: string | null
  /** Type of the event, such as `issues`; null where it says none. */
  event_type: string | null
  /** `pending` is being routed, `started` made a run, `filtered` did not pass the filter, `failed` says why there is no run, `answered` only checked the address, `refused` was not signed as it has to be. */
  status: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
  /** Why there is no run, or not yet, in words. */
  why: string | null
  /** The run; null where there is none. */
  run_id: string | null
  /** Status of the run; null where there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** When it was settled, with a run or without one. */
  settled_at: string | null
  /** How often the same event came again, within 72 hours. */
  repeats: number
  /** Media type that the sender named; may be empty. */
  content_type: string
  /** Size of the body; 0 for one that was refused. */
  bytes: number
  /** When it came. */
  received_at: string
}

/** A delivery with what was sent. */
export interface HookDeliveryWithBody {
  /** Delivery id. */
  id: string
  /** The hook. */
  hook_id: string
  /** Id that the sender gave the event; null where it gave none. */
  event_id: string | null
  /** Type of the event, such as `issues`; null where it says none. */
  event_type: string | null
  /** `pending` is being routed, `started` made a run, `filtered` did not pass the filter, `failed` says why there is no run, `answered` only checked the address, `refused` was not signed as it has to be. */
  status: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
  /** Why there is no run, or not yet, in words. */
  why: string | null
  /** The run; null where there is none. */
  run_id: string | null
  /** Status of the run; null where there is none. */
  run_status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | null
  /** When it was settled, with a run or without one. */
  settled_at: string | null
  /** How often the same event came again, within 72 hours. */
  repeats: number
  /** Media type that the sender named; may be empty. */
  content_type: string
  /** Size of the body; 0 for one that was refused. */
  bytes: number
  /** When it came. */
  received_at: string
  /** Headers, without signatures and credentials. */
  headers: {
    [k: string]: string
  }
  /** The body as text; empty for one that was refused. */
  body: string
}

/** What a filter and templates make of an event. */
export interface HookPreview {
  /** Whether the filter lets it pass; null where it fails. */
  passes: boolean | null
  /** What the run would be given: the body of a trigger. Null where that fails. */
  run: {
    [k: string]: unknown
  } | null
  /**
   * What would make the delivery fail.
   *
   * Items: A problem.
   */
  problems: {
    /** Field at fault, such as `filter`. */
    field: string
    /** What is wrong, and where. */
    why: string
  }[]
  /** What filter and templates see: `body`, `headers`, `event`, `hook`. */
  values: {
    [k: string]: unknown
  }
}

/** A hook with a secret that was made for it. */
export interface HookWithSecret {
  /** Hook id. */
  id: string
  /** Name for people. */
  name: string
  /** Workflow that is run. */
  workflow_id: string
  /** Its version; null for the live one. */
  version: number | null
  /** How senders sign: as Standard Webhooks, GitHub, Stripe or Slack do, by an HMAC-SHA256 of the body, or not at all. With `none` whoever knows the address can send. */
  scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
  /** Header of the signature; null for the usual one. */
  signature_header: string | null
  /** Header of the event id; null for none. */
  event_id_header: string | null
  /** How old a signature may be. */
  tolerance_seconds: number
  /** CEL condition; null for all events. */
  filter: string | null
  /** Template of the text of each run. */
  input: string | null
  /** Data of each run, with templates. */
  data: {
    [k: string]: unknown
  } | null
  /**
   * Templates of the files of each run.
   *
   * Items: Template of a file id.
   */
  files: string[]
  /** Templates of the tags of each run. */
  tags: {
    [k: string]: string
  }
  /** A paused hook answers 202 and keeps nothing. */
  status: 'active' | 'paused'
  /** Until when the secret before is taken as well; null without one. */
  previous_secret_expires_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** Address to send events to; null for a viewer or approver, since with the scheme `none` it is all that is needed. */
  url: string | null
  /** Whether there is a secret; without one nothing passes. */
  has_secret: boolean
  /** The newest delivery; null before the first. */
  last_delivery: HookDelivery | null
  /** The secret that was made, shown this one time; null where it was given, or is none. */
  secret: string | null
}

export interface HooksDeliveriesQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only deliveries in this status. */
  status?: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
}

export interface HooksListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only those of this workflow. */
  workflow_id?: string
  /** Only those in this status. */
  status?: 'active' | 'paused'
}

/** An invitation without its link. */
export interface Invitation {
  /** Invitation id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** What the person may do in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** User or key that invited; null for an operator. */
  invited_by: string | null
  /** When it was made. */
  created_at: string
  /** When its link ends. */
  expires_at: string
  /** When it was accepted; null while it is open. */
  accepted_at: string | null
}

export interface InvitationsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Leave out those that were accepted; those whose link has ended stay. */
  open?: boolean
}

/** Whom the provider signs out. */
export interface LogoutToken {
  /** A JWT that the provider signed. */
  logout_token: string
}

/** An IMAP folder whose new messages start runs. */
export interface Mailbox {
  /** Mailbox id. */
  id: string
  /** Label for people, more than blanks. */
  name: string
  /** Name or address of the IMAP server. */
  host: string
  /** 993 with TLS from the first byte, 143 with STARTTLS; others only in allowed networks. */
  port: number
  /** User name, mostly the email address. */
  username: string
  /** Folder that is read; INBOX by default. */
  folder: string
  /** Workflow that each message runs. */
  workflow_id: string
  /** Only messages of these senders; null means all. */
  senders: string[] | null
  /** Only messages whose subject has this text, in any case; null means all. */
  subject_contains: string | null
  /** How often the folder is read; 60 by default. */
  poll_seconds: number
  /** An inactive mailbox is not read. */
  active: boolean
  /** What its last test or use found; `saved` before the first. */
  state: 'saved' | 'working' | 'failing'
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it fails; null unless it does. */
  failing_since: string | null
  /** What works, or what is wrong, in words. */
  message: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/** A message, and what became of it. */
export interface MailboxMessage {
  /** Id here. */
  id: string
  /** The mailbox. */
  mailbox_id: string
  /** Its Message-ID, or a hash where it has none. */
  message_id: string
  /** Address that it is from. */
  sender: string
  /** Subject, up to 300 characters. */
  subject: string
  /** `pending`: its run is to start; `why` says what keeps it, such as a paused workflow. `started`: it started `run_id`. `ignored`: it starts nothing, see `why`. `failed`: the run was refused. */
  status: 'pending' | 'started' | 'ignored' | 'failed'
  /** Why it started nothing; null where it did. */
  why: string | null
  /** The run; null where it started none. */
  run_id: string | null
  /** When the server got it. */
  received_at: string | null
  /** When Muster saw it. */
  created_at: string
}

/** Whether the server took the login and has the folder. */
export interface MailboxTest {
  /** Whether it works. */
  ok: boolean
  /** What works, or what is wrong, in words. */
  message: string
}

export interface MailboxesListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface MailboxesMessagesQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
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
  /** Name as others see it, more than blanks. */
  name: string
  /** False for one who signs in elsewhere alone. */
  has_password: boolean
  /** The session that asks. */
  session_id: string
  /** The account that the session acts in. */
  account: {
    /** Account id. */
    id: string
    /** Its name. */
    name: string
  }
  /** What the person may do in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** All accounts that the user belongs to. */
  accounts: {
    /** Account id. */
    id: string
    /** Its name. */
    name: string
    /** What the person may do in the account. */
    role: 'viewer' | 'approver' | 'member' | 'admin'
  }[]
}

/** A note that an agent, or a role of a workflow, keeps. */
export interface MemoryEntry {
  /** Memory entry id. */
  id: string
  /** The agent; null for a role of a workflow. */
  agent_id: string | null
  /** The workflow; null for an agent. */
  workflow_id: string | null
  /** The role in the workflow; null for an agent. */
  role: string | null
  /** Visible text, counted without characters that nobody sees. */
  content: string
  /** Whether it is always shown, and never makes room for others. */
  pinned: boolean
  /** Who wrote it. */
  source: 'user' | 'agent'
  /** The run in which an agent wrote it. */
  run_id: string | null
  /** When it was written. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
  /** When a step was last shown it, to the minute. */
  last_used_at: string | null
}

/** A language model. */
export interface Model {
  /** What `model` of a workflow or crew entry takes. */
  id: string
  /** Who runs it. */
  provider: string
  /** Name for people. */
  label: string
  /** Most tokens of prompt and answer; null if unknown. */
  context_window: number | null
  /** US dollars per 1,000,000 input tokens; null if unknown. */
  price_in: number | null
  /** US dollars per 1,000,000 output tokens; null if unknown. */
  price_out: number | null
  /** US dollars per 1,000,000 input tokens from the provider's cache; where it is null they count as other input. */
  price_cached: number | null
  /** US dollars per 1,000,000 input tokens that are written to the provider's cache; where it is null they count as other input. */
  price_cache_write: number | null
  /** What a long prompt does to all prices of its call; null for nothing known. */
  long_prompt: {
    /** Input tokens. */
    over: number
    /** Factor on the prices of input. */
    in: number
    /** Factor on the price of output. */
    out: number
  } | null
  /** The day on which the provider ends it, or the earliest that it names; null if unknown. */
  shutdown_date: string | null
  /** Where the figures come from; null where the deployment or a fine-tune has them. */
  source: {
    /** The provider's page of prices. */
    url: string
    /** When it was compared. */
    date: string
    /** The provider's page of ends. */
    ends?: string
    /** The provider's page of what its models take. */
    inputs?: string
    /** What could not be checked, or will change. */
    note?: string
  } | null
  /** Whether its provider holds answers to `output_schema`. Others are told the schema; what they answer is checked all the same. */
  structured_output: boolean
  /**
   * Media types of files that it takes as they are. It gets the text of others, or reads them with tools.
   *
   * Items: Such as `image/png`.
   */
  input_types: string[]
  /** Whether this deployment has what it needs to run it. */
  available: boolean
  /** Whether workflows that name no model run on it now. */
  default: boolean
  /** Where it comes from. */
  kind: 'catalog' | 'fine_tuned'
}

/** Where models are run. */
export interface ModelProvider {
  /** Provider id. */
  id: string
  /** Name for people. */
  label: string
  /** Comes with Muster, or a server that speaks the API of OpenAI. */
  kind: 'builtin' | 'compatible'
  /** Whether its models can be run in this account. */
  available: boolean
  /** Whose key or server is used; null where there is none. */
  source: 'account' | 'server' | null
  /** Whether the account has set it. Otherwise there is nothing to test or to remove. */
  stored: boolean
  /** Whether the account has stored a key. */
  has_key: boolean
  /** Address that the account has set; else null. */
  base_url: string | null
  /** Longest silence of the provider, in seconds; null for the default. */
  timeout_seconds: number | null
  /** Models of the account's own server. */
  models: OwnModel[]
  /** What its last test or use found; `saved` before the first, null where nothing is stored. */
  state: 'saved' | 'working' | 'failing' | null
  /** When it was last tested or used. */
  checked_at: string | null
  /** Since when it fails; null unless it does. */
  failing_since: string | null
  /** What works, or what is wrong, in words. */
  message: string | null
}

/** A model of an account's own server. */
export interface OwnModel {
  /** The server's own id, visible ASCII characters. */
  id: string
  /** Name for people; the id by default. */
  label?: string
  /** Most tokens of prompt and answer. */
  context_window?: number
  /** US dollars per 1,000,000 input tokens; left out, unknown, and counted as 0. */
  price_in?: number
  /** US dollars per 1,000,000 output tokens; left out, unknown, and counted as 0. */
  price_out?: number
  /** Whether the server takes a JSON Schema as `response_format`. */
  structured_output?: boolean
  /**
   * Files that it takes as they are.
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
  /** What works, or what is wrong, in words. */
  message: string
}

export interface ModelProvidersListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface ModelsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface NotificationsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
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
  /** When the account was made. */
  created_at: string
  /** `suspended`: keys answer 403, runs and webhooks rest. `deleting`: see DELETE. */
  status: 'active' | 'suspended' | 'deleting'
  /** When it was suspended; null while it is not. */
  suspended_at: string | null
  /** Why, for operators. */
  suspension_reason: string | null
  /** When its deletion was asked for. */
  deleted_at: string | null
  /** Runs that may be triggered or retried in a day (UTC). null: no limit. */
  max_runs_a_day: number | null
  /** Emails that agents may send in a day (UTC). The stricter of this and the policy holds. null: no limit. */
  max_mails_a_day: number | null
  /** What model calls may cost in a day (UTC), in USD. null: no limit. */
  max_cost_usd_a_day: number | null
  /** What they may cost in a month (UTC), in USD. null: no limit. */
  max_cost_usd_a_month: number | null
  /** Bytes that may be stored before runs and uploads are refused. Measured every ten minutes, past half of them every minute. null: no limit. */
  max_stored_bytes: number | null
  /** Bytes that its files may have together. null: as the service has it for all. */
  max_file_bytes: number | null
}

export interface OperatorAccountsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** What an operator did to an account. It outlives the account. */
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
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface PendingCommentsQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface PendingListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** What holds for all workflows of the account. */
export interface Policies {
  /** Which actions wait for a person at least, whatever a workflow says. The stricter of the two holds. */
  approvals_floor: 'none' | 'sensitive' | 'all'
  /** Whoever triggered a run may not approve in it. */
  four_eyes: boolean
  /** An answer to a run must name the request that it answers, by `pending_id`. */
  require_pending_id: boolean
  /** Hosts that `web.fetch` may reach, in lower case: `docs.example.com`, or `*.example.com` for all below that name, without asking first. null means any host, an empty list none; then an address that an agent wrote itself waits for approval once its run has read private data. */
  web_fetch_hosts: string[] | null
  /**
   * Actions that are sensitive whatever their connector says.
   *
   *
   * Items: `<connector>.<action>`.
   */
  sensitive_actions: string[]
  /** Rules about calls of agents, in their order: the first that matches decides, in place of the `approvals` of the workflow. `approvals_floor` is not lowered. */
  rules: Rule[]
  /** Most emails that agents may send in a day (UTC); null sets no limit. */
  mails_a_day: number | null
  /** When they were last changed; null before. */
  updated_at: string | null
}

/** An event, and the filter and templates to try on it. */
export interface PreviewHook {
  /** A hook, whose fields count where this request has none. */
  hook_id?: string
  /** A delivery of that hook, in place of `body`. */
  delivery_id?: string
  /** A body as it would be sent. */
  body?: string
  /** Its media type; `application/json` by default. */
  content_type?: string
  /** Headers of the event. */
  headers?: {
    /** A value. */
    [k: string]: string
  }
  /** Only events for which this CEL condition is true start a run: `body.action == "opened"`. It sees `body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events. */
  filter?: string | null
  /** Text of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ event.id }}`. Without `input` and `data` a run gets the body itself. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates. A text that is one path, such as `"{{ body.issue }}"`, becomes the value itself: a number stays a number, an object an object. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Templates of ids of files that were uploaded before; those that are empty are left out.
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
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`. Giving one of `cron`, `every_seconds` and `at` replaces the other two. */
  cron?: string | null
  /** IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default. */
  time_zone?: string
  /** Interval in seconds, counted from when it was set. */
  every_seconds?: number | null
  /** One moment, in the future. */
  at?: string | null
  /** The last moment at which it may fire; null for no end. */
  ends_at?: string | null
  /** Spreads starts: each is delayed by up to this time, by the same for the same moment. */
  jitter_seconds?: number
}

/** A new name. */
export interface RenameAccount {
  /** Account name, more than blanks. */
  name: string
}

/** Whose password is forgotten. */
export interface RequestReset {
  /** Email address; compared without case. */
  email: string
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

/** The answer to what a run waits for. Null and "" count as absent. */
export interface RespondToRun {
  /** `input` answers a question; `approve` and `reject` decide an approval or a budget. Required without `decisions`. Of several calls that wait it answers the first, or that of `pending_id`. */
  action?: 'input' | 'approve' | 'reject'
  /** The answer; required when the action is `input`, refused otherwise. */
  input?: string | null
  /** Kept with the decision; the agent gets that of a rejection. */
  reason?: string | null
  /** The request that is answered; another one is refused with 409. */
  pending_id?: string | null
  /** With `approve`: arguments in place of the agent's, kept as edited. */
  tool_input?: {
    [k: string]: unknown
  } | null
  /** With `approve` of a pending budget, and required there: what this run may cost in all, over what it has cost. */
  max_cost_usd?: number | null
  /**
   * In place of all other fields: a decision for each of these calls of `pending.calls`, all or some. They take effect together, or none does.
   *
   *
   * Items: A decision about one call.
   */
  decisions?: {
    /** The call: one of `pending.calls`, or that of `pending` itself. */
    call_id: string
    /** `input` answers a question; `approve` and `reject` decide an approval. */
    action: 'input' | 'approve' | 'reject'
    /** The answer; required when the action is `input`, refused otherwise. */
    input?: string | null
    /** Kept with the decision; the agent gets that of a rejection. */
    reason?: string | null
    /** The request that is answered; another one is refused with 409. */
    pending_id?: string | null
    /** With `approve`: arguments in place of the agent's, kept as edited. */
    tool_input?: {
      [k: string]: unknown
    } | null
  }[]
}

/** What an answer did to its run. */
export interface RespondedRun {
  /** Run id. */
  id: string
  /** `running`: it goes on, and waits again where others of its calls are left. `waiting_input`: others have to approve as well. `failed`: it ended, because a pending budget was rejected. */
  status: 'running' | 'waiting_input' | 'failed'
  /** Where others have to approve as well. */
  approvals?: {
    /** How many people have approved. */
    given: number
    /** How many have to. */
    required: number
  }
  /** After `decisions`: what became of each, in their order. */
  decisions?: {
    /** The call. */
    call_id: string
    /** What was decided. */
    decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused'
    /** Where others have to approve as well. */
    approvals?: {
      /** How many people have approved. */
      given: number
      /** How many have to. */
      required: number
    }
  }[]
}

/** The new secret; without one it is made. */
export interface RotateHookSecret {
  /** Secret of the signatures, where the sender chose it: Stripe and Slack show theirs. */
  secret?: string
}

/** A rule of the account that was added or removed. */
export interface RuleChanged {
  rule: Rule
}

/** A rule that would allow what people approved many times in a row, and the evidence. */
export interface RuleSuggestion {
  rule: Rule
  /** Decisions that it is made of. */
  count: number
  /** When the first of them was made. */
  first_decided_at: string
  /** When the last of them was made. */
  last_decided_at: string
  /**
   * The approvals that it is made of, the newest first.
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
    /** API key or user that decided; null where the wait expired. */
    decided_by: string | null
    /** Their name at that time. */
    decider: string | null
  }[]
}

/** Rules that decisions suggest. */
export interface RuleSuggestions {
  /** One for an action. */
  suggestions: RuleSuggestion[]
}

/** What rules say of a call. */
export interface RulesTested {
  /** The rule that decides; null where none matches, so that the workflow does. */
  rule: DecidingRule | null
  /** The arguments, with those that rules set. */
  args: {
    [k: string]: unknown
  }
  /** `execute`: the call would be made. `ask`: a person would be asked. `refuse`: it would not be made, because a rule blocks it or because an approval is needed and the workflow asks no person. Null where no workflow is named. */
  outcome: 'execute' | 'ask' | 'refuse' | null
}

/** What rules would have made of the last 100 decided calls of their actions. */
export interface RulesTried {
  /** Calls that would have been made without asking. */
  allowed: number
  /** Calls that a person would have been asked about. */
  asked: number
  /** Calls that would have been refused. */
  blocked: number
  /** Calls that a person rejected or edited, and that would have been made. */
  rejected_allowed: number
  /**
   * All of them, the newest first.
   *
   * Items: A decision, and what rules would have made of it.
   */
  decisions: {
    /** The run. */
    run_id: string
    /** The call. */
    call_id: string
    /** When it was decided. */
    decided_at: string
    /** API key or user that decided; null where the wait expired. */
    decided_by: string | null
    /** Their name at that time. */
    decider: string | null
    /** The action. */
    action: string
    /** The call in one line. */
    summary: string
    /** What was decided. */
    decision: 'approved' | 'edited' | 'rejected' | 'expired'
    /** What would become of the call under the rules and the `approvals_floor`. */
    outcome: 'allow' | 'ask' | 'block'
    /** The rule that decides; null where none matches, so that the workflow does. */
    rule: DecidingRule | null
  }[]
}

/** One execution of a workflow, without its steps. */
export interface Run {
  /** Run id. */
  id: string
  /** Workflow that was run. */
  workflow_id: string
  /** Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs from before there were versions. */
  workflow_version: number | null
  /** `completed` and `failed` are final. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** The text that the run was given. */
  input: string
  /** The object that the run was given; null for none. */
  data: {
    [k: string]: unknown
  } | null
  /** The last agent's output; null until completed. */
  output: string | null
  /** The output as an object, where the last agent has an `output_schema`; null otherwise. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why the run failed, naming the step; null unless failed. */
  error: string | null
  /** Kind of the failure; null unless failed. */
  error_code:
    | 'step_failed'
    | 'agent_paused'
    | 'wait_expired'
    | 'cancelled'
    | 'budget_exceeded'
    | 'internal'
    | 'output_invalid'
    | null
  /** Finished steps, a failed one included. */
  total_steps: number
  /** Input tokens, by the provider's count. */
  tokens_in: number
  /** Output tokens, by the provider's count. */
  tokens_out: number
  /** Cost in US dollars, by the prices of the catalog. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. 0 also where a provider does not say. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Run that this one retries. */
  retry_of: string | null
  /** The run that this one was forked from; null for others. */
  forked_from: {
    /** Run that this one continues. */
    run_id: string
    /** The step that it began at, from 0. */
    step: number
  } | null
  /** Who triggered or retried it; null where nobody did. */
  triggered_by: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** Labels that it was triggered with; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /**
   * What is worth knowing although the run did not fail for it; mostly empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `answer_cut`: a step ended at a limit of output tokens, and its output is incomplete. `action_refused`: an agent asked for an action that needs an approval, and the workflow asks no person. `demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model ends within 90 days, or has ended. `model_unavailable`: its key was removed meanwhile. More may come. */
    code: 'answer_cut' | 'action_refused' | 'demo_model' | 'model_ends' | 'model_unavailable'
    /** The same in words. */
    message: string
    /** The step, from 0. */
    step_order: number
  }[]
  /** The request that awaits a human; null unless the status is `waiting_input`. */
  pending: {
    /** Id of the request; send it back as `pending_id`. */
    id: string
    /** `input`: a question. `approval`: an action that awaits a go-ahead. `budget`: the next model call has no room; only where `limits.on_cost` of the workflow or `on_cap` of a budget is `ask`. */
    kind: 'input' | 'approval' | 'budget'
    /** The question, or a short summary of the action or of the cost. */
    prompt: string
    /** Approvals only: the action. */
    tool?: string
    /** Approvals only: the exact arguments. */
    tool_input?: {
      [k: string]: unknown
    }
    /** Approvals only: what the approval is bound to besides the arguments. Where the action or its connection changes before it is done, it is asked for anew. */
    tool_version?: string
    /** Only where the action or its connection changed after the agent asked. */
    tool_changed?: {
      /** What it says of itself now. */
      description: string
      /** JSON Schema of its arguments now; null where it is over 8 KB. */
      input_schema: {
        [k: string]: unknown
      } | null
    }
    /** Approvals only: how far it is. */
    approvals?: {
      /** How many different people have to approve. */
      required: number
      /** How many have. */
      given: number
      /** Those who have. */
      by: Approval[]
    }
    /** Position of the step that asks. */
    step_order: number
    /** Role of the agent that asks. */
    role: string
    /** The tool call that asks; the kind `budget` has none. */
    call_id?: string
    /** Kind `budget` only: why the run asks. */
    cost?: {
      /** What was spent: by the run, or in the window of the budget. */
      spent_usd: number
      /** What may be: `limits.max_cost_usd`, or the cap of the budget. */
      limit_usd: number
      /** What the next call may cost: the whole prompt and the longest answer. */
      estimate_usd: number
      /** What the run has cost. */
      run_cost_usd: number
      /** The budget that asks; absent where the run's own limit does. */
      budget?: {
        /** Budget id. */
        id: string
        /** Its name. */
        name: string
        /** `day`, `week` or `month`. */
        window: string
        /** When it begins anew. */
        ends_at: string
      }
    }
    /** Who may answer: each of the users, and whoever has one of the roles. */
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
    /** Only where several calls of a turn wait, or did: the id of their case, which stays while they are decided one by one. It names the case in `/v1/pending/{id}`, not in an answer. */
    case_id?: string
    /** Only where several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Each is decided by `decisions`, or by an answer with its id as `pending_id`. */
    calls?: PendingCall[]
    /** Ids of keys and users who may not approve, because they triggered the run and the account demands four eyes; absent otherwise, and in webhooks. */
    excluded?: string[]
    /** When the run began to wait. */
    created_at: string
    /** When the wait expires; null means never. */
    expires_at: string | null
  } | null
  /** When the run was triggered. */
  created_at: string
  /** When execution began; null while queued. */
  started_at: string | null
  /** When the run ended; null before. */
  finished_at: string | null
}

/** Two runs side by side. */
export interface RunComparison {
  before: ComparedRun
  after: ComparedRun
  /** What differs in their inputs, word by word; null where they are the same. */
  input:
    | {
        /** Whether the text is in both, or only before or after. */
        kind: 'same' | 'removed' | 'added'
        /** A part of the text. */
        text: string
      }[]
    | null
  /** What differs in their outputs; null where they are the same. */
  output:
    | {
        /** Whether the text is in both, or only before or after. */
        kind: 'same' | 'removed' | 'added'
        /** A part of the text. */
        text: string
      }[]
    | null
  /**
   * The steps of both, by their order.
   *
   * Items: A step of both.
   */
  steps: {
    /** Position of the step, from 0. */
    order: number
    /** The step of the first run; null where it has none. */
    before: {
      /** Role of the agent. */
      role: string
      /** Model that was used. */
      model: string
      /** Version of the standing agent. */
      agent_version: number | null
      /** Why it failed; null otherwise. */
      error: string | null
      /** Run that it was taken over from; null where it was executed. */
      reused_from: string | null
      /** Its output was given with the fork. */
      output_given: boolean
      /** Input tokens, by the provider's count. */
      tokens_in: number
      /** Output tokens, by the provider's count. */
      tokens_out: number
      /** Cost in US dollars, by the prices of the catalog. */
      cost_usd: number
      /** Null where it was not executed or not ended. */
      duration_ms: number | null
      /**
       * What it called, in order.
       *
       * Items: An action.
       */
      tools: string[]
    } | null
    /** The step of the other run; null where it has none. */
    after: {
      /** Role of the agent. */
      role: string
      /** Model that was used. */
      model: string
      /** Version of the standing agent. */
      agent_version: number | null
      /** Why it failed; null otherwise. */
      error: string | null
      /** Run that it was taken over from; null where it was executed. */
      reused_from: string | null
      /** Its output was given with the fork. */
      output_given: boolean
      /** Input tokens, by the provider's count. */
      tokens_in: number
      /** Output tokens, by the provider's count. */
      tokens_out: number
      /** Cost in US dollars, by the prices of the catalog. */
      cost_usd: number
      /** Null where it was not executed or not ended. */
      duration_ms: number | null
      /**
       * What it called, in order.
       *
       * Items: An action.
       */
      tools: string[]
    } | null
    /** What differs in the outputs of the step; null where they are the same. */
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

/** One entry of the event log of a run. */
export interface RunEvent {
  /** Event id. */
  id: string
  /** Event type, such as `step.completed`. */
  type: string
  /** Number within the run, from 1, without gaps. */
  sequence: number
  /** The run. */
  run_id: string
  /** When it happened. */
  created_at: string
  /** Labels that it was triggered with; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** Details by type. */
  data: {
    [k: string]: unknown
  }
}

/** A file that a run was given, or that an agent wrote. */
export interface RunFile {
  /** File id. */
  id: string
  /** Its name. */
  name: string
  /** What its bytes are. */
  media_type: string
  /** Size in bytes. */
  bytes: number
  /** Pages of a PDF; null otherwise. */
  pages: number | null
  /** Whether its text can be read, as on the file. */
  text_status: 'complete' | 'cut' | 'none' | null
  /** Characters of its text; null for images. */
  text_chars: number | null
  /** The file is gone; what was known of its content is null. */
  deleted: boolean
}

/** One execution of a workflow. */
export interface RunWithSteps {
  /** Run id. */
  id: string
  /** Workflow that was run. */
  workflow_id: string
  /** Version of the workflow that it was triggered with, or that was live when it began; null before, and for runs from before there were versions. */
  workflow_version: number | null
  /** `completed` and `failed` are final. */
  status: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'
  /** The text that the run was given. */
  input: string
  /** The object that the run was given; null for none. */
  data: {
    [k: string]: unknown
  } | null
  /** The last agent's output; null until completed. */
  output: string | null
  /** The output as an object, where the last agent has an `output_schema`; null otherwise. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why the run failed, naming the step; null unless failed. */
  error: string | null
  /** Kind of the failure; null unless failed. */
  error_code:
    | 'step_failed'
    | 'agent_paused'
    | 'wait_expired'
    | 'cancelled'
    | 'budget_exceeded'
    | 'internal'
    | 'output_invalid'
    | null
  /** Finished steps, a failed one included. */
  total_steps: number
  /** Input tokens, by the provider's count. */
  tokens_in: number
  /** Output tokens, by the provider's count. */
  tokens_out: number
  /** Cost in US dollars, by the prices of the catalog. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. 0 also where a provider does not say. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Run that this one retries. */
  retry_of: string | null
  /** The run that this one was forked from; null for others. */
  forked_from: {
    /** Run that this one continues. */
    run_id: string
    /** The step that it began at, from 0. */
    step: number
  } | null
  /** Who triggered or retried it; null where nobody did. */
  triggered_by: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** Labels that it was triggered with; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /**
   * What is worth knowing although the run did not fail for it; mostly empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `answer_cut`: a step ended at a limit of output tokens, and its output is incomplete. `action_refused`: an agent asked for an action that needs an approval, and the workflow asks no person. `demo_model`: the offline stand-in answered although a provider has a key. `model_ends`: the model ends within 90 days, or has ended. `model_unavailable`: its key was removed meanwhile. More may come. */
    code: 'answer_cut' | 'action_refused' | 'demo_model' | 'model_ends' | 'model_unavailable'
    /** The same in words. */
    message: string
    /** The step, from 0. */
    step_order: number
  }[]
  /** The request that awaits a human; null unless the status is `waiting_input`. */
  pending: {
    /** Id of the request; send it back as `pending_id`. */
    id: string
    /** `input`: a question. `approval`: an action that awaits a go-ahead. `budget`: the next model call has no room; only where `limits.on_cost` of the workflow or `on_cap` of a budget is `ask`. */
    kind: 'input' | 'approval' | 'budget'
    /** The question, or a short summary of the action or of the cost. */
    prompt: string
    /** Approvals only: the action. */
    tool?: string
    /** Approvals only: the exact arguments. */
    tool_input?: {
      [k: string]: unknown
    }
    /** Approvals only: what the approval is bound to besides the arguments. Where the action or its connection changes before it is done, it is asked for anew. */
    tool_version?: string
    /** Only where the action or its connection changed after the agent asked. */
    tool_changed?: {
      /** What it says of itself now. */
      description: string
      /** JSON Schema of its arguments now; null where it is over 8 KB. */
      input_schema: {
        [k: string]: unknown
      } | null
    }
    /** Approvals only: how far it is. */
    approvals?: {
      /** How many different people have to approve. */
      required: number
      /** How many have. */
      given: number
      /** Those who have. */
      by: Approval[]
    }
    /** Position of the step that asks. */
    step_order: number
    /** Role of the agent that asks. */
    role: string
    /** The tool call that asks; the kind `budget` has none. */
    call_id?: string
    /** Kind `budget` only: why the run asks. */
    cost?: {
      /** What was spent: by the run, or in the window of the budget. */
      spent_usd: number
      /** What may be: `limits.max_cost_usd`, or the cap of the budget. */
      limit_usd: number
      /** What the next call may cost: the whole prompt and the longest answer. */
      estimate_usd: number
      /** What the run has cost. */
      run_cost_usd: number
      /** The budget that asks; absent where the run's own limit does. */
      budget?: {
        /** Budget id. */
        id: string
        /** Its name. */
        name: string
        /** `day`, `week` or `month`. */
        window: string
        /** When it begins anew. */
        ends_at: string
      }
    }
    /** Who may answer: each of the users, and whoever has one of the roles. */
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
    /** Only where several calls of a turn wait, or did: the id of their case, which stays while they are decided one by one. It names the case in `/v1/pending/{id}`, not in an answer. */
    case_id?: string
    /** Only where several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Each is decided by `decisions`, or by an answer with its id as `pending_id`. */
    calls?: PendingCall[]
    /** Ids of keys and users who may not approve, because they triggered the run and the account demands four eyes; absent otherwise, and in webhooks. */
    excluded?: string[]
    /** When the run began to wait. */
    created_at: string
    /** When the wait expires; null means never. */
    expires_at: string | null
  } | null
  /** When the run was triggered. */
  created_at: string
  /** When execution began; null while queued. */
  started_at: string | null
  /** When the run ended; null before. */
  finished_at: string | null
  /** Time since it began in which it waited, for people, for workers or to repeat a model call, and did not work. */
  waited_ms: number
  /** Why the run cannot go on by itself at present; null where it can, where it has ended and where it waits for a person. Lists do not have it. */
  held: {
    /** More may come. */
    reason: 'provider_unavailable' | 'account_at_limit' | 'budget' | 'no_worker'
    /** Since when; null where that is not known. */
    since: string | null
    /** When it is tried again; null where that is up to others. */
    next_try_at: string | null
    /** The same in words. */
    message: string
  } | null
  /** For a failed run: since which version the workflow fails, where it worked with another one before; null otherwise. Lists do not have it. */
  failing_since: {
    /** Version of the first run that failed since. */
    version: number
    /** Version of the last run that completed before this one was triggered. */
    last_worked_version: number
    /** That run. */
    last_worked_run_id: string
    /** Path of what differs between the two versions. */
    diff: string
  } | null
  /** Files of the run. Lists do not have them. */
  files: {
    /** What the run was given. */
    inputs: RunFile[]
    /** What its agents wrote. */
    outputs: RunFile[]
  }
  /** Steps in the order of execution. */
  steps: Step[]
}

/** One agent at work. */
export interface Step {
  /** Step id. */
  id: string
  /** Position in the crew, from 0. */
  order: number
  /** Role of the agent. */
  role: string
  /** Standing agent that was linked; null for a plain entry. */
  agent_id: string | null
  /** Version of the standing agent that was live when the run began; null for a plain entry, and for steps from before there were versions. */
  agent_version: number | null
  /** Model that was used. */
  model: string
  /** Prompt of the agent: the run input, then prior outputs. */
  input: string
  /** What the agent wrote; null if unfinished or failed. */
  output: string | null
  /** The output as an object, where the agent has an `output_schema`; null otherwise. */
  output_json: {
    [k: string]: unknown
  } | null
  /** Why the step failed; null otherwise. */
  error: string | null
  /** Why the model stopped: `length` is a limit of output tokens, which leaves the output incomplete. Null unless finished. */
  finish_reason: 'stop' | 'length' | 'other' | null
  /** Input tokens, by the provider's count. */
  tokens_in: number
  /** Output tokens, by the provider's count. */
  tokens_out: number
  /** Cost in US dollars, by the prices of the catalog. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. 0 also where a provider does not say. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** In the order of the calls. */
  tool_calls: ToolCall[]
  /** Ids of the memory entries that the agent was shown. */
  memory: string[]
  /** Run whose finished step was taken over by a retry or a fork; it cost nothing here. */
  reused_from: string | null
  /** The output was given with the fork, in place of what the agent wrote. */
  output_given: boolean
  /** When the step began. */
  started_at: string | null
  /** When the step ended; null while in progress. */
  finished_at: string | null
}

/** What an agent wanted to do and what became of it. */
export interface ToolCall {
  /** Tool call id. */
  id: string
  /** The action, such as `email.send`, or a built-in tool. */
  tool: string
  /** What an approval is bound to besides the arguments: it changes with the action and its connection; null for tools of Muster itself. */
  tool_version: string | null
  /** The exact arguments; null when the model wrote no JSON object. */
  input: {
    [k: string]: unknown
  }
  /** What the model wrote, when a person edited it; null otherwise. */
  proposed_input: {
    [k: string]: unknown
  }
  /** `unknown`: it may or may not have been done, and is not repeated without a person. */
  status: 'proposed' | 'approved' | 'rejected' | 'executing' | 'succeeded' | 'failed' | 'unknown'
  /** What the agent was told; null while open. With the run, its first 2,000 characters; whole in the turns of the step. */
  output: string | null
  /** Size of the whole output, as UTF-8. */
  output_bytes: number | null
  /** Why its outcome is unknown, in the words of the other side where it said any; null otherwise. */
  unknown_reason: string | null
  /** How it was decided: by a person (`approved`, `edited`, `rejected`, `answered`), by the end of the wait (`expired`) or by policy (`refused`); null where nobody was asked. */
  decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | null
  /** The rule that decided whether a person is asked; null where none did. */
  rule: DecidingRule | null
  /** API key or user that decided; null where no person did. */
  decided_by: string | null
  /** Who decided; null where no person did. */
  decider: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** Why, where whoever decided said so. */
  reason: string | null
  /** Who approved it, where one approval was not enough; empty otherwise. */
  approvals: Approval[]
  /** When it was decided. */
  decided_at: string | null
  /** When the call went out; null if it never did. */
  started_at: string | null
  /** When its outcome was known. */
  finished_at: string | null
}

export interface RunsCreateQuery {
  /** The events of the run will be streamed with `deltas` at once: its first model call waits for nobody. */
  deltas?: boolean
}

export interface RunsListAllQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only runs in one of these statuses, where cancelled runs are among the failed ones, and `cancelled` finds them alone: queued, running, waiting_input, completed, failed, cancelled, with commas between. */
  status?: string
  /** Only runs that failed with one of these codes: step_failed, agent_paused, wait_expired, cancelled, budget_exceeded, internal, output_invalid, with commas between. */
  error_code?: string
  /** Only runs of this workflow. */
  workflow_id?: string
  /** Only runs in which this agent has begun a step. */
  agent_id?: string
  /** Only retries of this run. */
  retry_of?: string
  /** Only forks of this run. */
  forked_from?: string
  /**
   * Only runs with this tag, `key:value`; given more than once, with all of them.
   *
   *
   * Items: `key:value`, such as `customer:acme`.
   */
  tag?: string[]
  /** Only runs that cost at least this, in US dollars. */
  min_cost_usd?: number
  /** The start of a run id, or words of the input, the output, the error and the values of tags: whole words in any case, of which a run has all. Up to 5 words count. Words of the input and the output are found within 5 seconds of the end of the run; of each text the first 300 different words within 16,000 characters. */
  q?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only later runs. */
  created_after?: string
  /** ISO 8601 time such as 2026-11-01T00:00:00Z: only earlier runs. */
  created_before?: string
}

export interface RunsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only runs in this status; `cancelled` ones are `failed` as well. */
  status?: 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | 'cancelled'
}

export interface RunsRetrieveQuery {
  /** Answer as soon as the run ends or waits, or after this many seconds. */
  wait?: number
}

export interface RunsTurnsQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** Starts runs of a workflow by the clock. */
export interface Schedule {
  /** Schedule id. */
  id: string
  /** Your own unique name; null for none. */
  key: string | null
  /** Name for people. */
  name: string
  /** Workflow that is run. */
  workflow_id: string
  /** Its version; null for the live one. */
  version: number | null
  /** Cron pattern of five fields. */
  cron: string | null
  /** IANA time zone in which `cron` is read. */
  time_zone: string
  /** Interval in seconds. */
  every_seconds: number | null
  /** The one moment. */
  at: string | null
  /** Template of the text of each run. */
  input: string | null
  /** Data of each run, with templates. */
  data: {
    [k: string]: unknown
  } | null
  /** Labels that it was triggered with; a retry keeps them. */
  tags: {
    [k: string]: string
  }
  /** What happens if the run before is not finished: the new one is skipped, waits for it, replaces it, or runs beside it. */
  overlap: 'skip' | 'queue' | 'cancel_previous' | 'allow'
  /** What starts late, after a time without workers: nothing, the last of the moments that were due, or each. The others are `missed`. */
  catch_up: 'none' | 'last' | 'all'
  /** How late a run may start. */
  catch_up_seconds: number
  /** Each start is delayed by up to this time. */
  jitter_seconds: number
  /** The last moment at which it may fire. */
  ends_at: string | null
  /** Failed runs in a row that pause it; null for never. */
  pause_after_failures: number | null
  /** `ended`: no further moment is due. */
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
  /** The newest firing; null before the first. */
  last_firing: Firing | null
}

/** When a schedule is due next. */
export interface SchedulePreview {
  /** When it fires, in English: "Every Monday at 09:00 (Europe/Berlin)". */
  in_words: string
  /**
   * The coming ten moments, or fewer where it ends.
   *
   * Items: A moment.
   */
  due: string[]
}

export interface SchedulesFiringsQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only firings in this status. */
  status?: 'due' | 'fired' | 'skipped' | 'missed'
}

export interface SchedulesListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only those of this workflow. */
  workflow_id?: string
  /** Only those in this status. */
  status?: 'active' | 'paused' | 'ended'
}

/** A browser that is signed in. */
export interface Session {
  /** Session id. */
  id: string
  /** Whether it is the one that asks. */
  current: boolean
  /** When it began. */
  created_at: string
  /** Last use, to the minute; seven days later it ends. */
  last_seen_at: string
  /** When it ends at the latest. */
  expires_at: string
  /** Network address that it began from. */
  address: string | null
  /** Browser that it began in. */
  user_agent: string | null
}

export interface SessionsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** A key for a built-in provider, or a compatible server. */
export interface SetModelProvider {
  /** Key of visible ASCII characters; null for a server without. */
  api_key?: string | null
  /** Address of a server that speaks the chat completions API of OpenAI, the part before `/chat/completions`; https unless in an allowed network. Required for a server of your own; of a built-in provider, null is its usual address. Left out, a stored one stays. */
  base_url?: string | null
  /** Name for people. Left out, a stored one stays. */
  label?: string | null
  /** Seconds that the provider may stay silent before a call fails. Null is 120; raise it for slow local models. Left out, a stored one stays. */
  timeout_seconds?: number | null
  /** Models of a server of your own, which workflows name `<provider>/<id>`. Left out, stored ones stay; where there are none, the server is asked for its list. The first one is tested. */
  models?: OwnModel[]
}

/** The first admin. */
export interface SetUp {
  /** Secret part of the one-time link. */
  token: string
  /** Email address; compared without case. */
  email: string
  /** Name as others see it, more than blanks. */
  name: string
  /** Stored as an argon2id hash. */
  password: string
}

/** Who signs in. */
export interface SignIn {
  /** Email address; compared without case. */
  email: string
  /** The password. */
  password: string
}

/** A file that runs can be given. */
export interface StoredFile {
  /** File id. */
  id: string
  /** As it was uploaded, without folders and characters that cannot be seen. */
  name: string
  /** What the bytes are: `text/plain`, `text/markdown`, `text/csv`, `application/json`, `application/pdf`, `application/vnd.openxmlformats-officedocument.wordprocessingml.document`, `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`, `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
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
  /** `complete`: all text can be read. `cut`: only its beginning, as there is too much of it. `none`: there is no text, as in a scan. null for images. */
  text_status: 'complete' | 'cut' | 'none' | null
  /** Characters of the text that can be read; null for images. */
  text_chars: number | null
  /** When it was made. */
  created_at: string
}

/** Why it is suspended. */
export interface SuspendAccount {
  /** Why, for operators. */
  reason?: string
}

/** Where to go on. */
export interface SwitchAccount {
  /** One of the accounts of the user. */
  account_id: string
}

/** A call, and the rules to try on it. */
export interface TestRules {
  /** Rules to try in place of those of `level`; without, the present ones count. */
  rules?: Rule[]
  /** Where they would stand; `account` by default. */
  level?: 'account' | 'agent' | 'crew_entry'
  /** A call that waits for approval, in place of one that is described. */
  pending_id?: string
  /** Action of the call, such as `email.send`; required without `pending_id`. */
  action?: string
  /** Its arguments. */
  args?: {
    [k: string]: unknown
  }
  /** The agent that calls. */
  agent?: {
    /** A standing agent, whose rules count; by default that of the crew entry. */
    id?: string
    /** Its role; by default that of the agent. */
    role?: string
  }
  /** Workflow of the run. */
  workflow_id?: string
  /** Position of the crew entry in the workflow, from 0, whose rules count. */
  order?: number
  /** Tags of the run. */
  tags?: {
    /** A value. */
    [k: string]: string
  }
}

/** Rules to try on what people decided. */
export interface TryRules {
  /** Rules to try in place of those of `level`. */
  rules: Rule[]
  /** Where they would stand; `account` by default. */
  level?: 'account' | 'agent' | 'crew_entry'
  /** With `level` `agent`: the agent; only decisions about its calls are shown. */
  agent_id?: string
  /** With `level` `crew_entry`: the workflow; only decisions in its runs are shown. */
  workflow_id?: string
  /** With `level` `crew_entry`: position of the entry in the crew, from 0. */
  order?: number
}

/** One answer of a model: what it was sent and what it said. */
export interface Turn {
  /** Number within the step, from 0. */
  number: number
  /** Model that answered. */
  model: string
  /**
   * What the model was sent at first: its instructions with the memory, and the prompt. Each later turn is sent all of the turns before as well, with the outputs of their calls; its list is empty.
   *
   * Items: A message.
   */
  messages: {
    /** Whose words they are. */
    role: 'system' | 'user'
    /** The text. */
    text: string
  }[]
  /**
   * Tools that the model was offered.
   *
   * Items: A tool.
   */
  tools: {
    /** As the model sees it. */
    name: string
    /** What it says of itself. */
    description: string
    /** JSON Schema of its arguments. */
    input_schema: {
      [k: string]: unknown
    }
  }[]
  /** JSON Schema that its answer had to fit: held to it by the provider, or told of it after its instructions. Null for none. */
  output_schema: {
    [k: string]: unknown
  } | null
  /** What the model wrote; null where it was deleted by age. */
  text: string | null
  /** What was wrong with the answer, as the model was told for its next turn; null otherwise. */
  problem: string | null
  /** What the model gave of its reasoning; null for none. */
  reasoning: string | null
  /** What it asked for, with the whole output of each, as the next turn got it. */
  calls: ToolCall[]
  /** Input tokens, by the provider's count. */
  tokens_in: number
  /** Output tokens, by the provider's count. */
  tokens_out: number
  /** Cost in US dollars, by the prices of the catalog. */
  cost_usd: number
  /** Part of `tokens_in`: read from the provider's cache. */
  tokens_cached: number
  /** Part of `tokens_in`: written to the provider's cache. */
  tokens_cache_written: number
  /** Part of `tokens_out`: spent on reasoning. 0 also where a provider does not say. */
  tokens_reasoning: number
  /** Model calls that may have cost something, but whose counts never arrived. */
  calls_without_usage: number
  /** Time of the model call that answered. */
  duration_ms: number | null
  /** The provider's id of the request, where it gave one. */
  request_id: string | null
}

/** What to change. */
export interface UpdateAccount {
  /** Account name, more than blanks. */
  name?: string
  /** Runs that may be triggered or retried in a day (UTC). null: no limit. */
  max_runs_a_day?: number | null
  /** Emails that agents may send in a day (UTC). The stricter of this and the policy holds. null: no limit. */
  max_mails_a_day?: number | null
  /** What model calls may cost in a day (UTC), in USD. null: no limit. */
  max_cost_usd_a_day?: number | null
  /** What they may cost in a month (UTC), in USD. null: no limit. */
  max_cost_usd_a_month?: number | null
  /** Bytes that may be stored before runs and uploads are refused. Measured every ten minutes, past half of them every minute. null: no limit. */
  max_stored_bytes?: number | null
  /** Bytes that its files may have together. null: as the service has it for all. */
  max_file_bytes?: number | null
}

/** The fields to change. */
export interface UpdateAgent {
  /** Name of the agent. */
  name?: string
  /** What it is for. */
  description?: string | null
  /** Free text to sort agents by. */
  category?: string
  /** Names its steps in workflows and runs. */
  role?: string
  /** Instructions of the agent. */
  systemPrompt?: string
  /** Model id, one of `GET /v1/models`; null takes the model of the workflow. */
  model?: string | null
  /**
   * Models that are tried in order while the provider of the first is unavailable; an empty list takes those of the workflow.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** Most output tokens of one model turn; null sets no limit of its own. */
  maxTokens?: number | null
  /**
   * Connectors that the agent may use; repeats are dropped.
   *
   *
   * Items: A connector id.
   */
  connectors?: string[]
  /**
   * Actions that the agent may take; repeats are dropped.
   *
   *
   * Items: `<connector>.<action>`.
   */
  capabilities?: string[]
  /** Rules about the agent's calls, in their order: the first that matches decides. Between these, those of the account and those of a crew entry the stricter counts. */
  rules?: Rule[]
  /** JSON Schema of the object that the agent answers with, up to 32 KB, an object at its root; null for any text. */
  output_schema?: {
    [k: string]: unknown
  } | null
  /** A run that reaches a step of a paused agent fails. */
  status?: 'active' | 'paused'
  /** Whether the agent keeps memory between runs, in all its workflows. */
  memory_enabled?: boolean
  /** The version that the change makes does not go live: runs use it when they are triggered with its number, or once it is published. `last_version` is its number. */
  draft?: boolean
  /** Why the version was made; shown in the history. */
  note?: string | null
}

/** The fields to change. */
export interface UpdateAlert {
  /** Label for people, more than blanks. */
  name?: string
  /** Only runs of these workflows; null means all. For `run.failed`, `failure_rate`, `waiting_too_long`, `schedule.missed`. */
  workflow_ids?: string[] | null
  /** Channels that tell it; null means every active channel. */
  channel_ids?: string[] | null
  /** For `failure_rate` and `waiting_too_long`; null means 60. */
  minutes?: number | null
  /** For `failure_rate`: the share of failed runs; null means 0.5. */
  threshold?: number | null
  /** Pause after each message; what happens meanwhile is told together in the next one. 60 by default. */
  at_most_every_minutes?: number
  /** An inactive alert tells nothing. */
  active?: boolean
}

/** The fields to change. */
export interface UpdateBudget {
  /** For people, more than blanks. */
  name?: string
  /** What the calls of a window may cost, in US dollars. */
  cap_usd?: number
  /**
   * Shares at which the event `budget.threshold` comes, once a window.
   *
   *
   * Items: A share of the cap.
   */
  thresholds?: number[]
  /** `hold`: runs wait for the next window. `ask`: each run pauses, and a person may let it go on beyond the cap, up to a total cost of the run. `refuse`: the step fails, and once the cap is spent no run starts. `fallback`: the fallback models that are cheaper go on, beyond the cap; without any the run is held. */
  on_cap?: 'hold' | 'ask' | 'refuse' | 'fallback'
}

/** The fields to change; secrets that are left out stay. */
export interface UpdateChannel {
  /** Label for people, more than blanks. */
  name?: string
  /** Only these workflows are announced; null means all. */
  workflow_ids?: string[] | null
  /**
   * Email only: who gets each message, one email each. A recipient who is a user of the account with the role approver or above can answer from the email; others are led to the console.
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

/** The fields to change. */
export interface UpdateHook {
  /** Name for people; that of the workflow by default, more than blanks. */
  name?: string
  /** Workflow to run. */
  workflow_id?: string
  /** Version of the workflow; null for the one that is live then. */
  version?: number | null
  /** `hmac_sha256` only: the header of the signature, in hexadecimal digits or base64, with or without `sha256=`; `X-Signature-256` by default. */
  signature_header?: string | null
  /** `hmac_sha256` and `none` only: the header of the id of an event; without it the same body is the same event. */
  event_id_header?: string | null
  /** How old a signature may be, where the scheme signs the time (`standard_webhooks`, `stripe`, `slack`); 300 by default. */
  tolerance_seconds?: number
  /** Only events for which this CEL condition is true start a run: `body.action == "opened"`. It sees `body`, `headers`, `event.id`, `event.type` and `hook.name`. Null for all events. */
  filter?: string | null
  /** Text of each run, a Liquid template: `{{ body.issue.title }}`, `{{ headers["x-github-event"] }}`, `{{ event.id }}`. Without `input` and `data` a run gets the body itself. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates. A text that is one path, such as `"{{ body.issue }}"`, becomes the value itself: a number stays a number, an object an object. */
  data?: {
    [k: string]: unknown
  } | null
  /**
   * Templates of ids of files that were uploaded before; those that are empty are left out.
   *
   *
   * Items: Template of a file id.
   */
  files?: string[]
  /** Tags of each run, up to 16 pairs; their values are Liquid templates. */
  tags?: {
    [k: string]: string
  }
  /** A paused hook answers 202 and keeps nothing. */
  status?: 'active' | 'paused'
}

/** The fields to change; with another server or user the password has to be given again. */
export interface UpdateMailbox {
  /** Label for people, more than blanks. */
  name?: string
  /** Name or address of the IMAP server. */
  host?: string
  /** 993 with TLS from the first byte, 143 with STARTTLS; others only in allowed networks. */
  port?: number
  /** User name, mostly the email address. */
  username?: string
  /** Folder that is read; INBOX by default. */
  folder?: string
  /** Workflow that each message runs. */
  workflow_id?: string
  /** Only messages of these senders; null means all. */
  senders?: string[] | null
  /** Only messages whose subject has this text, in any case; null means all. */
  subject_contains?: string | null
  /** How often the folder is read; 60 by default. */
  poll_seconds?: number
  /** An inactive mailbox is not read. */
  active?: boolean
  /** Password, or an app password. Sealed; it never comes back. */
  password?: string
}

/** The fields to change. */
export interface UpdateMemory {
  /** Visible text, counted without characters that nobody sees. */
  content?: string
  /** Whether it is always shown, and never makes room for others. */
  pinned?: boolean
}

/** The policies to change. */
export interface UpdatePolicies {
  /** Which actions wait for a person at least, whatever a workflow says. The stricter of the two holds. */
  approvals_floor?: 'none' | 'sensitive' | 'all'
  /** Whoever triggered a run may not approve in it. */
  four_eyes?: boolean
  /** An answer to a run must name the request that it answers, by `pending_id`. */
  require_pending_id?: boolean
  /** Hosts that `web.fetch` may reach, in lower case: `docs.example.com`, or `*.example.com` for all below that name, without asking first. null means any host, an empty list none; then an address that an agent wrote itself waits for approval once its run has read private data. */
  web_fetch_hosts?: string[] | null
  /**
   * Actions that are sensitive whatever their connector says.
   *
   *
   * Items: `<connector>.<action>`.
   */
  sensitive_actions?: string[]
  /** Rules about calls of agents, in their order: the first that matches decides, in place of the `approvals` of the workflow. `approvals_floor` is not lowered. */
  rules?: Rule[]
  /** Most emails that agents may send in a day (UTC); null sets no limit. */
  mails_a_day?: number | null
}

/** The fields to change. */
export interface UpdateSchedule {
  /** Name for people; that of the workflow by default, more than blanks. */
  name?: string
  /** Workflow to run. */
  workflow_id?: string
  /** Version of the workflow; null for the one that is live then. */
  version?: number | null
  /** Five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`. Giving one of `cron`, `every_seconds` and `at` replaces the other two. */
  cron?: string | null
  /** IANA time zone in which `cron` is read, such as `Europe/Berlin`; UTC by default. */
  time_zone?: string
  /** Interval in seconds, counted from when it was set. */
  every_seconds?: number | null
  /** One moment, in the future. */
  at?: string | null
  /** The last moment at which it may fire; null for no end. */
  ends_at?: string | null
  /** Spreads starts: each is delayed by up to this time, by the same for the same moment. */
  jitter_seconds?: number
  /** Text of each run, a Liquid template: `{{ scheduled_at }}`, `{{ schedule.name }}`, `{{ last_run.output }}`. Required where there is no `data`. */
  input?: string | null
  /** Data of each run; texts in it are Liquid templates, as `input` is. */
  data?: {
    [k: string]: unknown
  } | null
  /** Labels, by which runs are found and usage is grouped: up to 16 pairs. */
  tags?: {
    [k: string]: string
  }
  /** What happens if the run before is not finished: the new one is skipped, waits for it, replaces it, or runs beside it. */
  overlap?: 'skip' | 'queue' | 'cancel_previous' | 'allow'
  /** What starts late, after a time without workers: nothing, the last of the moments that were due, or each. The others are `missed`. */
  catch_up?: 'none' | 'last' | 'all'
  /** How late a run may start; 3,600 by default. */
  catch_up_seconds?: number
  /** Pauses the schedule when this many of its runs failed in a row; null for never. */
  pause_after_failures?: number | null
  /** Your own unique name. Creating a schedule whose key exists changes that one, so a file can be applied again. */
  key?: string | null
  /** A paused schedule fires nothing; what was due meanwhile is not made up for. */
  status?: 'active' | 'paused'
}

/** A new role, with which sessions in the account end, or a new address. */
export interface UpdateUser {
  /** What the person may do in the account. */
  role?: 'viewer' | 'approver' | 'member' | 'admin'
  /** Email address; compared without case. */
  email?: string
}

/** The fields to change. */
export interface UpdateWebhook {
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url?: string
  /** Label for people. */
  description?: string | null
  /**
   * Subscribed event types; repeats are dropped. A cancelled run is a `run.cancelled` where that is subscribed to, and a `run.failed` otherwise.
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
    | 'batch.completed'
    | 'budget.threshold'
    | 'budget.reached'
    | 'schedule.missed'
  )[]
  /** Only runs of this workflow are delivered; null means all. */
  workflow_id?: string | null
  /** False pauses deliveries; true resets the failures. */
  active?: boolean
}

/** The fields to change. */
export interface UpdateWorkflow {
  /** Name of the workflow. */
  name?: string
  /** What it is for. */
  description?: string | null
  /** Model of the agents that set none; null takes the server's default, whatever it is. */
  model?: string | null
  /**
   * Models that are tried in order while the provider of an agent's model is unavailable. An agent with a list of its own uses that.
   *
   *
   * Items: A model id.
   */
  fallbacks?: string[]
  /** The agents in the order in which they work. */
  crew?: CrewEntry[]
  /** JSON Schema of the `data` that a run is triggered with, up to 32 KB, an object at its root; null for none. */
  input_schema?: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles keep memory between runs. */
  memory_enabled?: boolean
  /** Fields that are left out keep their value, or their default. */
  human_in_the_loop?: {
    /** Whether runs may pause for a human. */
    enabled?: boolean
    /** Whether agents may ask questions. */
    allow_input?: boolean
    /** Which actions wait for a human: sensitive ones, all, or none. */
    approvals?: 'sensitive' | 'all' | 'never'
    /** How long one pause may last, in seconds; null means without end. */
    timeout_seconds?: number | null
    /** What an unanswered pause does: end the run, or go on as if refused. */
    on_timeout?: 'fail' | 'reject'
    /** Who may answer. Replaced as a whole: a list that is left out is empty. */
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
    /** How many different people have to approve an action. Over 1, keys do not count. */
    required_approvals?: number
    /** Channels remind once of a request that waits this long. null means never. */
    remind_after_minutes?: number | null
    /** A request that waits this long is told to `escalate_to`, once. It goes on waiting. null means never. */
    escalate_after_minutes?: number | null
    /** Who is told when a request escalates. Replaced as a whole: a list that is left out is empty. */
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
  /** Fields that are left out keep their value, or their default. */
  limits?: {
    /** Most model turns of one step. */
    max_turns_per_step?: number
    /** Most seconds at work; waiting for a human, or for a worker, does not count. */
    max_run_seconds?: number
    /** How long a run is held while no provider answers, before it fails; that time counts towards no other limit. */
    max_outage_seconds?: number
    /** Most US dollars that one run may cost; null means no limit. */
    max_cost_usd?: number | null
    /** `fail`: a run that passes `max_cost_usd` fails. `ask`: it pauses before the call that would pass it, and a person may let it cost more. */
    on_cost?: 'fail' | 'ask'
  }
  /** A paused workflow accepts no new runs. */
  status?: 'active' | 'paused'
  /** Whether `model` is the server's default of now. Setting it to true is the same as `model` null; to false keeps the model of now. */
  model_inherited?: boolean
  /** The version that the change makes does not go live: runs use it when they are triggered with its number, or once it is published. `last_version` is its number. */
  draft?: boolean
  /** Why the version was made; shown in the history. */
  note?: string | null
}

/** A file to upload. */
export interface UploadFile {
  /** The file with its name, up to 32 MB. */
  file: string
}

/** What was used, of one day, workflow, agent, model or tag. */
export interface Usage {
  /** Only when grouped by day: the day, in UTC. */
  day?: string
  /** Only when grouped by workflow: its id. */
  workflow?: string
  /** Only when grouped by agent: its id, null for steps without an agent. */
  agent?: string | null
  /** Only when grouped by model: its id. */
  model?: string
  /** Only when grouped by a tag: its value. */
  tag?: string
  /** Only when grouped by workflow or agent: its name, null where it was deleted. */
  name?: string | null
  /** Runs that ended. Null by agent or model: a run may have several. */
  runs: number | null
  /** Of these, completed. Null by agent or model: a run may have several. */
  completed: number | null
  /** Of these, failed. Null by agent or model: a run may have several. */
  failed: number | null
  /** Of these, cancelled. Null by agent or model: a run may have several. */
  cancelled: number | null
  /** Steps that ended, without those that a retry took over. */
  steps: number
  /** Input tokens of these steps. */
  tokens_in: number
  /** Output tokens of these steps. */
  tokens_out: number
  /** Cost of these steps in US dollars. */
  cost_usd: number
  /** Median duration in milliseconds, within 5 %: of the runs that ended, without the time they waited; by agent or model, of the steps. Null where nothing was timed. */
  duration_p50_ms: number | null
  /** 95th percentile of the duration in milliseconds, within 5 %: of the runs that ended, without the time they waited; by agent or model, of the steps. Null where nothing was timed. */
  duration_p95_ms: number | null
}

export interface UsageListQuery {
  /** Most rows of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** First day, in UTC, such as 2026-11-01; 29 days before the last one by default. */
  from?: string
  /** Day after the last one, up to 400 days later; tomorrow by default. */
  to?: string
  /** `day` (default), `workflow`, `agent`, `model`, or `tag:` and a key. */
  group_by?: string
}

/** A person of the account. */
export interface User {
  /** User id. */
  id: string
  /** Email address; compared without case. */
  email: string
  /** Name as others see it, more than blanks. */
  name: string
  /** What the person may do in the account. */
  role: 'viewer' | 'approver' | 'member' | 'admin'
  /** When the user joined the account. */
  created_at: string
  /** Last sign-in, to any account. */
  last_signed_in_at: string | null
  /** Who the person is at the provider; null before a first sign-in there. */
  identity: {
    /** The OpenID Connect provider. */
    issuer: string
    /** Id of the person there. */
    subject: string
  } | null
}

export interface UsersListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** A version of a workflow or an agent, without its definition. */
export interface Version {
  /** Its number, from 1. */
  version: number
  /** `live` is what runs use, `draft` was never live, `earlier` was. */
  state: 'live' | 'draft' | 'earlier'
  /** Who made it; null where that is not known. */
  author: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** Why it was made, where its author said so. */
  note: string | null
  /** The version that was live when it was made; null for the first. */
  base_version: number | null
  /** Fields that differ from `base_version`, up to 50. */
  changed: string[]
  /** When it was made. */
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
    /** Path of the field, such as `crew[1].systemPrompt`; positions are those after the change, or before it where an agent was removed. */
    field: string
    /** Role of the agent of the crew; null for other fields. */
    agent: string | null
    /** Its value before; null where it had none. */
    before: {
      [k: string]: unknown
    }
    /** Its value after; null where it has none. */
    after: {
      [k: string]: unknown
    }
    /** Of texts, word by word; of schemas, line by line. One part for each side where they have little in common. Null for other values. */
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

/** A request that awaits a human. */
export interface WaitingRun {
  /** The run that waits. */
  run_id: string
  /** Its workflow. */
  workflow_id: string
  /** Name of the workflow. */
  workflow_name: string
  /** The first 120 characters of the input of the run, on one line. */
  input_preview: string
  /** What it waits for. */
  pending: {
    /** Id of the request; send it back as `pending_id`. */
    id: string
    /** `input`: a question. `approval`: an action that awaits a go-ahead. `budget`: the next model call has no room; only where `limits.on_cost` of the workflow or `on_cap` of a budget is `ask`. */
    kind: 'input' | 'approval' | 'budget'
    /** The question, or a short summary of the action or of the cost. */
    prompt: string
    /** Approvals only: the action. */
    tool?: string
    /** Approvals only: the exact arguments. */
    tool_input?: {
      [k: string]: unknown
    }
    /** Approvals only: what the approval is bound to besides the arguments. Where the action or its connection changes before it is done, it is asked for anew. */
    tool_version?: string
    /** Only where the action or its connection changed after the agent asked. */
    tool_changed?: {
      /** What it says of itself now. */
      description: string
      /** JSON Schema of its arguments now; null where it is over 8 KB. */
      input_schema: {
        [k: string]: unknown
      } | null
    }
    /** Approvals only: how far it is. */
    approvals?: {
      /** How many different people have to approve. */
      required: number
      /** How many have. */
      given: number
      /** Those who have. */
      by: Approval[]
    }
    /** Position of the step that asks. */
    step_order: number
    /** Role of the agent that asks. */
    role: string
    /** The tool call that asks; the kind `budget` has none. */
    call_id?: string
    /** Kind `budget` only: why the run asks. */
    cost?: {
      /** What was spent: by the run, or in the window of the budget. */
      spent_usd: number
      /** What may be: `limits.max_cost_usd`, or the cap of the budget. */
      limit_usd: number
      /** What the next call may cost: the whole prompt and the longest answer. */
      estimate_usd: number
      /** What the run has cost. */
      run_cost_usd: number
      /** The budget that asks; absent where the run's own limit does. */
      budget?: {
        /** Budget id. */
        id: string
        /** Its name. */
        name: string
        /** `day`, `week` or `month`. */
        window: string
        /** When it begins anew. */
        ends_at: string
      }
    }
    /** Who may answer: each of the users, and whoever has one of the roles. */
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
    /** Only where several calls of a turn wait, or did: the id of their case, which stays while they are decided one by one. It names the case in `/v1/pending/{id}`, not in an answer. */
    case_id?: string
    /** Only where several calls of a turn wait: all of them, up to 256 KB. The request itself is the first. Each is decided by `decisions`, or by an answer with its id as `pending_id`. */
    calls?: PendingCall[]
    /** Ids of keys and users who may not approve, because they triggered the run and the account demands four eyes; absent otherwise, and in webhooks. */
    excluded?: string[]
    /** When the run began to wait. */
    created_at: string
    /** When the wait expires; null means never. */
    expires_at: string | null
  }
}

/** How people sign in here. */
export interface WaysIn {
  /** Whether passwords are taken. */
  password: boolean
  /** Whether an OpenID Connect provider is configured. */
  oidc: boolean
  /** Where a browser begins to sign in at the provider, under `MUSTER_PUBLIC_URL`; null where none is configured. */
  oidc_url: string | null
  /** Whether a forgotten password can be reset by email. */
  password_reset: boolean
  /** No user exists: the link that the first start prints makes the first admin. */
  setup_required: boolean
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  /** Delivery id. */
  id: string
  /** Event id, sent as `webhook-id` by every attempt. */
  event_id: string
  /** Event type; `webhook.test` for a test event. */
  event_type: string
  /** The run; null for an event of no single run. */
  run_id: string | null
  /** Whether it arrived, or may still. */
  status: 'pending' | 'succeeded' | 'failed'
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[]
  /** When it is tried next; null when that is over. */
  next_attempt_at: string | null
  /** When the event happened. */
  created_at: string
}

/** A delivery with what is sent. */
export interface WebhookDeliveryWithBody {
  /** Delivery id. */
  id: string
  /** Event id, sent as `webhook-id` by every attempt. */
  event_id: string
  /** Event type; `webhook.test` for a test event. */
  event_type: string
  /** The run; null for an event of no single run. */
  run_id: string | null
  /** Whether it arrived, or may still. */
  status: 'pending' | 'succeeded' | 'failed'
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[]
  /** When it is tried next; null when that is over. */
  next_attempt_at: string | null
  /** When the event happened. */
  created_at: string
  /** The JSON that every attempt sends, to the byte. */
  body: string
}

/** A URL that receives signed events. */
export interface WebhookEndpoint {
  /** Endpoint id. */
  id: string
  /** Absolute https URL on a publicly reachable host, without credentials; http in networks that the operator allows. */
  url: string
  /** Label for people. */
  description: string | null
  /**
   * Subscribed event types; repeats are dropped. A cancelled run is a `run.cancelled` where that is subscribed to, and a `run.failed` otherwise.
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
    | 'batch.completed'
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
  /** HTTP status of that attempt; 0 means no answer. */
  last_delivery_status: number | null
  /** When the endpoint was made. */
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
  /** Label for people. */
  description: string | null
  /**
   * Subscribed event types; repeats are dropped. A cancelled run is a `run.cancelled` where that is subscribed to, and a `run.failed` otherwise.
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
    | 'batch.completed'
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
  /** HTTP status of that attempt; 0 means no answer. */
  last_delivery_status: number | null
  /** When the endpoint was made. */
  created_at: string
  /** When the endpoint was last changed. */
  updated_at: string
  /** Signing secret, shown this one time. */
  secret: string
}

export interface WebhooksDeliveriesQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only deliveries in this status. */
  status?: 'pending' | 'succeeded' | 'failed'
}

export interface WebhooksListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

/** The processes that carry runs. */
export interface Workers {
  /** Processes that said within 18 seconds that they do. */
  alive: number
  /** When one said so last; null when none is known. */
  last_seen_at: string | null
}

/** A reusable, ordered crew. */
export interface Workflow {
  /** Workflow id. */
  id: string
  /** Name of the workflow. */
  name: string
  /** What it is for. */
  description: string | null
  /** Model of the agents that set none; the server's default of now where it is inherited. */
  model: string
  /**
   * Models that are tried in order while the provider of an agent's model is unavailable. An agent with a list of its own uses that.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** The agents in the order in which they work. */
  crew: CrewEntry[]
  /** JSON Schema of the `data` that a run is triggered with, up to 32 KB, an object at its root; null for none. */
  input_schema: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles keep memory between runs. */
  memory_enabled: boolean
  /** Whether `model` is the server's default of now. Setting it to true is the same as `model` null; to false keeps the model of now. */
  model_inherited: boolean
  /**
   * What is worth knowing of its models and actions today; mostly empty.
   *
   * Items: A warning.
   */
  warnings: {
    /** `action_refused`: an agent has an action that needs an approval, and the workflow asks no person, so it will be refused. `demo_model`: the offline stand-in is in use although a provider has a key. `model_ends`: a model ends within 90 days, or has ended. `model_unavailable`: a model has no key here, or was removed; runs fail there. More may come. */
    code: 'action_refused' | 'demo_model' | 'model_ends' | 'model_unavailable'
    /** The same in words. */
    message: string
  }[]
  /** A paused workflow accepts no new runs. */
  status: 'active' | 'paused'
  human_in_the_loop: HumanInTheLoop
  limits: Limits
  /** The live version: its number, and the `ETag`. */
  version: number
  /** The newest version; a draft where it is not the live one and was never published. */
  last_version: number
  /** When the workflow was made. */
  created_at: string
  /** When the workflow was last changed. */
  updated_at: string
}

/** What a version of a workflow defines; it can be sent back as an update. */
export interface WorkflowDefinition {
  /** Name of the workflow. */
  name: string
  /** What it is for. */
  description: string | null
  /** Model of the agents that set none; null takes the server's default. */
  model: string | null
  /**
   * Models that are tried in order while the provider of an agent's model is unavailable. An agent with a list of its own uses that.
   *
   *
   * Items: A model id.
   */
  fallbacks: string[]
  /** The agents in the order in which they work. */
  crew: CrewEntry[]
  /** JSON Schema of the `data` that a run is triggered with, up to 32 KB, an object at its root; null for none. */
  input_schema: {
    [k: string]: unknown
  } | null
  /** Whether the workflow's own roles keep memory between runs. */
  memory_enabled: boolean
  human_in_the_loop: HumanInTheLoop
  limits: Limits
}

/** A version with its definition. */
export interface WorkflowVersion {
  /** Its number, from 1. */
  version: number
  /** `live` is what runs use, `draft` was never live, `earlier` was. */
  state: 'live' | 'draft' | 'earlier'
  /** Who made it; null where that is not known. */
  author: {
    /** `system` is the service itself, for a schedule, a hook or a batch that `id` names. */
    type: 'key' | 'user' | 'system'
    /** Their id. */
    id: string
    /** Their name at that time. */
    name: string
  } | null
  /** Why it was made, where its author said so. */
  note: string | null
  /** The version that was live when it was made; null for the first. */
  base_version: number | null
  /** Fields that differ from `base_version`, up to 50. */
  changed: string[]
  /** When it was made. */
  created_at: string
  /** When it last went live; null for a draft. */
  published_at: string | null
  definition: WorkflowDefinition
}

export interface WorkflowsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}

export interface WorkflowsMemoryListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
  /** Only entries that share a word with it, best match first, in one page. */
  q?: string
  /** Only entries of this role. */
  role?: string
}

export interface WorkflowsVersionsDiffQuery {
  /** Number of the other version. */
  to?: number
}

export interface WorkflowsVersionsListQuery {
  /** Most items of this page. */
  limit?: number
  /** Cursor of the page before, from its `Link` header. */
  after?: string
}
export class AccountResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the account of a key */
  retrieve(options: RequestOptions = {}): Promise<Account> {
    return this.transport.data({ method: 'GET', path: '/v1/account' }, options)
  }

  /** Rename the account */
  update(body: RenameAccount, options: RequestOptions = {}): Promise<AccountName> {
    return this.transport.data({ method: 'PATCH', path: '/v1/account', body }, options)
  }
}

export class WorkersResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve how many processes carry runs. They serve all accounts. Without one, runs stay queued until one is started. */
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

  /** Create an API key. The key is in this answer only. */
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

  /** Retrieve a workflow */
  retrieve(id: string, options: RequestOptions = {}): Promise<Workflow> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(id)}` }, options)
  }

  /** Update a workflow. Changes the given fields, which makes a version; with `draft` it does not go live. Runs that have begun keep what they froze. With `If-Match` it is refused with 412 where another version went live meanwhile. */
  update(id: string, body: UpdateWorkflow, options: RequestOptions = {}): Promise<Workflow> {
    return this.transport.data({ method: 'PATCH', path: `/v1/workflows/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a workflow. Refused while a run is not finished. Its runs stay readable by id. */
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

  /** Compare two versions of a workflow. Field by field, prompts word by word. From this version to another one, by default the live one. */
  diff(workflowId: string, version: string, options: WorkflowsVersionsDiffQuery & RequestOptions = {}): Promise<VersionDiff> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/versions/${encodeURIComponent(version)}/diff`, query: queryOf(options) }, options)
  }

  /** Publish a version of a workflow. Makes a draft live, or goes back to an earlier version. Agents and models that it names have to be there still. Takes `If-Match`, as an update does. */
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

  /** Add to the memory of a role of a workflow. At 200 entries of the role the oldest that is not pinned makes room. */
  create(workflowId: string, body: CreateWorkflowMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'POST', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory`, body }, options)
  }

  /** Retrieve a memory entry */
  retrieve(workflowId: string, memoryId: string, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'GET', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }

  /** Update a memory entry. Changes the given fields. */
  update(workflowId: string, memoryId: string, body: UpdateMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'PATCH', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory/${encodeURIComponent(memoryId)}`, body }, options)
  }

  /** Delete a memory entry */
  delete(workflowId: string, memoryId: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/workflows/${encodeURIComponent(workflowId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }
}

export class RunsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Trigger a run. The run is stored when the answer comes; execution begins afterwards. Where a budget of the account, the workflow or a tag refuses further calls and is spent, the answer is 409 `budget_reached`. */
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

  /** Retrieve a run with its steps */
  retrieve(id: string, options: RunsRetrieveQuery & RequestOptions = {}): Promise<RunWithSteps> {
    return this.transport.data({ method: 'GET', path: `/v1/runs/${encodeURIComponent(id)}`, query: queryOf(options) }, options)
  }

  /** List the turns of a step. What the model was sent and what it said, turn by turn, with the whole outputs of its calls; the first turn first, 50 a page by default, and fewer where a page is larger than 4 MB. */
  turns(id: string, order: string, options: RunsTurnsQuery & RequestOptions = {}): Promise<Page<Turn>> {
    return this.transport.page({ method: 'GET', path: `/v1/runs/${encodeURIComponent(id)}/steps/${encodeURIComponent(order)}/turns`, query: queryOf(options) }, options)
  }

  /** Answer what a run waits for. Answers a question, or decides an approval: `approve` runs the action and the agent goes on, `reject` skips it and tells the agent why. One answer counts; any further is 409. Several calls of one turn are decided by `decisions`, together or one by one. */
  respond(id: string, body: RespondToRun = {}, options: RequestOptions = {}): Promise<RespondedRun> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/respond`, body }, options)
  }

  /** Cancel a run. Ends a run that has not ended; one that has comes back unchanged. */
  cancel(id: string, options: RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/cancel` }, options)
  }

  /** Retry a failed run. A new run takes over the finished steps and goes on at the step that failed, with the workflow as it is now: its live version, whichever the failed run had. */
  retry(id: string, options: RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/retry` }, options)
  }

  /** Fork a run from a step. A new run takes over the steps before `from_step` of a run that has ended or waits, with other outputs where some are given, and executes the rest. Nothing of the executed steps is taken over: approvals ask again, and no action of the run is repeated unless an agent asks for it anew. */
  fork(id: string, body: ForkRun, options: RequestOptions = {}): Promise<Run> {
    return this.transport.data({ method: 'POST', path: `/v1/runs/${encodeURIComponent(id)}/fork`, body }, options)
  }

  /** Preview a fork. What it would execute, and the actions that it may do again. Nothing is started. */
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

  /** List what awaits a human. Every request of the account, the oldest first; 100 a page by default. */
  list(options: PendingListQuery & RequestOptions = {}): Promise<Page<WaitingRun>> {
    return this.transport.page({ method: 'GET', path: '/v1/pending', query: queryOf(options) }, options)
  }

  /** Retrieve what awaits a human. With whose it is, who was told of it, and what could not be delivered. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Case> {
    return this.transport.data({ method: 'GET', path: `/v1/pending/${encodeURIComponent(id)}` }, options)
  }

  /** Assign a request to a person. Says whose it is to answer; everybody who may answer still can. The person is told by email, where an email channel announces the workflow. */
  assign(id: string, body: AssignCase, options: RequestOptions = {}): Promise<Case> {
    return this.transport.data({ method: 'PUT', path: `/v1/pending/${encodeURIComponent(id)}/assignee`, body }, options)
  }

  /** List the comments on a request. Newest first; the 50 most recent by default. Also once it is decided. */
  comments(id: string, options: PendingCommentsQuery & RequestOptions = {}): Promise<Page<Comment>> {
    return this.transport.page({ method: 'GET', path: `/v1/pending/${encodeURIComponent(id)}/comments`, query: queryOf(options) }, options)
  }

  /** Comment on a request. For other people: agents do not see it, and it answers nothing. */
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

  /** Retry what failed. Each failed item is retried as a run is: what it finished is taken over, with the workflow as it is now. */
  retry_failed(id: string, options: RequestOptions = {}): Promise<Batch> {
    return this.transport.data({ method: 'POST', path: `/v1/batches/${encodeURIComponent(id)}/retry-failed` }, options)
  }

  /** Start a batch. Items as JSON (8 MB); or as the whole body in JSON Lines (`application/x-ndjson`, an item a line) or CSV (`text/csv`, columns are fields of `data`; comma, semicolon or tab), up to 32 MB, with the other fields in the query. All items are checked before the first run starts. */
  create(workflowId: string, body: CreateBatch = {}, options: BatchesCreateQuery & RequestOptions = {}): Promise<BatchOrEstimate> {
    return this.transport.data({ method: 'POST', path: `/v1/workflows/${encodeURIComponent(workflowId)}/batches`, query: queryOf(options), body }, options)
  }
}

export class BulkOperationsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Cancel or retry many runs. Takes the runs that match now, up to 10,000. With `dry_run` it only counts them. A retry leaves out runs that were retried before. */
  create(body: CreateBulkOperation, options: RequestOptions = {}): Promise<BulkOperation> {
    return this.transport.data({ method: 'POST', path: '/v1/runs/bulk', body }, options)
  }

  /** Retrieve a bulk operation */
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

  /** Create a budget. An account has up to 50. What the window has cost before counts, from the sums of whole days in UTC. */
  create(body: CreateBudget, options: RequestOptions = {}): Promise<Budget> {
    return this.transport.data({ method: 'POST', path: '/v1/budgets', body }, options)
  }

  /** Retrieve a budget. With the spend of its current window. */
  retrieve(id: string, options: RequestOptions = {}): Promise<Budget> {
    return this.transport.data({ method: 'GET', path: `/v1/budgets/${encodeURIComponent(id)}` }, options)
  }

  /** Update a budget. Changes the given fields; held runs look again within a minute. */
  update(id: string, body: UpdateBudget, options: RequestOptions = {}): Promise<Budget> {
    return this.transport.data({ method: 'PATCH', path: `/v1/budgets/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a budget */
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

  /** Retrieve an agent */
  retrieve(id: string, options: RequestOptions = {}): Promise<Agent> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(id)}` }, options)
  }

  /** Update an agent. Changes the given fields, which makes a version; every linked workflow has it in its next run. With `draft` it does not go live. With `If-Match` it is refused with 412 where another version went live meanwhile. */
  update(id: string, body: UpdateAgent, options: RequestOptions = {}): Promise<Agent> {
    return this.transport.data({ method: 'PATCH', path: `/v1/agents/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete an agent. Its memory goes with it. Workflows that link it run the step from their own entry, without tools or memory. Runs stay. */
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

  /** Compare two versions of an agent. Field by field, prompts word by word. From this version to another one, by default the live one. */
  diff(agentId: string, version: string, options: AgentsVersionsDiffQuery & RequestOptions = {}): Promise<VersionDiff> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/versions/${encodeURIComponent(version)}/diff`, query: queryOf(options) }, options)
  }

  /** Publish a version of an agent. Makes a draft live, or goes back to an earlier version. Models, connectors and capabilities that it names have to be there still. Takes `If-Match`, as an update does. */
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

  /** Add to the memory of an agent. At 200 entries the oldest that is not pinned makes room. */
  create(agentId: string, body: CreateAgentMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'POST', path: `/v1/agents/${encodeURIComponent(agentId)}/memory`, body }, options)
  }

  /** Retrieve a memory entry */
  retrieve(agentId: string, memoryId: string, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }

  /** Update a memory entry. Changes the given fields. */
  update(agentId: string, memoryId: string, body: UpdateMemory, options: RequestOptions = {}): Promise<MemoryEntry> {
    return this.transport.data({ method: 'PATCH', path: `/v1/agents/${encodeURIComponent(agentId)}/memory/${encodeURIComponent(memoryId)}`, body }, options)
  }

  /** Delete a memory entry */
  delete(agentId: string, memoryId: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/agents/${encodeURIComponent(agentId)}/memory/${encodeURIComponent(memoryId)}` }, options)
  }
}

export class WebhooksResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a webhook endpoint. The signing secret is in this answer only. An account has up to 20. */
  create(body: CreateWebhook, options: RequestOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.transport.data({ method: 'POST', path: '/v1/webhooks', body }, options)
  }

  /** List webhook endpoints. All of the account, newest first, without secrets. */
  list(options: WebhooksListQuery & RequestOptions = {}): Promise<Page<WebhookEndpoint>> {
    return this.transport.page({ method: 'GET', path: '/v1/webhooks', query: queryOf(options) }, options)
  }

  /** Retrieve a webhook endpoint */
  retrieve(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.transport.data({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(id)}` }, options)
  }

  /** Update a webhook endpoint. Making it active again forgets its failures; pending deliveries continue. */
  update(id: string, body: UpdateWebhook, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.transport.data({ method: 'PATCH', path: `/v1/webhooks/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a webhook endpoint. Deliveries stop at once and their history is removed. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/webhooks/${encodeURIComponent(id)}` }, options)
  }

  /** Rotate the signing secret. For 24 hours the old secret signs as well. */
  rotate_secret(id: string, options: RequestOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.transport.data({ method: 'POST', path: `/v1/webhooks/${encodeURIComponent(id)}/rotate-secret` }, options)
  }

  /** Send a test event. One attempt, of the type `webhook.test`; its result is in the deliveries. */
  test(id: string, options: RequestOptions = {}): Promise<WebhookDelivery> {
    return this.transport.data({ method: 'POST', path: `/v1/webhooks/${encodeURIComponent(id)}/test` }, options)
  }

  /** List the deliveries of an endpoint. Newest first, with every attempt; the 50 most recent by default. */
  deliveries(id: string, options: WebhooksDeliveriesQuery & RequestOptions = {}): Promise<Page<WebhookDelivery>> {
    return this.transport.page({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries`, query: queryOf(options) }, options)
  }

  /** Retrieve a delivery with its body */
  delivery(id: string, deliveryId: string, options: RequestOptions = {}): Promise<WebhookDeliveryWithBody> {
    return this.transport.data({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}` }, options)
  }

  /** Send an event again. At once, whatever came of it before. */
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

  /** Create a channel. Logs in at the mail server or at Slack and sends nothing; `state` says what came of it. Cases that begin to wait from now on are announced. */
  create(body: CreateChannel, options: RequestOptions = {}): Promise<Channel> {
    return this.transport.data({ method: 'POST', path: '/v1/channels', body }, options)
  }

  /** Retrieve a channel */
  retrieve(id: string, options: RequestOptions = {}): Promise<Channel> {
    return this.transport.data({ method: 'GET', path: `/v1/channels/${encodeURIComponent(id)}` }, options)
  }

  /** Update a channel. Logs in again where a secret changes. */
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

  /** List the messages of channels. Newest first; the 50 most recent by default. With `pending_id`, who was told of a case. */
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

  /** Create a mailbox. Logs in and looks for the folder; `state` says what came of it. Messages that arrive from now on start runs. */
  create(body: CreateMailbox, options: RequestOptions = {}): Promise<Mailbox> {
    return this.transport.data({ method: 'POST', path: '/v1/mailboxes', body }, options)
  }

  /** Retrieve a mailbox */
  retrieve(id: string, options: RequestOptions = {}): Promise<Mailbox> {
    return this.transport.data({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}` }, options)
  }

  /** Update a mailbox. With another server, user or folder, messages that arrive from now on start runs. */
  update(id: string, body: UpdateMailbox, options: RequestOptions = {}): Promise<Mailbox> {
    return this.transport.data({ method: 'PATCH', path: `/v1/mailboxes/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a mailbox. Its messages stay where they are; what became of them is forgotten here. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/mailboxes/${encodeURIComponent(id)}` }, options)
  }

  /** Test a mailbox. Logs in and opens the folder, without a change. */
  test(id: string, options: RequestOptions = {}): Promise<MailboxTest> {
    return this.transport.data({ method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/test` }, options)
  }

  /** List the messages that were seen. Newest first, with what became of each; the 50 most recent by default. */
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

  /** Create an alert. It tells what happens from now on, within about 15 seconds, through channels. */
  create(body: CreateAlert, options: RequestOptions = {}): Promise<Alert> {
    return this.transport.data({ method: 'POST', path: '/v1/alerts', body }, options)
  }

  /** Retrieve an alert */
  retrieve(id: string, options: RequestOptions = {}): Promise<Alert> {
    return this.transport.data({ method: 'GET', path: `/v1/alerts/${encodeURIComponent(id)}` }, options)
  }

  /** Update an alert */
  update(id: string, body: UpdateAlert, options: RequestOptions = {}): Promise<Alert> {
    return this.transport.data({ method: 'PATCH', path: `/v1/alerts/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete an alert */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/alerts/${encodeURIComponent(id)}` }, options)
  }
}

export class ConnectorsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List connectors. All that come with Muster, then the MCP servers of the account by id. */
  list(options: ConnectorsListQuery & RequestOptions = {}): Promise<Page<Connector>> {
    return this.transport.page({ method: 'GET', path: '/v1/connectors', query: queryOf(options) }, options)
  }

  /** Connect a built-in connector or an MCP server. Replaces what was stored. Credentials are encrypted and never come back. An MCP server is asked for its tools; doing so again accepts tools that changed. */
  connect(id: string, body: ConnectConnector, options: RequestOptions = {}): Promise<Connector> {
    return this.transport.data({ method: 'PUT', path: `/v1/connectors/${encodeURIComponent(id)}`, body }, options)
  }

  /** Disconnect a connector. Its credentials are removed. Agents keep their capabilities. */
  disconnect(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/connectors/${encodeURIComponent(id)}` }, options)
  }

  /** Test a connector. Logs in, sends nothing; of an MCP server it compares the tools. */
  test(id: string, options: RequestOptions = {}): Promise<ConnectorTest> {
    return this.transport.data({ method: 'POST', path: `/v1/connectors/${encodeURIComponent(id)}/test` }, options)
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

  /** Create a fine-tune. The training set is checked and uploaded first. What the provider refuses afterwards is a job that has `failed`. */
  create(body: CreateFineTune, options: RequestOptions = {}): Promise<FineTune> {
    return this.transport.data({ method: 'POST', path: '/v1/fine-tunes', body }, options)
  }

  /** Retrieve a fine-tune. As its provider reports it now, asked up to once a second. */
  retrieve(id: string, options: RequestOptions = {}): Promise<FineTune> {
    return this.transport.data({ method: 'GET', path: `/v1/fine-tunes/${encodeURIComponent(id)}` }, options)
  }

  /** Delete a fine-tune. Stopped first where it is active; its model can no longer be used. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/fine-tunes/${encodeURIComponent(id)}` }, options)
  }

  /** List the events of a fine-tune's provider. Oldest first. All of them by default, up to the newest 1,000. */
  events(id: string, options: FineTunesEventsQuery & RequestOptions = {}): Promise<Page<FineTuneEvent>> {
    return this.transport.page({ method: 'GET', path: `/v1/fine-tunes/${encodeURIComponent(id)}/events`, query: queryOf(options) }, options)
  }

  /** Cancel a fine-tune. Stops an active job at its provider; one that has ended comes back unchanged. */
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

  /** Retrieve a file. What is known of it; its bytes are at `/content`. */
  retrieve(id: string, options: RequestOptions = {}): Promise<StoredFile> {
    return this.transport.data({ method: 'GET', path: `/v1/files/${encodeURIComponent(id)}` }, options)
  }

  /** Delete a file. Refused with 409 `file_in_use` while a run that has not ended uses it. Ended runs keep its name. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/files/${encodeURIComponent(id)}` }, options)
  }
}

export class ModelsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List models. Those that can be run and those that lack a key; then your own fine-tunes. */
  list(options: ModelsListQuery & RequestOptions = {}): Promise<Page<Model>> {
    return this.transport.page({ method: 'GET', path: '/v1/models', query: queryOf(options) }, options)
  }
}

export class ModelProvidersResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List model providers. Built-in ones, then those of the models file, then the compatible servers of the account. Keys are never shown. */
  list(options: ModelProvidersListQuery & RequestOptions = {}): Promise<Page<ModelProvider>> {
    return this.transport.page({ method: 'GET', path: '/v1/model-providers', query: queryOf(options) }, options)
  }

  /** Set a key or a server for models. A key for a built-in provider (openai, anthropic, google, mistral), which goes before that of the server; under another id, a server that speaks the chat completions API of OpenAI. Fields that are left out stay as they are; a stored key stays for the same `base_url`. Keys are encrypted and never come back. It is tested at once: `state` and `message` say what came of it. */
  set(id: string, body: SetModelProvider, options: RequestOptions = {}): Promise<ModelProvider> {
    return this.transport.data({ method: 'PUT', path: `/v1/model-providers/${encodeURIComponent(id)}`, body }, options)
  }

  /** Remove a model provider. Its key and models are removed. A built-in one goes on with the key of the server, where it has one that accounts may use; else workflows that name its models warn (`model_unavailable`), and their runs fail. */
  remove(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/model-providers/${encodeURIComponent(id)}` }, options)
  }

  /** Test a model provider. A built-in one is asked for its list of models, with the key. The first model of a server of your own answers one short call. */
  test(id: string, options: RequestOptions = {}): Promise<ModelProviderTest> {
    return this.transport.data({ method: 'POST', path: `/v1/model-providers/${encodeURIComponent(id)}/test` }, options)
  }
}

export class SetupResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Make the first admin. By the one-time link that the first start prints. Signs in. */
  create(body: SetUp, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/setup', body }, options)
  }
}

export class SessionResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Tell how people sign in here */
  retrieve(options: RequestOptions = {}): Promise<WaysIn> {
    return this.transport.data({ method: 'GET', path: '/v1/session' }, options)
  }

  /** Sign in by password. Sets the cookie `muster_session`. Attempts are bounded. */
  create(body: SignIn, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/session', body }, options)
  }

  /** Sign out. Of a person who came through OpenID Connect, the provider may have a session still. */
  delete(options: RequestOptions = {}): Promise<EndedSession> {
    return this.transport.data({ method: 'DELETE', path: '/v1/session' }, options)
  }
}

export class PasswordResetsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Ask for a new password. Where the operator set SMTP, mails a link that works once and for 30 minutes. The answer is the same whether or not the address has a user. Requests are bounded by email and network address. */
  create(body: RequestReset, options: RequestOptions = {}): Promise<ResetRequested> {
    return this.transport.data({ method: 'POST', path: '/v1/password-resets', body }, options)
  }

  /** Set a new password by its link. Ends all sessions of the person, and signs in. */
  accept(body: ResetPassword, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/password-resets/accept', body }, options)
  }
}

export class SessionsResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List one’s sessions */
  list(options: SessionsListQuery & RequestOptions = {}): Promise<Page<Session>> {
    return this.transport.page({ method: 'GET', path: '/v1/sessions', query: queryOf(options) }, options)
  }

  /** End one of one’s sessions */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/sessions/${encodeURIComponent(id)}` }, options)
  }
}

export class MeResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Tell a person who they are */
  retrieve(options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'GET', path: '/v1/me' }, options)
  }

  /** Change one’s name or password. A new password ends the other sessions. */
  update(body: ChangeMe, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'PATCH', path: '/v1/me', body }, options)
  }

  /** Go on in another of one’s accounts */
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

  /** Change the role or the address of a person. With a new role their sessions in the account end, and open invitations to their address are withdrawn. The address of a person who belongs to other accounts too cannot be changed here (`shared_user`); that of one with an identity follows the provider at each sign-in. */
  update(id: string, body: UpdateUser, options: RequestOptions = {}): Promise<User> {
    return this.transport.data({ method: 'PATCH', path: `/v1/users/${encodeURIComponent(id)}`, body }, options)
  }

  /** Take a person out of the account. Open invitations to their address are withdrawn. A person who belongs to no account any more is freed from their identity at the provider. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/users/${encodeURIComponent(id)}` }, options)
  }

  /** Free a person from their identity at the provider. For a person who was deleted and created again at the provider, or whose provider moved: at their next sign-in the verified address counts again. Their sessions in the account end. */
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

  /** Invite a person. The link is in this answer only, and mailed where the operator set SMTP. */
  create(body: CreateInvitation, options: RequestOptions = {}): Promise<CreatedInvitation> {
    return this.transport.data({ method: 'POST', path: '/v1/invitations', body }, options)
  }

  /** Withdraw an invitation */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/invitations/${encodeURIComponent(id)}` }, options)
  }

  /** Accept an invitation. By its one-time link. Signs in. */
  accept(body: AcceptInvitation, options: RequestOptions = {}): Promise<Me> {
    return this.transport.data({ method: 'POST', path: '/v1/invitations/accept', body }, options)
  }
}

export class PoliciesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Retrieve the policies of the account */
  retrieve(options: RequestOptions = {}): Promise<Policies> {
    return this.transport.data({ method: 'GET', path: '/v1/policies' }, options)
  }

  /** Update the policies of the account. Changes the given ones, at once, also for runs that have begun. */
  update(body: UpdatePolicies, options: RequestOptions = {}): Promise<Policies> {
    return this.transport.data({ method: 'PATCH', path: '/v1/policies', body }, options)
  }
}

export class RulesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Test rules on a call. Says what rules of all levels make of a call that is described, or of one that waits for approval, and which rule decides. Nothing is called or stored. */
  test(body: TestRules = {}, options: RequestOptions = {}): Promise<RulesTested> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/test', body }, options)
  }

  /** Try rules on what people decided. Says what rules would have made of the last 100 calls of their actions that people decided. Nothing is called or stored. The rules of agents and crew entries count as their runs froze them. */
  try(body: TryRules, options: RequestOptions = {}): Promise<RulesTried> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/try', body }, options)
  }

  /** Add a rule to those of the account. It comes last, so the rules before it go first. Without `expires_at` it ends after 90 days; null is for ever. */
  add(body: AddRule, options: RequestOptions = {}): Promise<RuleChanged> {
    return this.transport.data({ method: 'POST', path: '/v1/rules', body }, options)
  }

  /** Remove a rule from those of the account. The first rule that is the same as the given one. Undoes `POST /v1/rules`. */
  remove(body: AddRule, options: RequestOptions = {}): Promise<RuleChanged> {
    return this.transport.data({ method: 'POST', path: '/v1/rules/remove', body }, options)
  }

  /** List rules that decisions suggest. Where people approved an action unchanged at least 20 times in a row, the narrowest rule that allows it, with the decisions as evidence. `POST /v1/rules` accepts one. */
  suggestions(options: RequestOptions = {}): Promise<RuleSuggestions> {
    return this.transport.data({ method: 'GET', path: '/v1/rules/suggestions' }, options)
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

  /** Create an account. Its first admin key is in this answer only. */
  create(body: CreateAccount, options: RequestOptions = {}): Promise<CreatedAccount> {
    return this.transport.data({ method: 'POST', path: '/v1/operator/accounts', body }, options)
  }

  /** Retrieve an account with its quotas */
  retrieve(id: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'GET', path: `/v1/operator/accounts/${encodeURIComponent(id)}` }, options)
  }

  /** Change the name and the quotas of an account. Quotas hold within a second. Runs past `max_runs_a_day` or `max_stored_bytes` are refused with 409 `quota_reached`; when model calls have cost as much as they may, runs are held until the day or month is over. */
  update(id: string, body: UpdateAccount, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'PATCH', path: `/v1/operator/accounts/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete an account and all it owns. Keys and sessions end at once. The rest goes in the background: files, jobs and models of fine-tunes at their providers, then every row. The account is gone when it is no longer found; that it was there stands in the log of the operator. */
  delete(id: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'DELETE', path: `/v1/operator/accounts/${encodeURIComponent(id)}` }, options)
  }

  /** Retrieve what an account has used of its quotas */
  retrieve_use(id: string, options: RequestOptions = {}): Promise<AccountUse> {
    return this.transport.data({ method: 'GET', path: `/v1/operator/accounts/${encodeURIComponent(id)}/use` }, options)
  }

  /** Suspend an account. Keys and sessions answer 403 `account_suspended`, runs and webhooks rest, and no wait expires, until it is resumed. */
  suspend(id: string, body: SuspendAccount = {}, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'POST', path: `/v1/operator/accounts/${encodeURIComponent(id)}/suspend`, body }, options)
  }

  /** Resume an account. Runs go on where they were, webhooks are sent. */
  resume(id: string, options: RequestOptions = {}): Promise<OperatedAccount> {
    return this.transport.data({ method: 'POST', path: `/v1/operator/accounts/${encodeURIComponent(id)}/resume` }, options)
  }
}

export class OperatorLogResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List what operators did to accounts. Newest first; 50 by default. */
  list(options: OperatorLogListQuery & RequestOptions = {}): Promise<Page<OperatorEntry>> {
    return this.transport.page({ method: 'GET', path: '/v1/operator/log', query: queryOf(options) }, options)
  }
}

export class UsageResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** List what was used. By UTC day, workflow, agent, model or tag, in the order of these; 50 rows by default. Runs and steps count at their end, exactly; what retention deletes stays counted. Runs without the tag are in no row of it. As CSV with `Accept: text/csv`. */
  list(options: UsageListQuery & RequestOptions = {}): Promise<Page<Usage>> {
    return this.transport.page({ method: 'GET', path: '/v1/usage', query: queryOf(options) }, options)
  }
}

export class SchedulesResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a schedule. It takes one of `cron`, `every_seconds` and `at`. With a `key` that another schedule has, that one is changed instead, and fields that are left out get their defaults. An account has up to 1,000. */
  create(body: CreateSchedule, options: RequestOptions = {}): Promise<Schedule> {
    return this.transport.data({ method: 'POST', path: '/v1/schedules', body }, options)
  }

  /** List schedules. All of the account, newest first. */
  list(options: SchedulesListQuery & RequestOptions = {}): Promise<Page<Schedule>> {
    return this.transport.page({ method: 'GET', path: '/v1/schedules', query: queryOf(options) }, options)
  }

  /** Retrieve a schedule */
  retrieve(id: string, options: RequestOptions = {}): Promise<Schedule> {
    return this.transport.data({ method: 'GET', path: `/v1/schedules/${encodeURIComponent(id)}` }, options)
  }

  /** Update a schedule. Changes the given fields. One of `cron`, `every_seconds` and `at` replaces the others. It is due next from now on: a change makes up for nothing. */
  update(id: string, body: UpdateSchedule, options: RequestOptions = {}): Promise<Schedule> {
    return this.transport.data({ method: 'PATCH', path: `/v1/schedules/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a schedule. With its firings; its runs stay. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/schedules/${encodeURIComponent(id)}` }, options)
  }

  /** List the firings of a schedule. What became of each moment at which it was due, the last one first; 50 by default. The newest 1,000 are kept. */
  firings(id: string, options: SchedulesFiringsQuery & RequestOptions = {}): Promise<Page<Firing>> {
    return this.transport.page({ method: 'GET', path: `/v1/schedules/${encodeURIComponent(id)}/firings`, query: queryOf(options) }, options)
  }

  /** Preview a schedule. The coming ten moments. */
  preview(id: string, options: RequestOptions = {}): Promise<SchedulePreview> {
    return this.transport.data({ method: 'POST', path: `/v1/schedules/${encodeURIComponent(id)}/preview` }, options)
  }

  /** Preview a schedule that is not saved. The coming ten moments of what is given. */
  preview_new(body: PreviewSchedule = {}, options: RequestOptions = {}): Promise<SchedulePreview> {
    return this.transport.data({ method: 'POST', path: '/v1/schedules/preview', body }, options)
  }

  /** Fire a schedule now. Starts one run, also of a paused schedule and beside a run that is not finished. */
  trigger(id: string, options: RequestOptions = {}): Promise<Firing> {
    return this.transport.data({ method: 'POST', path: `/v1/schedules/${encodeURIComponent(id)}/trigger` }, options)
  }

  /** Make up for a time in the past. Starts each moment between `from` and `to` that has no run, up to 100, one after the other unless `overlap` is `allow`. */
  backfill(id: string, body: BackfillSchedule, options: RequestOptions = {}): Promise<Backfill> {
    return this.transport.data({ method: 'POST', path: `/v1/schedules/${encodeURIComponent(id)}/backfill`, body }, options)
  }
}

export class HooksResource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Create a hook. Its `url` takes events by `POST`, without an API key. Where no `secret` is given one is made, which is in this answer only; Stripe and Slack make theirs, so give it here or later. An account has up to 100. */
  create(body: CreateHook, options: RequestOptions = {}): Promise<HookWithSecret> {
    return this.transport.data({ method: 'POST', path: '/v1/hooks', body }, options)
  }

  /** List hooks. All of the account, newest first. */
  list(options: HooksListQuery & RequestOptions = {}): Promise<Page<Hook>> {
    return this.transport.page({ method: 'GET', path: '/v1/hooks', query: queryOf(options) }, options)
  }

  /** Retrieve a hook */
  retrieve(id: string, options: RequestOptions = {}): Promise<Hook> {
    return this.transport.data({ method: 'GET', path: `/v1/hooks/${encodeURIComponent(id)}` }, options)
  }

  /** Update a hook. Changes the given fields. The scheme stays, and secrets are rotated. */
  update(id: string, body: UpdateHook, options: RequestOptions = {}): Promise<Hook> {
    return this.transport.data({ method: 'PATCH', path: `/v1/hooks/${encodeURIComponent(id)}`, body }, options)
  }

  /** Delete a hook. With its deliveries; its runs stay. */
  delete(id: string, options: RequestOptions = {}): Promise<Deleted> {
    return this.transport.data({ method: 'DELETE', path: `/v1/hooks/${encodeURIComponent(id)}` }, options)
  }

  /** Set or rotate the secret. For 24 hours the old secret is taken as well. */
  rotate_secret(id: string, body: RotateHookSecret = {}, options: RequestOptions = {}): Promise<HookWithSecret> {
    return this.transport.data({ method: 'POST', path: `/v1/hooks/${encodeURIComponent(id)}/rotate-secret`, body }, options)
  }

  /** Preview what becomes of an event. Tries a filter and templates on a stored delivery or on a given body. Nothing is stored or started. */
  preview(body: PreviewHook = {}, options: RequestOptions = {}): Promise<HookPreview> {
    return this.transport.data({ method: 'POST', path: '/v1/hooks/preview', body }, options)
  }

  /** List the deliveries of a hook. What was sent, and what became of it, newest first; 50 by default. The newest 1,000 are kept, and the newest 100 that were refused. */
  deliveries(id: string, options: HooksDeliveriesQuery & RequestOptions = {}): Promise<Page<HookDelivery>> {
    return this.transport.page({ method: 'GET', path: `/v1/hooks/${encodeURIComponent(id)}/deliveries`, query: queryOf(options) }, options)
  }

  /** Retrieve a delivery with its body */
  delivery(id: string, deliveryId: string, options: RequestOptions = {}): Promise<HookDeliveryWithBody> {
    return this.transport.data({ method: 'GET', path: `/v1/hooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}` }, options)
  }

  /** Send a delivery again. Makes a further run of the event, by the filter and templates of now. */
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
  readonly bulk_operations: BulkOperationsResource
  readonly budgets: BudgetsResource
  readonly agents: AgentsResource
  readonly webhooks: WebhooksResource
  readonly channels: ChannelsResource
  readonly notifications: NotificationsResource
  readonly mailboxes: MailboxesResource
  readonly alerts: AlertsResource
  readonly connectors: ConnectorsResource
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
  readonly policies: PoliciesResource
  readonly rules: RulesResource
  readonly operator: OperatorResource
  readonly usage: UsageResource
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
    this.bulk_operations = new BulkOperationsResource(transport)
    this.budgets = new BudgetsResource(transport)
    this.agents = new AgentsResource(transport)
    this.webhooks = new WebhooksResource(transport)
    this.channels = new ChannelsResource(transport)
    this.notifications = new NotificationsResource(transport)
    this.mailboxes = new MailboxesResource(transport)
    this.alerts = new AlertsResource(transport)
    this.connectors = new ConnectorsResource(transport)
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
    this.policies = new PoliciesResource(transport)
    this.rules = new RulesResource(transport)
    this.operator = new OperatorResource(transport)
    this.usage = new UsageResource(transport)
    this.schedules = new SchedulesResource(transport)
    this.hooks = new HooksResource(transport)
  }
}
