import Type from 'typebox'
import { defineAction, defineConnector } from './connector.ts'
import type { Action } from './contract.ts'

/**
 * Tools of agents for the files of their run. Reading is available whenever there are files;
 * writing is a capability that needs no connection. Both are implemented in
 * `server/files/for-agents/`.
 */
const maxNameLength = 200
const name = Type.String({
  minLength: 1,
  maxLength: maxNameLength,
  description: 'Name or id of the file.',
})
const strict = { additionalProperties: false }

/** Limit of a write call in bytes of JSON; models do not write more in one answer. */
const maxWriteBytes = 256 * 1024

const write = defineAction({
  name: 'write',
  description:
    'Leaves a file with your results for the people who read this run: reports, tables, drafts. Up to 20 files a run.',
  sensitive: false,
  isOpen: true,
  maxInputBytes: maxWriteBytes,
  input: {
    name: Type.String({
      minLength: 1,
      maxLength: maxNameLength,
      description: 'Such as report.md or prices.csv; new in this run.',
    }),
    content: Type.String({ minLength: 1, description: 'The whole text of the file.' }),
  },
  // Not called: the worker writes the file in the ledger's transaction.
  call: () => Promise.reject(new Error('files.write is done by the worker')),
})

export const files = defineConnector({
  id: 'files',
  label: 'Files',
  credentials: Type.Object({}, strict),
  actions: [write],
  test: () => Promise.resolve({ ok: true, message: 'Files are kept here; nothing has to be set' }),
})

export const writeFileAction = 'files.write'

export const readFileAction: Action = {
  id: 'files.read',
  description:
    'Reads text of a file of this run, about 20,000 characters at a time; says where to go on.',
  inputSchema: Type.Object(
    {
      file: name,
      page: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Page to begin at, 1 if left out.',
        }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 100_000_000,
          description: 'Characters of that page to pass over.',
        }),
      ),
    },
    strict,
  ),
  sensitive: false,
}

export const searchFilesAction: Action = {
  id: 'files.search',
  description:
    'Finds words in the files of this run; answers with pages, best first, and the text around the words.',
  inputSchema: Type.Object(
    {
      query: Type.String({
        minLength: 1,
        maxLength: 400,
        description: 'Words that stand in the text, the rarest ones; not a question.',
      }),
      file: Type.Optional(name),
    },
    strict,
  ),
  sensitive: false,
}

/**
 * Whether a call that was in flight may be repeated: it reads, or writes in the transaction that
 * records it. Tools of MCP servers may have the same names.
 */
export function isFileTool(tool: Action | undefined): boolean {
  if (tool === undefined || tool.isForeign === true) return false
  return [readFileAction.id, searchFilesAction.id, writeFileAction].includes(tool.id)
}
