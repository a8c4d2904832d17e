import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Rule } from '../../../sdk/generated.ts'
import { ruleWords } from './rule-words.ts'

const rule = (fields: Partial<Rule>): Rule => ({
  action: 'email.send',
  decision: 'allow',
  ...fields,
})
const words = (fields: Partial<Rule>) =>
  ruleWords(rule(fields), (id) => (id === 'wf_1' ? 'Support' : '…'))
const to = String.raw`args["to"].matches("^(?:(?:^|, *)(?:[^\\r\\n,;:<>\"()@]+ <)?[^\\s,;:<>\"()@]+@example\\.com>?)+$")`

describe('a rule in words', () => {
  it('names where messages go, and that there are no copies', () => {
    const only = 'args.all(name, name in ["subject","text","to"])'
    assert.equal(
      words({ when: `${only} && ${to}` }),
      'Allow emails to anyone at example.com, without copies',
    )
    assert.equal(
      words({
        when: `${only} && args["to"] == "ada@example.com" && !has(args.cc) && workflow.id == "wf_1" && agent.role == "clerk"`,
        decision: 'ask',
      }),
      'Ask about emails to ada@example.com, without copies, in the workflow “Support”, asked by clerk',
    )
    assert.equal(
      words({
        action: 'slack.post_message',
        when: 'args.channel in ["#a","#b"]',
        decision: 'block',
      }),
      'Block Slack messages in #a or #b',
    )
  })

  it('names each condition on other actions, and shows CEL where there are no words', () => {
    assert.equal(
      words({
        action: 'crm.refund',
        when: '(args["amount"] >= 10 && args["amount"] <= 90) && args.note.contains("a, b") && size(args.x) < 3',
      }),
      'Allow crm.refund if amount is from 10 to 90 and note contains “a, b” and size(args.x) < 3',
    )
    assert.equal(words({ action: 'crm.*', when: null }), 'Allow all actions of crm')
    assert.equal(words({ action: '*', decision: 'block' }), 'Block all actions')
    assert.equal(
      words({ when: 'args.to.endsWith("@example.com") && args.subject == "Hi there"' }),
      'Allow emails if To ends with @example.com and Subject is “Hi there”, with copies to anyone',
    )
    assert.equal(
      words({ action: 'slack.post_message', fixed: { channel: '#ops' } }),
      'Allow Slack messages with channel set to #ops',
    )
    assert.equal(
      words({ action: 'crm.refund', when: '(!has(args.cc) || args.cc in [1,2,3,4,5,6])' }),
      'Allow crm.refund if cc is 1, 2, 3 or one of 3 others or is left out',
    )
    assert.equal(
      words({ action: 'crm.refund', when: 'run.tags.customer != "acme"' }),
      'Allow crm.refund in runs whose tag customer is not acme',
    )
  })

  it('says where copies may go to anyone', () => {
    const open = /, with copies to anyone$/
    const toAda = 'args.to == "ada@example.com"'
    assert.match(words({ when: toAda }), open)
    assert.match(words({ when: `${toAda} && args.all(name, name in ["to","cc"])` }), open)
    for (const when of [
      null,
      'args.subject == "x"',
      `${toAda} && !has(args.cc)`,
      `${toAda} && args.cc == "bob@example.com"`,
      `${toAda} && args.all(name, name in ["to","text"])`,
      `${toAda} && size(args.cc) < 3`,
    ]) {
      assert.doesNotMatch(words({ when }), open, String(when))
    }
    assert.doesNotMatch(words({ when: toAda, decision: 'block' }), open)
  })

  it('keeps texts apart from its own words, and shows what is invisible', () => {
    assert.equal(
      words({ when: 'args.to == "anyone at example.com, without copies"' }),
      'Allow emails to “anyone at example.com, without copies”, with copies to anyone',
    )
    assert.equal(
      words({ when: JSON.stringify('x').replace('"x"', 'args.to == "a\\u202eb@c.d"') }),
      'Allow emails to a‹U+202E›b@c.d, with copies to anyone',
    )
  })
})
