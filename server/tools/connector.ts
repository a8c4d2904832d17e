import type { JSONSchema7 } from '@ai-sdk/provider'
import Type, { type Static, type TObject, type TProperties, type TString } from 'typebox'
import type { Outbound } from '../outbound/outbound.ts'
import type { Action, ToolCallOptions, ToolResult } from './contract.ts'
import { hashTool } from './hash-tool.ts'

/** A connector that comes with Muster: one file of `server/connectors`, listed in its `built-ins.ts`. */
export interface BuiltIn {
  id: string
  label: string
  /** What an account stores to connect it. Secrets are `writeOnly`; all other fields are shown again. */
  credentials: TObject
  /** What forms call its fields. */
  labels?: Record<string, string>
  /** Fields that may change while stored secrets stay. A change of any other field could send them elsewhere. */
  harmlessFields?: readonly string[]
  /** A secret that goes with another field, and is dropped without it. */
  secretNeeds?: Record<string, string>
  actions: readonly BuiltInAction[]
  /** The operator's own credentials, for accounts that store none. */
  operatorCredentials?(settings: ToolSettings): Credentials | undefined
  /** What of them approvals are bound to; nothing secret. */
  operatorVersion?(settings: ToolSettings): string
  /** Asks the other side, in at most 20 s, whether it takes the credentials. */
  test(context: CallContext): Promise<TestResult>
}

export type Credentials = Record<string, unknown>

export interface BuiltInAction extends Action {
  /** Whether it can be called without credentials. */
  isOpen: boolean
  /** Of what it says of itself (`hashTool`). */
  hash: string
  /** `context.credentials` is undefined only where the action is open. */
  call(
    input: Record<string, unknown>,
    context: CallContext,
    options: ToolCallOptions,
  ): Promise<ToolResult>
}

/** What the operator sets for connectors. */
export interface ToolSettings {
  /** Longest that one call may take. */
  timeoutMs: number
  /** Email for every account that connects no server of its own. */
  smtp: Credentials | undefined
  hubspotUrl: string
  slackUrl: string
  searchUrl: string
}

/** What a process gives its tools. */
export interface ToolServices {
  outbound: Outbound
  toolSettings: ToolSettings
}

export interface CallContext<C = Credentials> extends ToolServices {
  credentials: C
  /** Hosts that `web.fetch` may reach: `docs.example.com`, `*.example.com`; null means any. */
  readFetchHosts: () => Promise<readonly string[] | null>
  /** The credentials are the operator's, so that their address needs no guard. */
  isOperators: boolean
}

export interface TestResult {
  ok: boolean
  /** In words, for the admin: what works, or what is wrong. */
  message: string
}

interface ConnectorDefinition<C extends TObject> extends Pick<
  BuiltIn,
  'id' | 'label' | 'labels' | 'operatorVersion' | 'harmlessFields' | 'secretNeeds'
> {
  credentials: C
  actions: readonly ActionDefinition<Static<C>>[]
  operatorCredentials?(settings: ToolSettings): Static<C> | undefined
  test(context: CallContext<Static<C>>): Promise<TestResult>
}

interface ActionDefinition<C, Input = never, Schema = TObject> {
  name: string
  description: string
  sensitive: boolean
  isOpen?: boolean
  maxInputBytes?: number
  input: Schema
  call(input: Input, context: CallContext<C>, options: ToolCallOptions): Promise<ToolResult>
}

/** A secret key or token that goes into a header. */
export function Token(maxLength: number, description: string): TString {
  const pattern = '^[\\x21-\\x7e]+$'
  return Type.String({ minLength: 1, maxLength, pattern, writeOnly: true, description })
}

/** An action whose arguments, these and no others, are typed by their schemas. */
export function defineAction<I extends TProperties, C>({
  input,
  ...definition
}: ActionDefinition<C, Static<TObject<I>>, I>): ActionDefinition<C> {
  return { ...definition, input: Type.Object(input, { additionalProperties: false }) }
}

/** The one place where what was checked against a schema takes its type. */
export function defineConnector<C extends TObject>(definition: ConnectorDefinition<C>): BuiltIn {
  return {
    ...definition,
    actions: definition.actions.map(({ name, input, ...action }) => {
      const inputSchema = input as unknown as JSONSchema7
      const hash = hashTool({ description: action.description, inputSchema })
      return { isOpen: false, ...action, id: `${definition.id}.${name}`, inputSchema, hash }
    }),
  }
}
