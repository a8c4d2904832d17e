import type { JSONSchema7 } from '@ai-sdk/provider'
import { hashTool, versionOfTool, type Tool } from './contract.ts'

/**
 * Tools that processes of the account execute, which claim the calls from the API. A run freezes them with its agents,
 * so a call is always judged by the definition that its model was shown.
 */
export interface CallerTool {
  name: string
  description: string
  /** JSON text of the schema of its arguments. */
  inputSchema: string
  timeoutSeconds: number
  sensitive: boolean
}

/** The first part of their actions' names. No connector can be connected under it. */
export const callerConnector = 'app'

/** The action of a caller's tool. */
export function callerAction(name: string): string {
  return `${callerConnector}.${name}`
}

export function openCallerTools(tools: readonly CallerTool[] = []): Tool[] {
  return tools.map(({ name, description, inputSchema: schemaText, timeoutSeconds, sensitive }) => {
    const schema = JSON.parse(schemaText) as JSONSchema7
    return {
      id: callerAction(name),
      description,
      // Some providers reject an object schema without properties.
      inputSchema: { properties: {}, ...schema },
      isForeign: true,
      schemaText,
      sensitive,
      version: versionOfTool(hashTool({ description, inputSchema: schema }), ''),
      request: { name, timeoutSeconds },
      call: () => Promise.reject(new Error(`${name} is executed by workers of the account`)),
    }
  })
}

/** The caller's tool with this action; undefined if the agent has none. */
export function findCallerTool(
  { tools = [] }: { tools?: readonly CallerTool[] | undefined },
  action: string | undefined,
): Tool | undefined {
  return openCallerTools(tools.filter(({ name }) => callerAction(name) === action))[0]
}
