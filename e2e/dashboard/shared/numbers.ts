import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Locator, Page } from 'playwright-core'
import { createRandom } from '../../lib/random.ts'
import { entriesOf, type Row, valueOf } from '../../series/explored-truth.ts'
import { ExploredWorld } from '../../series/explored-world.ts'
import { goWithin, openDashboard, settled, shareService } from '../lib.ts'

const start = shareService()

const TRACES = 16

type Rows = 'traces' | 'steps'

/** The traces as they were read one by one, and their rows. */
interface Truth {
  readonly traces: readonly Trace[]
  rowsOf(rows: Rows, keep?: (row: Row) => boolean): readonly Row[]
}

const UNITS: Readonly<Record<string, number>> = { '%': 0.01, K: 1e3, M: 1e6, s: 1000 }

/** The number at the start of a text, and by how much it may differ; null for a dash. */
function printed(text: string): { readonly value: number; readonly within: number } | null {
  if (text.startsWith('–')) return null
  const [, digits = '', decimals = '', unit = ''] = /^\$?([\d,]+(?:\.(\d+))?) ?(ms|[sKM%])?(?![a-z])/.exec(text) ?? []
  assert.notEqual(digits, '', `no number: ${text}`)
  const scale = UNITS[unit] ?? 1
  const value = Number(digits.replaceAll(',', '')) * scale
  // Further zeros are left out of "12K" and "50%", and a number of milliseconds is rounded.
  const places = unit === 'K' || unit === 'M' || unit === '%' ? 1 : decimals.length
  return { value, within: places === 0 && unit !== 'ms' ? 0 : (scale * 10 ** -places) / 2 + 1e-9 }
}

function assertShows(text: string | undefined, expected: number | null, about: string): void {
  const shown = printed(text ?? assert.fail(`${about}: nothing is shown`))
  const said = `${about}: ${text} of ${expected}`
  if (shown === null || expected === null) return assert.equal(shown, expected, said)
  assert.ok(Math.abs(shown.value - expected) <= shown.within, said)
}

/** The cells of each row with a link, by the heads of their columns and by the last parts of its address. */
async function readTable(table: Locator): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const linked = table.getByRole('row').filter({ has: table.page().getByRole('link') })
  await linked.first().waitFor()
  await settled(table.page())
  const heads = await table.getByRole('columnheader').allTextContents()
  const rows = await linked.all()
  const read = rows.map(async (row) => {
    const cells = (await row.getByRole('cell').allTextContents()).map((cell, at) => [heads[at], cell.trim()] as const)
    const { pathname, search } = new URL((await row.getByRole('link').first().getAttribute('href')) ?? '', 'http://x')
    return [decodeURIComponent(pathname.split('/').at(-1) + search), Object.fromEntries(cells)] as const
  })
  return new Map(await Promise.all(read))
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

/** Null if none is known. */
function total(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === 'number')
  return known.length === 0 ? null : sum(known)
}

const tokensOf = ({ steps }: Trace) =>
  sum(steps.map(({ token_usage: usage }) => (usage?.input ?? 0) + (usage?.output ?? 0)))
const costOf = ({ steps }: Trace) => total(steps.map(({ cost_usd: cost }) => cost))
/** A column without a value has a dash in place of 0. */
const orDash = (count: number) => (count === 0 ? null : count)

async function checkTraces(page: Page, { traces }: Truth): Promise<void> {
  const rows = await readTable(page.getByRole('table', { name: 'Traces' }))
  assert.equal(rows.size, traces.length)
  for (const trace of traces) {
    const row = rows.get(trace.id) ?? assert.fail(`${trace.id} is not listed`)
    assertShows(row['Duration'], trace.duration_ms, `duration of ${trace.id}`)
    assertShows(row['Steps']?.split(' ').at(-1), trace.steps.length, `steps of ${trace.id}`)
    assertShows(row['Tokens'], orDash(tokensOf(trace)), `tokens of ${trace.id}`)
    assertShows(row['Cost'], costOf(trace), `cost of ${trace.id}`)
  }
}

async function checkSteps(page: Page, { traces }: Truth): Promise<void> {
  await goWithin(page, '/app/traces?as=steps')
  const rows = await readTable(page.getByRole('table', { name: 'Steps' }))
  const steps = traces.flatMap((trace) => trace.steps.map((step) => [`${trace.id}?step=${step.id}`, step] as const))
  assert.equal(rows.size, Math.min(50, steps.length))
  for (const [key, step] of steps) {
    const row = rows.get(key)
    if (row === undefined) continue
    const { started_at: from, ended_at: to, token_usage: usage } = step
    const took = from === null || to === null ? null : Date.parse(to) - Date.parse(from)
    assertShows(row['Duration'], took, `duration of ${key}`)
    assertShows(row['Tokens'], orDash((usage?.input ?? 0) + (usage?.output ?? 0)), `tokens of ${key}`)
    assertShows(row['Cost'], step.cost_usd, `cost of ${key}`)
    assert.equal(row['Model'], step.model ?? '–')
    assert.equal(row['Tool'], step.type === 'tool' ? step.name : '–')
  }
}

