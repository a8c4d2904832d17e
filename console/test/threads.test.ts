import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { ask } from '../../test/clerk.ts'
import { callTools, complete } from '../../test/test-app.ts'
import { setScene } from './scene.ts'

const { it } = setScene()
const prompt = 'You talk about pumps.'

describe('a thread', () => {
  it('is opened from a workflow, answers, waits for a person, and keeps what is typed', async ({
    page,
    person,
    muster,
    press,
    scripts,
  }) => {
    scripts.set(prompt, (request, response) => {
      const last = request.messages.at(-1)
      const text = last?.content.split('\n').at(-1) ?? ''
      if (last?.role === 'tool') complete(response, `Line ${last.content}, then.`)
      else if (text.endsWith('Ask me')) callTools(response, [ask('Which line?')])
      else complete(response, `You said: ${text}`)
    })
    const { id } = await muster.workflows.create({
      name: 'Pumps',
      crew: [{ role: 'clerk', systemPrompt: prompt }],
      human_in_the_loop: { enabled: true },
    })
    await page.goto(`/workflows/${id}`)
    await press('Chat')
    await press('Turn on threads')
    await page.getByRole('heading', { name: 'Chat with Pumps' }).waitFor()
    const field = page.getByLabel('Message', { exact: true })
    await field.fill('Hello')
    await press('Send')

    await page.getByRole('article', { name: 'Answer' }).getByText('You said: Hello').waitFor()
    assert.equal(await field.inputValue(), '')
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    await person.findsItAccessible()

    await field.fill('Ask me')
    await press('Send')
    await page.getByText('The turn waits for a person').waitFor()
    await field.fill('not lost')
    await page.reload()
    assert.equal(await field.inputValue(), 'not lost')
    await person.findsItAccessible()
    await press('Send')
    await page.getByText('Waiting for its turn').waitFor()
    await page.getByRole('link', { name: 'View request' }).click()
    await page.getByText('Which line?').first().waitFor()
    await page.getByLabel('Answer').fill('4')
    await press('Send answer')
    await page.getByText('Answer sent').waitFor()
    await page.goto('/threads')
    await page.getByRole('link', { name: /Hello/ }).click()
    await page.getByText('Line 4, then.').waitFor()
    await page.getByText('You said: not lost').waitFor()
    await press('Delete')
    await press('Delete thread')
    await page.getByText('No threads yet').waitFor()
    await muster.workflows.delete(id)
  })
})
