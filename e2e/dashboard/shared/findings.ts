import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { openDashboard, shareService } from '../lib.ts'

const share = shareService()

const call = (id: number, output: string) => ({
  name: 'find_order',
  type: 'tool',
  messages: [
    { role: 'assistant', content: [{ type: 'tool_use', name: 'find_order', input: { id } }] },
    { role: 'tool', content: [{ type: 'text', text: output }] },
  ],
})

test('a trace says what it repeated, leads to the first step of it, and marks the steps', async (context) => {
  const shared = await share(context)
  if (shared === null) return
  const { browser, service } = shared
  const steps = [call(1, 'found'), call(7, 'none'), call(7, 'none'), call(2, 'found'), call(7, 'none')]
  const { id, step_ids: ids } = (await service.client.postTrace({ name: 'support', steps })).json<{
    id: string
    step_ids: readonly string[]
  }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  await page.getByText('find_order was called 3 times with the same arguments and the same result.').waitFor()
  // Equal steps are one row, which is marked as well; the link opens it.
  const marked = page.getByRole('treeitem').filter({ hasText: 'repeated' })
  await marked.first().waitFor()
  assert.equal(await marked.count(), 1)
  await page.getByRole('link', { name: 'Go to the first step' }).click()
  await page.waitForURL((url) => url.searchParams.get('step') === ids[1])
  await marked.nth(2).waitFor()
  const lines = await marked.evaluateAll((all) => all.map((one) => one.id))
  assert.deepEqual(
    lines,
    [1, 2, 4].map((at) => `line-${ids[at]}`),
  )
  assert.deepEqual(problems, [])
})

test('a monitor of wasted tokens fires; its Why, and that of a failed run, compare the runs', async (context) => {
  const shared = await share(context)
  if (shared === null) return
  const { browser, service } = shared
  const answers = (at: number) => ({
    name: 'turn',
    type: 'llm',
    token_usage: { input: 100 * (at + 1), output: 10 },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Let me think.' }] },
    ],
  })
  for (const status of ['ok', 'error', 'error'])
    await service.client.postTrace({ name: 'support', status, steps: [0, 1, 2].map(answers) })
  const monitor = {
    name: 'waste',
    source: { kind: 'traces', measure: 'wasted_tokens' },
    filters: { finding: 'no_progress' },
    aggregation: 'sum',
    window_seconds: 3600,
    comparison: 'gte',
    threshold: 3 * (210 + 310),
  }
  const created = await service.client.call({
    method: 'POST',
    path: '/v1/monitors',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(monitor),
  })
  assert.equal(created.status, 201, created.text)
  const { page, problems } = await openDashboard(browser, service, `/app/monitors/${created.json<{ id: string }>().id}`)
  await page.getByRole('main').getByText('Fired', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Why' }).click()
  await page.getByText('2 failed and 1 other runs were compared.').waitFor()
  assert.deepEqual(problems, [])
  // A failed run has it too, also where nothing says which step was the first that no success has.
  const { traces } = (await service.client.get('/v1/traces?status=error&limit=1')).json<TraceFeed>()
  await page.goto(`${service.url}/app/traces/${traces[0]!.id}`)
  await page.getByRole('button', { name: 'Why' }).click()
  await page.getByText('2 failed and 1 other runs were compared.').waitFor()
  // The button of a run with an error does not wait for the step.
  await page.route('**/divergence?*', () => undefined)
  await page.reload()
  await page.getByRole('button', { name: 'Why' }).click()
  await page.getByText('2 failed and 1 other runs were compared.').waitFor()
  assert.deepEqual(problems, [])
})
