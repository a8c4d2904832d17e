import { findMeant } from '../nearest.ts'

/** Variables for the CLI, the SDK and tests. */
const others = ['MUSTER_API_KEY', 'MUSTER_PARENT_PID', 'MUSTER_URL', 'MUSTER_WEBHOOK_SECRET']
/** Variables that Kubernetes sets for a service named `muster`. */
const notOurs = /^MUSTER_(TEST_|SERVICE_|PORT($|_\d))/

/** Messages about variables that look like settings but are unknown, usually because of a typo. */
export function findUnknownSettings(
  env: Record<string, string | undefined>,
  known: ReadonlySet<string>,
): string[] {
  const all = [...known, ...others]
  return Object.keys(env)
    .filter((name) => name.startsWith('MUSTER_') && !notOurs.test(name) && !all.includes(name))
    .slice(0, most)
    .map((name) => {
      const meant = findMeant(name, all)
      return `${name.slice(0, 100)} is not a setting${meant === undefined ? '' : `, did you mean ${meant}?`}`
    })
}

const most = 20
