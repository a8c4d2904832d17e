import { exitCodes } from '../exit-codes.ts'
import { CliError } from '../failure.ts'
import type { Verbs } from '../noun.ts'
import { fields, table } from '../output.ts'
import { shell } from '../shell.ts'
import { withDatabase } from './migrate.ts'

/** Operator command on the database itself: its state, and what it has lost. */
export function addDoctor({ local }: Verbs): void {
  local(
    'doctor',
    "check the database's durability, what a failover or restore lost, the identity provider and the file " +
      'stores',
    async ({ out }) => {
      const { diagnose } = await import('../../server/start/doctor-store.ts')
      const { readConfig } = await import('../../server/start/config.ts')
      const { tryProvider } = await import('../../server/people/oidc/discovery.ts')
      const { probeStores } = await import('../../server/start/probe-stores.ts')
      const config = readConfig(shell().env)
      const { oidc, egressProxy } = config
      const signIn = oidc === undefined ? undefined : await tryProvider(oidc, egressProxy)
      const diagnosis = await withDatabase(async (database) => {
        const faults = await probeStores(database, config)
        return { ...(await diagnose(database)), faults }
      })
      const { faults, ...rest } = diagnosis
      const found = { ...rest, ...(signIn && { sign_in: signIn }) }
      for (const [store, why] of faults) {
        found.findings.push(`the file store ${store} cannot be used: ${why}`)
      }
      if (signIn?.why !== undefined) {
        found.findings.push(`people cannot sign in at ${signIn.issuer}: ${signIn.why}`)
      }
      out.result(found, () =>
        [
          fields({ ...found.settings, ...found }, ['server_version', ...settings]),
          table(found.epochs, ['number', 'reason', 'timeline', 'began'], {
            began: ({ began_at }) => began_at.toISOString(),
          }),
          ...(found.losses.length === 0
            ? []
            : [
                table(found.losses, ['run_id', 'event_id', 'event_type', 'epoch', 'lost'], {
                  lost: (one) => (one.run_is_lost ? 'the run' : 'the event'),
                }),
              ]),
          found.findings.length === 0 ? 'All is well.' : found.findings.join('\n'),
        ].join('\n\n'),
      )
      if (found.findings.length === 0) return
      throw new CliError(exitCodes.error, 'findings', `Findings: ${found.findings.length}`)
    },
  )
  local(
    'release-deliveries',
    'release webhooks and background work that are held since a restore, copy or promotion',
    async () => {
      const { releaseDeliveries } = await import('../../server/start/doctor-store.ts')
      return withDatabase(releaseDeliveries)
    },
    ({ were_held: wereHeld, pending }) =>
      wereHeld ? `Released; ${pending} deliveries are pending.` : 'No deliveries were held.',
  )
}

const settings = ['fsync', 'full_page_writes', 'synchronous_commit', 'standbys'] as const
