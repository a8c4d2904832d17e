import { parseAllowedNetworks } from '../outbound/address.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { builtInConnectors, findBuiltInConnector } from './built-ins.ts'
import type { CallContext, Credentials, TestResult, ToolServices } from '../tools/connector.ts'
import type { ToolResult } from '../tools/contract.ts'
import { testSandbox } from '../sandbox/test-sandbox.ts'

/** For tests only: tools that find their servers on this machine, whatever the host name. */
export interface TestTools extends AsyncDisposable {
  services: ToolServices
  /** Calls a built-in action with an account's credentials. */
  call(
    capability: string,
    input: object,
    credentials?: Credentials,
    signal?: AbortSignal,
  ): Promise<ToolResult>
  test(id: string, credentials: Credentials): Promise<TestResult>
}

export const idempotencyKey = 'call_01ktbz3v9se0c9x1hm8q5gkxvn'

export function createTestTools(
  options: { port?: number; allowedNetworks?: string } = {},
): TestTools {
  const outbound = createOutbound({
    allowedNetworks: parseAllowedNetworks(options.allowedNetworks ?? '127.0.0.0/8'),
    lookup: async () => ['127.0.0.1'],
  })
  const url = `http://127.0.0.1:${options.port ?? 9}`
  const toolSettings = {
    timeoutMs: 30_000,
    smtp: undefined,
    apiUrls: Object.fromEntries(builtInConnectors.map(({ id }) => [id, url])),
  }
  const services = { outbound, sandbox: testSandbox(), toolSettings }
  const contextOf = (credentials: Credentials): CallContext => ({
    ...services,
    credentials,
    accountId: 'acc_test',
    readFetchHosts: async () => null,
    isOperators: false,
  })
  return {
    services,
    call: async (capability, input, credentials = {}, signal = new AbortController().signal) => {
      const builtIn = findBuiltInConnector(capability.split('.')[0] ?? '')
      const action = builtIn?.actions.find(({ id }) => id === capability)
      if (action === undefined) throw new Error(`no action ${capability}`)
      const call = { idempotencyKey, signal }
      return action.call(input as Record<string, unknown>, contextOf(credentials), call)
    },
    test: async (id, credentials) => {
      const builtIn = findBuiltInConnector(id)
      if (builtIn === undefined) throw new Error(`no connector ${id}`)
      return builtIn.test(contextOf(credentials))
    },
    [Symbol.asyncDispose]: () => outbound[Symbol.asyncDispose](),
  }
}