async function checkHeader(page: Page, trace: Trace): Promise<void> {
  await goWithin(page, `/app/traces/${trace.id}`)
  const fact = (label: string) =>
    page
      .locator('header dt', { hasText: new RegExp(`^${label}$`) })
      .locator('xpath=following-sibling::dd')
      .first()
  const { length } = trace.steps
  await fact('Steps')
    .filter({ hasText: new RegExp(`^${length} steps?$`) })
    .waitFor()
  for (const [label, expected] of [
    ['Duration', trace.duration_ms],
    ['Tokens', orDash(tokensOf(trace))],
    ['Cost', costOf(trace)],
  ] as const) {
    if (expected !== null) assertShows((await fact(label).textContent()) ?? '', expected, `${label} of ${trace.id}`)
    // Instead of a cost, models without a price may be named.
    else if (label !== 'Cost') assert.equal(await fact(label).count(), 0, `${label} of ${trace.id}`)
  }
}

async function checkSummaries(page: Page, path: 'users' | 'sessions', { traces }: Truth): Promise<void> {
  const [field, title] = path === 'users' ? (['user_id', 'Users'] as const) : (['session_id', 'Sessions'] as const)
  await goWithin(page, `/app/${path}?range=24h`)
  const table = page.getByRole('table', { name: title })
  const rows = await readTable(table)
  const listed = traces.filter((trace) => trace[field] !== null)
  const byId = Map.groupBy(listed, (trace) => String(trace[field]))
  assert.deepEqual([...rows.keys()].map((key) => key.split('?')[0]).toSorted(), [...byId.keys()].toSorted())
  const check = (row: Readonly<Record<string, string>>, of: readonly Trace[], about: string): void => {
    assertShows(row['Traces'], of.length, `traces of ${about}`)
    assertShows(row['Failed'], of.filter(({ status }) => status === 'error').length, `failed of ${about}`)
    assertShows(row['Steps'], sum(of.map(({ steps }) => steps.length)), `steps of ${about}`)
    assertShows(row['Tokens'], orDash(sum(of.map(tokensOf))), `tokens of ${about}`)
    assertShows(row['Cost'], total(of.map(costOf)), `cost of ${about}`)
  }
  for (const [key, row] of rows) {
    const id = key.split('?')[0] ?? ''
    const of = byId.get(id) ?? []
    check(row, of, id)
    const known = of.flatMap(({ duration_ms: ms }) => ms ?? [])
    assertShows(row['Duration'], known.length === 0 ? null : Math.round(sum(known) / known.length), `mean of ${id}`)
    const failed = of.filter(({ status }) => status === 'error')
    const types = failed.flatMap(({ steps }) => Array.from(new Set(steps.flatMap(({ error }) => error?.type ?? []))))
    const chips = table.getByRole('row').filter({ has: page.getByRole('link', { name: id, exact: true }) })
    for (const type of new Set(types)) {
      const count = types.filter((each) => each === type).length
      await chips.getByRole('button', { name: `${type} ${count}`, exact: true }).waitFor()
    }
    assert.equal(await chips.getByRole('button').count(), new Set(types).size)
  }
  const heads = await table.getByRole('columnheader').allTextContents()
  const last = table.getByRole('row').filter({ hasText: 'Total of the' })
  const cells = (await last.getByRole('cell').allTextContents()).map((cell, at) => [heads[at], cell] as const)
  check(Object.fromEntries(cells), listed, 'all')
}

/** What a chart measures, by one field. */
interface Charted {
  readonly rows: Rows
  readonly field: string
  readonly measure: string
  readonly stat: string
  keep?(row: Row): boolean
}

/** The groups by their labels. */
function groupsOf({ rowsOf }: Truth, { rows, field, measure, stat, keep }: Charted) {
  const entries = entriesOf(rowsOf(rows, keep), [field], measure, stat)
  const keys = [...new Set(entries.map(({ key }) => key))]
  return new Map(
    keys.map((key) => [(JSON.parse(key) as [string | null])[0] ?? '(none)', valueOf(entries, key, stat)] as const),
  )
}

const CHARTS: readonly Charted[] = [
  { rows: 'traces', field: 'name', measure: 'count', stat: 'count' },
  { rows: 'traces', field: 'user_id', measure: 'error_rate', stat: 'rate' },
  { rows: 'traces', field: 'name', measure: 'duration_ms', stat: 'p95' },
  { rows: 'traces', field: 'user_id', measure: 'total_tokens', stat: 'sum' },
  { rows: 'traces', field: 'model', measure: 'cost_usd', stat: 'sum' },
  { rows: 'steps', field: 'tool', measure: 'error_rate', stat: 'rate' },
  { rows: 'steps', field: 'step_type', measure: 'duration_ms', stat: 'p95' },
]

