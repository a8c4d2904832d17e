import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import { countRunsInDoubt } from '../engine/reads/events.ts'
import { hasRun } from '../engine/reads/runs.ts'
import { compareZones, type ZoneDifference } from '../sources/schedules/clock/compare-zones.ts'

/**
 * The findings of `muster doctor`: whether the database stores commits safely, and what it has
 * lost.
 */
export interface Diagnosis {
  server_version: string
  settings: Record<'fsync' | 'full_page_writes' | 'synchronous_commit' | 'standbys', string>
  /** Connected standbys, and whether commits wait for each. */
  standbys: { name: string; state: string; sync: string }[]
  epochs: { number: number; reason: string; timeline: number | null; began_at: Date }[]
  deliveries_held: boolean
  /** Open runs that started before a failover that may have lost data. */
  runs_in_doubt: number
  losses: Loss[]
  /** Problems for an operator, in words. */
  findings: string[]
}

interface Loss {
  account_id: string
  run_id: string
  event_id: string
  event_type: string
  epoch: number
  noticed_at: Date
  /** The whole run is lost. */
  run_is_lost: boolean
}

const maxLosses = 10_000

export async function diagnose(database: Database): Promise<Diagnosis> {
  const { rows } = await sql<Omit<Diagnosis, 'losses' | 'findings'>>`
    select current_setting('server_version') as server_version,
      json_build_object(
        'fsync', current_setting('fsync'),
        'full_page_writes', current_setting('full_page_writes'),
        'synchronous_commit', current_setting('synchronous_commit'),
        'standbys', current_setting('synchronous_standby_names')) as settings,
      (select coalesce(json_agg(json_build_object(
          'name', application_name, 'state', state, 'sync', sync_state)), '[]')
       from pg_stat_replication) as standbys`.execute(database)
  // A separate statement, because a distributed database cannot combine server state with all
  // shards.
  const held = await sql<Pick<Diagnosis, 'deliveries_held'>>`
    select exists (select 1 from epochs where deliveries_held) as deliveries_held`.execute(database)
  const doubt = { runs_in_doubt: await countRunsInDoubt(database) }
  const found = { ...rows[0], ...held.rows[0], ...doubt } as Omit<
    Diagnosis,
    'losses' | 'findings' | 'epochs'
  >
  const epochs = await database
    .selectFrom('epochs')
    .select(['number', 'reason', 'timeline', 'began_at'])
    .orderBy('number')
    .execute()
  const losses = await sql<Loss>`
    select losses.*, not ${hasRun('losses')} as run_is_lost
    from losses order by noticed_at desc, run_id, event_id limit ${maxLosses}`.execute(database)
  const diagnosis = { ...found, epochs, losses: losses.rows }
  const zones = (await compareZones(database)).map(zoneInWords)
  return { ...diagnosis, findings: [...findingsOf(diagnosis), ...zones] }
}

function zoneInWords({ zone, at, here, there }: ZoneDifference): string {
  const data = process.versions['tz'] ?? 'an unknown edition'
  return (
    `schedules in ${zone}: from about ${at.toISOString().slice(0, 10)} on, this process (time-zone data ${data}) and ` +
    `the database differ by ${Math.abs(here - there)} minutes; schedules follow this process, so update the older data`
  )
}

function findingsOf({
  settings,
  standbys,
  deliveries_held: areHeld,
  runs_in_doubt: inDoubt,
  losses,
}: Omit<Diagnosis, 'findings'>): string[] {
  const findings: string[] = []
  const { fsync, full_page_writes: pages, synchronous_commit: commit } = settings
  if (fsync !== 'on') findings.push('fsync is off: a crash of the machine may lose the database')
  if (pages !== 'on') {
    findings.push('full_page_writes is off: a crash of the machine may damage the database')
  }
  if (commit === 'off') {
    findings.push('synchronous_commit is off: a crash loses runs that were accepted')
  }
  if (standbys.length > 0 && (settings.standbys === '' || commit === 'local')) {
    findings.push(
      `no commit waits for a standby (${standbys.map(({ name }) => name).join(', ')}): ` +
        `one that is promoted may lack runs that were accepted; set synchronous_standby_names`,
    )
  }
  if (areHeld) {
    findings.push(
      'webhooks and messages are held, and in a copy everything that starts runs by itself: ' +
        '`muster release-deliveries` releases them',
    )
  }
  if (inDoubt > 0) {
    findings.push(
      `${inDoubt} open runs are in doubt: their actions need approval and are not repeated`,
    )
  }
  const runs = new Set(losses.filter((one) => one.run_is_lost).map((one) => one.run_id)).size
  if (losses.length > 0) {
    findings.push(
      `${losses.length} events were lost, with ${runs} whole runs; they are named above`,
    )
  }
  return findings
}

/** Resumes webhook deliveries. Returns how many were waiting. */
export async function releaseDeliveries(
  database: Database,
): Promise<{ were_held: boolean; pending: number }> {
  const { rows } = await sql<{ were_held: boolean; pending: number }>`
    with released as (
      update epochs set deliveries_held = false where deliveries_held returning number
    )
    select (select count(*) > 0 from released) as were_held,
           (select count(*)::int from webhook_deliveries where status = 'pending') as pending
    `.execute(database)
  return rows[0] as { were_held: boolean; pending: number }
}
