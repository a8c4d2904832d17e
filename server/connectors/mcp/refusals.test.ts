import assert from 'node:assert/strict'
import { it } from 'node:test'
import { httpWords } from './refusals.ts'

const server = (headers = {}) => ({ url: 'https://mcp.example/', headers })

it('a 401 that demands OAuth is named as such, other refusals have the words of the server', () => {
  const challenge = 'Bearer resource_metadata="https://mcp.example/.well-known/x"'
  assert.match(httpWords({ status: 401 }, challenge, server()), /demands a login/)
  const login = server({ Authorization: 'Bearer a' })
  const expired = 'Bearer error="invalid_token", error_description="The token expired"'
  assert.equal(
    httpWords({ status: 401, text: '' }, expired, login),
    'it answered 401: it does not accept the headers as a login; it says: The token expired',
  )
  const said = (text: string, status = 403) => httpWords({ status, text }, undefined, server())
  const words = 'it answered 403: the login may not do this; it says: No seat left'
  for (const body of [
    'No seat left',
    '{"error":"No seat left"}',
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No seat left"}}',
    '{"error":"denied","error_description":"No seat left"}',
  ]) {
    assert.equal(said(body), words)
  }
  assert.equal(said('<html>', 502), 'it answered 502')
})
