import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Locator } from 'playwright-core'
import { drawVideo } from '../lib/media/draw-video.ts'
import { eventually } from '../lib/eventually.ts'
import { upload } from '../lib/media/media.ts'
import { pngImage, wavRecording } from '../lib/media/sample-media.ts'
import { placeOf } from '../lib/place-of.ts'
import { DEEP_RUN } from './deep-run.ts'
import { openDashboard, shareService } from './lib.ts'

const AIRLINE_RUNS = new URL('../../../shared/data/airline-traces.jsonl', import.meta.url)

const start = shareService()

const second = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString()
const text = (role: string, words: string) => ({ role, content: [{ type: 'text', text: words }] })
const stepId = (last: string) => `st_01m80dfxvwess9n0khv8vpcy${last}`

const RUN = {
  name: 'research <b>run</b>',
  session_id: 'session-7',
  metadata: { env: 'prod' },
  steps: [
    { id: stepId('a0'), name: 'plan', type: 'agent', started_at: second(0), ended_at: second(9) },
    {
      id: stepId('a1'),
      parent_step_id: stepId('a0'),
      name: 'ask',
      type: 'llm',
      model: 'gpt-4o',
      started_at: second(1),
      ended_at: second(3),
      token_usage: { input: 1200, output: 30, cache_read: 800 },
      messages: [
        text('user', 'fields:\n  name: string\n\n> no *quote*'),
        text('tool', '\u001b[31mTraceback\u001b[0m:\n  File "a.py"\n> raise'),
        text(
          'assistant',
          'A line\nand **three** papers <img src=x onerror=alert(1)> ![far](https://example.org/a.png) [bad](javascript:alert(2))',
        ),
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'fetch_pdf', arguments: '{"pages":[1,2]}' } }],
        },
      ],
    },
    {
      id: stepId('a2'),
      parent_step_id: stepId('a1'),
      name: 'fetch',
      type: 'tool',
      status: 'error',
      error: { type: 'TimeoutError', message: 'read timed out' },
      started_at: second(3),
      ended_at: second(8),
    },
    { name: 'answer', type: 'llm', messages: [text('assistant', `${'x'.repeat(299_994)}needle`)] },
  ],
}

