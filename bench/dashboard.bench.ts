/**
 * The dashboard in Chromium: what it loads, how soon the list and a long run are painted, how smoothly it scrolls, and
 * what a live feed costs in memory and processor time of the service.
 *
 *     node bench/dashboard.bench.ts [--quick] [--minutes 10]
 *     node bench/dashboard.bench.ts --only screens [--store DIRECTORY]
 *
 * The second is how soon each screen shows its first row, or its chart, of a million traces, those of growth.bench.ts.
 *
 * The browser shares the cores with the service. The time that the service needs for the bytes of a run is printed
 * beside the time to paint it.
 */
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../e2e/lib/browser.ts'
import { openArchive } from './lib/archives/archive.ts'
import { DENSE_MS } from './lib/archives/archive-sql.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { openStepLine, traceRequests } from './lib/trace-bodies.ts'
import { word } from './lib/vocabulary.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const SCRIPT_ALLOWED_KB = 250
const LIST_ALLOWED_MS = 1000
const PAINT_ALLOWED_MS = 150
const RUNS = [
  { steps: 3000, allowedMs: 500 },
  { steps: 30_000, allowedMs: 2000 },
]
/** 60 frames a second, plus the inaccuracy of timers on a shared machine. */
const FRAME_ALLOWED_MS = 17.5
const MEMORY_GROWTH_ALLOWED_MB = 10
const FEED_CPU_ALLOWED = 1
const FEED_RATE = 100
const FEED_CONNECTIONS = 25

const { quick, minutes, only, store } = readOptions()
const TURNS = quick ? 3 : 7
const FEED_MS = quick ? 60_000 : minutes * 60_000
const TRACES = 2000
/** Screens of a million traces, and how soon they show a row or draw a chart. */
const SCREENS: Readonly<Record<string, string>> = {
  traces: '/app/traces',
  errors: '/app/traces?status=error',
  'a common word': `/app/traces?q=${word(3)}`,
  'a prefix': `/app/traces?q=${word(1500).slice(0, 4)}*`,
  'by duration': '/app/traces?sort=duration_ms',
  'by cost': '/app/traces?sort=cost_usd',
  steps: '/app/traces?as=steps',
  'a chart': '/app/traces?as=chart',
  'a chart of steps by tool': '/app/traces?as=chart&measure=steps.duration_ms&group_by=tool',
  sessions: '/app/sessions',
  'one session': '/app/sessions/sess-1000',
  users: '/app/users',
  'a user of many': '/app/users/user-0',
  'a user of few': '/app/users/user-4900',
}
/** The answers that the forms of Explore show. */
const EXPLORED: Readonly<Record<string, RegExp>> = {
  traces: /\/v1\/traces(\?|$)/,
  steps: /\/v1\/steps(\?|$)/,
  'a chart': /\/series\?/,
  'a chart of steps by tool': /\/series\?/,
}
const FIRST_ROW_ALLOWED_MS = 400

const report = new Report(`The dashboard in Chromium: medians of ${TURNS}`)
const launched = await launchBrowser('newest')
if (typeof launched === 'string') report.figure('everything', `left out: ${launched}`)
else {
  if (only === 'screens') await measureScreens(launched)
  else await inTemporaryFolder((folder) => measure(launched, join(folder, 'service')))
  await launched.close()
}
report.end()

async function measure(browser: Browser, dataDir: string): Promise<void> {
  const service = await startService({ dataDir })
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const requests = traceRequests(service.key)
  await load.run({ port: service.port, connections: 16, requests, total: TRACES })
  const runs = await Promise.all(
    RUNS.map(async ({ steps, allowedMs }) => ({ id: await commitRun(service, steps), steps, allowedMs })),
  )
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await signIn(page, service)
  await measureFirstLoad(page, service)
  for (const run of runs) await measureRun(page, service, run)
  await measureFeed(page, service, () =>
    load.run({
      port: service.port,
      connections: FEED_CONNECTIONS,
      requests,
      durationMs: FEED_MS,
      ratePerSecond: FEED_RATE,
    }),
  )
  await context.close()
  await Promise.all([service.stop(), load.stop()])
}

