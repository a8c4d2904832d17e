import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePorts } from './loopback.ts'
import { processCpuMs } from './measure.ts'
import { peerFolder } from './peer-process.ts'
import { until } from './until.ts'

/** The storage of a contender: empty at first, and deleted when disposed. */
export interface Store extends AsyncDisposable {
  /** Settings with which a contender finds it. */
  env: Record<string, string>
  /** CPU time of its server. */
  readCpuMs(): Promise<number>
}

let made = 0

/** A database on a shared server, dropped when disposed, even if connections are open. */
export async function makeDatabase(
  serverUrl: string,
  readCpuMs: () => Promise<number>,
): Promise<Store> {
  const name = `bench_${process.pid}_${++made}`
  const client = new Client({ connectionString: serverUrl, application_name: 'bench' })
  client.on('error', () => {})
  await client.connect()
  await client.query(`create database ${name}`)
  // A checkpoint first, so that no benchmark pays for the dirty pages of the previous one.
  await client.query('checkpoint')
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    env: { DATABASE_URL: url.href },
    readCpuMs,
    async [Symbol.asyncDispose]() {
      await client.query(`drop database ${name} with (force)`)
      await client.end()
    },
  }
}

const startMs = 60_000

/** A Restate server of its own, with its defaults, but only on loopback and without telemetry. */
export async function startRestateServer(folder: string): Promise<Store> {
  const dataDir = await mkdtemp(join(folder, 'restate-'))
  const [ingress, admin, fabric, service] = await freePorts(4)
  const adminUrl = `http://127.0.0.1:${admin}`
  await using log = await open(`${dataDir}.log`, 'w')
  const require = createRequire(join(peerFolder('restate'), 'package.json'))
  const platform = `${process.platform}-${process.arch}`
  const program = require.resolve(`@restatedev/restate-server-${platform}/bin/restate-server`)
  const child = spawn(program, ['--no-logo', '--base-dir', dataDir], {
    cwd: dataDir,
    env: {
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: 'error',
    },
    stdio: ['ignore', log.fd, log.fd],
  })
  const exited = once(child, 'exit')
  // It does not notice the end of its parent: an interrupted benchmark must not leave it behind.
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const end = async (): Promise<void> => {
    process.off('exit', killAtExit)
    child.kill('SIGKILL')
    await exited
  }
  try {
    await until('the Restate server is ready', startMs, async () => {
      if (child.exitCode !== null) throw new Error(`It ended; its log is ${dataDir}.log`)
      const answers = await Promise.all(
        [`${adminUrl}/health`, `http://127.0.0.1:${ingress}/restate/health`].map((url) =>
          fetch(url).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      )
      return answers.every(Boolean)
    })
  } catch (error) {
    await end()
    throw error
  }
  return {
    env: {
      RESTATE_INGRESS_URL: `http://127.0.0.1:${ingress}`,
      RESTATE_ADMIN_URL: adminUrl,
      RESTATE_SERVICE_PORT: String(service),
    },
    readCpuMs: () => processCpuMs(child.pid as number),
    [Symbol.asyncDispose]: end,
  }
}
