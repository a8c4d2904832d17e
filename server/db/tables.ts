import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** The tables as TypeScript sees them; `migrations/*.sql` is the source. */
export interface Tables {
  accounts: {
    id: string
    name: string
    created_at: Generated<Date>
  }
  api_keys: {
    id: string
    account_id: string
    name: string
    role: 'viewer' | 'approver' | 'member' | 'admin'
    prefix: string
    hash: Buffer
    created_at: Generated<Date>
    expires_at: Date | null
    last_used_at: Generated<Date | null>
  }
  audit: {
    account_id: string
    id: string
    created_at: Generated<Date>
    actor_type: 'key' | 'user' | 'system'
    actor_id: string | null
    actor_name: string
    action: string
    object_type: string
    object_id: string
    before: Json | null
    after: Json | null
    address: string | null
    request_id: string | null
  }
  idempotency_keys: {
    account_id: string
    key: string
    route: string
    body_hash: Buffer
    reserved: string
    locked_at: Generated<Date>
    status: number | null
    answer: Buffer | null
    encrypted: Generated<boolean>
    created_at: GeneratedAlways<Date>
  }
  workflows: {
    id: string
    account_id: string
    name: string
    description: string | null
    status: Generated<'active' | 'paused'>
    model: string
    crew: Json
    human_in_the_loop: Json
    memory_enabled: boolean
    limits: Json
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  agents: {
    id: string
    account_id: string
    name: string
    description: string | null
    category: string
    role: string
    system_prompt: string
    model: string | null
    max_tokens: number | null
    connectors: string[]
    capabilities: string[]
    status: 'active' | 'paused'
    memory_enabled: boolean
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  memory_entries: {
    id: string
    account_id: string
    agent_id: string | null
    workflow_id: string | null
    role: string | null
    content: string
    words: string[]
    pinned: boolean
    source: 'user' | 'agent'
    run_id: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
    last_used_at: Generated<Date | null>
  }
  definitions: {
    account_id: string
    hash: Buffer
    body: Json
  }
  runs: {
    id: string
    account_id: string
    workflow_id: string
    status: Generated<'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'>
    attempt: Generated<number>
    takes_without_progress: Generated<number>
    input: string
    output: string | null
    error: string | null
    error_code: string | null
    retry_of: string | null
    triggered_by: string | null
    triggerer_name: string | null
    earlier_triggerers: string[] | null
    tags: Json | null
    definition_hash: Buffer | null
    total_steps: Generated<number>
    tokens_in: Generated<number>
    tokens_out: Generated<number>
    cost_usd: Generated<number>
    tool_bytes: Generated<number>
    last_sequence: Generated<number>
    pending: Json | null
    waiting_since: Date | null
    expires_at: Date | null
    waited_ms: Generated<number>
    counted_to: Date | null
    created_at: Generated<Date>
    started_at: Date | null
    finished_at: Date | null
  }
  steps: {
    run_id: string
    position: number
    id: string
    account_id: string
    role: string
    model: string
    agent_id: string | null
    reused_from: string | null
    output: string | null
    error: string | null
    tokens_in: Generated<number>
    tokens_out: Generated<number>
    cost_usd: Generated<number>
    tries: Generated<number>
    turns: Generated<number>
    memory: Json | null
    started_at: Generated<Date>
    finished_at: Date | null
  }
  step_turns: {
    account_id: string
    run_id: string
    step_position: number
    turn: number
    message: Json
  }
  tool_calls: {
    run_id: string
    step_position: number
    turn: number
    position: number
    id: string
    account_id: string
    provider_call_id: string
    tool: string
    sensitive: boolean
    tool_version: string | null
    tool_changed: Generated<boolean>
    input: Json | null
    proposed_input: Json | null
    status: CallStatus
    output: string | null
    decision: CallDecision | null
    decided_by: string | null
    decider_name: string | null
    reason: string | null
    approvals: Json | null
    decided_at: Date | null
    started_at: Date | null
    finished_at: Date | null
  }
  events: {
    run_id: string
    sequence: number
    id: string
    account_id: string
    type: string
    data: Json
    created_at: Generated<Date>
  }
  account_watches: {
    account_id: string
    until: Date
  }
  jobs: {
    account_id: string
    run_id: string
    ready_at: Generated<Date>
    begun: Generated<boolean>
    worker: string | null
    lease_until: Date | null
  }
  connectors: {
    account_id: string
    id: string
    kind: 'builtin' | 'mcp'
    secret: Buffer
    version: string
    url: string | null
    header_names: Generated<string[]>
    safe_tools: Generated<string[]>
    tools: Json
    changed_tools: Generated<string[]>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  webhook_endpoints: {
    id: string
    account_id: string
    url: string
    description: string | null
    events: string[]
    workflow_id: string | null
    active: Generated<boolean>
    consecutive_failures: Generated<number>
    disabled_at: Date | null
    disabled_reason: string | null
    last_delivery_at: Date | null
    last_delivery_status: number | null
    secret: Buffer
    previous_secret: Buffer | null
    previous_secret_expires_at: Date | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  webhook_deliveries: {
    id: string
    account_id: string
    endpoint_id: string
    event_id: string
    event_type: string
    run_id: string | null
    snapshot: Json
    status: Generated<'pending' | 'succeeded' | 'failed'>
    attempts: Json
    scheduled_attempts: Generated<number>
    manual_requests: Generated<number>
    next_attempt_at: Generated<Date | null>
    claimed_until: Date | null
    created_at: Generated<Date>
  }
  fine_tunes: {
    id: string
    account_id: string
    name: string
    provider: string
    provider_label: string
    base_model: string
    base_model_label: string
    suffix: string | null
    status: Generated<'queued' | 'validating' | 'running' | 'succeeded' | 'failed' | 'cancelled'>
    provider_status: string | null
    stage: Generated<'uploading' | 'creating' | 'created'>
    attempt: Generated<number>
    create_sent_at: Date | null
    source: 'upload' | 'runs'
    source_workflow_id: string | null
    source_role: string | null
    example_count: number
    training_bytes: number
    hyperparameters: Json
    provider_file_id: string | null
    provider_job_id: string | null
    fine_tuned_model: string | null
    trained_tokens: number | null
    cost_usd: Generated<number | null>
    inference_rate_in: number | null
    inference_rate_out: number | null
    training_rate: number | null
    error: string | null
    events: Generated<unknown>
    created_at: Generated<Date>
    started_at: Date | null
    finished_at: Date | null
    last_synced_at: Date | null
    polled_at: Date | null
    events_polled_at: Date | null
    next_sync_at: Generated<Date | null>
    deleted_at: Date | null
  }
  fine_tune_datasets: {
    fine_tune_id: string
    account_id: string
    body: Buffer
  }
}

type CallStatus =
  | 'proposed'
  | 'approved'
  | 'rejected'
  | 'executing'
  | 'succeeded'
  | 'failed'
  | 'unknown'
type CallDecision = 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused'

/** A JSON column: read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>
