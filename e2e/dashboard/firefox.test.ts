import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discover } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import { Firefox } from '../lib/firefox.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'

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

test('lists, traces, conversations, scores, views and clusters work in Firefox', async (context) => {
  const firefox = await Firefox.launch()
  if (typeof firefox === 'string') return context.skip(firefox)
  await using _ = firefox
  await using service = await Service.start()
  await fill(service)
  await firefox.resize(1440, 900)
  await firefox.goto(`${service.url}/app`)
  const signIn = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const request = JSON.stringify({ ...signIn, body: JSON.stringify({ key: service.key }) })
  assert.equal(await firefox.evaluate(`fetch('/v1/session', ${request}).then(({ status }) => status)`), 201)
  firefox.problems.length = 0
  const open = async (path: string, shown: string) => {
    await firefox.goto(service.url + path)
    await firefox.shows(shown)
    // A scroll bar takes a part of the window.
    const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.equal(await firefox.evaluate(beyond), 0, path)
  }

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

  await open('/app/sessions', 'trip 1')
  await open('/app/sessions/trip%201', 'Of course')
  await open('/app/users/ana', 'Failed traces')
  await open('/app/metrics/solved', 'Pass rate')
  await firefox.until(`(document.querySelector('.u-wrap canvas')?.width ?? 0) > 500`)
  await open('/app/clusters', 'Since last run')
  await firefox.until(`(document.querySelector('[role=application]')?.clientWidth ?? 0) > 300`)
  await firefox.click('table a', '·')
  await firefox.shows('Typical requests')
  await firefox.resize(390, 844)
  await open('/app/traces', 'Refund my ticket to Lisbon')
  assert.deepEqual(firefox.problems, [])
})
