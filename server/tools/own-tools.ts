import type { JSONSchema7 } from '@ai-sdk/provider'
import type { Action } from './contract.ts'
import { readFileAction, searchFilesAction } from './files.ts'

/** Tools that Muster itself implements; they need no connector and no capability. */
export const ownTools = {
  request_input: {
    id: 'request_input',
    description:
      'Ask a person a question and wait for the answer. Use it when something that only they know or may decide is missing.',
    inputSchema: oneText('question', 4_000),
    sensitive: false,
  },
  remember: {
    id: 'remember',
    description:
      'Keep a note for your later runs. Use it for lasting facts and preferences, not for the task at hand.',
    inputSchema: oneText('content', 2_000),
    sensitive: false,
  },
  forget: {
    id: 'forget',
    description: 'Delete one of your notes, by its id, because it is wrong or out of date.',
    inputSchema: oneText('id', 100),
    sensitive: false,
  },
} satisfies Record<string, Action>

export function isMemoryTool(id: string): boolean {
  return id === ownTools.remember.id || id === ownTools.forget.id
}

/** One of these tools, or one of those for files. */
export function findOwnTool(id: string | undefined): Action | undefined {
  const own = [...Object.values(ownTools), readFileAction, searchFilesAction]
  return own.find((tool) => tool.id === id)
}

function oneText(name: string, maxLength: number): JSONSchema7 {
  const properties = { [name]: { type: 'string' as const, minLength: 1, maxLength } }
  return { type: 'object', properties, required: [name], additionalProperties: false }
}