test('a trace shows its tree, the messages of a step, failures, search matches, and its flag', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  // Beyond JavaScript's number precision.
  const body = JSON.stringify(RUN).replace('"prod"', '"prod","seed":12345678901234567890')
  const { id } = (await service.client.postTrace(body)).json<{ id: string }>()
  await upload(
    service.client,
    { trace_id: id, step_id: stepId('a1'), kind: 'image' },
    { content: pngImage(8, 6), type: 'image/png', filename: 'shot.png' },
  )
  await upload(service.client, { trace_id: id, kind: 'file' }, { content: 'line', filename: 'log.txt' })
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  const tree = page.getByRole('tree', { name: 'Steps' })
  const line = (name: string) => tree.getByRole('treeitem', { name })
  const details = page.getByRole('complementary', { name: 'Details' })

  // A failed trace opens on its first error; the trace itself is one click away.
  await page.getByRole('heading', { level: 1, name: 'research <b>run</b>' }).waitFor()
  await details.getByText('read timed out').waitFor()
  await page.waitForURL(new RegExp(`step=${stepId('a2')}`))
  await page.getByRole('button', { name: 'Summary' }).click()
  await details.getByRole('button', { name: 'fetch' }).first().waitFor()
  await line('plan').getByTitle('1,230 tokens in the steps inside').waitFor()
  await details.getByRole('link', { name: 'log.txt' }).waitFor()
  await details.getByText('"prod"').waitFor()
  await details.getByText('12345678901234567890').waitFor()
  assert.equal(await tree.getByRole('treeitem').count(), 4)
  assert.equal(await line('fetch').getAttribute('aria-level'), '3')
  assert.equal(await line('answer').getAttribute('aria-level'), '3', 'an inferred parent makes a sibling')

  // A step: Markdown without HTML, a tool call, tokens, an image; nothing is loaded from other hosts.
  await line('ask').click()
  await details.getByText('three', { exact: true }).waitFor()
  assert.equal(await details.locator('strong').textContent(), 'three')
  await details.getByText('<img src=x onerror=alert(1)>').waitFor()
  // Line breaks are kept. Text that no model wrote is shown unchanged, with terminal colours.
  assert.equal(await details.locator('p br').count(), 1)
  await details.getByText('fields:\n  name: string\n\n> no *quote*', { exact: true }).waitFor()
  assert.equal(await details.locator('blockquote').count(), 0)
  const output = details.getByText('Traceback').locator('xpath=ancestor::div[1]')
  assert.equal(await output.textContent(), 'Traceback:\n  File "a.py"\n> raise')
  assert.match((await output.getAttribute('class')) ?? '', /font-mono/)
  assert.equal(await details.getByText('Traceback').getAttribute('class'), 'text-fail')
  await details.getByRole('link', { name: 'far (image)' }).waitFor()
  assert.equal(await details.getByRole('link', { name: 'bad' }).count(), 0)
  await details.getByText('fetch_pdf').waitFor()
  await details.getByRole('tree', { name: 'Input of fetch_pdf' }).getByText('2 items').waitFor()
  await details.getByText('800', { exact: true }).waitFor()
  const picture = details.getByRole('img', { name: 'shot.png' })
  await picture.scrollIntoViewIfNeeded()
  await page.waitForFunction(
    (image) => (image as { naturalWidth?: number } | null)?.naturalWidth === 8,
    await picture.elementHandle(),
  )
  await page.waitForURL(new RegExp(`step=${stepId('a1')}`))

  // By keys: the next failure, its parent, collapsing, back.
  await page.keyboard.press('e')
  await details.getByText('read timed out').waitFor()
  await tree.focus()
  await page.keyboard.press('ArrowLeft')
  await details.getByRole('heading', { level: 2, name: 'ask' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await line('ask').getByText('1 failed inside').waitFor()
  assert.equal(await tree.getByRole('treeitem').count(), 2)
  await page.keyboard.press('s')
  await details.getByText('log.txt').waitFor()
  await page.keyboard.press('e')
  await line('fetch').waitFor()

  // The splitter moves by keys and by dragging, and keeps its place.
  const splitter = page.getByRole('separator', { name: 'Width of the steps' })
  const shareOf = async () => Number(await splitter.getAttribute('aria-valuenow'))
  const begun = await shareOf()
  await splitter.press('ArrowLeft')
  assert.equal(await shareOf(), begun - 2)
  const row = await placeOf(tree.locator('xpath=ancestor::section/..'))
  await splitter.hover()
  await page.mouse.down()
  await page.mouse.move(row.x + row.width * 0.4, row.y + 50, { steps: 3 })
  await page.mouse.up()
  assert.equal(await shareOf(), 40)
  await page.reload()
  await details.getByRole('heading', { level: 2, name: 'fetch' }).waitFor()
  assert.equal(await shareOf(), 40)
  assert.ok(Math.abs((await placeOf(details)).width - row.width * 0.6) < 3)
  await splitter.dblclick()
  assert.equal(await shareOf(), begun)

  // So does the line between the names of steps and the waterfall; narrow lists have none.
  const names = page.getByRole('separator', { name: 'Width of the names' })
  const nameWidth = async () => (await placeOf(line('ask').locator('> :first-child'))).width
  const nameWidthBefore = await nameWidth()
  await names.press('ArrowRight')
  await names.press('ArrowRight')
  assert.equal(await names.getAttribute('aria-valuenow'), '66')
  assert.ok((await nameWidth()) > nameWidthBefore + 15)
  const list = await placeOf(tree)
  await names.hover()
  await page.mouse.down()
  await page.mouse.move(list.x + list.width * 0.75, list.y + 60, { steps: 3 })
  await page.mouse.up()
  assert.equal(await names.getAttribute('aria-valuenow'), '75')
  await page.reload()
  await details.getByRole('heading', { level: 2, name: 'fetch' }).waitFor()
  assert.equal(await names.getAttribute('aria-valuenow'), '75')
  await names.dblclick()
  assert.equal(await names.getAttribute('aria-valuenow'), '62')
  assert.ok(Math.abs((await nameWidth()) - nameWidthBefore) < 1)
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: size.height })
  await page.getByRole('button', { name: 'All steps' }).waitFor()
  assert.equal(await names.isVisible(), false)
  await page.setViewportSize(size)
  await page.getByRole('button', { name: 'All steps' }).waitFor({ state: 'detached' })

  // A search covers messages, also of collapsed steps.
  await page.keyboard.press('/')
  await page.keyboard.type('THREE')
  await page.getByText('1 step', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await details.getByRole('heading', { level: 2, name: 'ask' }).waitFor()
  await page.waitForURL(/q=THREE/)
  await eventually('matches are marked', () =>
    page.evaluate("[...CSS.highlights.get('found') ?? []].join() === 'three'"),
  )

  // A very long text is shown in pieces.
  await line('answer').click()
  await details.getByRole('button', { name: /60,000 more of 296,000 characters/ }).click()
  await details.getByRole('button', { name: /of 236,000 characters/ }).waitFor()

  // A match far down in it is shown; ids, which are not shown, do not match.
  await page.keyboard.press('/')
  await page.keyboard.type('needle')
  await details.getByText('xneedle').waitFor()
  await eventually('the match is in view', () =>
    page.evaluate(`(() => {
      const [range] = CSS.highlights.get('found') ?? []
      const top = range?.getBoundingClientRect().top ?? -1
      return top > 0 && top < innerHeight
    })()`),
  )
  await page.getByRole('searchbox').fill(stepId('a1').slice(0, 12))
  await page.getByText('No matches').waitFor()
  await page.getByRole('searchbox').fill('')
  await page.keyboard.press('Escape')

  // The flag has a reason, which is shown.
  await page.getByRole('button', { name: 'Remove flag' }).click()
  await page.getByRole('button', { name: 'Flag', exact: true }).waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Flag with a reason…' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('look at this')
  await page.getByRole('dialog').getByRole('button', { name: 'Flag' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('s')
  await details.getByText('look at this').waitFor()
  assert.equal(
    (await service.client.get(`/v1/traces/${id}`)).json<{ flag_reason: string }>().flag_reason,
    'look at this',
  )

  assert.deepEqual(
    requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
    [],
  )
  assert.deepEqual(problems, [])
})

test('thousands of steps are shown at once, on a phone too, and new ones appear automatically', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const steps = Array.from({ length: 3000 }, (_, index) => ({
    name: `step ${index}`,
    type: 'tool',
    ...(index === 2500 ? { status: 'error', error: { type: 'Boom' } } : {}),
  }))
  const { id } = (await service.client.postTrace({ name: 'long', steps })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  await page.setViewportSize({ width: 390, height: 844 })
  const tree = page.getByRole('tree', { name: 'Steps' })
  await page.getByText('3,000 steps').waitFor()
  assert.ok((await tree.getByRole('treeitem').count()) < 120, 'only visible rows are rendered')
  await page.getByText('Boom').waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  assert.equal(await page.getByRole('separator').count(), 0)
  await page.getByRole('button', { name: 'All steps' }).click()
  await tree.getByRole('treeitem', { name: 'step 2500' }).waitFor()

  await service.client.append(id, `${JSON.stringify({ name: 'came later', type: 'llm' })}\n`)
  await page.getByText('3,001 steps').waitFor()
  await tree.focus()
  await page.keyboard.press('End')
  await page.getByRole('heading', { level: 2, name: 'came later' }).waitFor()

  // A deletion can be undone. A deleted trace is not found.
  const remove = async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.waitForURL(/\/app\/p\/proj_\w+\/traces(\?|$)/)
    await page.getByText('No traces').first().waitFor()
  }
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'long' }).click()
  await page.getByText('3,001 steps').waitFor()
  await remove()
  await page.goto(`${service.url}/app/traces/${id}`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  assert.deepEqual(problems, [])
})

