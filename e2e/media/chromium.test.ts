import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { drawVideo } from '../lib/media/draw-video.ts'
import { eventually } from '../lib/eventually.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'
import { type FormFile, servePath, upload } from '../lib/media/media.ts'
import { bucketEnvironment, startS3Server } from '../lib/media/s3-server.ts'
import { mcapLog, pngImage, textLog, wavRecording } from '../lib/media/sample-media.ts'
import { Service } from '../lib/service.ts'

const VIDEO = { width: 320, height: 240, frameMs: 100 }
const FRAMES = 100
const AUDIO_SECONDS = 60
/** Any script that runs reports itself by a request, in every way that a page could. */
const SCRIPT = `document.title = 'ran'; new Image().src = '/ran'; fetch('/ran'); top.location = '/ran'`
const HTML = `<!doctype html><title>page</title><body onload="fetch('/ran')"><script>${SCRIPT}</script><img src=x onerror="fetch('/ran')">`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="fetch('/ran')"><script>${SCRIPT}</script><rect width="40" height="30" fill="red"/></svg>`

for (const store of ['folder', 'bucket']) {
  test(`a browser and media in a ${store}`, async (context) => {
    const browser = await launchBrowser('newest')
    if (typeof browser === 'string') return context.skip(browser)
    context.after(() => browser.close())
    const environment = store === 'bucket' ? await bucketOrSkip(context) : {}
    if (environment === null) return
    await using service = await Service.start({ environment })
    const world = await World.make(browser, service)
    await showsAndSeeks(world)
    await runsNothing(world)
    await showsLogs(world)
    await givesToSave(world)
    await deletes(world)
    assert.ok(!service.log.includes('"level":"error"'), service.log)
  })
}

async function bucketOrSkip(context: TestContext): Promise<Record<string, string> | null> {
  const server = await startS3Server()
  if (typeof server === 'string') {
    context.skip(server)
    return null
  }
  context.after(() => server[Symbol.asyncDispose]())
  await server.createBucket('media')
  return bucketEnvironment(server, 'media')
}

/** A trace with every kind of file on one of its steps, and a browser that is signed in. */
class World {
  readonly browsing: SignedInPage
  readonly service: Service
  readonly traceId: string
  readonly stepId: string
  readonly #uris: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, FormFile>

  private constructor(
    parts: Pick<World, 'browsing' | 'service' | 'traceId' | 'stepId' | 'files'>,
    uris: ReadonlyMap<string, string>,
  ) {
    this.browsing = parts.browsing
    this.service = parts.service
    this.traceId = parts.traceId
    this.stepId = parts.stepId
    this.files = parts.files
    this.#uris = uris
  }

  static async make(browser: Browser, service: Service): Promise<World> {
    const browsing = await SignedInPage.open(browser, service)
    const made = await service.client.postTrace({ name: 'run', steps: [{ name: 'think' }, { name: 'look' }] })
    const { id: traceId, step_ids } = made.json<{ id: string; step_ids: [string, string] }>()
    const [, stepId] = step_ids
    const files = new Map<string, FormFile>([
      ['screen.png', { content: pngImage(640, 400), type: 'image/png' }],
      ['voice.wav', { content: wavRecording(AUDIO_SECONDS), type: 'audio/wav' }],
      ['camera.webm', { content: await drawVideo(browsing.page, FRAMES, VIDEO), type: 'video/webm' }],
      ['drawing.svg', { content: SVG, type: 'image/svg+xml' }],
      ['page.html', { content: HTML, type: 'text/html' }],
      // The same bytes would be the same media, with the latest name.
      ['lie.png', { content: `${HTML}<p>a picture?`, type: 'image/png' }],
      ['code.js', { content: "fetch('/ran')\n", type: 'text/javascript' }],
      ['robot.mcap', { content: mcapLog(3_000_000), type: 'application/octet-stream' }],
      ['agent.log', { content: textLog(500), type: 'text/plain' }],
    ])
    const uris = new Map<string, string>()
    for (const [filename, file] of files) {
      const fields = { trace_id: traceId, step_id: stepId, kind: kindOf(file) }
      uris.set(filename, (await upload(service.client, fields, { ...file, filename })).uri)
    }
    return new World({ browsing, service, traceId, stepId, files }, uris)
  }

  uri(filename: string): string {
    const uri = this.#uris.get(filename)
    if (uri === undefined) throw new Error(`there is no ${filename}`)
    return uri
  }

  path(filename: string): string {
    return servePath(this.uri(filename))
  }

  bytes(filename: string): Buffer {
    return Buffer.from(this.files.get(filename)?.content ?? '')
  }

  /** Requested and returned ranges of a file. */
  ranges(filename: string): string[] {
    const path = this.path(filename)
    return this.browsing.seen.flatMap((seen) => (seen.path === path && seen.status === 206 ? [seen.range ?? ''] : []))
  }

  assertNothingRan(): void {
    const ran = this.browsing.seen.filter(({ path }) => path.startsWith('/ran'))
    assert.deepEqual(ran, [], 'a script of an uploaded file ran')
  }
}

function kindOf({ type = '' }: FormFile): string {
  const [kind = ''] = type.split('/')
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file'
}

/** Width and height of an `<img>`; 0 and 0 when it has loaded and shows nothing. */
function shownSize(page: Page, id: string): Promise<[number, number]> {
  return page.evaluate<[number, number]>(`(() => {
    const image = document.getElementById('${id}')
    return image.complete ? [image.naturalWidth, image.naturalHeight] : ['loading', 'loading']
  })()`)
}

interface Played {
  readonly duration: number
  readonly soughtTo: number
  readonly playedTo: number
  readonly width: number | undefined
  readonly height: number | undefined
}

/** Waits for the metadata, seeks to a second before the end and plays from there. */
function playNearTheEnd(page: Page, id: string): Promise<Played> {
  return page.evaluate<Played>(`(async () => {
    const player = document.getElementById('${id}')
    const happens = (name) => new Promise((resolve, reject) => {
      player.addEventListener(name, resolve, { once: true })
      player.addEventListener('error', () => reject(new Error(player.error.message)), { once: true })
    })
    if (player.readyState < HTMLMediaElement.HAVE_METADATA) await happens('loadedmetadata')
    const sought = happens('seeked')
    player.currentTime = player.duration - 1
    await sought
    const soughtTo = player.currentTime
    player.muted = true
    await player.play()
    while (player.currentTime <= soughtTo + 0.2) await happens('timeupdate')
    player.pause()
    const { duration, currentTime: playedTo, videoWidth: width, videoHeight: height } = player
    return { duration, soughtTo, playedTo, width, height }
  })()`)
}

async function showsAndSeeks(world: World): Promise<void> {
  const { page } = world.browsing
  await world.browsing.show(
    `<img id="screen" src="${world.path('screen.png')}"><img id="lie" src="${world.path('lie.png')}">
     <audio id="voice" controls preload="metadata" src="${world.path('voice.wav')}"></audio>
     <video id="camera" controls muted preload="metadata" src="${world.path('camera.webm')}"></video>`,
  )
  assert.deepEqual(await shownSize(page, 'screen'), [640, 400])
  assert.deepEqual(await shownSize(page, 'lie'), [0, 0])
  for (const [id, filename, seconds] of [
    ['voice', 'voice.wav', AUDIO_SECONDS],
    ['camera', 'camera.webm', (FRAMES * VIDEO.frameMs) / 1000],
  ] as const) {
    const { duration, soughtTo, playedTo, width, height } = await playNearTheEnd(page, id)
    assert.ok(Math.abs(duration - seconds) < 0.2, `${filename} lasts ${duration} s`)
    assert.ok(Math.abs(soughtTo - (duration - 1)) < 0.01, `${filename} was sought to ${soughtTo}`)
    assert.ok(playedTo > soughtTo, `${filename} does not play on from ${soughtTo}`)
    const length = world.bytes(filename).length
    const ranges = world.ranges(filename)
    const furthest = Math.max(...ranges.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1])))
    assert.ok(furthest > length / 2, `of ${length} bytes of ${filename} only ${ranges.join()} were asked for`)
    if (id === 'camera') assert.deepEqual([width, height], [VIDEO.width, VIDEO.height])
  }
  await picture(world, 'players')
}

/** Opened directly, embedded in every way, or loaded as code: files with scripts run none. */
async function runsNothing(world: World): Promise<void> {
  const { page } = world.browsing
  for (const filename of ['drawing.svg', 'page.html', 'lie.png']) {
    const { name, bytes } = await download(world, filename)
    assert.deepEqual([name, bytes], [filename, world.bytes(filename)], 'it is offered as a download')
  }
  const [svg, html, lie, code] = ['drawing.svg', 'page.html', 'lie.png', 'code.js'].map((name) => world.path(name))
  await world.browsing.show(
    `<img id="svg" src="${svg}">
     ${[svg, html, lie].map((path) => `<iframe src="${path}"></iframe><object data="${path}"></object><embed src="${path}">`).join('')}
     <script src="${code}"></script><script src="${html}"></script><script type="module" src="${code}"></script>`,
  )
  await page.waitForTimeout(500)
  assert.deepEqual(await shownSize(page, 'svg'), [40, 30], 'a drawing is shown as a picture')
  world.assertNothingRan()
  assert.equal(await page.title(), 'test')
  await world.browsing.show(`<script>fetch('/ran?by-the-test')</script>`)
  const asked = () => world.browsing.seen.filter(({ path }) => path === '/ran?by-the-test').length
  await eventually('a script that runs is detected', () => asked() > 0)
  assert.equal(asked(), 1, 'a script that runs is detected once')
}

async function showsLogs(world: World): Promise<void> {
  const { page } = world.browsing
  const answer = await page.goto(world.service.url + world.path('agent.log'))
  assert.equal(answer?.headers()['content-type'], 'text/plain; charset=utf-8')
  const shown = await page.locator('pre').textContent()
  assert.equal(shown, world.bytes('agent.log').toString())
  await picture(world, 'log')
}

async function givesToSave(world: World): Promise<void> {
  const { name, bytes } = await download(world, 'robot.mcap')
  assert.equal(name, 'robot.mcap')
  assert.deepEqual(bytes, world.bytes('robot.mcap'))
}

async function deletes(world: World): Promise<void> {
  const { client } = world.service
  const path = `/v1/traces/${world.traceId}`
  const { attachment_count, steps } = (await client.get(path)).json<Trace>()
  assert.equal(attachment_count, world.files.size)
  const [first, second] = steps
  assert.deepEqual(first?.attachments, [])
  assert.deepEqual(
    [second?.id, second?.attachments.map(({ filename }) => filename)],
    [world.stepId, [...world.files.keys()]],
  )
  await world.browsing.show('')
  assert.equal(await fetchedStatus(world, 'screen.png'), 200)
  await client.call({ method: 'DELETE', path })
  assert.equal(await fetchedStatus(world, 'screen.png'), 404)
}

/** Status of the file, requested by the page and not from its cache. */
function fetchedStatus(world: World, filename: string): Promise<number> {
  return world.browsing.page.evaluate(
    async (url) => (await fetch(url, { cache: 'reload' })).status,
    world.path(filename),
  )
}

/** What following a link to the file saves. */
async function download(world: World, filename: string): Promise<{ name: string; bytes: Buffer }> {
  const { page } = world.browsing
  const coming = page.waitForEvent('download')
  // A navigation that becomes a download ends with an error of its own.
  await page.goto(world.service.url + world.path(filename)).catch(() => undefined)
  const saved = await coming
  return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) }
}

/** For people to look at, when they name a folder for it. */
async function picture({ browsing }: World, name: string): Promise<void> {
  const folder = process.env['SPOOR_TEST_PICTURES']
  if (folder !== undefined) await browsing.page.screenshot({ path: `${folder}/${name}.png` })
}
