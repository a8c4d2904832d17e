import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readTerms } from '../../../server/policies/read-terms.ts'
import { writeTerms } from '../../../server/policies/terms.ts'
import { newRow, rowsOf, termOf } from './term-rows.ts'

describe('the rows of a rule', () => {
  it('keep every term', () => {
    const when = [
      'args["to"] == "a@example.com"',
      'args["n"] in [1, 2]',
      'args["mixed"] in ["1", 1, null]',
      'args["empty"] == ""',
      'args["lines"] == "a\\nb"',
      '!(args["x"] in ["a", "b"])',
      '(!("cc" in args) || args["cc"] != "x")',
      '(args["amount"] >= -1.5 && args["amount"] <= 1e+21)',
      'args["amount"] > 3',
      'args["url"].startsWith(" a")',
      '!args["url"].contains(",")',
      '!("bcc" in args)',
      'run.tags["a"] == "b"',
      'workflow.id == "wf_1"',
      'agent.role in ["a", "b"]',
      '(args.a == 1 || args.b == 2)',
      'args.all(name, name in ["to","a\\nb"])',
    ].join(' && ')
    const terms = rowsOf(readTerms(when)).map(termOf)
    assert.equal(writeTerms(terms.filter((term) => typeof term !== 'string')), when)
  })

  it('say what is missing', () => {
    const refusals = [
      newRow(0),
      newRow(0, { name: 'a' }),
      newRow(0, { name: 'a', text: 'x', isJson: true }),
      newRow(0, { name: 'a', text: '9007199254740993', isJson: true }),
      newRow(0, { name: 'a', kind: 'between', text: '1' }),
      newRow(0, { name: 'a', kind: 'above', text: '' }),
      newRow(0, { name: 'a', kind: 'addressesAt', text: 'x y' }),
      newRow(0, { name: 'a', kind: 'contains' }),
      newRow(0, { of: 'only', text: '' }),
      newRow(0, { of: 'cel', text: ' ' }),
    ].map(termOf)
    assert.deepEqual(refusals, [
      'Enter a name',
      'Enter a value',
      'Enter JSON: a number, true, false, or a text in quotes',
      'Enter a number with fewer digits',
      'Enter two numbers',
      'Enter a number',
      'Enter a domain, such as example.com',
      'Enter a text',
      'Enter names of arguments',
      'Enter a condition',
    ])
  })
})