async function checkChart(page: Page, truth: Truth, chart: Charted): Promise<void> {
  const { rows, field, measure, stat } = chart
  const id = rows === 'steps' ? `steps.${measure}` : measure
  await goWithin(page, `/app/traces?as=chart&range=24h&measure=${id}&stat=${stat}&group_by=${field}`)
  const shown = page.getByRole('region', { name: 'Table of groups' }).getByRole('row')
  await shown.nth(1).waitFor()
  await settled(page)
  const expected = groupsOf(truth, chart)
  const [, ...bodies] = await shown.all()
  assert.equal(bodies.length, expected.size, `${id} by ${field}`)
  for (const row of bodies) {
    const name = (await row.getByRole('rowheader').textContent()) ?? ''
    const [count, value] = await row.getByRole('cell').allTextContents()
    const group = expected.get(name) ?? assert.fail(`${id} by ${field}: ${name}`)
    assertShows(count, group.count, `rows of ${id} of ${name}`)
    assertShows(value, group.value, `${id} of ${name}`)
  }
}

const TILES: Readonly<Record<string, Charted>> = {
  Runs: { rows: 'traces', field: 'status', measure: 'count', stat: 'count' },
  'Failures by type of error': {
    rows: 'traces',
    field: 'error_type',
    measure: 'count',
    stat: 'count',
    keep: ({ numbers }) => numbers['error_rate'] === 1,
  },
  'Cost by model': { rows: 'traces', field: 'model', measure: 'cost_usd', stat: 'sum' },
  'p95 by step': { rows: 'steps', field: 'step_name', measure: 'duration_ms', stat: 'p95' },
  'Slowest tools': {
    rows: 'steps',
    field: 'tool',
    measure: 'duration_ms',
    stat: 'p95',
    keep: ({ values }) => values['step_type']?.[0] === 'tool',
  },
}

/** The start page, whose dashboard is that of every project. */
async function checkTiles(page: Page, truth: Truth): Promise<void> {
  await goWithin(page, '/app/home')
  for (const [name, chart] of Object.entries(TILES)) {
    const heading = page.getByRole('heading', { name, exact: true })
    const tile = page.getByRole('main').getByRole('listitem').filter({ has: heading })
    await tile.scrollIntoViewIfNeeded()
    const buttons = tile.locator('figcaption li button, ol li button')
    await buttons.first().waitFor()
    await settled(page)
    const expected = groupsOf(truth, chart)
    assert.equal(await buttons.count(), expected.size, name)
    for (const button of await buttons.all()) {
      const label = (await button.locator('bdi').textContent()) ?? ''
      const inside = button.locator('span').last()
      const value = name === 'Slowest tools' ? inside : button.locator('xpath=following-sibling::span').first()
      const group = expected.get(label) ?? assert.fail(`${name}: ${label}`)
      assertShows((await value.textContent()) ?? '', group.value, `${name}: ${label}`)
    }
  }
}

const CARDS = [
  ['Traces', 'count', 'count'],
  ['Error rate', 'error_rate', 'rate'],
  ['Duration, 95th percentile', 'duration_ms', 'p95'],
  ['Tokens', 'total_tokens', 'sum'],
  ['Cost', 'cost_usd', 'sum'],
] as const

async function checkCards(page: Page, { rowsOf }: Truth): Promise<void> {
  await goWithin(page, '/app/metrics?range=24h')
  for (const [title, measure, stat] of CARDS) {
    const card = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: title, exact: true }) })
    await card.getByText('Whole range').waitFor()
    const [, value, count] = (await card.innerText()).split('\n').filter(Boolean)
    const entries = entriesOf(rowsOf('traces'), [], measure, stat)
    const expected = valueOf(entries, '[]', stat)
    assertShows(value, expected.value, title)
    assertShows(count, expected.count, `traces of ${title}`)
  }
}

test('every number on the main screens is what reading each trace says', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const world = new ExploredWorld(createRandom(41), service.client)
  await world.defineMetrics()
  for (let n = 0; n < TRACES; n++) await world.write()
  const traces = await world.read()
  const truth: Truth = {
    traces,
    rowsOf: (rows, keep = () => true) => traces.flatMap((trace) => world.rowsOf(trace, rows, '')).filter(keep),
  }
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await page.setViewportSize({ width: 1600, height: 2000 })
  await checkTraces(page, truth)
  await checkSteps(page, truth)
  for (const trace of traces.slice(0, 4)) await checkHeader(page, trace)
  for (const path of ['users', 'sessions'] as const) await checkSummaries(page, path, truth)
  for (const chart of CHARTS) await checkChart(page, truth, chart)
  await checkTiles(page, truth)
  await checkCards(page, truth)
  assert.deepEqual(problems, [])
})