async function measureScreens(browser: Browser): Promise<void> {
  const { directory, key } = await openArchive(store, 1_000_000, DENSE_MS)
  const service = await startService({ dataDir: directory, key })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await signIn(page, service)
  for (const [name, path] of Object.entries(SCREENS)) {
    const rows: number[] = []
    const paints: number[] = []
    const cpuMs: number[] = []
    const answer = EXPLORED[name]
    // The first two warm up.
    for (let turn = -2; turn < TURNS; turn++) {
      const before = cpuSeconds(service.pid)!
      await page.goto(service.origin + path)
      await page.waitForFunction(() => 'paintedAt' in globalThis)
      const paintedAt = await paintTime(page)
      const answeredAt = answer === undefined ? null : await answerTime(page, answer, paintedAt)
      await page.waitForTimeout(500)
      if (turn < 0) continue
      rows.push(paintedAt)
      if (answeredAt !== null) paints.push(paintedAt - answeredAt)
      cpuMs.push(1000 * (cpuSeconds(service.pid)! - before))
    }
    const remark = `${spread(rows)}; ${amount(median(cpuMs))} ms of processor of the service for the whole screen`
    report.atMost(`first row: ${name}`, median(rows), FIRST_ROW_ALLOWED_MS, 'ms', remark)
    if (answer !== undefined)
      report.atMost('… from its answer to painted', median(paints), PAINT_ALLOWED_MS, 'ms', spread(paints))
  }
  await page.close()
  await service.stop()
}

async function measureFirstLoad(page: Page, service: ServiceUnderTest): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  const lists: number[] = []
  const paints: number[] = []
  let scriptKb = 0
  for (let turn = 0; turn < TURNS; turn++) {
    await cdp.send('Network.clearBrowserCache')
    await page.goto(`${service.origin}/app/traces`)
    await page.getByRole('row').nth(5).waitFor()
    scriptKb = await page.evaluate(() => {
      const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const scripts = resources.filter(({ name }) => name.endsWith('.js'))
      return scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize / 1000, 0)
    })
    const paintedAt = await paintTime(page)
    lists.push(paintedAt)
    paints.push(paintedAt - (await answerTime(page, EXPLORED['traces']!, paintedAt)))
  }
  report.atMost('first load: compressed script', scriptKb, SCRIPT_ALLOWED_KB, 'KB')
  report.atMost('first load: to the list', median(lists), LIST_ALLOWED_MS, 'ms', spread(lists))
  report.atMost('feed: from data to painted', median(paints), PAINT_ALLOWED_MS, 'ms', spread(paints))
}

async function measureRun(
  page: Page,
  service: ServiceUnderTest,
  { id, steps, allowedMs }: { readonly id: string; readonly steps: number; readonly allowedMs: number },
): Promise<void> {
  const painted: number[] = []
  const whole: number[] = []
  const bare: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const began = performance.now()
    const answer = await fetch(`${service.origin}/v1/traces/${id}`, { headers: { 'x-api-key': service.key } })
    await answer.arrayBuffer()
    bare.push(performance.now() - began)
    await page.goto(`${service.origin}/app/traces/${id}`)
    await page.getByRole('treeitem').first().waitFor()
    painted.push(await paintTime(page))
    whole.push(
      await page.evaluate(async (rows) => {
        const tree = document.querySelector('[role=tree]')!
        while (tree.scrollHeight < 20 * rows) await new Promise((resolve) => requestAnimationFrame(resolve))
        return performance.now()
      }, steps),
    )
  }
  const name = `run of ${amount(steps)} steps`
  report.atMost(`${name}: painted`, median(painted), allowedMs, 'ms', spread(painted))
  report.figure(
    `${name}: all of its rows there`,
    `${amount(median(whole), 'ms')} (${spread(whole)}); its bytes alone ${amount(median(bare), 'ms')}`,
  )
  const frames = await page.evaluate(scrollForFrames)
  const remark = `p95 ${amount(percentile(frames, 0.95))} ms, of ${frames.length} frames`
  report.atMost(`${name}: a frame while scrolling`, median(frames), FRAME_ALLOWED_MS, 'ms', remark)
}

