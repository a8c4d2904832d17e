import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../server/start/config.ts'
import { version } from '../server/version.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'deploy/helm/muster')
const read = (name: string) => readFile(join(folder, name), 'utf8')

/** All variables of the service, with `NAME_FILE` for secrets. */
const known = new Set<string>()
readConfig(new Proxy({}, { get: (_, name) => void known.add(String(name)) }))
const secrets = [...known].filter((name) => known.has(`${name}_FILE`)).toSorted()

describe('the Helm chart', async () => {
  const names = await readdir(join(folder, 'templates'))
  const templates = new Map(
    await Promise.all(names.map(async (name) => [name, await read(`templates/${name}`)] as const)),
  )
  const schema = JSON.parse(await read('values.schema.json'))
  const defaults = parse(await read('values.yaml'))

  it('has the version of the service', async () => {
    const chart = parse(await read('Chart.yaml'))
    assert.deepEqual([chart.version, chart.appVersion], [version, version])
  })

  it('has a schema that its values fit, and that refuses what nobody reads', () => {
    const fits = new Ajv({ strict: false }).compile<typeof defaults>(schema)
    assert.ok(fits(defaults), JSON.stringify(fits.errors))
    const { api, image, ingress } = defaults
    for (const values of [
      { replicas: 3 },
      { api: { ...api, replicas: '3' } },
      { api: { ...api, replica: 3 } },
      { env: { OPENAI_API_KEY: 'sk' } },
      { env: { PORT: '80' } },
      { env: { MUSTER_RATE_LIMIT: 1_000_000 } },
      { secrets: { MUSTER_RATE_LIMIT: '5' } },
      { ingress: { ...ingress, enabled: true } },
      { host: '127.0.0.1' },
      { image: { ...image, digest: 'latest' } },
    ]) {
      assert.equal(fits({ ...defaults, ...values }), false, JSON.stringify(values))
    }
    assert.ok(fits({ ...defaults, existingSecret: 'muster', env: { LOG_LEVEL: 'warn' } }))
    assert.ok(fits({ ...defaults, secrets: { MISTRAL_API_KEY: 'k' } }))
  })

  it('names only variables that the service reads, and all its secrets', async () => {
    // The schema accepts any key of a model provider by its suffix.
    const others = secrets.filter((name) => !name.endsWith('_API_KEY'))
    assert.deepEqual(Object.keys(schema.properties.secrets.properties).toSorted(), others)
    const kept: string[] = schema.properties.env.propertyNames.not.anyOf[0].enum
    assert.deepEqual(
      others.filter((name) => !kept.includes(name)),
      [],
    )
    const text = [...templates.values(), await read('values.yaml')].join('\n')
    const named = [
      ...kept,
      ...[...text.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name]) => name ?? ''),
      ...(text.match(/\b(MUSTER_[A-Z_]+|DATABASE_URL)\b/g) ?? []),
    ].filter((name) => name !== 'MUSTER_PORT')
    assert.deepEqual(
      [...new Set(named)].filter((name) => !known.has(name)),
      [],
    )
    for (const [, path] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      let value = defaults
      for (const key of path?.split('.') ?? []) value = value?.[key]
      assert.notEqual(value, undefined, `values.yaml has ${path}`)
    }
  })

  it('has templates whose actions end', () => {
    for (const [name, text] of templates) {
      const withoutComments = text.replaceAll(/\{\{-? ?\/\*[^]*?\*\/ ?-?\}\}/g, '')
      const actions = [...withoutComments.matchAll(/\{\{-? *(\w*)[^{}]*\}\}/g)].map(
        ([, word]) => word,
      )
      assert.equal(withoutComments.split(/\{\{|\}\}/).length, 2 * actions.length + 1, name)
      const count = (words: RegExp) => actions.filter((word) => words.test(word ?? '')).length
      assert.equal(count(/^(if|range|with|define)$/), count(/^end$/), name)
    }
  })

  const run = promisify(execFile)
  const helm = (...args: string[]) => run('helm', [...args, folder, '--kube-version', '1.34.0'])
  const hasHelm = await run('helm', ['version']).then(
    () => true,
    () => false,
  )
  const skip = hasHelm ? false : 'this machine has no helm'

  it('passes helm lint and renders pods without rights', { skip }, async () => {
    await helm('lint', '--strict')
    await assert.rejects(helm('template', 'm'), /Set existingSecret, or DATABASE_URL/)
    const options = ['ingress', 'networkPolicy', 'serviceMonitor'].map(
      (one) => `${one}.enabled=true`,
    )
    const digest = `sha256:${'a'.repeat(64)}`
    const set = [
      'existingSecret=keys',
      `image.digest=${digest}`,
      'ingress.host=muster.example.com',
      ...options,
    ].join(',')
    const { stdout } = await helm('template', 'm', '--set', set)
    const objects = parseAllDocuments(stdout).map((document) => document.toJS())
    const kinds = new Set(objects.map(({ kind }) => kind))
    for (const kind of ['Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor']) {
      assert.ok(kinds.has(kind), kind)
    }
    const deployments = objects.filter(({ kind }) => kind === 'Deployment')
    assert.equal(deployments.length, 2)
    for (const { spec } of deployments) {
      const pod = spec.template.spec
      assert.equal(pod.automountServiceAccountToken, false)
      assert.equal(pod.securityContext.runAsNonRoot, true)
      const [container] = pod.containers
      assert.equal(container.image, `muster:${version}@${digest}`)
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.deepEqual(container.envFrom, [{ secretRef: { name: 'keys' } }])
      assert.deepEqual(
        [container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.path),
        ['/healthz', '/readyz'],
      )
    }
  })
})
