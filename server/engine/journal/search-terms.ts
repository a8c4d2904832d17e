import { sql, type RawBuilder } from 'kysely'
import { wholeWordsOf } from '../../words.ts'

/**
 * Search terms of a run besides its own columns: its tags, its agents, the words of its error and
 * its tags, whether it has warnings, and cost thresholds. Each term is a row of `run_marks`, written by the statement that
 * changes the run. An index on `runs` would cost more: every step boundary would have to update it.
 */
export type Tags = Record<string, string>

/** Most runs have no tags, and store none. */
export function tagsToStore(tags: Tags | undefined): Tags | undefined {
  return tags === undefined || Object.keys(tags).length === 0 ? undefined : tags
}

export const tagTerm = (key: string, value: string): string => `tag ${key}:${value}`
export const agentTerm = (id: string): string => `agent ${id}`
/** The term of all runs that have a warning. */
export const warningTerm = 'warning'
/** The term of all turns of a thread. */
export const threadTerm = (id: string): string => `thread ${id}`
export const wordTerm = (word: string): string => `word ${word}`

/** Terms of a run when it is triggered; undefined if it has no tags. */
export function termsOfTags(tags: Tags | undefined): string[] | undefined {
  if (tags === undefined) return undefined
  const words = wholeWordsOf(Object.values(tags).join(' '), mostWords)
  const pairs = Object.entries(tags).map(([key, value]) => tagTerm(key, value))
  return [...pairs, ...words.map(wordTerm)]
}

/** Terms of a new run: of its tags, and of its thread; undefined if it has neither. */
export function termsOfNewRun({
  tags,
  turn,
}: {
  tags?: Tags | undefined
  turn?: { threadId: string } | undefined
}): string[] | undefined {
  const ofTags = termsOfTags(tags)
  return turn === undefined ? ofTags : [...(ofTags ?? []), threadTerm(turn.threadId)]
}

/**
 * Terms that a step boundary adds: the agent that starts, the error that ends the run, and that it
 * has warnings.
 */
export function termsOfChange(
  agentId: string | null,
  error: string | null,
  hasWarnings = false,
): string[] | undefined {
  const terms = [
    ...(agentId === null ? [] : [agentTerm(agentId)]),
    ...(error === null ? [] : wholeWordsOf(error, mostWords).map(wordTerm)),
    ...(hasWarnings ? [warningTerm] : []),
  ]
  return terms.length === 0 ? undefined : terms
}

const mostWords = 64

/** Cost thresholds in US dollars: a run that waits for a person or has ended has a term for each that it reached. */
const costSteps = ['0.01', '0.1', '1', '10', '100']

/**
 * The term that all such runs of this cost or more have, and some cheaper ones; undefined below the
 * first threshold.
 */
export function costTerm(costUsd: number): string | undefined {
  const step = costSteps.findLast((one) => Number(one) <= costUsd)
  return step && `cost ${step}`
}

const costs = sql.raw(costSteps.map((step) => `('${step}', ${step})`).join(', '))

/** The cost terms of the runs that a statement ends or lets wait for a person, from its CTE `changed`. */
export const termsOfCosts = sql`
  select account_id, id, (run).created_at,
         (select json_agg('cost ' || name) from (values ${costs}) as step (name, usd)
          where usd <= (run).cost_usd)
  from changed
  where ((run).finished_at is not null or (run).status = 'waiting_input') and (run).cost_usd >= ${sql.raw(costSteps[0] as string)}`

/**
 * Body of a CTE that writes search terms. `source` is a query of account, run, the run's creation
 * time, and a JSON array of terms or null.
 */
export function insertSearchTerms(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into run_marks (account_id, run_id, created_at, mark)
    select source.account_id, source.run_id, source.created_at, mark
    from (${source}) as source (account_id, run_id, created_at, marks),
         json_array_elements_text(source.marks) as mark
    where source.marks is not null
    on conflict (account_id, run_id, mark) do nothing`
}
