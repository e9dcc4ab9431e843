import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import { discover } from '../clusters/discoveries.ts'
import { openDashboard, settled, shareService } from './lib.ts'

const start = shareService()

/** What is asked for in each area. */
const AREAS = {
  'flight ticket with the airline': ['earlier departure', 'window seat', 'checked suitcase', 'vegan meal'],
  'bank account at the branch': ['stolen card', 'transfer limit', 'monthly fee', 'tax statement'],
  'hotel room at the resort': ['clean towels', 'late checkout', 'loud neighbours', 'parking space'],
}
const OF_EACH = 10
const OPENINGS = ['Hello, can you tell me about', 'I need help with', 'Please look into', 'We have a question on']

test('many clusters are listed under their topics, which have sums and are folded', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (const [area, wishes] of Object.entries(AREAS)) {
    for (let n = 0; n < OF_EACH * wishes.length; n++) {
      const wish = wishes[n % wishes.length]!
      const text = `${OPENINGS[n % 3]} the ${wish} and the ${wish} for my ${area}`
      const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
      const status = wish === 'stolen card' ? 'error' : 'ok'
      const trace = { name: 'assistant', status, steps: [{ name: 'chat', type: 'llm', messages }] }
      assert.equal((await service.client.postTrace(trace)).status, 202)
    }
  }
  await discover(service.client, { k_min: 12, k_max: 12 })
  const { page, problems } = await openDashboard(browser, service, '/app/clusters')
  const table = page.getByRole('table', { name: 'Clusters of the last run' })
  const topics = table.getByRole('button', { expanded: true })
  await topics.nth(2).waitFor()
  assert.equal(await topics.count(), 3)
  assert.equal(await table.getByRole('rowheader').count(), 3 + 12)

  // The topic of the accounts: a quarter of its traces failed.
  const bank = table.getByRole('row').filter({ has: page.getByRole('button', { name: /^(bank|account|branch)/ }) })
  assert.match((await bank.innerText()).replaceAll(/\s+/g, ' '), /4 clusters 40 33\.3% 25%/)
  await bank.getByRole('button').click()
  await table.getByText('stolen card').first().waitFor({ state: 'detached' })
  assert.equal(await table.getByRole('rowheader').count(), 3 + 8)
  // By keys too.
  await bank.getByRole('button').press('Enter')
  await table.getByText('stolen card').first().waitFor()
  for (const width of [1440, 390]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // Anew: after a change of the scheme, colours pass into one another.
      await page.reload()
      await topics.nth(2).waitFor()
      await settled(page)
      await page.evaluate(axe.source)
      const violations = await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
      )
      assert.deepEqual(violations, [], `${width} pixels, ${colorScheme}`)
    }
  }
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  assert.deepEqual(problems, [])
})