/** Scrolls the tree for three seconds, a long way in each frame, and measures the frames. Runs in the page. */
async function scrollForFrames(): Promise<number[]> {
  const tree = document.querySelector('[role=tree]')!
  const scroller = tree.scrollHeight > tree.clientHeight ? tree : tree.parentElement!
  const frames: number[] = []
  let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
  const end = last + 3000
  while (last < end) {
    scroller.scrollTop = (scroller.scrollTop + 700) % (scroller.scrollHeight - scroller.clientHeight)
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    frames.push(now - last)
    last = now
  }
  return frames
}

async function measureFeed(page: Page, service: ServiceUnderTest, commit: () => Promise<LoadResult>): Promise<void> {
  const idle = await shareOfCore(service)
  await page.goto(`${service.origin}/app/traces`)
  await page.getByRole('row').nth(5).waitFor()
  const open = await shareOfCore(service)
  report.atMost(
    'an open feed without new traces: one core of the service',
    open - idle,
    FEED_CPU_ALLOWED,
    '%',
    `${amount(open, '%')}, without ${amount(idle, '%')}`,
  )
  const cdp = await page.context().newCDPSession(page)
  const committed = commit()
  await page.waitForTimeout(FEED_MS / 4)
  const before = await heapMb(cdp)
  const { completed } = await committed
  const after = await heapMb(cdp)
  const remark = `${amount(before)} to ${amount(after)} MB in ${(0.75 * FEED_MS) / 1000} s`
  report.atMost(
    `live feed of ${amount((1000 * completed) / FEED_MS)} traces/s: heap grows`,
    after - before,
    MEMORY_GROWTH_ALLOWED_MB,
    'MB',
    remark,
  )
}

async function heapMb(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}

async function shareOfCore({ pid }: ServiceUnderTest): Promise<number> {
  const [cpu, began] = [cpuSeconds(pid)!, performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  return (100_000 * (cpuSeconds(pid)! - cpu)) / (performance.now() - began)
}

function paintTime(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { paintedAt: number }).paintedAt)
}

/** When the last answer of an address was there, of those before the paint; ms since the page began to load. */
function answerTime(page: Page, address: RegExp, paintedAt: number): Promise<number> {
  return page.evaluate(
    ([source, before]) => {
      const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const answers = resources.filter(({ name, responseEnd }) => new RegExp(source).test(name) && responseEnd < before)
      return Math.max(...answers.map(({ responseEnd }) => responseEnd))
    },
    [address.source, paintedAt] as const,
  )
}

/** On a page of the service. Each page records when the first row of its list, table, tree or chart is painted. */
async function signIn(page: Page, { origin, key }: ServiceUnderTest): Promise<void> {
  await page.addInitScript(() => {
    new MutationObserver((_changes, observer) => {
      const row = '[role=row] [role=cell], [role=treeitem], tbody tr, :not(nav) > ol > li'
      const chart = '.u-wrap canvas'
      if (document.querySelector(location.search.includes('as=chart') ? chart : row) === null) return
      observer.disconnect()
      // After the frame that paints it.
      requestAnimationFrame(() => setTimeout(() => Object.assign(globalThis, { paintedAt: performance.now() })))
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto(`${origin}/docs`)
  const status = await page.evaluate(async (secret) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/v1/session', { method: 'POST', headers, body: JSON.stringify({ key: secret }) })).status
  }, key)
  if (status !== 201) throw new Error(`signing in returned ${status}`)
}

async function commitRun({ origin, key }: ServiceUnderTest, steps: number): Promise<string> {
  const send = async (path: string, type: string, body: string): Promise<{ id: string }> => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': type },
      body,
    })
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}`)
    return (await answer.json()) as { id: string }
  }
  const { id } = await send('/v1/traces', 'application/json', JSON.stringify({ name: `run of ${steps} steps` }))
  const lines = Array.from({ length: steps }, (_, index) => `${openStepLine(index)}}`)
  await send(`/v1/traces/${id}/steps`, 'application/x-ndjson', lines.join('\n'))
  return id
}

function spread(values: readonly number[]): string {
  return values.map((value) => amount(value)).join(' ')
}
