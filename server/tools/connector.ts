import type { JSONSchema7 } from '@ai-sdk/provider'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { type Action, type ToolCallOptions, type ToolResult, hashTool } from './contract.ts'
import Type, { type Static, type TObject, type TProperties, type TString } from 'typebox'

/** A built-in connector: one file of `server/connectors`, listed in its `built-ins.ts`. */
export interface BuiltInConnector {
  id: string
  label: string
  /** Schema of what an account stores to connect it. Secrets are `writeOnly`; the API shows all other fields. */
  credentials: TObject
  /** Labels of its fields in forms. */
  labels?: Record<string, string>
  /** Fields that may change without entering the secrets again. Any other field decides where the secrets are sent. */
  harmlessFields?: readonly string[]
  /**
   * The field that each secret belongs to: the secret is deleted with it, as a password with its
   * user.
   */
  secretNeeds?: Record<string, string>
  actions: readonly BuiltInAction[]
  /**
   * The API that it calls, if all accounts use the same one. The operator's `variable` sets another
   * address.
   */
  api?: { url: string; variable: string }
  /** The operator's own credentials, for accounts that store none. */
  operatorCredentials?(settings: ToolSettings): Credentials | undefined
  /**
   * The part of the operator's credentials that an approval is bound to, such as the sender;
   * nothing secret.
   */
  operatorVersion?(settings: ToolSettings): string
  /** Asks the service, in at most 20 s, whether it accepts the credentials. */
  test(context: CallContext): Promise<TestResult>
}

export type Credentials = Record<string, unknown>

export interface BuiltInAction extends Action {
  /** Whether it can be called without credentials. */
  isOpen: boolean
  /** Hash of its description and input schema (`hashTool`). An approval holds for this version only. */
  hash: string
  /** `context.credentials` is undefined only if the action is open. */
  call(
    input: Record<string, unknown>,
    context: CallContext,
    options: ToolCallOptions,
  ): Promise<ToolResult>
}

/** The operator's settings for connectors. */
export interface ToolSettings {
  /** Timeout of one call. */
  timeoutMs: number
  /** Mail server for accounts that have not connected their own. */
  smtp: Credentials | undefined
  /** Addresses of the connectors' APIs, by the connector's id. */
  apiUrls: Readonly<Record<string, string>>
}

/** Services of the process that tools use. */
export interface ToolServices {
  outbound: Outbound
  sandbox: Sandbox
  toolSettings: ToolSettings
}

export interface CallContext<C = Credentials> extends ToolServices {
  accountId: string
  credentials: C
  /** Hosts that `web.fetch` may reach: `docs.example.com`, `*.example.com`; null means any. */
  readFetchHosts: () => Promise<readonly string[] | null>
  /** The credentials are the operator's, so connections to their address are not guarded. */
  isOperators: boolean
}

export interface TestResult {
  ok: boolean
  /** For the admin: that it works, or what is wrong. */
  message: string
}

interface ConnectorDefinition<C extends TObject> extends Pick<
  BuiltInConnector,
  'id' | 'label' | 'labels' | 'api' | 'operatorVersion' | 'harmlessFields' | 'secretNeeds'
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

/** Defines an action; its schemas type the arguments, and others are rejected. */
export function defineAction<I extends TProperties, C>({
  input,
  ...definition
}: ActionDefinition<C, Static<TObject<I>>, I>): ActionDefinition<C> {
  return { ...definition, input: Type.Object(input, { additionalProperties: false }) }
}

/** Arguments and credentials are checked against their schemas before a call, so they may be cast to their types here. */
export function defineConnector<C extends TObject>(
  definition: ConnectorDefinition<C>,
): BuiltInConnector {
  return {
    ...definition,
    actions: definition.actions.map(({ name, input, ...action }) => {
      const inputSchema = input as unknown as JSONSchema7
      const hash = hashTool({ description: action.description, inputSchema })
      return { isOpen: false, ...action, id: `${definition.id}.${name}`, inputSchema, hash }
    }),
  }
}
