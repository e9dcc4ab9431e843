import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { discover } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import { Firefox } from '../lib/firefox.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { goingTo } from './going-to.ts'

const SAID = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const FAILED = {
  name: 'refund',
  session_id: 'trip 1',
  user_id: 'ana',
  metadata: { env: 'prod' },
  steps: [
    {
      name: 'plan',
      type: 'llm',
      model: 'gpt-4o',
      token_usage: { input: 100, output: 10 },
      messages: [
        SAID('user', 'Refund my ticket to Lisbon'),
        SAID('assistant', '**Of course**, one moment.\n\n- مرحبا'),
      ],
    },
    {
      name: 'pay back',
      type: 'tool',
      status: 'error',
      error: { type: 'PaymentError', message: 'the card has expired' },
    },
  ],
}

async function fill({ client }: Service): Promise<void> {
  const random = createRandom(1)
  for (let n = 0; n < 24; n++) await client.postTrace(topicTrace(1 + (n % 2), random, n % 4 === 0))
  await client.postTrace(FAILED)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'solved', kind: 'boolean' })
  await client.call({ method: 'POST', path: '/v1/metrics', headers, body })
  await discover(client, { k_max: 3 })
}

const resources = new AsyncDisposableStack()
after(() => resources.disposeAsync())

let firefox: Firefox | string
let service: Service
before(async () => {
  firefox = await Firefox.launch()
  if (typeof firefox === 'string') return
  resources.use(firefox)
  service = resources.use(await Service.start())
  await fill(service)
})

/** How far the page is wider than its window, of which a scroll bar takes a part. */
const BEYOND = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const WIDER = [
  [1440, 900],
  [2560, 1440],
] as const

test('lists, traces, conversations, scores, views and clusters work in a dark Firefox', async (context) => {
  if (typeof firefox === 'string') return context.skip(firefox)
  await firefox.resize(1440, 900)
  const open = await signedIn(firefox)

  assert.equal(await firefox.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`), true)
  // What went in and what came out; then two rows by keys.
  await open('/app/traces', 'Refund my ticket to Lisbon')
  await firefox.shows('PaymentError: the card has expired')
  for (const key of ['j', 's', 'j', 's']) await firefox.press(key)
  await firefox.shows('2 traces selected')
  await firefox.press('\uE00C')
  await firefox.click('button', 'Views')
  await firefox.shows('No saved views yet')
  await firefox.press('\uE00C')

  // A failed run opens on its error, and is read as a conversation.
  await firefox.click('a', 'refund')
  await firefox.shows('the card has expired')
  await firefox.press('2')
  await firefox.until(`document.querySelector('[aria-label=Conversation] strong')?.innerText === 'Of course'`)
  const rightToLeft = `[...document.querySelectorAll('[aria-label=Conversation] li li')].at(-1)`
  await firefox.until(
    `(() => { const range = new Range(); range.selectNodeContents(${rightToLeft}); ` +
      `return ${rightToLeft}.getBoundingClientRect().right - range.getBoundingClientRect().right < 2 })()`,
  )
  await firefox.press('\uE00C')
  await firefox.shows('Add filter')
  await firefox.click('button', 'Review')
  await firefox.click('[role=menuitem]', 'solved')
  await firefox.until(`document.querySelector('[aria-label=Score][aria-busy=false]') !== null`)
  await firefox.press('2')
  await firefox.shows('1 scored')

  // Each is recognised by what the one before does not show.
  await open('/app/sessions', 'By user')
  await firefox.shows('trip 1')
  await open('/app/users/ana', 'Failed traces')
  await open('/app/metrics/solved', 'Pass rate')
  await firefox.until(`(document.querySelector('.u-wrap canvas')?.width ?? 0) > 500`)
  await open('/app/sessions/trip%201', 'Of course')
  await open('/app/clusters', 'Since last run')
  await firefox.until(`(document.querySelector('[role=application]')?.clientWidth ?? 0) > 300`)
  await firefox.click('table a', '·')
  await firefox.shows('Typical requests')
  assert.deepEqual(firefox.problems, [])
})

test('screens fit into narrow and wide windows of Firefox', async (context) => {
  if (typeof firefox === 'string') return context.skip(firefox)
  const open = await signedIn(firefox)
  const { traces } = (await service.client.get('/v1/traces?name=refund')).json<{ traces: { id: string }[] }>()
  for (const [path, shown] of [
    // Each is recognised by what the one before does not show.
    ['/app/traces', 'Refund my ticket to Lisbon'],
    ['/app/monitors', 'No monitors'],
    [`/app/traces/${traces[0]?.id}`, 'the card has expired'],
    ['/app/metrics', 'solved'],
    [`/app/traces/${traces[0]?.id}?tab=conversation`, 'Of course'],
    ['/app/clusters', 'Discover clusters'],
    ['/app/sessions/trip%201', 'Of course'],
  ] as const) {
    await firefox.resize(390, 844)
    await open(path, shown)
    for (const [width, height] of WIDER) {
      await firefox.resize(width, height)
      await firefox.shows(shown)
      await firefox.until(`innerWidth === ${width} && ${BEYOND} === 0`)
    }
  }
  assert.deepEqual(firefox.problems, [])
})

/** Signs in; returns what opens a screen, waits for its text, and sees that it is not too wide. */
async function signedIn(browser: Firefox): Promise<(path: string, shown: string) => Promise<void>> {
  await browser.goto(`${service.url}/app`)
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: service.key }),
  }
  const signIn = `fetch('/v1/session', ${JSON.stringify(request)}).then(({ status }) => status)`
  assert.equal(await browser.evaluate(signIn), 201)
  await browser.goto(`${service.url}/app/traces`)
  await browser.shows('Add filter')
  browser.problems.length = 0
  return async (path, shown) => {
    await browser.evaluate(goingTo(path))
    await browser.shows(shown)
    assert.equal(await browser.evaluate(BEYOND), 0, path)
  }
}
