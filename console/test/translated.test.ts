import { describe } from 'node:test'
import { furnish, type Places } from './furnish.ts'
import { setScene } from './scene.ts'

let places: Places
const { it } = setScene({
  prepare: async (world) => {
    places = await furnish(world)
  },
})

/** What Chrome's translator does to a page: each text node is replaced by two font elements with its translation. */
const translator = `{
  const pending = new Set()
  const isDone = (node) => node.parentElement?.closest('font, [translate=no], script, style, .cm-editor')
  const translate = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts = root.nodeType === Node.TEXT_NODE ? [root] : []
    while (walker.nextNode()) texts.push(walker.currentNode)
    for (const text of texts) {
      if (!text.isConnected || !text.data.trim() || isDone(text)) continue
      const font = document.createElement('font')
      const inner = font.appendChild(document.createElement('font'))
      inner.textContent = 'ü' + text.data
      text.parentNode.insertBefore(font, text)
      text.parentNode.removeChild(text)
    }
  }
  document.addEventListener('DOMContentLoaded', () => {
    document.documentElement.classList.add('translated-ltr')
    new MutationObserver((records) => {
      for (const record of records) {
        for (const node of record.addedNodes) translate(node)
        if (record.type === 'characterData') translate(record.target)
      }
    }).observe(document.documentElement, { childList: true, characterData: true, subtree: true })
    translate(document.body)
  })
}`

describe('a page that the browser translates', () => {
  it('shows how a run goes on', async ({ page, start, respond }) => {
    await page.addInitScript(translator)
    const { runId } = await start('ask {"question": "Which line?"}')
    await page.goto(`/runs/${runId}`)
    await page.getByText('üWaiting', { exact: false }).first().waitFor()
    await respond(runId, { action: 'input', input: 'Line 4.' })
    await page.getByText('üCompleted', { exact: true }).first().waitFor()
    await page.getByText('üWaiting for you').waitFor({ state: 'detached' })
  })

  it('goes from screen to screen without an error', async ({ page, person }) => {
    await page.addInitScript(translator)
    await page.goto('/')
    await page.getByRole('navigation').first().waitFor()
    for (const path of Object.values(places)) {
      await page.evaluate(
        `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      await person.seesAll()
      await page.getByRole('navigation').first().waitFor()
    }
  })
})
