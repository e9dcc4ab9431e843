import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { drawVideo } from '../lib/media/draw-video.ts'
import { eventually } from '../lib/eventually.ts'
import { upload } from '../lib/media/media.ts'
import { pngImage, wavRecording } from '../lib/media/sample-media.ts'
import { Service } from '../lib/service.ts'
import { openDashboard } from './lib.ts'

const AIRLINE_RUNS = new URL('../../../shared/data/airline-traces.jsonl', import.meta.url)

let browser: Browser | string
before(async () => (browser = await launchBrowser()))
after(async () => typeof browser !== 'string' && (await browser.close()))

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
    { name: 'answer', type: 'llm', messages: [text('assistant', 'x'.repeat(300_000))] },
  ],
}

test('one trace is read: its tree, the conversation of a step, failures, a search, and marks', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  // Beyond what a number of JavaScript holds.
  const body = JSON.stringify(RUN).replace('"prod"', '"prod","seed":12345678901234567890')
  const { id } = (await service.client.postTrace(body)).json<{ id: string }>()
  await upload(
    service.client,
    { trace_id: id, step_id: stepId('a1'), kind: 'image' },
    { content: pngImage(8, 6), type: 'image/png', filename: 'shot.png' },
  )
  await upload(service.client, { trace_id: id, kind: 'file' }, { content: 'line', filename: 'log.txt' })
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const tree = page.getByRole('tree', { name: 'Steps' })
  const line = (name: string) => tree.getByRole('treeitem', { name })
  const details = page.getByRole('complementary', { name: 'Details' })

  // The trace by itself.
  await page.getByRole('heading', { level: 1, name: 'research <b>run</b>' }).waitFor()
  await details.getByRole('link', { name: 'log.txt' }).waitFor()
  await details.getByText('"prod"').waitFor()
  await details.getByText('12345678901234567890').waitFor()
  assert.equal(await tree.getByRole('treeitem').count(), 4)
  assert.equal(await line('fetch').getAttribute('aria-level'), '3')
  assert.equal(await line('answer').getAttribute('aria-level'), '3', 'an inferred parent makes a sibling')

  // A step: Markdown without HTML, a tool call, tokens, its picture; no other host is asked.
  await line('ask').click()
  await details.getByText('three', { exact: true }).waitFor()
  assert.equal(await details.locator('strong').textContent(), 'three')
  await details.getByText('<img src=x onerror=alert(1)>').waitFor()
  // Lines are lines; what is not of a model is as it was written, with the colours of a terminal.
  assert.equal(await details.locator('p br').count(), 1)
  await details.getByText('fields:\n  name: string\n\n> no *quote*', { exact: true }).waitFor()
  assert.equal(await details.locator('blockquote').count(), 0)
  const output = details.getByText('Traceback').locator('xpath=ancestor::div[1]')
  assert.equal(await output.textContent(), 'Traceback:\n  File "a.py"\n> raise')
  assert.match((await output.getAttribute('class')) ?? '', /font-mono/)
  assert.equal(await details.getByText('Traceback').getAttribute('class'), 'text-fail')
  await details.getByRole('link', { name: 'far (picture)' }).waitFor()
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

  // By keys: the next failure, its parent, folding, back.
  await page.keyboard.press('e')
  await details.getByText('read timed out').waitFor()
  await tree.focus()
  await page.keyboard.press('ArrowLeft')
  await details.getByRole('heading', { level: 2, name: 'ask' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await line('ask').getByText('1 failed inside').waitFor()
  assert.equal(await tree.getByRole('treeitem').count(), 2)
  await page.keyboard.press('Escape')
  await details.getByText('log.txt').waitFor()
  await page.keyboard.press('e')
  await line('fetch').waitFor()

  // The line between the panes is moved by keys and by dragging, and stays where it was left.
  const splitter = page.getByRole('separator', { name: 'Width of the steps' })
  const shareOf = async () => Number(await splitter.getAttribute('aria-valuenow'))
  const begun = await shareOf()
  await splitter.press('ArrowLeft')
  assert.equal(await shareOf(), begun - 2)
  const row = (await tree.locator('xpath=ancestor::section/..').boundingBox())!
  await splitter.hover()
  await page.mouse.down()
  await page.mouse.move(row.x + row.width * 0.4, row.y + 50, { steps: 3 })
  await page.mouse.up()
  assert.equal(await shareOf(), 40)
  await page.reload()
  await details.getByRole('heading', { level: 2, name: 'fetch' }).waitFor()
  assert.equal(await shareOf(), 40)
  assert.ok(Math.abs((await details.boundingBox())!.width - row.width * 0.6) < 3)
  await splitter.dblclick()
  assert.equal(await shareOf(), begun)

  // Search goes into messages, whatever is folded.
  await page.keyboard.press('/')
  await page.keyboard.type('THREE')
  await page.getByText('1 step', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await details.getByRole('heading', { level: 2, name: 'ask' }).waitFor()
  await page.waitForURL(/q=THREE/)
  await eventually('what was found is marked', () =>
    page.evaluate("[...CSS.highlights.get('found') ?? []].join() === 'three'"),
  )

  // A very long text comes in pieces.
  await line('answer').click()
  await details.getByRole('button', { name: /60,000 more of 296,000 characters/ }).click()
  await details.getByRole('button', { name: /of 236,000 characters/ }).waitFor()

  // Marked, with a reason that is shown.
  await page.getByRole('button', { name: 'Unflag' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('button', { name: 'Flag', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('look at this')
  await page.getByRole('dialog').getByRole('button', { name: 'Flag' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await details.getByText('look at this').waitFor()
  assert.equal(
    (await service.client.get(`/v1/traces/${id}`)).json<{ flag_reason: string }>().flag_reason,
    'look at this',
  )

  assert.deepEqual(
    asked.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
    [],
  )
  assert.deepEqual(problems, [])
})

test('thousands of steps are there at once, on a telephone too, and new ones come by themselves', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
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
  assert.ok((await tree.getByRole('treeitem').count()) < 120, 'only what is seen is drawn')
  await page.getByRole('button', { name: 'Next error' }).click()
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

  // Deleted, and then it is not there.
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/app\/traces(\?|$)/)
  await page.goto(`${service.url}/app/traces/${id}`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  assert.deepEqual(problems, [])
})

test('sound and film play in place, and from wherever the reader puts them', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const { id } = (await service.client.postTrace({ name: 'heard' })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const drawn = await drawVideo(page, 20, { width: 64, height: 48, frameMs: 100 })
  const film = { content: drawn, type: 'video/webm', filename: 'screen.webm' }
  await upload(service.client, { trace_id: id, kind: 'video' }, film)
  // Four megabytes: what it is put to is asked for by a range.
  const sound = { content: wavRecording(45), type: 'audio/wav', filename: 'call.wav' }
  await upload(service.client, { trace_id: id, kind: 'audio' }, sound)
  await page.goto(`${service.url}/app/traces/${id}`)
  const details = page.getByRole('complementary', { name: 'Details' })
  const heard = await playFrom(details.locator('audio'), 40)
  assert.ok(Math.abs(heard.duration - 45) < 0.1 && heard.at >= 40, JSON.stringify(heard))
  const seen = await playFrom(details.locator('video'), 1)
  assert.ok(seen.at >= 1 && seen.width === 64, JSON.stringify(seen))
  assert.equal(await details.getByText('This browser cannot show it.').count(), 0)
  assert.deepEqual(problems, [])
})

/** What of an `HTMLMediaElement` is used. */
interface Player {
  muted: boolean
  currentTime: number
  readonly duration: number
  readonly videoWidth?: number
  play(): Promise<void>
  pause(): void
  addEventListener(name: string, listener: () => void): void
}

/** Plays a little from the beginning, then from `to` on, seconds. */
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

test('runs of the airline agent are shown in order, as conversations', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  if (!existsSync(AIRLINE_RUNS)) return context.skip('the airline runs are not beside this checkout')
  await using service = await Service.start()
  const run = readFileSync(AIRLINE_RUNS, 'utf8').split('\n')[0] as string
  const { id } = (await service.client.postTrace(run)).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  await page.getByRole('treeitem', { name: 'assistant turn' }).first().click()
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByText('# Airline Agent Policy').first().waitFor()
  for (const role of ['system', 'user', 'assistant']) await details.getByText(role, { exact: true }).first().waitFor()
  await details.getByRole('button', { name: /Show all .* characters/ }).click()
  await details.getByRole('button', { name: 'Show less' }).waitFor()
  assert.deepEqual(problems, [])
})