test('names of steps are whole beside their models, and stay readable in deep trees', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const id = (depth: number) => stepId(String(depth).padStart(2, '0'))
  const steps = Array.from({ length: 60 }, (_, depth) => ({
    id: id(depth),
    ...(depth === 0 ? {} : { parent_step_id: id(depth - 1) }),
    name: depth % 2 === 0 ? 'think' : 'write query',
    type: 'llm',
    model: 'claude-sonnet-4-5-20250929',
  }))
  const trace = (await service.client.postTrace({ name: 'deep', steps })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${trace.id}`)
  const row = page.getByRole('treeitem').nth(20)
  await row.getByText('20', { exact: true }).waitFor()
  /** Pixels of each name that are not shown. */
  const hidden = () =>
    page.evaluate<
      number[]
    >(`[...document.querySelectorAll('[role=treeitem] bdi:first-child')].slice(0, 24).map((name) => {
      const text = document.createRange()
      text.selectNodeContents(name)
      return Math.max(0, text.getBoundingClientRect().width - name.getBoundingClientRect().width)
    })`)
  const ofAll = (pixels: number) => Array.from({ length: 24 }, () => pixels)
  assert.deepEqual(await hidden(), ofAll(0))
  await page.setViewportSize({ width: 390, height: 844 })
  await row.waitFor()
  assert.deepEqual(
    (await hidden()).map((pixels) => Math.floor(pixels / 20)),
    ofAll(0),
  )
  assert.deepEqual(problems, [])
})

test('the steps around the first visible one stay above it, and lead to their rows', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { id } = (await service.client.postTrace(DEEP_RUN)).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  const tree = page.getByRole('tree', { name: 'Steps' })
  const row = (name: string) => tree.getByRole('treeitem', { name })
  const above = page.locator('#step-columns [aria-hidden] [role=treeitem]')
  /** The list sets its place itself when it is first shown. */
  const namesAre = (names: readonly string[], line: number | null = null) =>
    eventually(`${names.join(', ')} are above`, async () => {
      if (line !== null) await page.evaluate(`document.getElementById('step-columns').scrollTop = 28 * ${line}`)
      const found = await above.locator('bdi:first-child').allTextContents()
      return JSON.stringify(found) === JSON.stringify(names)
    })
  const topOf = async (name: string) => (await placeOf(row(name))).y
  await row('level 0').waitFor()
  await namesAre([])
  // Line 26 has the first call.
  const nearest = ['level 2', 'level 3', 'level 4', 'level 5']
  await namesAre(nearest, 40)
  // The first row that they do not cover begins where they end.
  const last = await placeOf(above.last())
  assert.ok(Math.abs((await topOf('call 18')) - last.y - last.height) < 1)

  await above.filter({ hasText: 'level 3' }).click()
  await namesAre(['level 0'])
  const first = await placeOf(above.first())
  assert.ok((await topOf('level 3')) >= first.y + first.height)
  assert.equal(await row('level 3').getAttribute('aria-selected'), 'false')

  await namesAre(nearest, 40)
  await above.filter({ hasText: 'level 5' }).getByRole('button', { includeHidden: true }).click()
  await row('call 0').waitFor({ state: 'detached' })
  assert.equal(await row('level 5').getAttribute('aria-expanded'), 'false')

  // A row to which the keys go is not covered.
  await tree.focus()
  for (const key of ['End', ...Array<string>(30).fill('ArrowUp')]) await page.keyboard.press(key)
  await namesAre(['level 0'])
  const covers = await placeOf(above.last())
  const selected = await placeOf(tree.locator('[aria-selected=true]'))
  assert.ok(selected.y >= covers.y + covers.height)
  assert.deepEqual(problems, [])
})

test('a run that goes on says so, in the list and by itself, and its new steps are followed', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const at = (ms: number) => new Date(Date.now() - 60_000 + ms).toISOString()
  const steps = Array.from({ length: 300 }, (_, index) => ({ name: `step ${index}`, started_at: at(index) }))
  const { id } = (await service.client.postTrace({ name: 'slow', steps })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const row = page.getByRole('row').filter({ hasText: 'slow' })
  await row.getByText('Running').waitFor()
  await row.getByRole('link', { name: 'slow' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByRole('treeitem', { name: 'step 299' }).waitFor()
  await service.client.append(id, `${JSON.stringify({ name: 'the end', started_at: at(400), ended_at: at(500) })}\n`)
  await page.getByRole('treeitem', { name: 'the end' }).waitFor()
  await page.getByText('ok', { exact: true }).waitFor()
  await page.goBack()
  await row.getByText('OK', { exact: true }).waitFor()
  assert.deepEqual(problems, [])
})

test('recovered errors, a cost by the sender, tokens counted elsewhere and a stack trace are shown', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { id } = (await service.client.postTrace({ ...RUN, status: 'ok' })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await page.route(new RegExp(`/v1/traces/${id}$`), async (route) => {
    const response = await route.fetch()
    const trace = (await response.json()) as { steps: Record<string, unknown>[] }
    Object.assign(trace, { status: 'ok', recovered_errors: 1 })
    Object.assign(trace.steps[1]!, { cost_usd: 0.5, cost_source: 'sender', usage_counted_on: stepId('a0') })
    Object.assign(trace.steps[2]!, { error: { type: 'TimeoutError', message: 'late', stack: 'at read (a.ts:1)' } })
    await route.fulfill({ response, json: trace })
  })
  await page.getByRole('link', { name: RUN.name }).click()
  await page.getByText('1 failed step, recovered').waitFor()
  const details = page.getByRole('complementary', { name: 'Details' })
  await page.getByRole('treeitem', { name: 'ask' }).click()
  await details.getByText('$0.50 by sender').waitFor()
  await page.getByRole('treeitem', { name: 'fetch' }).click()
  await details.getByText('Stack trace').click()
  await details.getByText('at read (a.ts:1)').waitFor()
  await page.getByRole('treeitem', { name: 'ask' }).click()
  const countedOn = details.getByText('Counted on').locator('xpath=..')
  await countedOn.getByRole('button', { name: 'plan' }).click()
  await page.waitForURL(new RegExp(`step=${stepId('a0')}`))
  assert.deepEqual(problems, [])
})

test('audio and video play in place, from any position', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { id } = (await service.client.postTrace({ name: 'heard' })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const drawn = await drawVideo(page, 20, { width: 64, height: 48, frameMs: 100 })
  const film = { content: drawn, type: 'video/webm', filename: 'screen.webm' }
  await upload(service.client, { trace_id: id, kind: 'video' }, film)
  // Four megabytes, so that seeking needs a range request.
  const sound = { content: wavRecording(45), type: 'audio/wav', filename: 'call.wav' }
  await upload(service.client, { trace_id: id, kind: 'audio' }, sound)
  await page.goto(`${service.url}/app/traces/${id}`)
  const details = page.getByRole('complementary', { name: 'Details' })
  const heard = await playFrom(details.locator('audio'), 40)
  assert.ok(Math.abs(heard.duration - 45) < 0.1 && heard.at >= 40, JSON.stringify(heard))
  const seen = await playFrom(details.locator('video'), 1)
  assert.ok(seen.at >= 1 && seen.width === 64, JSON.stringify(seen))
  assert.equal(await details.getByText("This browser can't display this file.").count(), 0)
  assert.deepEqual(problems, [])
})

test('tables, JSON and logs are shown in place', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { id } = (await service.client.postTrace({ name: 'measured' })).json<{ id: string }>()
  const readings = ['time,force', ...Array.from({ length: 250 }, (_, row) => `${row},"${row / 2}, about"`)]
  for (const [content, type, kind, filename] of [
    [readings.join('\n'), 'text/csv', 'sensor', 'force.csv'],
    ['{"grip": {"closed": true}}', 'application/json', 'file', 'state.json'],
    ['\u001b[31mERROR\u001b[0m motor 3 is hot\n<b>not bold</b>\n', 'text/plain', 'file', 'run.log'],
  ] as const) {
    await upload(service.client, { trace_id: id, kind }, { content: Buffer.from(content), type, filename })
  }
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByRole('columnheader', { name: 'force' }).waitFor()
  await details.getByRole('cell', { name: '99.5, about', exact: true }).waitFor()
  await details.getByText('and 50 more rows').waitFor()
  await details.getByRole('treeitem', { name: 'closed: true' }).waitFor()
  await details.getByText('ERROR', { exact: true }).waitFor()
  await details.getByText('<b>not bold</b>').waitFor()
  assert.deepEqual(problems, [])
})

/** The used part of `HTMLMediaElement`. */
interface Player {
  muted: boolean
  currentTime: number
  readonly duration: number
  readonly videoWidth?: number
  play(): Promise<void>
  pause(): void
  addEventListener(name: string, listener: () => void): void
}

/** Plays a little from the start, then from `to`, in seconds. */
function playFrom(player: Locator, to: number) {
  return player.evaluate(async (element, from) => {
    const media = element as unknown as Player
    const passes = (time: number) =>
      new Promise<void>((done) => media.addEventListener('timeupdate', () => media.currentTime > time && done()))
    media.muted = true
    const begun = passes(0)
    await media.play()
    await begun
    media.pause()
    const sought = new Promise<void>((done) => media.addEventListener('seeked', done))
    media.currentTime = from
    await sought
    const goesOn = passes(from)
    await media.play()
    await goesOn
    return { at: media.currentTime, duration: media.duration, width: media.videoWidth }
  }, to)
}

test('models without a price are named where the cost stands', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const step = (model: string) => ({ name: 'ask', type: 'llm', model, token_usage: { input: 1_000_000 } })
  const run = { name: 'run', steps: [step('azure/GPT-4o'), step('house-model'), step('house-model-2')] }
  const { id } = (await service.client.postTrace(JSON.stringify(run))).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  await page.getByText('+ unpriced: house-model and 1 more').waitFor()
  assert.deepEqual(problems, [])
})

test('runs of the airline agent are shown in order, as conversations', async (context) => {
  if (!existsSync(AIRLINE_RUNS)) return context.skip('the airline runs are not beside this checkout')
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const run = readFileSync(AIRLINE_RUNS, 'utf8').split('\n')[0] as string
  const { id } = (await service.client.postTrace(run)).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  // Opens on its summary, then on a step.
  await page.getByRole('heading', { name: 'Cost by model' }).waitFor()
  await page.getByRole('treeitem', { name: 'assistant turn' }).first().click()
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByText('# Airline Agent Policy').first().waitFor()
  for (const role of ['system', 'user', 'assistant']) await details.getByText(role, { exact: true }).first().waitFor()
  await details.getByRole('button', { name: /Show all .* characters/ }).click()
  await details.getByRole('button', { name: 'Show less' }).waitFor()
  assert.deepEqual(problems, [])
})

const call = (name: string, id: string) => ({ id, type: 'function', function: { name, arguments: '{"city":"Oslo"}' } })
const history = [
  text('system', 'Be kind.'),
  text('user', 'What is the weather?'),
  {
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'I should look.' }],
    tool_calls: [call('weather', 'c1')],
  },
  { ...text('tool', 'service is down'), tool_call_id: 'c1' },
]
const CHAT = [
  { name: 'ask', type: 'llm', model: 'gpt-4o', messages: history.slice(0, 2) },
  { id: stepId('b1'), name: 'weather', type: 'tool', status: 'error', error: { type: 'Down', message: 'no answer' } },
  {
    name: 'answer',
    type: 'llm',
    model: 'gpt-4o',
    messages: [...history, text('assistant', 'I cannot say.\n\n```python\nprint("sun")\n```')],
  },
]

test('a conversation shows each turn once; keys go to the next trace of the list and back to it', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await service.client.postTrace({ name: 'first', steps: [{ name: 'only', type: 'tool' }] })
  await service.client.postTrace({ name: 'other', steps: [{ name: 'other', type: 'tool' }] })
  await service.client.postTrace({ name: 'chat', run_type: 'chat', steps: CHAT })
  const { page, problems } = await openDashboard(browser, service, '/app/traces?sort=step_count')
  // The newest failure is understood after one click, its conversation read after another.
  await page.getByRole('link', { name: 'chat' }).click()
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByText('no answer').waitFor()
  await page.getByRole('link', { name: 'Conversation' }).click()
  await page.waitForURL(/tab=conversation/)
  const turns = page.getByRole('region', { name: 'Conversation' }).getByRole('listitem')
  await turns.getByText('What is the weather?').waitFor()
  await turns.getByText('I cannot say.').waitFor()
  await turns.locator('.hljs-string').waitFor()
  const tool = turns.filter({ hasText: 'Arguments' })
  assert.equal(await turns.filter({ hasText: 'What is the weather?' }).count(), 1)
  const prompt = turns.filter({ hasText: 'System prompt' })
  assert.equal(await prompt.getByText('Be kind.').isVisible(), false, 'instructions are folded')
  await prompt.getByText('System prompt').click()
  await prompt.getByText('Be kind.').waitFor()
  await turns.filter({ hasText: 'I cannot say.' }).getByText('gpt-4o').waitFor()
  await tool.getByText('Down: no answer').waitFor()
  assert.equal(await tool.getByRole('tree').isVisible(), false, 'arguments are folded')
  await tool.getByText('weather', { exact: true }).click()
  await tool.getByRole('tree', { name: 'Arguments of weather' }).waitFor()
  assert.equal(await turns.getByText('Thinking:').count(), 1)
  await page.keyboard.press('3')
  await page.getByRole('tree', { name: 'The trace as JSON' }).getByText('"chat"').first().waitFor()
  await page.keyboard.press('2')
  await tool.getByRole('link', { name: 'Step' }).click()
  await page.waitForURL(new RegExp(`step=${stepId('b1')}$`))

  // The neighbours in the order of the list; a trace of one step opens on it.
  await page.keyboard.press(']')
  await details.getByRole('heading', { level: 2 }).waitFor()
  const neighbour = await page.getByRole('heading', { level: 1 }).textContent()
  assert.equal(await details.getByRole('heading', { level: 2 }).textContent(), neighbour === 'first' ? 'only' : 'other')
  await page.keyboard.press('[')
  await details.getByText('no answer').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Next trace of the list').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/app\/p\/proj_\w+\/traces\?sort=step_count$/)
  assert.deepEqual(problems, [])
})

test('a failed trace says where it leaves the successes; runs like it, and what led to a step', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const toolCall = (name: string, input: object) => ({
    name,
    type: 'tool',
    messages: [text('user', 'order 4711'), { role: 'assistant', content: [{ type: 'tool_use', name, input }] }],
  })
  const run = (...steps: readonly object[]) => ({ name: 'refunds', metadata: { task_id: 1 }, steps })
  const find = toolCall('find', { order: '4711' })
  for (let success = 0; success < 2; success += 1)
    await service.client.postTrace(run(find, toolCall('refund', { order: '4711' })))
  const failed = { ...run(find, toolCall('cancel', { order: '4711', reason: 'none given' })), status: 'error' }
  const { id, step_ids: ids } = (await service.client.postTrace(failed)).json<{ id: string; step_ids: string[] }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}?view=trace`)
  await page.getByText(/This run called cancel .+ where 2 of 2 similar successes called refund/).waitFor()
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByRole('button', { name: 'Runs like this one' }).click()
  await details.getByRole('link', { name: 'order 4711' }).first().waitFor()
  assert.equal(await details.getByText('% alike').count(), 2)
  await page.getByRole('link', { name: 'Go to the step' }).click()
  await page.waitForURL(new RegExp(`step=${ids[1]}`))
  await details.getByRole('button', { name: 'What led here' }).click()
  await details.getByText('not found before this step').first().waitFor()
  // The step is written to the URL while the other page loads, which must not call that off.
  await page.route('**/*.js', async (route) => {
    await delay(400)
    await route.continue()
  })
  await details.getByText('from a message in').getByRole('button', { name: 'find' }).click()
  await page.getByRole('link', { name: 'Compare with the nearest success' }).click()
  await page.getByRole('heading', { name: 'Compare traces', level: 1 }).waitFor()
  assert.deepEqual(problems, [])
})

