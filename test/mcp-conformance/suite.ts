import { execFile } from 'node:child_process'
import { join } from 'node:path'

/**
 * Runs `@modelcontextprotocol/conformance`, from the folder that `MUSTER_TEST_MCP_CONFORMANCE` names. Without it, tests
 * are skipped.
 */
const folder = process.env['MUSTER_TEST_MCP_CONFORMANCE']
export const skip =
  folder === undefined && 'MUSTER_TEST_MCP_CONFORMANCE names no folder with the package'

/** What the suite says, and its exit code: 1 where a check has failed. */
export function runSuite(...args: string[]): Promise<{ output: string; code: number }> {
  const main = join(folder ?? '', 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  return new Promise((resolve) =>
    execFile(process.execPath, [main, ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, code: typeof error?.code === 'number' ? error.code : 0 }),
    ),
  )
}

/** The names of all scenarios of a kind, sorted. */
export async function listScenarios(kind: '--client' | '--server'): Promise<string[]> {
  const { output } = await runSuite('list', kind)
  return [...output.matchAll(/^ +- (\S+)/gm)].map(([, name = '']) => name).toSorted()
}
