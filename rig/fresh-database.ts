import { Client } from 'pg'

export interface FreshDatabase extends AsyncDisposable {
  url: string
}

let made = 0

/** An empty database on a server, dropped when disposed, whoever is still connected. */
export async function makeFreshDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `bench_${process.pid}_${++made}`
  const client = new Client({ connectionString: serverUrl, application_name: 'bench' })
  client.on('error', () => {})
  await client.connect()
  await client.query(`create database ${name}`)
  // Nobody's run shall pay for writing what another left in memory.
  await client.query('checkpoint')
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await client.query(`drop database ${name} with (force)`)
      await client.end()
    },
  }
}
