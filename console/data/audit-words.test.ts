import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditWords, resources } from '../../server/start/routes.ts'
import { actionLabel, auditPhrases } from './audit-words.ts'

describe('the words of the audit screen', () => {
  it('are there for every action that the audit knows', () => {
    assert.deepEqual(Object.keys(auditPhrases).sort(), auditWords(resources()))
  })

  it('name actions in filters', () => {
    assert.equal(actionLabel('api_key.created'), 'API key created')
    assert.equal(actionLabel('webhook.secret_rotated'), 'Webhook secret rotated')
    assert.equal(actionLabel('fine_tune.created'), 'Fine-tune created')
  })
})
