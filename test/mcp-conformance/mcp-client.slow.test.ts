import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { listScenarios, runSuite, skip } from './suite.ts'

/** The client scenarios of `@modelcontextprotocol/conformance` with Muster's MCP client. */
const client = join(import.meta.dirname, 'client.ts')

const stable = ['2025-11-25', '2026-07-28']
const newest = ['2026-07-28']
const scenarios: Record<string, string[]> = {
  initialize: ['2025-06-18', '2025-11-25'],
  tools_call: ['2025-06-18', ...stable],
  'sse-retry': ['2025-11-25'],
  'request-metadata': newest,
  'http-standard-headers': newest,
  'http-custom-headers': newest,
  'http-invalid-tool-headers': newest,
  'json-schema-ref-no-deref': newest,
  'json-schema-2020-12-preservation': stable,
  'auth/metadata-default': stable,
  'auth/metadata-var1': stable,
  'auth/metadata-var2': stable,
  'auth/metadata-var3': stable,
  'auth/basic-cimd': stable,
  'auth/scope-from-www-authenticate': stable,
  'auth/scope-from-scopes-supported': stable,
  'auth/scope-omitted-when-undefined': stable,
  'auth/scope-step-up': stable,
  'auth/scope-retry-limit': stable,
  'auth/token-endpoint-auth-basic': ['2025-06-18', ...stable],
  'auth/token-endpoint-auth-post': ['2025-06-18', ...stable],
  'auth/token-endpoint-auth-none': ['2025-06-18', ...stable],
  'auth/pre-registration': stable,
  'auth/2025-03-26-oauth-metadata-backcompat': ['2025-03-26'],
  'auth/2025-03-26-oauth-endpoint-fallback': ['2025-03-26'],
  'auth/resource-mismatch': newest,
  'auth/offline-access-scope': newest,
  'auth/offline-access-not-supported': newest,
  'auth/authorization-server-migration': newest,
  'auth/iss-supported': newest,
  'auth/iss-not-advertised': newest,
  'auth/iss-supported-missing': newest,
  'auth/iss-wrong-issuer': newest,
  'auth/iss-unexpected': newest,
  'auth/iss-normalized': newest,
  'auth/metadata-issuer-mismatch': newest,
}

/** Scenarios about what Muster does not do, each with the reason. */
const passedOver: Record<string, string> = {
  'elicitation-sep1034-client-defaults': 'no person is asked in the middle of a call',
  'sep-2322-client-request-state': 'the same',
  'auth/client-credentials-jwt': 'a login is that of a person',
  'auth/client-credentials-basic': 'the same',
  'auth/enterprise-managed-authorization': 'an extension',
  'auth/dpop': 'an extension',
  'auth/dpop-nonce': 'an extension',
  'auth/wif-jwt-bearer': 'an extension',
  'sep-2640-client-no-prefetch': 'skills are not used',
  'sep-2640-client-verify-digest': 'the same',
  'sep-2640-client-verify-size': 'the same',
  'sep-2640-client-verify-frontmatter': 'the same',
}

describe('conformance of the MCP client', { skip }, () => {
  it('knows every scenario of the suite', async () => {
    assert.deepEqual(
      await listScenarios('--client'),
      [...Object.keys(scenarios), ...Object.keys(passedOver)].sort(),
    )
  })

  for (const [name, versions] of Object.entries(scenarios)) {
    it(`has ${name}`, async () => {
      for (const version of versions) {
        const command = `${process.execPath} ${client}`
        const asked = ['--scenario', name, '--spec-version', version, '--timeout', '40000']
        const { output, code } = await runSuite('client', '--command', command, ...asked)
        assert.match(output, /OVERALL: PASSED/, `${name} ${version}`)
        assert.equal(code, 0)
      }
    })
  }
})
