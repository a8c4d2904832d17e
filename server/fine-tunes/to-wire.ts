import type { FineTune, Hyperparameters } from './schema.ts'
import type { JobRow } from './store.ts'

/** Fields that do not apply, or are not known yet, are left out. */
export function toFineTune(row: JobRow): FineTune {
  const { inference_rate_in: rateIn, inference_rate_out: rateOut } = row
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    provider_label: row.provider_label,
    base_model: row.base_model,
    base_model_label: row.base_model_label,
    ...given('suffix', row.suffix),
    status: row.status,
    ...given('provider_status', row.provider_status),
    source: row.source,
    ...given('source_workflow_id', row.source_workflow_id),
    ...given('source_role', row.source_role),
    example_count: row.example_count,
    training_bytes: row.training_bytes,
    hyperparameters: row.hyperparameters as Hyperparameters,
    ...given('provider_job_id', row.provider_job_id),
    fine_tuned_model: row.fine_tuned_model,
    trained_tokens: row.trained_tokens,
    ...given('cost_usd', row.cost_usd),
    inference_rate: rateIn === null || rateOut === null ? null : { in: rateIn, out: rateOut },
    ...given('training_rate', row.training_rate),
    error: row.error,
    created_at: row.created_at,
    ...given('started_at', row.started_at),
    ...given('finished_at', row.finished_at),
    ...given('last_synced_at', row.last_synced_at),
  }
}

function given<K extends string, T>(name: K, value: T | null): Partial<Record<K, T>> {
  return value === null ? {} : ({ [name]: value } as Record<K, T>)
}
