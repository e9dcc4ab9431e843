import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedBodies } from '../dispatch/event-bodies.test-support.ts'
import { RECEIVER_SCHEMAS } from './receiver-schemas.test-support.ts'
import { toDeliveredBody } from './to-delivered-body.ts'

const FORMATS = ['slack', 'discord', 'pagerduty'] as const
type Format = (typeof FORMATS)[number]
const KEY = 'k'.repeat(32)
const HOSTILE = '<!channel> @everyone **bold** [x](https://evil.test) `c` & \u{1F600} "quoted"\n| > end'
const PING = Buffer.from(
  JSON.stringify({ id: 'evt_1', type: 'ping', timestamp: '2026-01-02T03:04:05.000Z', project_id: 'proj_1', data: {} }),
)

function sent(format: Format, body: Uint8Array, publicUrl: string | null = 'https://spoor.test'): string {
  return Buffer.from(toDeliveredBody(body, { format, secrets: [KEY, 'older'] }, publicUrl)).toString()
}

for (const format of FORMATS) {
  test(`every event is a message that ${format} takes, whatever its texts are`, async () => {
    const plain = await storedBodies('{}')
    const hostile = await storedBodies('{}', { name: HOSTILE, sessionId: HOSTILE, models: [HOSTILE], status: 'error' })
    const long = await storedBodies('{}', {
      name: '&<'.repeat(500),
      userId: '*\u{1F600}'.repeat(300),
      models: Array.from({ length: 60 }, (_, n) => `model-${n}-${'_'.repeat(40)}`),
    })
    for (const publicUrl of ['https://spoor.test', null]) {
      for (const body of [...plain, ...hostile, ...long, PING]) {
        const message = sent(format, body, publicUrl)
        const errors = [...RECEIVER_SCHEMAS[format].Errors(JSON.parse(message))]
        assert.deepEqual(errors, [], message)
        assert.equal(message, sent(format, body, publicUrl), 'every attempt has the same bytes')
        assert.doesNotMatch(message, /[\uD800-\uDBFF](?![\uDC00-\uDFFF])/, 'half a character')
      }
    }
  })
}

test('no text of a trace is markup', async () => {
  const [committed] = (await storedBodies('{}', { name: HOSTILE, userId: HOSTILE })) as readonly [Uint8Array]
  const slack = JSON.parse(sent('slack', committed, null))
  const markup = JSON.stringify(slack.blocks.slice(1))
  assert.doesNotMatch(markup, /[<>]/)
  assert.match(markup, /&lt;!channel&gt; @everyone/)
  const discord = JSON.parse(sent('discord', committed, null))
  assert.match(discord.embeds[0].title, /\\\*\\\*bold\\\*\\\* \\\[x\\\]\\\(https/)
})

/** All strings of a message but its links, and the lines of those that have several by their form. */
function textsOf(message: unknown, key = ''): readonly string[] {
  if (typeof message === 'string') return /^(url|client_url|href)$/.test(key) ? [] : [message]
  if (typeof message !== 'object' || message === null) return []
  return Object.entries(message).flatMap(([name, value]) => textsOf(value, name))
}

for (const format of FORMATS) {
  test(`no recorded text ends a line, hides or turns text, or becomes a link in ${format}`, async () => {
    const recorded = 'a\nb\r\u0085\u2028\u0000\u202E\u2066c\u061C https://evil.test HTTP://evil.test'
    const names = new Set(['name', 'label', 'source', 'session_id', 'user_id', 'run_type'])
    const paragraphs = new Set(['reason', 'comment', 'description'])
    for (const body of await storedBodies('{}', { status: 'error' })) {
      const event: unknown = JSON.parse(Buffer.from(body).toString(), (key, value: unknown) => {
        if (key === 'models') return [recorded]
        if (names.has(key) && typeof value === 'string') return recorded
        return paragraphs.has(key) ? `first\r\n${recorded.replaceAll('\n', '')}` : value
      })
      const texts = textsOf(JSON.parse(sent(format, Buffer.from(JSON.stringify(event)), null)))
      // A removal has ids only.
      assert.equal(
        texts.some((text) => text.includes('evil.test')),
        !Buffer.from(body).includes('metric.removed'),
      )
      for (const text of texts) {
        // The two places of a form that have two lines: a field of Slack, and what is more than a title.
        const [first = '', ...rest] = text.split('\n')
        assert.ok(rest.length === 0 || (rest.length === 1 && /^(\*[\w ]+\*|first)$/.test(first.trim())), text)
        assert.doesNotMatch(`${first}${rest}`, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
        if (format === 'discord') assert.doesNotMatch(text, /:\/\//)
      }
    }
  })
}

test('a message says what happened, with a link to its screen', async () => {
  const bodies = await storedBodies('{}', { name: 'refund', status: 'error', stepCount: 3 })
  const events = new Map(bodies.map((body) => [JSON.parse(Buffer.from(body).toString()).type as string, body]))
  const slack = (type: string) => JSON.parse(sent('slack', events.get(type)!))
  assert.equal(slack('trace.committed').text, 'Run failed: refund')
  assert.match(
    JSON.stringify(slack('trace.committed')),
    /<https:\/\/spoor\.test\/app\/p\/proj_\w+\/traces\/tr_\w+\|Open in Spoor>/,
  )
  assert.match(slack('monitor.fired').text, /^Monitor fired: /)
  assert.match(JSON.stringify(slack('monitor.fired')), /\/app\/p\/proj_\w+\/monitors\/mon_\w+\|/)
  assert.equal(slack('cluster.created').text, 'New cluster: refunds')
  assert.match(slack('metric.event').text, /^solved: /)
})

test('a monitor that resolves ends the incident that it opened at PagerDuty', async () => {
  const bodies = (await storedBodies('{}')).map((body) => JSON.parse(sent('pagerduty', body)))
  const of = (type: string) => bodies.find(({ payload }) => payload.class === type)
  const [fired, resolved] = [of('monitor.fired'), of('monitor.resolved')]
  assert.deepEqual([fired.event_action, resolved.event_action], ['trigger', 'resolve'])
  assert.equal(fired.dedup_key, resolved.dedup_key)
  assert.equal(fired.routing_key, KEY)
  assert.equal(fired.payload.severity, 'error')
})

test('without a form, the event is sent as it is stored', () => {
  assert.equal(toDeliveredBody(PING, { format: 'json', secrets: [] }, null), PING)
})
