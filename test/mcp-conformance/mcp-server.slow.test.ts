import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixture } from '../fixture.ts'
import { openMcpStage } from './stage.ts'
import { listScenarios, runSuite, skip } from './suite.ts'

/** The server scenarios of `@modelcontextprotocol/conformance` with Muster's MCP server. */

const early = ['2025-06-18', '2025-11-25']
const newest = ['2026-07-28']
const all = [...early, ...newest]
/** Extensions belong to no protocol. */
const extension = [undefined]

interface Scenario {
  versions: (string | undefined)[]
  /** Checks that do not apply, each with the reason. */
  except?: Record<string, string>
}

const noCapability = 'no tool needs a capability of the client'
const scenarios: Record<string, Scenario> = {
  'server-initialize': { versions: early },
  'server-session-lifecycle': { versions: early },
  'server-stateless': {
    versions: newest,
    except: {
      ServerRejectsUndeclaredCapability: noCapability,
      MissingCapabilityHttp400: noCapability,
    },
  },
  ping: { versions: early },
  'tools-list': { versions: all },
  'tools-call-simple-text': { versions: all },
  'tools-call-error': { versions: all },
  'tools-call-with-progress': { versions: all },
  'server-sse-multiple-streams': { versions: ['2025-11-25', ...newest] },
  'dns-rebinding-protection': { versions: ['2025-11-25', ...newest] },
  caching: {
    versions: newest,
    except: {
      PromptsListCachingHints: 'there are no prompts',
      ResourcesListCachingHints: 'there are no resources',
      ResourcesTemplatesListCachingHints: 'the same',
    },
  },
  'http-header-validation': { versions: newest },
  'tasks-lifecycle': {
    versions: extension,
    except: { TasksProtocolErrorFailedShape: 'a failed run is a result with isError' },
  },
  'tasks-capability-negotiation': { versions: extension },
  'tasks-wire-fields': { versions: extension },
  'tasks-request-state-removal': { versions: extension },
  'tasks-request-headers': { versions: extension },
  'tasks-dispatch-and-envelope': {
    versions: extension,
    except: {
      TasksResultTypeCompleteOnNonTaskResponses: 'it asks for input that `tasks/update` gives',
    },
  },
  'tasks-status-notifications': { versions: extension },
  'input-required-result-unsupported-methods': { versions: newest },
}

/** Scenarios about what Muster's server does not do, each with the reason. */
const passedOver: Record<string, string> = {
  'logging-set-level': 'no log is sent to clients',
  'tools-call-with-logging': 'the same',
  'completion-complete': 'there is nothing to complete',
  'tools-call-image': 'an output is text',
  'tools-call-audio': 'the same',
  'tools-call-embedded-resource': 'the same',
  'tools-call-mixed-content': 'the same',
  'tools-call-sampling': 'a run uses the models of its workflow',
  'tools-call-elicitation': 'a person answers in the inbox, never in the middle of a call',
  'elicitation-sep1034-defaults': 'the same',
  'elicitation-sep1330-enums': 'the same',
  'tasks-mrtr-input':
    'a person answers on the page that a task asks to open, not by `tasks/update`',
  'tasks-mrtr-composition': 'the same',
  'tasks-required-task-error': 'a client without tasks gets a handle',
  'input-required-result-basic-elicitation': 'no call returns for input',
  'input-required-result-basic-sampling': 'the same',
  'input-required-result-basic-list-roots': 'the same',
  'input-required-result-request-state': 'the same',
  'input-required-result-multiple-input-requests': 'the same',
  'input-required-result-multi-round': 'the same',
  'input-required-result-missing-input-response': 'the same',
  'input-required-result-non-tool-request': 'the same',
  'input-required-result-result-type': 'the same',
  'input-required-result-tampered-state': 'the same',
  'input-required-result-capability-check': 'the same',
  'input-required-result-ignore-extra-params': 'the same',
  'input-required-result-validate-input': 'the same',
  'json-schema-2020-12': 'an `input_schema` takes no `$anchor`',
  'http-custom-header-server-validation': 'no tool asks for arguments in headers',
  'server-sse-polling': 'without sessions, no stream is resumed: `run_wait` finds the run',
  'resources-list': 'there are no resources',
  'resources-read-text': 'the same',
  'resources-read-binary': 'the same',
  'resources-templates-read': 'the same',
  'resources-subscribe': 'the same',
  'resources-unsubscribe': 'the same',
  'sep-2164-resource-not-found': 'the same',
  'sep-2640-skills-directory': 'no skills are offered',
  'sep-2640-skills-enumeration': 'the same',
  'sep-2640-skills-manifest': 'the same',
  'prompts-list': 'there are no prompts',
  'prompts-get-simple': 'the same',
  'prompts-get-with-args': 'the same',
  'prompts-get-embedded-resource': 'the same',
  'prompts-get-with-image': 'the same',
}

describe('conformance of the MCP server', { skip }, () => {
  const stage = fixture(openMcpStage)

  it('knows every scenario of the suite', async () => {
    const known = [...Object.keys(scenarios), ...Object.keys(passedOver)].sort()
    assert.deepEqual(await listScenarios('--server'), known)
  })

  for (const [name, { versions, except = {} }] of Object.entries(scenarios)) {
    it(`has ${name}`, async () => {
      for (const version of versions) {
        const asked = [
          '--scenario',
          name,
          ...(version === undefined ? [] : ['--spec-version', version]),
        ]
        const { output, code } = await runSuite('server', '--url', stage.url, ...asked)
        assert.match(output, /^Passed: /m, `${name} ${version}: ${output}`)
        const [, failures = ''] = output.split('=== Failed Checks ===')
        const failed = [...failures.matchAll(/^ {2}- (\w+): /gm)].map(([, check]) => check)
        assert.deepEqual(failed, Object.keys(except), `${name} ${version}: ${failures}`)
        assert.equal(code, failed.length === 0 ? 0 : 1)
      }
    })
  }
})
