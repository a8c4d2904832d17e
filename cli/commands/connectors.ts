import type { ConnectConnector, Connector } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import type { Verbs } from '../noun.ts'
import { clean, fields, oneLine, table } from '../output.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

const maxBytes = 256 * 1024

export function addConnectors(program: Verbs): void {
  const about = 'let agents act outside: e-mail, HubSpot, Slack, the web, MCP servers'
  const { verb, local } = program.noun('connectors', about)
  verb(
    'list',
    'list the connectors with their actions',
    async ({ muster }) => Array.fromAsync(await muster.connectors.list()),
    (connectors) =>
      table(
        connectors.flatMap(({ actions }) => actions),
        ['action', 'sensitive', 'available', 'description'],
        {
          action: ({ id }) => id,
          available: ({ unavailable }) => unavailable === null,
          description: ({ description }) => oneLine(description),
        },
      ),
  )
  local(
    'connect',
    'connect a built-in connector or an MCP server (needs an admin key)',
    async ({ connect }, id = '', file = '') => {
      const body = (await readJson(file)) as ConnectConnector
      return (await connect()).connectors.connect(id, body)
    },
    describe,
  )
    .argument('<connector>', 'email, hubspot, slack, web, or an id of your own for an MCP server')
    .argument('<file>', 'JSON with the credentials or the MCP server; - for stdin')
    .addHelpText('after', connectHelp)
  verb(
    'test <connector>',
    'ask the other side whether it accepts what is stored; sends nothing',
    async ({ muster }, id = '') => {
      const tested = await muster.connectors.test(id)
      if (!tested.ok) shell().exitCode = exitCodes.connectorFailed
      return tested
    },
    ({ message }) => clean(message),
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

function describe(connector: Connector): string {
  const sensitive = connector.actions.filter((action) => action.sensitive)
  return fields(connector, ['connector', 'url', 'actions', 'sensitive'], {
    connector: ({ id }) => id,
    actions: ({ actions }) => actions.map(({ id }) => id),
    sensitive: () => sensitive.map(({ id }) => id).join(', ') || 'none',
  })
}