test('the steps that led to a step are listed alone, by a link, in the address, and on a phone', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const toolCall = (name: string, input: object, output: string) => ({
    parent_step_id: stepId('b0'),
    name,
    type: 'tool',
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', name, input }] }, text('tool', output)],
  })
  const other = (name: string) => ({ parent_step_id: stepId('b0'), name, type: 'chain' })
  const steps = [
    { id: stepId('b0'), name: 'agent', type: 'agent' },
    { name: 'ask', type: 'chain', parent_step_id: stepId('b0'), messages: [text('user', 'order 4711')] },
    ...['wait', 'wait', 'wait'].map(other),
    toolCall('find', { order: '4711' }, 'payment PX90210'),
    { ...other('audit'), id: stepId('b1') },
    { parent_step_id: stepId('b1'), name: 'refused', type: 'chain', status: 'error' },
    { ...toolCall('refund', { payment: 'PX90210' }, 'done'), id: stepId('b2') },
    other('end'),
  ]
  const { id } = (await service.client.postTrace({ name: 'refunds', steps })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}?step=${stepId('b2')}`)
  const rows = page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem')
  const names = () => rows.evaluateAll((all) => all.map((row) => row.querySelector('bdi')?.textContent))
  const isListed = (expected: readonly string[]) =>
    eventually(`the list is ${expected.join(', ')}`, async () => (await names()).join() === expected.join())
  const all = ['agent', 'ask', 'wait', 'find', 'audit', 'refused', 'refund', 'end']
  const slice = ['agent', 'ask', 'find', 'refund']
  const details = page.getByRole('complementary', { name: 'Details' })
  const only = details.getByRole('link', { name: 'List only these steps' })
  await isListed(all)
  await details.getByRole('button', { name: 'What led here' }).click()
  await only.click()
  await isListed(slice)
  const chip = page.getByText('Led to refund 4 steps')
  await chip.waitFor()
  assert.equal(await page.getByText('1 error').count(), 0, 'hidden errors are not counted')

  // The slice stays while the reader moves in it, and when the page is read again.
  const tree = page.getByRole('tree', { name: 'Steps' })
  await tree.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('heading', { level: 2, name: 'ask' }).waitFor()
  await page.waitForURL((url) => url.searchParams.get('led_to') === stepId('b2') && url.searchParams.has('step'))
  await page.reload()
  await isListed(slice)
  await rows.getByRole('button', { name: 'Collapse' }).click()
  await isListed(['agent'])
  await page.getByRole('button', { name: 'List all steps' }).click()
  await page.waitForURL((url) => !url.searchParams.has('led_to'))
  await isListed(all)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${service.url}/app/traces/${id}?step=${stepId('b2')}`)
  await details.getByRole('button', { name: 'What led here' }).click()
  await only.click()
  await chip.waitFor()
  await isListed(slice)
  assert.equal(await details.count(), 0)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)

  // A step of another trace, or none: all steps, and it says so.
  await page.goto(`${service.url}/app/traces/${id}?led_to=${stepId('zz')}`)
  await page.getByText('Led to a step could not be read').waitFor()
  await isListed(all)
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('404')),
    [],
  )
})
