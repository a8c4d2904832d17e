import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTestTools } from '../connectors/test-services.ts'
import { startReceiver } from '../../rig/receiver.ts'
import { callApi } from './call-api.ts'

const call = { method: 'GET', connector: 'slack', path: '/a', headers: {}, name: 'X' } as const

it("the API's own address may be http, a site that an account gave may not", async () => {
  const paths: (string | undefined)[] = []
  await using receiver = await startReceiver((request, response) => {
    paths.push(request.url)
    response.end('{}')
  })
  await using tools = createTestTools({ port: receiver.port })
  const own = await callApi(tools.services, { ...call, isRead: true })
  assert.equal(own.ok, true)
  const site = `http://127.0.0.1:${receiver.port}`
  const given = await callApi(tools.services, { ...call, site, isRead: false })
  assert.equal(given.ok, false)
  assert.match(given.ok ? '' : given.why, /https/)
  assert.equal(given.ok || given.status, 'failed', 'nothing was sent')
  assert.deepEqual(paths, ['/a'])
})
