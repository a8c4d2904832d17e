import type { Action } from './contract.ts'

/** Tools that Muster itself answers; they need no connector and no capability. */
export const ownTools = {
  request_input: {
    id: 'request_input',
    description:
      'Ask a person a question and wait for the answer. Use it when something that only they know or may decide is missing.',
    inputSchema: {
      type: 'object',
      properties: { question: { type: 'string', minLength: 1, maxLength: 4_000 } },
      required: ['question'],
      additionalProperties: false,
    },
    sensitive: false,
  },
  remember: {
    id: 'remember',
    description:
      'Keep a note for your later runs. Use it for lasting facts and preferences, not for the task at hand.',
    inputSchema: {
      type: 'object',
      properties: { content: { type: 'string', minLength: 1, maxLength: 2_000 } },
      required: ['content'],
      additionalProperties: false,
    },
    sensitive: false,
  },
  forget: {
    id: 'forget',
    description: 'Delete one of your notes, by its id, because it is wrong or out of date.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1, maxLength: 100 } },
      required: ['id'],
      additionalProperties: false,
    },
    sensitive: false,
  },
} satisfies Record<string, Action>
