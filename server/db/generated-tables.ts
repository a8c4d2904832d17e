// Made by `npm run tables` from the migrations. Do not edit.
import type { ColumnType, Generated } from 'kysely'

export interface Tables {
  secret_check: {
    is_only: Generated<boolean>
    sealed: Buffer
  }
  accounts: {
    id: string
    name: string
    created_at: Generated<Date>
    suspended_at: Date | null
    suspension_reason: string | null
    deleted_at: Date | null
    max_runs_a_day: number | null
    max_mails_a_day: number | null
    max_cost_usd_a_day: number | null
    max_cost_usd_a_month: number | null
    max_stored_bytes: number | null
    stored_bytes: number | null
    stored_bytes_at: Date | null
    max_file_bytes: number | null
    has_budgets: Generated<boolean>
  }
  api_keys: {
    account_id: string
    id: string
    name: string
    role: 'viewer' | 'approver' | 'member' | 'admin' | 'worker'
    prefix: string
    hash: Buffer
    created_at: Generated<Date>
    expires_at: Date | null
    last_used_at: Date | null
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
    created_at: Generated<Date>
  }
  workflows: {
    account_id: string
    id: string
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
    input_schema: Json | null
    fallbacks: Generated<unknown>
    inherited_model: string | null
    model_inherited: Generated<boolean>
    version: Generated<number>
    last_version: Generated<number>
    expose_mcp: Json | null
    thread: Json | null
  }
  definitions: {
    account_id: string
    hash: Buffer
    body: Json
  }
  runs: {
    account_id: string
    id: string
    workflow_id: string
    status: Generated<'queued' | 'running' | 'waiting_input' | 'completed' | 'failed'>
    attempt: Generated<number>
    takes_without_progress: Generated<number>
    input: string
    output: string | null
    error: string | null
    error_code: 'step_failed' | 'agent_paused' | 'wait_expired' | 'cancelled' | 'budget_exceeded' | 'internal' | 'output_invalid' | null
    retry_of: string | null
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
    triggered_by: string | null
    triggerer_name: string | null
    earlier_triggerers: string[] | null
    warnings: Json | null
    takes_alone: Generated<number>
    data: Json | null
    output_json: Json | null
    epoch: Generated<number>
    tokens_cached: Generated<number>
    tokens_cache_written: Generated<number>
    tokens_reasoning: Generated<number>
    calls_without_usage: Generated<number>
    held: Json | null
    held_since: Date | null
    probation_size: number | null
    workflow_version: number | null
    forked_from: string | null
    forked_step: number | null
    open_case: Json | null
    on_behalf_of: Json | null
    calls_without_price: Generated<number>
    thread_id: string | null
    turn: number | null
    context: string | null
  }
  run_marks: {
    account_id: string
    run_id: string
    mark: string
    created_at: Date
  }
  steps: {
    account_id: string
    run_id: string
    position: number
    id: string
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
    duration_ms: number | null
    request_id: string | null
    tools_hash: Buffer | null
    started_at: Generated<Date>
    finished_at: Date | null
    finish_reason: string | null
    output_json: Json | null
    tokens_cached: Generated<number>
    tokens_cache_written: Generated<number>
    tokens_reasoning: Generated<number>
    calls_without_usage: Generated<number>
    agent_version: number | null
    output_given: boolean | null
    calls_without_price: Generated<number>
  }
  step_turns: {
    account_id: string
    run_id: string
    step_position: number
    turn: number
    message: Json
    tokens_in: Generated<number>
    tokens_out: Generated<number>
    cost_usd: Generated<number>
    duration_ms: number | null
    request_id: string | null
    tools_hash: Buffer | null
    problem: string | null
    tokens_cached: Generated<number>
    tokens_cache_written: Generated<number>
    tokens_reasoning: Generated<number>
    calls_without_usage: Generated<number>
    model: string | null
    calls_without_price: Generated<number>
  }
  tool_calls: {
    account_id: string
    run_id: string
    step_position: number
    turn: number
    position: number
    id: string
    provider_call_id: string
    tool: string
    sensitive: boolean
    tool_version: string | null
    tool_changed: Generated<boolean>
    input: Json | null
    proposed_input: Json | null
    status: 'proposed' | 'approved' | 'rejected' | 'executing' | 'succeeded' | 'failed' | 'unknown'
    output: string | null
    decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | null
    decided_by: string | null
    decided_at: Date | null
    started_at: Date | null
    finished_at: Date | null
    decider_name: string | null
    reason: string | null
    approvals: Json | null
    times_made: Generated<number>
    epoch: Generated<number>
    unknown_reason: string | null
    rule: Json | null
  }
  events: {
    account_id: string
    run_id: string
    sequence: number
    id: string
    type: string
    data: Json
    created_at: Generated<Date>
  }
  jobs: {
    account_id: string
    run_id: string
    ready_at: Generated<Date>
    begun: Generated<boolean>
    worker: string | null
    lease_until: Date | null
  }
  account_watches: {
    account_id: string
    until: Date
  }
  workers: {
    id: string
    seen_at: Generated<Date>
    has_left: Generated<boolean>
    note: Json | null
    server_started_at: Date | null
  }
  webhook_endpoints: {
    account_id: string
    id: string
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
    deleted_at: Date | null
  }
  webhook_deliveries: {
    account_id: string
    id: string
    endpoint_id: string
    event_id: string
    event_type: string
    run_id: string | null
    snapshot: Json
    status: Generated<'pending' | 'succeeded' | 'failed'>
    attempts: Generated<unknown>
    scheduled_attempts: Generated<number>
    manual_requests: Generated<number>
    next_attempt_at: Generated<Date | null>
    claimed_until: Date | null
    created_at: Generated<Date>
  }
  agents: {
    account_id: string
    id: string
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
    output_schema: Json | null
    fallbacks: Generated<unknown>
    version: Generated<number>
    last_version: Generated<number>
    rules: Generated<unknown>
    tools: Generated<unknown>
  }
  memory_entries: {
    account_id: string
    id: string
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
    last_used_at: Date | null
  }
  connectors: {
    account_id: string
    id: string
    kind: 'builtin' | 'mcp' | 'http' | 'openapi'
    secret: Buffer
    version: string
    url: string | null
    header_names: Generated<string[]>
    safe_tools: Generated<string[]>
    tools: Generated<unknown>
    changed_tools: Generated<string[]>
    created_at: Generated<Date>
    updated_at: Generated<Date>
    picked: Json | null
    checked_at: Date | null
    failing_since: Date | null
    check_message: string | null
    label: string | null
    settings: Json | null
    changes: Generated<unknown>
    read_again_at: Date | null
    credentials: 'account' | 'person' | null
    oauth: Json | null
    registration: Buffer | null
    needs_login: Generated<boolean>
  }
  fine_tunes: {
    account_id: string
    id: string
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
    drops_model: Generated<boolean>
    missing_since: Date | null
    missing_answers: Generated<number>
  }
  fine_tune_datasets: {
    account_id: string
    fine_tune_id: string
    body: Buffer
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
  users: {
    id: string
    email: string
    name: string
    password_hash: string | null
    oidc_issuer: string | null
    oidc_subject: string | null
    created_at: Generated<Date>
    last_signed_in_at: Date | null
  }
  memberships: {
    account_id: string
    user_id: string
    role: 'viewer' | 'approver' | 'member' | 'admin'
    created_at: Generated<Date>
  }
  sessions: {
    id: string
    user_id: string
    account_id: string
    token_hash: Buffer
    created_at: Generated<Date>
    last_seen_at: Generated<Date>
    expires_at: Date
    address: string | null
    user_agent: string | null
    oidc_sid: string | null
  }
  invitations: {
    account_id: string
    id: string
    email: string
    role: 'viewer' | 'approver' | 'member' | 'admin'
    token_hash: Buffer
    invited_by: string | null
    created_at: Generated<Date>
    expires_at: Date
    accepted_at: Date | null
  }
  setup_links: {
    token_hash: Buffer
    account_id: string
    expires_at: Date
  }
  sign_in_attempts: {
    subject: Buffer
    attempts: number
    window_ends_at: Date
  }
  usage_days: {
    account_id: string
    dimension: string
    value: string
    day: Date
    completed: number
    failed: number
    cancelled: number
    steps: number
    tokens_in: number
    tokens_out: number
    cost_usd: number
    is_spanned: Generated<boolean>
    calls_without_price: Generated<number>
  }
  usage_durations: {
    account_id: string
    dimension: string
    value: string
    day: Date
    bucket: number
    count: number
  }
  usage_deltas: {
    account_id: string
    id: number
    day: Date
    workflow_id: string
    agent_id: string | null
    model: string | null
    tags: Json | null
    completed: number
    failed: number
    cancelled: number
    steps: number
    tokens_in: number
    tokens_out: number
    cost_usd: number
    buckets: number[] | null
    run_ids: string[] | null
    calls_without_price: Generated<number>
    thread_id: string | null
  }
  policies: {
    account_id: string
    approvals_floor: Generated<'none' | 'sensitive' | 'all'>
    four_eyes: Generated<boolean>
    require_pending_id: Generated<boolean>
    web_fetch_hosts: string[] | null
    sensitive_actions: Generated<string[]>
    mails_a_day: number | null
    updated_at: Generated<Date>
    rules: Generated<unknown>
  }
  shown_requests: {
    account_id: string
    run_id: string
    actor_id: string
    pending_id: string
  }
  mail_counts: {
    account_id: string
    day: Date
    sent: number
  }
  account_holds: {
    account_id: string
    reason: 'suspended' | 'deleted' | 'cost'
    until: Date
  }
  quota_counts: {
    account_id: string
    day: Date
    runs: number
    cost_usd_of_day: number
    cost_usd_of_month: number
  }
  operator_log: {
    id: string
    created_at: Generated<Date>
    action: string
    object_id: string
    before: Json | null
    after: Json | null
    address: string | null
    request_id: string | null
  }
  epochs: {
    number: number
    reason: 'first' | 'promoted' | 'restored' | 'copied'
    system_identifier: string | null
    timeline: number | null
    home: string | null
    in_doubt: Generated<boolean>
    deliveries_held: Generated<boolean>
    began_at: Generated<Date>
    database_oid: number | null
    database_name: string | null
  }
  losses: {
    account_id: string
    run_id: string
    event_id: string
    event_type: string
    epoch: number
    noticed_at: Generated<Date>
  }
  file_contents: {
    account_id: string
    id: string
    store: string
    state: Generated<'arriving' | 'kept' | 'dropping'>
    due_at: Generated<Date | null>
  }
  file_chunks: {
    account_id: string
    content_id: string
    position: number
    body: Buffer
  }
  file_pages: {
    account_id: string
    content_id: string
    page: number
    text: string
  }
  files: {
    account_id: string
    id: string
    content_id: string
    name: string
    media_type: string
    bytes: number
    sha256: string
    pages: number | null
    width: number | null
    height: number | null
    text_status: 'complete' | 'cut' | 'none' | null
    text_chars: number | null
    text_pages: Generated<number>
    created_at: Generated<Date>
  }
  run_files: {
    account_id: string
    run_id: string
    direction: 'input' | 'output'
    position: number
    file_id: string
    step_position: number | null
    name: string
    media_type: string
    bytes: number
  }
  model_providers: {
    account_id: string
    id: string
    label: string | null
    api_key: Buffer | null
    version: string
    base_url: string | null
    models: Generated<unknown>
    checked_at: Date | null
    failing_since: Date | null
    check_message: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
    timeout_seconds: number | null
  }
  run_words: {
    account_id: string
    run_id: string
    words: number[] | null
    created_at: Date | null
  }
  run_word_walks: {
    account_id: string
    due_at: Date
    walked_to: Generated<string>
  }
  batches: {
    account_id: string
    id: string
    workflow_id: string
    name: string | null
    concurrency: number
    status: Generated<'running' | 'cancelling' | 'cancelled' | 'completed'>
    held: string | null
    total: number
    queued: number
    running: Generated<number>
    waiting: Generated<number>
    completed: Generated<number>
    failed: Generated<number>
    cancelled: Generated<number>
    cost_usd: Generated<number>
    created_by: string
    creator_name: string
    due_at: Generated<Date | null>
    created_at: Generated<Date>
    finished_at: Date | null
    retried_by: Json | null
    completed_with_warnings: Generated<number>
    calls_without_price: Generated<number>
  }
  batch_items: {
    account_id: string
    batch_id: string
    position: number
    key: string | null
    item: Json
    run_id: string
    retry_of: string | null
    status: Generated<'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'>
    error: string | null
    cost_usd: Generated<number>
    tries: Generated<number>
    next_try_at: Date | null
    file: string | null
    has_warnings: Generated<boolean>
    calls_without_price: Generated<number>
  }
  versions: {
    account_id: string
    object_id: string
    version: number
    definition: Json
    base_version: number | null
    changed: string[]
    note: string | null
    author_id: string | null
    author_name: string | null
    total_bytes: number
    created_at: Generated<Date>
    published_at: Date | null
  }
  schedules: {
    account_id: string
    id: string
    key: string | null
    name: string
    workflow_id: string
    cron: string | null
    time_zone: string
    every_seconds: number | null
    counts_from: Generated<Date>
    at: Date | null
    input: string | null
    data: Json | null
    tags: Json | null
    overlap: 'skip' | 'queue' | 'cancel_previous' | 'allow'
    catch_up: 'none' | 'last' | 'all'
    catch_up_seconds: number
    jitter_seconds: number
    ends_at: Date | null
    pause_after_failures: number | null
    status: 'active' | 'paused' | 'ended'
    paused_reason: string | null
    resumed_at: Generated<Date>
    next_due_at: Date | null
    next_start_at: Date | null
    revision: Generated<number>
    firing_count: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
    version: number | null
    authors: Json | null
  }
  schedule_firings: {
    account_id: string
    id: string
    schedule_id: string
    number: number
    kind: 'scheduled' | 'manual' | 'backfill'
    due_at: Date
    missed_until: Date | null
    status: 'due' | 'fired' | 'skipped' | 'missed'
    why: string | null
    run_id: string | null
    waits: Generated<boolean>
    next_try_at: Date | null
    settled_at: Date | null
    created_at: Generated<Date>
    tries: Generated<number>
    asked_by: Json | null
  }
  channels: {
    account_id: string
    id: string
    name: string
    kind: 'email' | 'slack'
    workflow_ids: string[] | null
    recipients: Generated<string[]>
    slack_channel: string | null
    secret: Buffer
    has_signing_secret: Generated<boolean>
    version: string
    active: Generated<boolean>
    active_since: Generated<Date>
    checked_at: Date | null
    failing_since: Date | null
    check_message: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  notifications: {
    account_id: string
    id: string
    channel_id: string
    kind: 'case' | 'reminder' | 'escalation' | 'assignment' | 'alert'
    key: string
    run_id: string | null
    pending_id: string | null
    call_id: string | null
    recipient: string
    body: Json | null
    status: Generated<'pending' | 'sent' | 'failed' | 'dropped'>
    tries: Generated<number>
    next_attempt_at: Generated<Date | null>
    claimed_until: Date | null
    error: string | null
    sent_at: Date | null
    place: Json | null
    is_open: Generated<boolean>
    created_at: Generated<Date>
  }
  cases: {
    account_id: string
    pending_id: string
    run_id: string
    assignee_id: string | null
    assigned_at: Generated<Date>
  }
  case_comments: {
    account_id: string
    id: string
    pending_id: string
    run_id: string
    author_id: string
    author_name: string
    text: string
    created_at: Generated<Date>
  }
  bulk_operations: {
    account_id: string
    id: string
    action: 'cancel' | 'retry'
    filter: Json
    run_ids: string[] | null
    matched: number
    done: Generated<number>
    skipped: Generated<number>
    created_by: string
    creator_name: string
    due_at: Generated<Date | null>
    created_at: Generated<Date>
    finished_at: Date | null
    tries: Json | null
    held: string | null
    problems: Json | null
  }
  alerts: {
    account_id: string
    id: string
    name: string
    on: string
    workflow_ids: string[] | null
    channel_ids: string[] | null
    minutes: number | null
    threshold: number | null
    at_most_every_minutes: number
    active: Generated<boolean>
    told_until: Generated<Date>
    checked_at: Generated<Date>
    last_fired_at: Date | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
    next_check_at: Generated<Date>
  }
  budgets: {
    account_id: string
    id: string
    name: string
    scope: 'account' | 'workflow' | 'agent' | 'thread' | 'tag'
    scope_value: string | null
    unit: 'day' | 'week' | 'month'
    time_zone: string
    cap_usd: number
    thresholds: Generated<number[]>
    on_cap: 'hold' | 'ask' | 'refuse' | 'fallback'
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  budget_windows: {
    account_id: string
    budget_id: string
    starts_at: Date
    spent_usd: Generated<number>
    reached_cap_usd: number | null
  }
  budget_reservations: {
    account_id: string
    id: string
    budget_id: string
    starts_at: Date
    amount_usd: number
    expires_at: Date
  }
  hooks: {
    account_id: string
    id: string
    name: string
    workflow_id: string
    version: number | null
    scheme: 'standard_webhooks' | 'github' | 'stripe' | 'slack' | 'hmac_sha256' | 'none'
    address_key: Buffer
    secret: Buffer | null
    previous_secret: Buffer | null
    previous_secret_expires_at: Date | null
    signature_header: string | null
    event_id_header: string | null
    tolerance_seconds: number
    filter: string | null
    input: string | null
    data: Json | null
    files: Json
    tags: Json
    status: 'active' | 'paused'
    delivery_count: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
    authors: Json | null
    dedupe: Generated<'event' | 'none'>
  }
  hook_deliveries: {
    account_id: string
    id: string
    hook_id: string
    number: number | null
    event_id: string | null
    event_type: string | null
    headers: Json
    content_type: string
    body: Buffer
    status: 'pending' | 'started' | 'filtered' | 'failed' | 'answered' | 'refused'
    why: string | null
    run_id: string | null
    repeats: Generated<number>
    tries: Generated<number>
    next_try_at: Date | null
    received_at: Generated<Date>
    settled_at: Date | null
    asked_by: Json | null
  }
  hook_events: {
    account_id: string
    hook_id: string
    event_key: string
    delivery_id: string
    seen_at: Generated<Date>
  }
  mailboxes: {
    account_id: string
    id: string
    name: string
    host: string
    port: number
    username: string
    secret: Buffer
    version: string
    folder: string
    workflow_id: string
    senders: string[] | null
    subject_contains: string | null
    poll_seconds: number
    active: Generated<boolean>
    starts_at: Generated<Date>
    uid_validity: number | null
    last_uid: Generated<number>
    next_poll_at: Generated<Date>
    claimed_until: Date | null
    checked_at: Date | null
    failing_since: Date | null
    check_message: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
    rereads: Generated<boolean>
    authors: Json | null
    secure: 'tls' | 'starttls' | 'none' | null
    require_authenticated: Generated<boolean>
    authserv_id: string | null
  }
  mailbox_messages: {
    account_id: string
    id: string
    mailbox_id: string
    message_id: string
    uid: number
    sender: string
    subject: string
    status: 'pending' | 'started' | 'ignored' | 'failed'
    why: string | null
    run_id: string
    received_at: Date | null
    created_at: Generated<Date>
    tries: Generated<number>
    content_hash: string | null
  }
  saved_views: {
    account_id: string
    id: string
    name: string
    filters: Json
    created_by: Json
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  requested_calls: {
    account_id: string
    id: string
    run_id: string
    workflow_id: string
    step_position: number
    turn: number
    position: number
    agent_id: string | null
    name: string
    sensitive: boolean
    status: Generated<'requested' | 'claimed' | 'succeeded' | 'failed' | 'unknown' | 'cancelled'>
    try: Generated<number>
    earlier_tries: Generated<number>
    requested_at: Generated<Date>
    timeout_seconds: number
    expires_at: Date
    lease: string | null
    lease_expires_at: Date | null
    claimed_by: string | null
    claimer_name: string | null
    claimed_at: Date | null
    due_at: Date | null
    output: Json | null
    error: string | null
    report_hash: Buffer | null
    finished_at: Date | null
  }
  tool_workers: {
    account_id: string
    id: string
    actor_id: string
    actor_name: string
    names: string[] | null
    address: string | null
    first_seen_at: Generated<Date>
    last_seen_at: Generated<Date>
  }
  connector_logins: {
    account_id: string
    id: string
    connector_id: string
    user_id: string | null
    secret: Buffer
    version: string
    expires_at: Date | null
    refresh_at: Date | null
    claimed_until: Date | null
    needs_login_since: Date | null
    why: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  oauth_clients: {
    id: string
    name: string
    redirect_uris: string[]
    created_at: Generated<Date>
    used_at: Date | null
    expires_at: Date
  }
  oauth_grants: {
    account_id: string
    id: string
    user_id: string
    client_id: string
    client_name: string
    client_host: string
    redirect_uri: string
    resource: string
    scopes: string[]
    code_hash: Buffer
    code_challenge: string
    access_hash: Buffer | null
    access_scopes: string[] | null
    access_expires_at: Date | null
    refresh_family_hash: Buffer | null
    refresh_hash: Buffer | null
    created_at: Generated<Date>
    last_used_at: Date | null
    expires_at: Date
  }
  threads: {
    account_id: string
    id: string
    workflow_id: string
    version: number | null
    key: string | null
    title: string | null
    tags: Generated<unknown>
    status: Generated<'open' | 'closed'>
    turns: Generated<number>
    last_message_at: Date | null
    cost_usd: Generated<number>
    tokens_in: Generated<number>
    tokens_out: Generated<number>
    words: Generated<number[]>
    created_by: string
    creator_name: string
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  thread_messages: {
    account_id: string
    id: string
    thread_id: string
    turn: number
    role: 'user' | 'assistant'
    text: Generated<string>
    data: Json | null
    files: Generated<unknown>
    run_id: string
    status: 'queued' | 'running' | 'answered' | 'failed' | 'cancelled' | 'refused'
    why: string | null
    author_id: string | null
    author_name: string | null
    tries: Generated<number>
    stopped_by: Json | null
    run_ended: Generated<boolean>
    due_at: Date | null
    claimed_until: Date | null
    created_at: Generated<Date>
    ended_at: Date | null
  }
  thread_summaries: {
    account_id: string
    id: string
    thread_id: string
    through_turn: number
    text: string
    tokens_before: number
    tokens_after: number
    model: string
    cost_usd: number
    created_at: Generated<Date>
  }
}

/** A JSON column: read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>
