import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../../cli/test-cli.ts'

/** Packs what would be published and installs it like users do: with npm, into an empty folder. */
export const root = join(import.meta.dirname, '..', '..')

/** The search path without the pinned Node that npm puts in front, as in a user's shell. */
export const userPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules') && !folder.includes('node-gyp'))
  .join(delimiter)

/** The machine's own Node; undefined if it has none from version 20 on, except the pinned one. */
export async function findMachineNode(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', 'command -v node && node --version || true'],
    { env: { PATH: userPath } },
  )
  const [file, version = ''] = stdout.split('\n')
  return Number(/^v(\d+)/.exec(version)?.[1] ?? 0) >= 20 ? file : undefined
}

export function userEnv(more: Record<string, string> = {}): Record<string, string> {
  const { HOME = '', PATH = '', NODE_EXTRA_CA_CERTS: certificates } = process.env
  // Without a Node of its own the machine's npm uses the pinned one.
  const path = `${userPath}${delimiter}${dirname(process.execPath)}`
  return {
    PATH: userPath === '' ? PATH : path,
    HOME,
    npm_config_loglevel: 'error',
    // For registries with a company's certificates.
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    ...more,
  }
}

export interface Folder extends AsyncDisposable {
  path: string
  /** Runs a program in the folder; rejects if it fails. */
  run(program: string, args: string[], env?: Record<string, string>): Promise<string>
}

/** A temporary folder outside of the repository. */
export async function makeUserFolder(): Promise<Folder> {
  const folder = await makeFolder()
  const run: Folder['run'] = async (program, args, env = {}) => {
    const options = {
      cwd: folder.path,
      env: userEnv(env),
      timeout: 240_000,
      maxBuffer: 64 * 1024 * 1024,
    }
    const { stdout, stderr } = await promisify(execFile)(program, args, options)
    return stdout + stderr
  }
  return { ...folder, run }
}

/** Packs the package of a workspace into a folder; returns the name of the tarball. */
export async function pack(folder: Folder, workspace: '.' | 'sdk'): Promise<string> {
  const destination = ['--pack-destination', folder.path]
  await folder.run('npm', ['pack', '--prefix', root, join(root, workspace), ...destination])
  return `${workspace === '.' ? 'muster-run-muster' : 'muster-run-sdk'}-0.1.0.tgz`
}

// Without a prefix npm uses a parent folder that has packages.
export const npmInstall = (path: string): string[] => [
  'install',
  '--prefix',
  path,
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
]

/** A temporary folder with the installed package of a workspace. */
export async function installPackage(workspace: '.' | 'sdk'): Promise<Folder> {
  const folder = await makeUserFolder()
  try {
    const file = await pack(folder, workspace)
    await folder.run('npm', [...npmInstall(folder.path), `./${file}`])
    return folder
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}
