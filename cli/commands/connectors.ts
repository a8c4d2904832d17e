import type { Command } from 'commander'
import type { ConnectConnector, Connector } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { addNoun } from '../noun.ts'
import { fields, oneLine, table, type Output } from '../output.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

const maxBytes = 256 * 1024

export function addConnectors(program: Command, output: () => Output): void {
  const about = 'let agents act outside: e-mail, HubSpot, Slack, the web, MCP servers'
  const { group, verb } = addNoun(program, output, 'connectors', about)
  verb(
    'list',
    'list the connectors with their actions',
    async ({ muster }) => Array.fromAsync(await muster.connectors.list()),
    actionTable,
  )
  group
    .command('connect')
    .description('connect a built-in connector or an MCP server (needs an admin key)')
    .argument('<connector>', 'email, hubspot, slack, web, or an id of your own for an MCP server')
    .argument('<file>', 'JSON with the credentials or the MCP server; - for stdin')
    .addHelpText('after', connectHelp)
    .action(async (id: string, file: string, _options: object, command: Command) => {
      const body = await readJson(file)
      const muster = await connect(command)
      const connector = await muster.connectors.connect(id, body as ConnectConnector)
      output().result(connector, () => describe(connector))
    })
  verb(
    'test <connector>',
    'ask the other side whether it accepts what is stored; sends nothing',
    async ({ muster }, id = '') => {
      const tested = await muster.connectors.test(id)
      if (!tested.ok) shell().exitCode = exitCodes.connectorFailed
      return tested
    },
    ({ message }) => message,
  )
  verb(
    'disconnect <connector>',
    'remove what is stored; agents keep their capabilities',
    ({ muster }, id = '') => muster.connectors.disconnect(id),
    ({ id }) => `Disconnected ${id}.`,
  )
}

const connectHelp = `
Secrets are read from a file or stdin, so that they never show in a process list:
  muster connectors connect slack slack.json
  echo '{"kind":"mcp","url":"https://mcp.example.com/mcp"}' | muster connectors connect notes -`

/** Never shows what the file holds. */
async function readJson(file: string): Promise<unknown> {
  const text = await readText(file, maxBytes)
  try {
    return JSON.parse(text)
  } catch {
    const name = file === '-' ? 'stdin' : file
    throw usageError(`Cannot read ${name}: it is not valid JSON`, 'invalid_file')
  }
}

function actionTable(connectors: Connector[]): string {
  return table(
    ['ACTION', 'SENSITIVE', 'AVAILABLE', 'DESCRIPTION'],
    connectors.flatMap(({ actions }) =>
      actions.map((action) => [
        action.id,
        action.sensitive ? 'yes' : 'no',
        action.unavailable === null ? 'yes' : 'no',
        oneLine(action.description),
      ]),
    ),
  )
}

function describe({ id, url, actions }: Connector): string {
  const sensitive = actions.filter((action) => action.sensitive)
  return fields([
    ['connector', id],
    ['url', url],
    ['actions', actions.map((action) => action.id).join(', ')],
    ['sensitive', sensitive.map((action) => action.id).join(', ') || 'none'],
  ])
}
