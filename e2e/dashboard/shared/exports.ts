import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import type { Page } from 'playwright-core'
import { goWithin, openDashboard, shareService } from '../lib.ts'

const share = shareService()

/** Oldest first. */
const RUNS = [
  { name: 'ask', session_id: 'chat', user_id: 'ann' },
  { name: 'ask', session_id: 'chat', user_id: 'bob', status: 'error' },
  { name: '=pay, "now"', session_id: 'other', user_id: 'ann' },
]

async function saved(page: Page, button: string, item?: string): Promise<string> {
  const start = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  if (item !== undefined) await page.getByRole('menuitem', { name: item }).click()
  return readFile(await (await start).path(), 'utf8')
}

test('lists, selections, sessions, users and tables of groups are saved as they are shown', async (context) => {
  const shared = await share(context)
  if (shared === null) return
  const { browser, service } = shared
  for (const run of RUNS) {
    const answer = await service.client.postTrace(run)
    assert.equal(answer.status, 202, answer.text)
  }
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const base = new URL(page.url()).pathname.replace(/\/traces$/, '')
  const listed = async (query: string) => (await service.client.get(`/v1/traces?${query}`)).json<TraceFeed>().traces
  const rowsOf = (lines: string) =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)

  await page.getByLabel(`Select ${RUNS[2]!.name}`).check()
  await page.getByLabel('Select ask').last().check()
  const bar = page.getByRole('region', { name: 'Selected traces' })
  await bar.getByText('2 traces selected').waitFor()
  const start = page.waitForEvent('download')
  await bar.getByRole('button', { name: 'Export' }).click()
  const [newest, , oldest] = await listed('')
  assert.deepEqual(rowsOf(await readFile(await (await start).path(), 'utf8')), [newest, oldest])

  for (const [path, query] of [
    ['/sessions/chat', 'session_id=chat'],
    ['/users/ann', 'user_id=ann'],
    ['/sessions?status=error&sort=cost_usd', 'status=error'],
    ['/users?name=ask&order=asc', 'name=ask'],
  ] as const) {
    await goWithin(page, `${base}${path}`)
    await page.getByRole('button', { name: 'Export' }).waitFor()
    const rows = rowsOf(await saved(page, 'Export', 'JSON lines'))
    const expected = await listed(query)
    assert.ok(expected.length > 0 && expected.length < RUNS.length)
    assert.deepEqual(rows, [...expected, { complete: true, rows: expected.length }], path)
  }

  await goWithin(page, `${base}/traces?as=chart&measure=error_rate&group_by=name&draw=groups`)
  const table = await saved(page, 'Export the groups as CSV')
  assert.deepEqual(table.split('\r\n'), [
    'Group,Traces,Error rate,Change,Share',
    `ask,2,0.5,,${2 / 3}`,
    `"'=pay, ""now""",1,0,,${1 / 3}`,
    '',
  ])
  assert.equal(await page.getByRole('button', { name: 'Export the chart as CSV' }).count(), 0)
  await goWithin(page, `${base}/traces?as=chart&measure=error_rate&group_by=name`)
  const chart = await saved(page, 'Export the chart as CSV')
  assert.match(chart, /^at,ask,"'=pay, ""now""",traces\r\n[^]*Z,0\.5,0,3\r\n/)
  assert.deepEqual(problems, [])
})
