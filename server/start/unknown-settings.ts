import { findMeant } from '../nearest.ts'

/** What the command line, the SDK and tests read. */
const others = ['MUSTER_API_KEY', 'MUSTER_PARENT_PID', 'MUSTER_URL', 'MUSTER_WEBHOOK_SECRET']
/** Kubernetes tells a pod of a service `muster` by variables of these names. */
const notOurs = /^MUSTER_(TEST_|SERVICE_|PORT($|_\d))/

/** What is wrong with variables that look like settings and are none, which is most often a typing error. */
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
